# Clusters over MPI: optional. What calls MPI is a library of its own, so that nothing else needs MPI,
# and the same objects are a module, which the program loads when it was started on several ranks.
option(FOLIOT_MPI "Fields shared among the ranks of MPI" ON)
set(FOLIOT_HAVE_MPI OFF)
set(FOLIOT_HAVE_HYPRE OFF)
if(FOLIOT_MPI AND NOT CMAKE_CROSSCOMPILING AND CMAKE_SYSTEM_NAME STREQUAL Linux)
  find_package(MPI QUIET COMPONENTS C)
  if(MPI_C_FOUND)
    set(FOLIOT_HAVE_MPI ON)
    file(GLOB cluster CONFIGURE_DEPENDS src/cluster/mpi/*.c)
    add_library(foliot_cluster STATIC ${cluster})
    add_library(foliot::cluster ALIAS foliot_cluster)
    set_target_properties(foliot_cluster PROPERTIES POSITION_INDEPENDENT_CODE ON
      EXPORT_NAME cluster_static)
    target_include_directories(foliot_cluster PRIVATE src)
    target_link_libraries(foliot_cluster PUBLIC foliot PRIVATE MPI::MPI_C foliot_flags)
    include(cmake/hypre.cmake)
    add_library(foliot_mpi MODULE $<TARGET_OBJECTS:foliot_cluster>)
    set_target_properties(foliot_mpi PROPERTIES PREFIX "" LINKER_LANGUAGE C
      INSTALL_RPATH_USE_LINK_PATH ON LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
    target_link_libraries(foliot_mpi PRIVATE MPI::MPI_C ${foliot_hypre} m foliot_flags)
    target_link_options(foliot_mpi PRIVATE
      -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/cmake/module.map)
    set_target_properties(foliot_mpi PROPERTIES
      LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cmake/module.map)
    install(TARGETS foliot_mpi DESTINATION ${CMAKE_INSTALL_LIBDIR}/foliot)
  else()
    message(STATUS "MPI not found (libopenmpi-dev): building without clusters")
  endif()
endif()
# The kernels of fields are worth vectors, which -O2 makes for short loops only.
set_source_files_properties(src/field/leapfrog.c src/field/drift.c src/field/kernel.c
  PROPERTIES COMPILE_OPTIONS "$<$<NOT:$<CONFIG:Debug>>:-O3>")
