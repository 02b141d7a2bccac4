# The binary of exported FMUs, and its sources: `foliot export --fmu` puts both into an archive beside the model's
# document. They are the rooms that run a model, without SUNDIALS and without what loads code, so that a unit
# stands on libc and libm alone.
file(GLOB unit CONFIGURE_DEPENDS src/model/unit/*.c)
file(GLOB unit_windows CONFIGURE_DEPENDS src/model/unit/windows/*.c)
set(unit_sources ${heart})
set(unit_without "/src/(cluster|desk|live|ensemble|report|analysis|share|fmi)/|/model/kind_(fmu|library)\\.c$")
list(FILTER unit_sources EXCLUDE REGEX "${unit_without}")
set(unit_instead src/model/kind_fmu_wasm.c src/model/kind_library_wasm.c)
foreach(file ${unit} ${unit_windows})
  list(REMOVE_ITEM unit_sources ${file})
endforeach()

set(names "")
foreach(file ${unit_sources} ${unit} ${unit_windows})
  file(RELATIVE_PATH name ${CMAKE_CURRENT_SOURCE_DIR} ${file})
  list(APPEND names ${name})
endforeach()
list(APPEND names ${unit_instead} LICENSE)
list(SORT names)
list(JOIN names "\n" text)
file(CONFIGURE OUTPUT ${CMAKE_BINARY_DIR}/foliot_fmu_list.txt CONTENT "${text}\n" @ONLY)
set(packed ${CMAKE_BINARY_DIR}/foliot_fmu_sources.txt)
file(GLOB headers CONFIGURE_DEPENDS include/foliot/*.h src/*/*.h src/*/*/*.h src/*/*/*/*.h)
add_custom_command(OUTPUT ${packed}
  COMMAND ${CMAKE_COMMAND} -DROOT=${CMAKE_CURRENT_SOURCE_DIR} -DLIST=${CMAKE_BINARY_DIR}/foliot_fmu_list.txt
    -DOUT=${packed} -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/fmu_sources.cmake
  DEPENDS ${names} ${headers} ${CMAKE_BINARY_DIR}/foliot_fmu_list.txt cmake/fmu_sources.cmake
  COMMENT "Packing the sources of exported units" VERBATIM)
add_custom_target(foliot_fmu_sources DEPENDS ${packed})
add_dependencies(product foliot_fmu_sources)
install(FILES ${packed} DESTINATION ${CMAKE_INSTALL_LIBDIR}/foliot)

if(CMAKE_SYSTEM_NAME STREQUAL Linux)
  set(foliot_objects
    "$<FILTER:$<TARGET_OBJECTS:foliot>,EXCLUDE,/models/|${unit_without}|solver/(solver|sundials[^/]*)\\.c\\.o$>")
  string(REPLACE "\\.c$" "\\.c\\.o$" foliot_objects "${foliot_objects}")
  add_library(foliot_plain STATIC src/solver/solver.c ${unit_instead} ${foliot_objects})
  set_target_properties(foliot_plain PROPERTIES POSITION_INDEPENDENT_CODE ON EXCLUDE_FROM_ALL ON)
  target_include_directories(foliot_plain PRIVATE src PUBLIC include)
  target_link_libraries(foliot_plain PRIVATE foliot_flags)
  add_library(foliot_fmu MODULE ${unit})
  set_target_properties(foliot_fmu PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}
    LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cmake/fmu.map)
  target_include_directories(foliot_fmu PRIVATE src)
  target_link_libraries(foliot_fmu PRIVATE foliot_plain foliot_flags m)
  target_link_options(foliot_fmu PRIVATE -Wl,--gc-sections -Wl,-s -Wl,--as-needed
    -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/cmake/fmu.map)
  if(NOT FOLIOT_SANITIZE) # the program has what sanitizers call
    target_link_options(foliot_fmu PRIVATE -Wl,--no-undefined)
  endif()
  add_dependencies(foliot_fmu foliot_fmu_sources)
  add_dependencies(product foliot_fmu)
  install(TARGETS foliot_fmu DESTINATION ${CMAKE_INSTALL_LIBDIR}/foliot)
endif()

# The binary for 64-bit Windows, where a compiler for it is there (the package gcc-mingw-w64-x86-64; FOLIOT_MINGW names
# another). It needs KERNEL32 and msvcrt alone. Each source is compiled by itself.
find_program(FOLIOT_MINGW NAMES x86_64-w64-mingw32-gcc x86_64-w64-mingw32-gcc-posix x86_64-w64-mingw32-gcc-win32)
if(FOLIOT_MINGW AND NOT FOLIOT_SANITIZE AND NOT CMAKE_CROSSCOMPILING)
  set(folder ${CMAKE_BINARY_DIR}/windows)
  file(MAKE_DIRECTORY ${folder})
  set(objects "")
  foreach(name ${names})
    if(name STREQUAL LICENSE OR name MATCHES "process/(stack|overflow|coroutine)\\.c$")
      continue()
    endif()
    string(REPLACE "/" "-" object ${name})
    set(object ${folder}/${object}.o)
    add_custom_command(OUTPUT ${object}
      COMMAND ${FOLIOT_MINGW} -std=gnu17 -O2 -D_GNU_SOURCE -DFOI_SMALL -ffp-contract=off -fno-math-errno
        -ffunction-sections -Werror=implicit-function-declaration -include model/unit/windows/posix.h
        -I${CMAKE_CURRENT_SOURCE_DIR}/src -I${CMAKE_CURRENT_SOURCE_DIR}/include -MD -MF ${object}.d
        -c ${CMAKE_CURRENT_SOURCE_DIR}/${name} -o ${object}
      DEPENDS ${name} src/model/unit/windows/posix.h DEPFILE ${object}.d
      COMMENT "Compiling ${name} for Windows" VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  list(JOIN objects "\n" text)
  file(CONFIGURE OUTPUT ${folder}/objects.txt CONTENT "${text}\n" @ONLY)
  set(library ${CMAKE_BINARY_DIR}/foliot_fmu.dll)
  add_custom_command(OUTPUT ${library}
    COMMAND ${CMAKE_COMMAND} -DCC=${FOLIOT_MINGW} -DFOLDER=${folder} -DOUT=${library}
      -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/fmu_windows.cmake
    DEPENDS ${objects} cmake/fmu_windows.cmake COMMENT "Linking the binary of units for Windows" VERBATIM)
  add_custom_target(foliot_fmu_windows DEPENDS ${library})
  add_dependencies(product foliot_fmu_windows)
  install(FILES ${library} DESTINATION ${CMAKE_INSTALL_LIBDIR}/foliot)
endif()
