#!/bin/sh
# Units for 64-bit Windows, where this program was built with a compiler for it: what the library shows and needs, and,
# where wine is there (FOLIOT_WINE names it), that it gives the bits of this machine's binary.
#
#   windows.sh <foliot> <folder of foliot_fmu.so>
set -eu
. "$(dirname "$0")/prologue.sh"

if [ ! -f "$parts/foliot_fmu.dll" ]; then
    # what cannot be made is said where it was asked for, and only there
    if "$foliot" export ball.mo --fmu no.fmu --platform win64 2>said; then fail "a unit for Windows without its binary"; fi
    grep -q "built without x86_64-w64-mingw32-gcc" said || { cat said; fail "no message"; }
    "$foliot" export ball.mo --fmu ball.fmu 2>said || fail "export"
    [ ! -s said ] || { cat said; fail "said though nobody asked"; }
    [ ! -e no.fmu ] || fail "a file is left"
    finish
    exit
fi

for version in 2 3; do
    "$foliot" export ball.mo --fmu ball-$version.fmu --fmi $version --platform win64 || fail "export"
    "$foliot" export ball.mo --fmu plain-$version.fmu --fmi $version --platform none || fail "export"
done
for name in "ball-2.fmu binaries/win64/Ball.dll" "ball-3.fmu binaries/x86_64-windows/Ball.dll"; do
    unzip -l ${name% *} | grep -q "${name#* }" || fail "no ${name#* }"
done
if unzip -l plain-3.fmu | grep -q 'Ball.dll'; then fail "--platform none has one"; fi

objdump=$(command -v x86_64-w64-mingw32-objdump || true)
if [ -n "$objdump" ]; then
    "$objdump" -p "$parts/foliot_fmu.dll" >about
    needed=$(sed -n 's/.*DLL Name: //p' about | grep -v -i -e '^kernel32.dll$' -e '^msvcrt.dll$' || true)
    [ -z "$needed" ] || fail "it needs $needed"
    nm -D --defined-only "$parts/foliot_fmu.so" | sed -n 's/.* T \(fmi[23]\)/\1/p' | sort >here.txt
    sed -n 's/.*[] ]\(fmi[23][A-Za-z0-9]*\)$/\1/p' about | sort -u >there.txt
    cmp here.txt there.txt || fail "it does not show the same functions"
fi

wine=${FOLIOT_WINE:-$(command -v wine64 || command -v wine || true)}
compiler=$(command -v x86_64-w64-mingw32-gcc || command -v x86_64-w64-mingw32-gcc-posix ||
    command -v x86_64-w64-mingw32-gcc-win32 || true)
if [ -z "$wine" ] || [ -z "$compiler" ]; then
    echo "it is not run: there is no wine, or no compiler"
    finish
    exit
fi
"$compiler" -w -O1 -o drive.exe "$here/windows.c"
cc -w -O1 -o drive "$here/windows.c" -ldl
for run in "ball.mo 0.05 100 2" "sampled-control 0.02 100 1" "bouncing-ball 0.05 200 2" "mass-on-a-chain 0.01 100 2" "wave-1d 0.01 50 3"; do
    set -- $run
    rm -rf unit && mkdir unit
    "$foliot" export "$1" --fmu unit.fmu && (cd unit && unzip -q ../unit.fmu 'resources/*') || fail "$1: export"
    token=$(head -1 unit/resources/foliot.txt)
    ./drive "$parts/foliot_fmu.so" unit/resources/ "$token" "$2" "$3" "$4" >here.txt || fail "$1 here"
    "$wine" drive.exe "$parts/foliot_fmu.dll" unit/resources/ "$token" "$2" "$3" "$4" 2>said | tr -d '\r' >there.txt
    [ "$(wc -l <here.txt)" -eq "$3" ] && cmp here.txt there.txt || { tail -2 said; fail "$1: other bits"; }
done
rm -rf temporary/* # of wine
finish
