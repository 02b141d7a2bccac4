# The shared libraries: the static ones' objects, of which they show the public functions only.
# `product` is all that gets installed; what adds to the one adds to the other.
add_custom_target(product DEPENDS foliot foliot_cli)
set(api ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
set(exports_map ${CMAKE_BINARY_DIR}/exports.map)
set(exports_list ${CMAKE_BINARY_DIR}/exports.list)
if(FOLIOT_HAVE_MPI)
  add_dependencies(product foliot_cluster foliot_mpi)
  set(archive_given -DARCHIVE=$<TARGET_FILE:foliot_cluster>)
  set(archive_needed foliot_cluster)
endif()
add_custom_command(OUTPUT ${exports_map} ${exports_list}
  COMMAND ${CMAKE_COMMAND} -DNM=${CMAKE_NM} ${archive_given} -DVERSION=${api} -DMAP=${exports_map}
    -DLIST=${exports_list} -DMAP_IN=${CMAKE_CURRENT_SOURCE_DIR}/cmake/exports.map.in
    -P ${CMAKE_CURRENT_SOURCE_DIR}/cmake/private_symbols.cmake
  DEPENDS ${archive_needed} cmake/exports.map.in cmake/private_symbols.cmake
  COMMENT "Listing what is exported" VERBATIM)
add_custom_target(foliot_exports DEPENDS ${exports_map} ${exports_list})
if(NOT FOLIOT_SHARED)
  set_target_properties(foliot PROPERTIES EXPORT_NAME foliot)
  if(FOLIOT_HAVE_MPI)
    set_target_properties(foliot_cluster PROPERTIES EXPORT_NAME cluster)
  endif()
  return()
endif()

# foliot_add_shared(<library> <map>): <library>_shared, of the objects of a static library.
# Before 1.0 a new minor version may change the interface, so it is in the soname.
function(foliot_add_shared library map)
  add_library(${library}_shared SHARED $<TARGET_OBJECTS:${library}>)
  string(REPLACE foliot_ "" short ${library})
  set_target_properties(${library}_shared PROPERTIES OUTPUT_NAME ${library} EXPORT_NAME ${short}
    LINKER_LANGUAGE C VERSION ${PROJECT_VERSION} SOVERSION ${api})
  target_include_directories(${library}_shared
    INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
  get_target_property(links ${library} LINK_LIBRARIES)
  list(REMOVE_ITEM links foliot)
  target_link_libraries(${library}_shared PRIVATE ${links})
  if(CMAKE_SYSTEM_NAME STREQUAL Linux)
    target_link_options(${library}_shared PRIVATE -Wl,--version-script=${map} -Wl,--no-undefined)
    set_target_properties(${library}_shared PROPERTIES LINK_DEPENDS ${map})
  endif()
  add_dependencies(product ${library}_shared)
endfunction()

foliot_add_shared(foliot ${exports_map})
add_dependencies(foliot_shared foliot_exports)
if(FOLIOT_HAVE_MPI)
  set(cluster_map ${CMAKE_BINARY_DIR}/cluster.map)
  configure_file(cmake/cluster.map.in ${cluster_map} @ONLY)
  foliot_add_shared(foliot_cluster ${cluster_map})
  target_link_libraries(foliot_cluster_shared PUBLIC foliot_shared PRIVATE m)
  set_target_properties(foliot_cluster_shared PROPERTIES INSTALL_RPATH "$ORIGIN"
    INSTALL_RPATH_USE_LINK_PATH ON)
endif()
