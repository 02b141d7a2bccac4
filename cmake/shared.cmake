# The shared library: the static one's objects, of which it shows the public functions only.
# `product` is all that gets installed; what adds to the one adds to the other.
add_custom_target(product DEPENDS foliot foliot_cli)
if(FOLIOT_HAVE_MPI)
  add_dependencies(product foliot_mpi)
endif()
if(NOT FOLIOT_SHARED)
  set_target_properties(foliot PROPERTIES EXPORT_NAME foliot)
  return()
endif()

add_library(foliot_shared SHARED $<TARGET_OBJECTS:foliot>)
# Before 1.0 a new minor version may change the interface, so it is in the soname.
set_target_properties(foliot_shared PROPERTIES OUTPUT_NAME foliot EXPORT_NAME foliot
  LINKER_LANGUAGE C VERSION ${PROJECT_VERSION}
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
target_include_directories(foliot_shared INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
get_target_property(links foliot LINK_LIBRARIES)
target_link_libraries(foliot_shared PRIVATE ${links})
if(CMAKE_SYSTEM_NAME STREQUAL Linux)
  set(map ${CMAKE_BINARY_DIR}/exports.map)
  configure_file(cmake/exports.map.in ${map} @ONLY)
  target_link_options(foliot_shared PRIVATE -Wl,--version-script=${map} -Wl,--no-undefined)
  set_target_properties(foliot_shared PROPERTIES LINK_DEPENDS ${map})
endif()
add_dependencies(product foliot_shared)
