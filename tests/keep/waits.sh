#!/bin/sh
# Every wait for others ends, with a message: pipes that nobody opens, writes to or reads.
#
#   waits.sh FOLIOT
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/../cli/check.sh"
mkfifo p.mo p.json p.structure.json p.field.json p.c p.so p.fmu p.csv pipe in out full

# Documents, checkpoints and recordings are plain files: nobody waits.
for model in p.mo p.json p.structure.json p.field.json p.c ./p.so p.fmu; do
    for verb in check run; do
        run $verb $model
        expect 1
        says "it is no plain file"
    done
done
for arguments in "run ball --restart pipe" "run ball --checkpoint pipe" "live --replay pipe" \
    "live ball --record pipe --stop 0.1"; do
    # shellcheck disable=SC2086 # words
    run $arguments
    expect 1
    says "it is no plain file"
done

# In the place of a library it counts as not there, which is said.
echo 'model uses extends p.A; end uses;' >uses.mo
run check uses.mo
expect 1
says "'./p.mo' is no plain file: it counts as not there"
says "'p' was not found"

for arguments in "run ball --input p.csv" "compare p.csv p.csv" \
    "fit ball --data p.csv --adjust e"; do
    # shellcheck disable=SC2086 # words
    run $arguments
    [ "$status" -eq 1 ] || [ "$status" -eq 2 ] || fail "exit status $status"
    says "it is no plain file"
done

# Nor does a compiler or a loader for node types, and devices without end are not read to theirs.
ln -s /dev/zero zero.c
ln -s /dev/zero zero.csv
for file in p.c p.so ./p.so zero.c; do
    run run queue --stop 1 --quiet --node-types $file
    expect 2
    says "it is no plain file"
done
run run ball --quiet --events-in zero.csv
expect 2
says "more than 65536 bytes"
printf '0.5,v,1\n0.6,v,1\0and more\n' >zeros.csv
run run ball --quiet --events-in zeros.csv
expect 2
says "zeros.csv:2: expected text, found 'a byte 0'"
run run ball --quiet --events-in /dev/null
expect 0

# The others at the same time: 10 s.
"$foliot" run ball --quiet --events-in in >.out1 2>.err1 &
first=$!
"$foliot" run ball --quiet --output out >.out2 2>.err2 &
second=$!
sleep 60 <full &
sleeper=$!
"$foliot" run ball --quiet --interval 1e-5 --output full >.out3 2>.err3 &
third=$!
begun=$(date +%s)
# ended CHILD STATUS FILE TEXT
ended()
{
    wait "$1"
    status=$?
    last="run with a pipe"
    err=$(cat "$3")
    expect "$2"
    says "$4"
}
ended $first 2 .err1 "nobody has written to it for 10 s"
ended $second 1 .err2 "nobody has read it for 10 s"
ended $third 1 .err3 "nobody reads on"
[ $(($(date +%s) - begun)) -lt 60 ] || fail "it waited too long"
kill $sleeper

# One that somebody reads and writes is as good as a file.
cat out >rows.csv &
run run ball --quiet --output out
expect 0
wait
run run ball --quiet --output good.csv
equal "rows through a pipe" "$(cmp rows.csv good.csv)" ""
echo "0.5,v,1" >in &
run run ball --quiet --events-in in
expect 0
finish
