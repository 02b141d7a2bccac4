#!/bin/sh
# Files that a document names: it reads and writes in the present folder, or under --files.
#
#   files.sh FOLIOT
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/../cli/check.sh"

# sink TYPE FILE, source FILE: diagrams that write and read one.
sink()
{
    cat <<END
{"format": "foliot diagram", "version": 1, "name": "d",
 "simulation": {"start": 0, "stop": 1, "integrator": "RK_04", "step": 0.25},
 "nodes": [{"name": "one", "type": "Constant"},
           {"name": "keep", "type": "$1", "parameters": {"File Name": "$2"}}],
 "lines": [{"from": "one", "to": "keep"}]}
END
}
reads()
{
    cat <<END
{"format": "foliot diagram", "version": 1, "name": "d",
 "simulation": {"start": 0, "stop": 1, "integrator": "RK_04", "step": 0.25},
 "nodes": [{"name": "old", "type": "From Data File", "parameters": {"File Name": "$1"}},
           {"name": "out", "type": "Time vs Input"}],
 "lines": [{"from": "old", "to": "out"}]}
END
}

sink "To File" made.txt >good.json
run run good.json --quiet
expect 0
equal "lines" "$(wc -l <made.txt)" 5
run run good.json --quiet # what it made itself it may replace
expect 0
sink "To Data File" made.dat >data.json
run run data.json --quiet
expect 0
equal "the head" "$(head -n 1 made.dat)" "foliot data 1"
run run data.json --quiet
expect 0
reads made.dat >read.json
run run read.json --quiet
expect 0

# Out of the folder: refused by run and by check, and nothing is made.
mkdir -p other
for path in "$PWD/abs.txt" ../up.txt other/../../up.txt /etc/passwd; do
    for type in "To File" "To Data File"; do
        sink "$type" "$path" >out.json
        for verb in run check; do
            run $verb out.json
            [ "$status" -ne 0 ] || fail "it was not refused: $path"
            says "leads out of it"
        done
    done
    reads "$path" >out.json
    run check out.json
    [ "$status" -ne 0 ] || fail "it was not refused: $path"
    says "leads out of it"
    for type in Structure Field; do
        sed "s#From Data File#$type#" out.json >part.json
        run check part.json
        [ "$status" -ne 0 ] || fail "it was not refused: $path"
        says "leads out of it"
    done
done
# A part beside the document is found there, wherever the program was started.
run export mass-on-a-beam --document --output other/part.structure.json
expect 0
reads part.structure.json | sed 's#From Data File#Structure#' >other/whole.json
run check other/whole.json
[ "${err#*cannot open}" = "$err" ] || fail "the part was not found: $err"
[ "${err#*leads out}" = "$err" ] || fail "the part was refused: $err"
[ ! -e abs.txt ] && [ ! -e ../up.txt ] || fail "a file was made"

# --files: relative names are in it, absolute ones must be.
run run good.json --quiet --files other
expect 0
equal "lines" "$(wc -l <other/made.txt)" 5
sink "To File" "$PWD/other/abs.txt" >abs.json
run run abs.json --quiet --files "$PWD/other"
expect 0
equal "lines" "$(wc -l <other/abs.txt)" 5
run run abs.json --quiet --files "$PWD/oth"
expect 1
says "leads out of it"
sink "To File" ../up.txt >out.json
run run out.json --quiet --files other
expect 1
says "leads out of it"

# Devices, FIFOs and folders are nothing to read or write; nobody waits for them.
mkfifo pipe
reads pipe >fifo.json
for verb in check run; do
    run $verb fifo.json
    [ "$status" -ne 0 ] || fail "a FIFO was read"
    says "it is no plain file"
done
for path in pipe other; do
    sink "To File" $path >fifo.json
    run run fifo.json --quiet
    expect 1
    says "cannot write the file '$path'"
done
sink "To File" /dev/full >device.json
run run device.json --quiet --files /dev
expect 1
says "it is no plain file"

# A file that no such node has written stays as it is.
for type in "To File" "To Data File"; do
    echo "my letters" >letters.txt
    sink "$type" letters.txt >letters.json
    run run letters.json --quiet
    expect 1
    says "it is there and is not what this document writes (--overwrite replaces it)"
    equal "the file" "$(cat letters.txt)" "my letters"
    run run letters.json --quiet --overwrite
    expect 0
    [ "$(cat letters.txt)" != "my letters" ] || fail "--overwrite replaced nothing"
done

# Two runs with one file.
if command -v flock >/dev/null; then
    for name in good.json:made.txt data.json:made.dat; do
        file=${name#*:}
        before=$(cksum "$file")
        # shellcheck disable=SC2016 # for the inner shell
        flock "$file" "$foliot" run "${name%:*}" --quiet >.out 2>.err
        status=$?
        err=$(cat .err)
        expect 1
        says "another run is writing it"
        equal "the file" "$(cksum "$file")" "$before"
    done
fi
finish
