# What every target of the project is compiled with; nothing of it reaches a user's target.
add_library(foliot_flags INTERFACE)
target_compile_options(foliot_flags INTERFACE
  -Wall -Wextra -Wpedantic -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wpointer-arith
  -Wvla -Wno-missing-field-initializers -fno-math-errno -ffp-contract=off)
target_compile_definitions(foliot_flags INTERFACE _GNU_SOURCE)
if(FOLIOT_WERROR)
  target_compile_options(foliot_flags INTERFACE -Werror)
endif()
if(FOLIOT_SANITIZE)
  target_compile_options(foliot_flags INTERFACE -fsanitize=${FOLIOT_SANITIZE}
    -fno-omit-frame-pointer -fno-sanitize-recover=all)
  target_link_options(foliot_flags INTERFACE -fsanitize=${FOLIOT_SANITIZE})
  target_compile_definitions(foliot_flags INTERFACE FOI_SANITIZED) # base/inline.h
endif()
# A release does not say where it was built: paths in its debug information begin at the sources' folder, and its
# objects have the same bytes in every folder. Those of a debugger have this machine's.
if(NOT CMAKE_BUILD_TYPE STREQUAL Debug)
  target_compile_options(foliot_flags INTERFACE -ffile-prefix-map=${CMAKE_BINARY_DIR}=build
    -ffile-prefix-map=${CMAKE_SOURCE_DIR}=.)
endif()
