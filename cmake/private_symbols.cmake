# Writes which functions inside of libfoliot the part over MPI uses. The program shows them to the
# module that it loads; the shared library shows them to libfoliot_cluster, under a node of their own,
# which is no interface for others.
#
#   cmake -DNM=nm -DARCHIVE=libfoliot_cluster.a -DVERSION=0.9 -DMAP_IN=exports.map.in -DMAP=out
#         -DLIST=out -P private_symbols.cmake
#
# Without an archive there are none.
set(used "")
if(ARCHIVE)
  execute_process(COMMAND ${NM} -u ${ARCHIVE} OUTPUT_VARIABLE text ERROR_QUIET
    COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "foi_[A-Za-z0-9_]+" used "${text}")
  execute_process(COMMAND ${NM} --defined-only ${ARCHIVE} OUTPUT_VARIABLE text ERROR_QUIET
    COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "foi_[A-Za-z0-9_]+" own "${text}")
  list(REMOVE_ITEM used ${own})
  list(REMOVE_DUPLICATES used)
  list(SORT used)
endif()
set(private "")
foreach(name ${used})
  string(APPEND private "    ${name};\n")
endforeach()
file(WRITE ${LIST} "{\n    fo_*;\n${private}};\n")
set(private_node "")
if(private)
  set(private_node "FOLIOT_PRIVATE_${VERSION} {\nglobal:\n${private}};\n")
endif()
configure_file(${MAP_IN} ${MAP} @ONLY)
