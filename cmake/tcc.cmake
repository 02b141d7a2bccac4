# C compiled in memory by libtcc: optional. Debian's library is one for programs, not for shared
# objects, so it stays out of libfoliot: programs that want it link foliot_tcc and name its compiler.
option(FOLIOT_TCC "C compiled in memory, through libtcc" ON)
set(FOLIOT_HAVE_TCC OFF)
if(FOLIOT_TCC AND NOT CMAKE_CROSSCOMPILING)
  find_path(TCC_INCLUDE libtcc.h)
  find_library(TCC_LIBRARY tcc)
  if(TCC_INCLUDE AND TCC_LIBRARY)
    set(FOLIOT_HAVE_TCC ON)
    add_library(foliot_tcc STATIC src/program/tcc.c)
    target_include_directories(foliot_tcc SYSTEM PRIVATE ${TCC_INCLUDE})
    target_include_directories(foliot_tcc PRIVATE src)
    target_compile_definitions(foliot_tcc INTERFACE FOI_WITH_TCC)
    target_link_libraries(foliot_tcc PUBLIC foliot PRIVATE foliot_flags ${TCC_LIBRARY}
      ${CMAKE_DL_LIBS})
  else()
    message(STATUS "libtcc not found (libtcc-dev): nothing is compiled in memory")
  endif()
endif()
