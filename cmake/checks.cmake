# Checks of the sources themselves, and the parts of the suite that other builds run.
if(NOT FOLIOT_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
  add_test(NAME sources/format COMMAND ${PROJECT_SOURCE_DIR}/tools/format --check)
  add_test(NAME sources/layers COMMAND ${PROJECT_SOURCE_DIR}/tools/layers)
  set_tests_properties(sources/format sources/layers PROPERTIES SKIP_RETURN_CODE 77)
endif()

# heart_tests: of the rooms that need only libc and libm, and of machine code. thread_tests: of what has threads, which
# is tests/threads/ and every test_threads*.c.
get_property(programs DIRECTORY tests PROPERTY BUILDSYSTEM_TARGETS)
set(heart_programs ${programs})
list(FILTER heart_programs INCLUDE REGEX "^test_(math|base|system|solver|simulation)_|^test_program_emit$")
add_custom_target(heart_tests DEPENDS ${heart_programs} embed_small embed_emitted foliot_cli)
set(thread_programs ${programs})
list(FILTER thread_programs INCLUDE REGEX "^test_(.*_)?threads(_|$)")
add_custom_target(thread_tests DEPENDS ${thread_programs})
