# `make install`: headers, libraries, program, models, pages, pkg-config and CMake package files. All of them find
# each other by relative paths, so that the installed tree can be moved.

install(DIRECTORY include/foliot DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS foliot_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# The documents of the gallery, found by name beside the program.
install(DIRECTORY models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/foliot/models
  FILES_MATCHING PATTERN "*.json" PATTERN "*.mo" PATTERN "readme.md")
install(DIRECTORY docs/ DESTINATION ${CMAKE_INSTALL_DOCDIR} FILES_MATCHING PATTERN "*.md" PATTERN "*.svg"
  PATTERN "*.schema.json")
install(FILES CHANGELOG.md LICENSE DESTINATION ${CMAKE_INSTALL_DOCDIR})
file(RELATIVE_PATH foliot_models "/x/${CMAKE_INSTALL_BINDIR}"
  "/x/${CMAKE_INSTALL_DATADIR}/foliot/models")
file(RELATIVE_PATH foliot_parts "/x/${CMAKE_INSTALL_BINDIR}" "/x/${CMAKE_INSTALL_LIBDIR}/foliot")
set_property(SOURCE src/cli/folders.c APPEND PROPERTY COMPILE_DEFINITIONS
  FOLIOT_MODELS_AT="${foliot_models}" FOLIOT_PARTS_AT="${foliot_parts}")

# A program that links a static library links what that stands on, too. Libraries from where the
# linker looks anyway go by name, others by path.
#
#   foliot_stands_on(<target> <variable> [library]...)
#
# gives the installed target these links, and sets the variable to them as words for pkg-config.
function(foliot_stands_on target variable)
  set(words "")
  set(interface "")
  get_target_property(inner ${target} INTERFACE_LINK_LIBRARIES)
  foreach(link ${inner})
    list(APPEND interface "$<BUILD_INTERFACE:${link}>")
  endforeach()
  get_target_property(links ${target} LINK_LIBRARIES)
  foreach(link ${links} ${ARGN})
    if(NOT IS_ABSOLUTE "${link}")
      continue()
    endif()
    get_filename_component(folder ${link} DIRECTORY)
    get_filename_component(name ${link} NAME_WE)
    string(REGEX REPLACE "^lib" "" name ${name})
    if(folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
      string(APPEND words " -l${name}")
      list(APPEND interface "$<INSTALL_INTERFACE:${name}>")
    else()
      string(APPEND words " -L${folder} -l${name}")
      list(APPEND interface "$<INSTALL_INTERFACE:${link}>")
    endif()
  endforeach()
  if(target STREQUAL foliot_cluster AND FOLIOT_SHARED)
    list(APPEND interface "$<INSTALL_INTERFACE:foliot::static>")
  elseif(NOT target STREQUAL foliot)
    list(APPEND interface "$<INSTALL_INTERFACE:foliot::foliot>")
  endif()
  set(system m ${CMAKE_DL_LIBS})
  foreach(name ${system})
    string(APPEND words " -l${name}")
    list(APPEND interface "$<INSTALL_INTERFACE:${name}>")
  endforeach()
  set_target_properties(${target} PROPERTIES INTERFACE_LINK_LIBRARIES "${interface}")
  set(${variable} "${words}" PARENT_SCOPE)
endfunction()

# foliot_pkg_config(<library> <description> <requires> <libs> <libs.private>): its .pc file.
function(foliot_pkg_config name description requires libs private)
  configure_file(cmake/foliot.pc.in ${CMAKE_BINARY_DIR}/${name}.pc @ONLY)
  install(FILES ${CMAKE_BINARY_DIR}/${name}.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
endfunction()

file(RELATIVE_PATH foliot_up "/x/${CMAKE_INSTALL_LIBDIR}/pkgconfig" /x)
string(REGEX REPLACE "/$" "" foliot_up ${foliot_up})

set(foliot_libraries foliot)
foliot_stands_on(foliot words ${foliot_static_only})
foliot_pkg_config(foliot "${PROJECT_DESCRIPTION}" "" "-lfoliot" "${words}")
if(FOLIOT_HAVE_MPI)
  list(APPEND foliot_libraries foliot_cluster)
  foliot_stands_on(foliot_cluster words ${MPI_C_LIBRARIES})
  foliot_pkg_config(foliot_cluster "Fields shared among the ranks of MPI" "foliot"
    "-lfoliot_cluster" "${words}")
endif()
foreach(library foliot foliot_cluster)
  if(TARGET ${library}_shared)
    list(APPEND foliot_libraries ${library}_shared)
  endif()
endforeach()
install(TARGETS ${foliot_libraries} EXPORT foliotTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

# Before 1.0 a new minor version may change the interface.
include(CMakePackageConfigHelpers)
set(foliot_package ${CMAKE_INSTALL_LIBDIR}/cmake/foliot)
configure_package_config_file(cmake/foliotConfig.cmake.in ${CMAKE_BINARY_DIR}/foliotConfig.cmake
  INSTALL_DESTINATION ${foliot_package} NO_SET_AND_CHECK_MACRO)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/foliotConfigVersion.cmake
  COMPATIBILITY SameMinorVersion)
install(EXPORT foliotTargets NAMESPACE foliot:: DESTINATION ${foliot_package})
install(FILES ${CMAKE_BINARY_DIR}/foliotConfig.cmake ${CMAKE_BINARY_DIR}/foliotConfigVersion.cmake
  DESTINATION ${foliot_package})
