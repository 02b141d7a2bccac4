# The binary of exported FMUs: `foliot export --fmu` puts it into an archive beside the model's document. It
# holds what it needs of the library, without SUNDIALS, so that it stands on libc and libm alone.
if(CMAKE_SYSTEM_NAME STREQUAL Linux)
  set(foliot_objects "$<FILTER:$<TARGET_OBJECTS:foliot>,EXCLUDE,solver/(solver|sundials[^/]*)\\.c\\.o$>")
  add_library(foliot_plain STATIC src/solver/solver.c ${foliot_objects})
  set_target_properties(foliot_plain PROPERTIES POSITION_INDEPENDENT_CODE ON EXCLUDE_FROM_ALL ON)
  target_include_directories(foliot_plain PRIVATE src PUBLIC include)
  target_link_libraries(foliot_plain PRIVATE foliot_flags)
  file(GLOB unit CONFIGURE_DEPENDS src/model/unit/*.c)
  add_library(foliot_fmu MODULE ${unit})
  set_target_properties(foliot_fmu PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}
    LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cmake/fmu.map)
  target_include_directories(foliot_fmu PRIVATE src)
  target_link_libraries(foliot_fmu PRIVATE foliot_plain foliot_flags m dl)
  target_link_options(foliot_fmu PRIVATE -Wl,--gc-sections -Wl,-s -Wl,--as-needed
    -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/cmake/fmu.map)
  add_dependencies(product foliot_fmu)
  install(TARGETS foliot_fmu DESTINATION ${CMAKE_INSTALL_LIBDIR}/foliot)
endif()
