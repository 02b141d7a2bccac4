# Clusters over MPI: optional. They are a library and a program of their own, so that nothing else
# needs MPI. The program is the ordinary one with clusters in it; `foliot` goes over to it when
# mpirun has started it.
option(FOLIOT_MPI "Fields shared among the ranks of MPI" ON)
set(FOLIOT_HAVE_MPI OFF)
set(FOLIOT_HAVE_HYPRE OFF)
if(FOLIOT_MPI AND NOT CMAKE_CROSSCOMPILING)
  find_package(MPI QUIET COMPONENTS C)
  if(MPI_C_FOUND)
    set(FOLIOT_HAVE_MPI ON)
    file(GLOB cluster CONFIGURE_DEPENDS src/cluster/mpi*.c)
    add_library(foliot_cluster STATIC ${cluster})
    target_include_directories(foliot_cluster PRIVATE src)
    target_link_libraries(foliot_cluster PUBLIC foliot MPI::MPI_C PRIVATE foliot_flags)
    include(cmake/hypre.cmake)
    file(GLOB cluster_cli CONFIGURE_DEPENDS src/cli/*.c)
    add_executable(foliot_mpi ${cluster_cli})
    set_target_properties(foliot_mpi PROPERTIES OUTPUT_NAME foliot-mpi
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
    target_include_directories(foliot_mpi PRIVATE src)
    target_compile_definitions(foliot_mpi PRIVATE FOLIOT_WITH_MPI)
    target_link_libraries(foliot_mpi PRIVATE foliot_cluster foliot_gallery foliot_flags)
    install(TARGETS foliot_mpi RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  else()
    message(STATUS "MPI not found (libopenmpi-dev): building without clusters")
  endif()
endif()
# The kernels of fields are worth vectors, which -O2 makes for short loops only.
set_source_files_properties(src/field/leapfrog.c src/field/drift.c src/field/kernel.c
  PROPERTIES COMPILE_OPTIONS "$<$<NOT:$<CONFIG:Debug>>:-O3>")
