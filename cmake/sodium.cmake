# Keyed BLAKE2b from libsodium, for clusters over a network: optional.
option(FOLIOT_SODIUM "Keys for clusters in time slots, through libsodium" ON)
set(FOLIOT_HAVE_SODIUM OFF)
if(FOLIOT_SODIUM AND NOT CMAKE_CROSSCOMPILING)
  find_path(SODIUM_INCLUDE sodium.h)
  find_library(SODIUM_LIBRARY sodium)
  if(SODIUM_INCLUDE AND SODIUM_LIBRARY)
    set(FOLIOT_HAVE_SODIUM ON)
    # of one file alone
    set_property(SOURCE src/cluster/slots/key.c APPEND PROPERTY INCLUDE_DIRECTORIES
      ${SODIUM_INCLUDE})
    set_property(SOURCE src/cluster/slots/key.c APPEND PROPERTY COMPILE_DEFINITIONS FOI_WITH_SODIUM)
    target_link_libraries(foliot PRIVATE ${SODIUM_LIBRARY})
  else()
    message(STATUS "libsodium not found (libsodium-dev): clusters have no keys")
  endif()
endif()
