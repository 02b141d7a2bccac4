# The plug-in without a document: `foliot export --plugin` makes a copy and appends one.
if(CMAKE_SYSTEM_NAME STREQUAL Linux)
  add_library(foliot_plugin MODULE src/structure/plugin/plugin.c)
  set_target_properties(foliot_plugin PROPERTIES PREFIX "" LIBRARY_OUTPUT_DIRECTORY
    ${CMAKE_BINARY_DIR})
  target_link_libraries(foliot_plugin PRIVATE foliot foliot_flags dl)
  target_link_options(foliot_plugin PRIVATE
    -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/cmake/plugin.map)
  add_dependencies(product foliot_plugin)
  # what hosts of plug-ins include: the functions are the plug-in's, not a library's
  install(FILES src/structure/plugin/simulator.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/foliot/plugin)
  install(TARGETS foliot_plugin DESTINATION ${CMAKE_INSTALL_LIBDIR}/foliot)
endif()
