# The studio: optional. Its server is a program of its own, so that nothing else is linked with
# libwebsockets; the page is bundled by Node and put into it. `make studio` gets what it needs.
option(FOLIOT_STUDIO "The studio in the browser, through libwebsockets and Node" ON)
set(FOLIOT_HAVE_STUDIO OFF)
if(FOLIOT_STUDIO AND NOT CMAKE_CROSSCOMPILING AND CMAKE_SYSTEM_NAME STREQUAL Linux)
  find_program(NODE_PROGRAM NAMES node nodejs)
  find_path(WEBSOCKETS_INCLUDE libwebsockets.h)
  find_library(WEBSOCKETS_LIBRARY websockets)
  set(studio_bundler ${CMAKE_CURRENT_SOURCE_DIR}/web/node_modules/esbuild/package.json)
  if(NOT NODE_PROGRAM)
    message(STATUS "Node not found (nodejs): building without the studio")
  elseif(NOT WEBSOCKETS_INCLUDE OR NOT WEBSOCKETS_LIBRARY)
    message(STATUS "libwebsockets not found (libwebsockets-dev): building without the studio")
  elseif(NOT EXISTS ${studio_bundler})
    message(STATUS "web/node_modules not found ('make studio' gets it): building without the studio")
  else()
    set(FOLIOT_HAVE_STUDIO ON)
    file(GLOB_RECURSE page_sources CONFIGURE_DEPENDS web/app/* web/document/* web/engine/*
      web/panels/* web/plots/* web/scene/* web/sheet/* web/text/*)
    file(GLOB page_models CONFIGURE_DEPENDS models/*/*.mo models/*/*.json)
    set(page ${CMAKE_BINARY_DIR}/page)
    add_custom_command(OUTPUT ${CMAKE_BINARY_DIR}/page.c
      COMMAND ${NODE_PROGRAM} ${CMAKE_CURRENT_SOURCE_DIR}/web/build.mjs ${page}
      COMMAND ${NODE_PROGRAM} ${CMAKE_CURRENT_SOURCE_DIR}/web/embed.mjs ${page}
        ${CMAKE_BINARY_DIR}/page.c
      DEPENDS ${page_sources} ${page_models} web/build.mjs web/embed.mjs
        web/three.mjs tools/wasm_models.mjs ${studio_bundler}
      COMMENT "Bundling the page of the studio" VERBATIM)
    file(GLOB studio CONFIGURE_DEPENDS src/studio/*.c)
    add_executable(foliot_studio ${studio} ${CMAKE_BINARY_DIR}/page.c)
    set_target_properties(foliot_studio PROPERTIES OUTPUT_NAME foliot-studio
      RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR})
    target_include_directories(foliot_studio PRIVATE src)
    target_include_directories(foliot_studio SYSTEM PRIVATE ${WEBSOCKETS_INCLUDE})
    target_link_libraries(foliot_studio PRIVATE foliot_flags ${WEBSOCKETS_LIBRARY})
    add_dependencies(foliot_cli foliot_studio)
    install(TARGETS foliot_studio RUNTIME DESTINATION ${CMAKE_INSTALL_LIBDIR}/foliot)
  endif()
endif()
