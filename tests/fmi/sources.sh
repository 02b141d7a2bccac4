#!/bin/sh
# The sources in exported units: unpacked in an empty folder, compiled with the one command of docs/fmi.md by the first
# compiler that is here, put in the place of the binary, and run: equal bits. (-O0 is added, which changes no bit and
# saves minutes.) The others read them without a warning; with `all`, which is for `make soak`, they do the same.
# Documentation, icon and licence are there, and the descriptions keep their schemas where FOLIOT_FMI_SCHEMAS names
# them, or ../shared/fmi is there.
#
#   sources.sh <foliot> <folder of foliot_fmu.so> [all]
set -eu
every=${3:-}
. "$(dirname "$0")/prologue.sh"
for tool in zip unzip; do
    command -v $tool >/dev/null || { echo "there is no $tool"; exit 77; }
done

run()
{
    "$foliot" run "$1" --type "$2" -q --no-plot -o "$3" >/dev/null 2>said || { cat said; fail "$1 $2: run"; }
}

for model in ball bouncing-ball mass-on-a-chain; do
    name=$model
    [ $model = ball ] && name=ball.mo
    for version in 2 3; do
        "$foliot" export $name --fmu $model-$version.fmu --fmi $version || fail "$model: export"
        for type in me cs; do run $model-$version.fmu $type $model-$version-$type.csv; done
    done
done

# What belongs to a unit beside its binary.
mkdir two three
(cd two && unzip -q ../mass-on-a-chain-2.fmu)
(cd three && unzip -q ../mass-on-a-chain-3.fmu)
for file in two/model.png three/terminalsAndIcons/icon.png; do
    [ "$(head -c 4 $file | tail -c 3)" = PNG ] || fail "$file is no picture"
done
for file in documentation/index.html documentation/licenses/license.txt sources/build.txt; do
    [ -s two/$file ] && [ -s three/$file ] || fail "no $file"
done
grep -q 'variableName="push.flow" memberName="flow"' three/terminalsAndIcons/terminalsAndIcons.xml ||
    fail "the port is no terminal"
cp three/sources/buildDescription.xml build.xml
(cd three/sources && rm buildDescription.xml)
diff -r two/sources three/sources >/dev/null || fail "the sources of the versions differ"
for file in $(sed -n 's/.*<SourceFile name="\(.*\)".*/\1/p' build.xml); do
    [ -f three/sources/$file ] || fail "no source $file"
done
[ "$(grep -c '<SourceFile ' build.xml)" -eq "$(find three/sources -name '*.c' | wc -l)" ] || fail "not all sources are listed"
[ "$(grep -c '<File ' two/modelDescription.xml)" -eq $((2 * $(find two/sources -name '*.c' | wc -l))) ] ||
    fail "not all sources are listed in FMI 2"
if [ -n "${FOLIOT_FMI_SCHEMAS:-}" ] && command -v xmllint >/dev/null; then
    xmllint --noout --schema "$FOLIOT_FMI_SCHEMAS/3.0/fmi3BuildDescription.xsd" build.xml 2>said || { cat said; fail "schema"; }
    xmllint --noout --schema "$FOLIOT_FMI_SCHEMAS/3.0/fmi3TerminalsAndIcons.xsd" \
        three/terminalsAndIcons/terminalsAndIcons.xml 2>said || { cat said; fail "schema"; }
    xmllint --noout --schema "$FOLIOT_FMI_SCHEMAS/2.0/fmi2ModelDescription.xsd" two/modelDescription.xml 2>said ||
        { cat said; fail "schema"; }
fi

# Compiled elsewhere.
compilers=0
for compiler in gcc clang; do
    command -v $compiler >/dev/null || { echo "there is no $compiler"; continue; }
    compilers=$((compilers + 1))
    if [ $compilers -gt 1 ] && [ "$every" != all ]; then
        (cd three/sources && $compiler @build.txt -fsyntax-only -Wno-unused-command-line-argument -Wall -Werror) \
            >said 2>&1 || { head -5 said; fail "$compiler does not read the sources"; }
        continue
    fi
    (cd three/sources && $compiler @build.txt -O0 -Wall -Werror -o "$work/$compiler.so") >said 2>&1 ||
        { head -5 said; fail "$compiler does not compile the sources"; continue; }
    for model in ball bouncing-ball mass-on-a-chain; do
        for version in 2 3; do
            rm -rf unit rebuilt.fmu
            mkdir unit
            (cd unit && unzip -q ../$model-$version.fmu && cp "$work/$compiler.so" binaries/*/*.so && zip -q -r ../rebuilt.fmu .)
            for type in me cs; do
                run rebuilt.fmu $type rebuilt.csv
                cmp rebuilt.csv $model-$version-$type.csv || fail "$model $version $type by $compiler: other bits"
            done
        done
    done
    needed=$(readelf -d $compiler.so 2>/dev/null | sed -n 's/.*NEEDED.*\[\(.*\)\]/\1/p' | grep -v -e '^libc\.' -e '^libm\.' -e '^ld-linux' || true)
    [ -z "$needed" ] || fail "by $compiler it needs $needed"
done
[ $compilers -gt 0 ] || exit 77

# With another C library, whose headers include less of each other and which loads less: the bits of the states in a
# program of that library.
if command -v musl-gcc >/dev/null; then
    (cd three/sources && musl-gcc @build.txt -O0 -Wall -Werror -o "$work/musl.so") >said 2>&1 ||
        { head -5 said; fail "musl-gcc does not compile the sources"; }
    cc -w -O1 -o drive "$here/windows.c" -ldl
    musl-gcc -w -O1 -o drive-musl "$here/windows.c"
    token=$(head -1 three/resources/foliot.txt)
    ./drive "$parts/foliot_fmu.so" three/resources/ "$token" 0.01 100 2 >here.txt || fail "the unit in another program"
    ./drive-musl ./musl.so three/resources/ "$token" 0.01 100 2 >there.txt || fail "the unit in a program of musl"
    [ "$(wc -l <here.txt)" -eq 100 ] && cmp here.txt there.txt || fail "other bits with musl"
else
    echo "there is no musl-gcc"
fi

finish
