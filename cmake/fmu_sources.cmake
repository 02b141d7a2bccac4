cmake_minimum_required(VERSION 3.22)
# The sources of exported FMUs in one file: cmake -DROOT=... -DLIST=... -DOUT=... -P fmu_sources.cmake
#
# LIST names the C files, one in a line, relative to ROOT. They and every header that they include go into OUT:
#
#     <name> <bytes>\n<bytes of it>
#
# Names are those below sources/ of a unit: src/base/text.c is base/text.c, include/foliot/fmi.h is foliot/fmi.h.
# A C file begins with what it is compiled with, so that importers need no options. For Windows that is what it lacks
# of POSIX; stacks of processes are not needed there.
file(STRINGS ${LIST} queue)
set(seen ${queue})
set(begin "#ifndef _GNU_SOURCE\n#define _GNU_SOURCE\n#endif\n#ifndef FOI_SMALL\n#define FOI_SMALL\n#endif\n")
string(APPEND begin "#ifdef _WIN32\n#include \"model/unit/windows/posix.h\"\n#endif\n#line 1\n")
file(WRITE ${OUT}.new "")
while(queue)
  list(POP_FRONT queue path)
  file(READ ${ROOT}/${path} text)
  if(path MATCHES "process/(stack|overflow|coroutine)\\.c$")
    string(PREPEND text "#ifndef _WIN32\n#line 1\n")
    string(APPEND text "#else\ntypedef int there_are_no_processes;\n#endif\n")
  endif()
  if(path MATCHES "\\.c$")
    string(PREPEND text "${begin}")
  endif()
  string(LENGTH "${text}" size)
  string(REGEX REPLACE "^(src|include)/" "" name ${path})
  file(APPEND ${OUT}.new "${name} ${size}\n${text}")
  file(STRINGS ${ROOT}/${path} includes REGEX "^ *#include [\"<]")
  foreach(line ${includes})
    string(REGEX REPLACE "^ *#include [\"<]([^\">]*).*" "\\1" name "${line}")
    get_filename_component(folder ${path} DIRECTORY)
    foreach(place src/${name} include/${name} ${folder}/${name})
      if(EXISTS ${ROOT}/${place})
        if(NOT place IN_LIST seen)
          list(APPEND seen ${place})
          list(APPEND queue ${place})
        endif()
        break()
      endif()
    endforeach()
  endforeach()
endwhile()
file(RENAME ${OUT}.new ${OUT})
