cmake_minimum_required(VERSION 3.22)
# Links the binary of units for Windows: cmake -DCC=... -DFOLDER=... -DOUT=... -P fmu_windows.cmake
#
# FOLDER/objects.txt names the objects. What the library shows are the functions of FMI 2.0 and 3.0.
execute_process(COMMAND ${CC} -print-prog-name=nm OUTPUT_VARIABLE nm OUTPUT_STRIP_TRAILING_WHITESPACE
  COMMAND_ERROR_IS_FATAL ANY)
set(shown "EXPORTS\n")
foreach(version 2 3)
  execute_process(COMMAND ${nm} -g --defined-only ${FOLDER}/src-model-unit-fmi${version}.c.o OUTPUT_VARIABLE lines
    COMMAND_ERROR_IS_FATAL ANY)
  string(REGEX MATCHALL "fmi${version}[A-Za-z0-9]+" functions "${lines}")
  list(REMOVE_DUPLICATES functions)
  list(SORT functions)
  list(JOIN functions "\n" text)
  string(APPEND shown "${text}\n")
endforeach()
file(WRITE ${FOLDER}/shown.def "${shown}")
execute_process(COMMAND ${CC} -shared -static -s -o ${OUT} @${FOLDER}/objects.txt ${FOLDER}/shown.def -lpthread
  -Wl,--gc-sections -Wl,--no-insert-timestamp COMMAND_ERROR_IS_FATAL ANY)
