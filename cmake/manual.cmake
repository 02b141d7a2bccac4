# The manual pages, which the program writes itself where it can run, and the completion of shells.
if(NOT CMAKE_CROSSCOMPILING AND NOT FOLIOT_SANITIZE)
  set(manual ${CMAKE_BINARY_DIR}/man)
  add_custom_command(OUTPUT ${manual}/foliot.1
    COMMAND ${CMAKE_COMMAND} -E rm -rf ${manual}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${manual}
    COMMAND foliot_cli help --man=${manual}
    DEPENDS foliot_cli COMMENT "Writing the manual pages" VERBATIM)
  add_custom_target(foliot_manual ALL DEPENDS ${manual}/foliot.1)
  add_dependencies(product foliot_manual)
  install(DIRECTORY ${manual}/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
endif()
install(FILES src/cli/completion/foliot.bash RENAME foliot
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES src/cli/completion/_foliot DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES src/cli/completion/foliot.fish
  DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
