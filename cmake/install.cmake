# `make install`: headers, libraries, program, pkg-config and CMake package files. All of them find
# each other by relative paths, so that the installed tree can be moved.

install(DIRECTORY include/foliot DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} FILES_MATCHING PATTERN "*.h")
install(TARGETS foliot_cli RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
# The documents of the gallery, found by name beside the program.
install(DIRECTORY models/ DESTINATION ${CMAKE_INSTALL_DATADIR}/foliot/models
  FILES_MATCHING PATTERN "*.json" PATTERN "*.mo" PATTERN "readme.md")
file(RELATIVE_PATH foliot_models "/x/${CMAKE_INSTALL_BINDIR}"
  "/x/${CMAKE_INSTALL_DATADIR}/foliot/models")
set_property(SOURCE src/cli/folders.c APPEND PROPERTY COMPILE_DEFINITIONS
  FOLIOT_MODELS_AT="${foliot_models}")
set(foliot_libraries foliot)
if(FOLIOT_SHARED)
  list(APPEND foliot_libraries foliot_shared)
endif()
install(TARGETS ${foliot_libraries} EXPORT foliotTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

# A program that links the static library links what it stands on, too. Libraries from where the
# linker looks anyway go by name, others by path.
set(foliot_private_flags "")
set(foliot_interface "")
get_target_property(links foliot LINK_LIBRARIES)
get_target_property(interface foliot INTERFACE_LINK_LIBRARIES)
foreach(link ${interface})
  list(APPEND foliot_interface "$<BUILD_INTERFACE:${link}>")
endforeach()
foreach(link ${links})
  if(NOT IS_ABSOLUTE ${link})
    continue()
  endif()
  get_filename_component(folder ${link} DIRECTORY)
  get_filename_component(name ${link} NAME_WE)
  string(REGEX REPLACE "^lib" "" name ${name})
  if(folder IN_LIST CMAKE_C_IMPLICIT_LINK_DIRECTORIES)
    string(APPEND foliot_private_flags " -l${name}")
    list(APPEND foliot_interface "$<INSTALL_INTERFACE:${name}>")
  else()
    string(APPEND foliot_private_flags " -L${folder} -l${name}")
    list(APPEND foliot_interface "$<INSTALL_INTERFACE:${link}>")
  endif()
endforeach()
set_target_properties(foliot PROPERTIES
  INTERFACE_LINK_LIBRARIES "${foliot_interface};$<INSTALL_INTERFACE:m>")

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

file(RELATIVE_PATH foliot_up "/x/${CMAKE_INSTALL_LIBDIR}/pkgconfig" /x)
string(REGEX REPLACE "/$" "" foliot_up ${foliot_up})
configure_file(cmake/foliot.pc.in ${CMAKE_BINARY_DIR}/foliot.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/foliot.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
