#!/bin/sh
# Files of others: what a command would not have written itself is not replaced without a word.
#
#   foreign.sh FOLIOT
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/../cli/check.sh"

# refuses FILE ARGUMENT...: it stays as it is, until --overwrite is given; what it wrote itself it
# replaces.
refuses()
{
    file=$1
    shift
    echo "my letters" >"$file"
    run "$@"
    expect 1
    says "$file is there and is not what --"
    says "; --overwrite replaces it"
    equal "$file" "$(cat "$file")" "my letters"
    run "$@" --overwrite
    expect 0
    [ "$(cat "$file")" != "my letters" ] || fail "--overwrite replaced nothing"
    run "$@"
    expect 0
    : >"$file" # an empty one is nobody's
    run "$@"
    expect 0
    [ -s "$file" ] || fail "nothing was written"
    rm "$file"
    run "$@"
    expect 0
}
refuses rows.csv run ball --quiet --output rows.csv
refuses acts.csv run ball --quiet --events acts.csv
refuses acts.jsonl run ball --quiet --events acts.jsonl
refuses point run ball --quiet --checkpoint point
refuses curve.dat run ball --quiet --gnuplot curve
refuses curve.gp run ball --quiet --gnuplot curve
refuses runs.csv run mm1 --quiet --stop 50 --replications 2 --output runs.csv
refuses record live ball --plain --quiet --stop 0.05 --record record
refuses rows.csv live --replay record --quiet --output rows.csv
refuses made.json export mass-on-a-spring --document --output made.json
refuses matrix export mass-on-a-spring --matrix --output matrix

cat >small.mo <<'END'
model small
  input Real u;
  Real x(start = 1);
equation
  der(x) = u - x;
end small;
END
refuses rows.mat run ball --quiet --output rows.mat
refuses rows.json run ball --quiet --output rows.json
refuses curve.svg run ball --quiet --gnuplot curve.svg
refuses table.csv sweep small.mo --vary x=1:2:3 --measure 'max(x)' --quiet --output table.csv
refuses table.csv steady lorenz --starts 2 --quiet --output table.csv
refuses table.csv linearize small.mo --quiet --bode table.csv

# What only looks like ours stays, too: a file system that keeps attributes says who made a file.
run run ball --quiet --output rows.csv
cp rows.csv copy.csv
run run ball --quiet --output copy.csv
if [ "$status" -eq 0 ]; then
    echo "no attributes here: files are known by their first line"
else
    says "copy.csv is there and was made or changed by somebody else than this program"
    equal "the copy" "$(cmp rows.csv copy.csv)" ""
    echo "0.5,my,row" >>rows.csv
    run run ball --quiet --output rows.csv
    expect 1
    equal "the last row" "$(tail -n 1 rows.csv)" "0.5,my,row"
    printf 'time,h,v\n0,1,2\n' >measured.csv # as a measurement would be
    run run ball --quiet --output measured.csv
    expect 1
    run run ball --quiet --events measured.csv
    expect 1
    equal "the measurement" "$(wc -l <measured.csv)" 2
    run run ball --quiet --output rows.csv --overwrite
    expect 0
    mv rows.csv moved.csv # still ours
    run run ball --quiet --output moved.csv
    expect 0
fi

# Rows of other signals are replaced, and that is said.
run run ball --quiet --output rows.csv --overwrite
run run lorenz --quiet --stop 1 --output rows.csv
expect 0
says "note: rows.csv had rows of other signals, which are replaced"
run run lorenz --quiet --stop 1 --output rows.csv
equal "what it says" "$err" ""

# So are other formats, checkpoints and recordings of other models.
for file in rows.json rows.mat; do
    run run ball --quiet --output $file --overwrite
    run run ball --quiet --output $file
    equal "what it says" "$err" ""
    run run lorenz --quiet --stop 1 --output $file
    expect 0
    says "note: $file had rows of "
    says "other signals, which are replaced"
    run run lorenz --quiet --stop 1 --output $file
    equal "what it says" "$err" ""
done
run run ball --quiet --checkpoint point
run run ball --quiet --checkpoint point
equal "what it says" "$err" ""
run run lorenz --quiet --stop 1 --checkpoint point
expect 0
says "note: point was the checkpoint of 'ball', which is replaced"
rm -f record
run live ball --plain --quiet --stop 0.05 --record record
run live lorenz --plain --quiet --stop 0.05 --record record
expect 0
says "note: record was the recording of 'ball', which is replaced"
run live lorenz --plain --quiet --stop 0.05 --record record
# a busy machine is late, which it says
equal "what it says" "$(echo "$err" | grep -v "an advance of")" ""

# Rows and events are two kinds of files, although both are tables of times.
run run lorenz --quiet --stop 1 --output kind.csv
run run ball --quiet --events kind.csv
expect 1
says "kind.csv is there and is not what --events writes; --overwrite replaces it"
run run ball --quiet --events kind.csv --overwrite
run run lorenz --quiet --stop 1 --output kind.csv
expect 1
says "kind.csv is there and is not what --output writes; --overwrite replaces it"

# What comes to be between the look at the file and the first row stays as it is: this model starts slowly.
cat >slow.mo <<'END'
model slow
  parameter Integer n = 600;
  Real x[n](each start = 1);
equation
  for i in 1:n loop
    x[i] + 0.1 * sin(x[mod(i, n) + 1]) = cos(time * i) + 0.01 * x[mod(i + 7, n) + 1];
  end for;
end slow;
END
for option in --output --events; do
    rm -f late.csv
    "$foliot" run slow.mo --quiet --stop 0.001 $option late.csv >.out 2>.err &
    pid=$!
    sleep 0.2
    made=""
    if (set -C && echo precious >late.csv) 2>/dev/null; then made=1; fi
    wait $pid
    status=$?
    err=$(cat .err)
    last="slow.mo $option"
    if [ "$made" ]; then
        expect 1
        says "--overwrite replaces it"
        equal "the file" "$(cat late.csv)" precious
    fi
done

# Nor is what comes to be during a run and has the name of something that is written at its end: the run waits
# until its rows are read.
mkfifo rows
for file in late.dat late.gp late.png; do
    rm -f late.*
    "$foliot" run lorenz --quiet --stop 100 --output rows --gnuplot late >.out 2>.err &
    pid=$!
    exec 3<rows # it has opened them, so it runs
    echo precious >$file
    cat <&3 >/dev/null
    exec 3<&-
    wait $pid
    status=$?
    err=$(cat .err)
    last="lorenz --gnuplot, $file"
    expect 1
    says "$file was written by somebody else since this run began; --overwrite replaces it"
    equal "the file" "$(cat $file)" precious
done
# A checkpoint is claimed first, and saved when the run is ended; where a busy machine does not let it, it is not.
for made in "" 1; do
    rm -f late.cp*
    "$foliot" run lorenz --quiet --stop 1e9 --checkpoint late.cp ${made:+--every 1} >.out 2>.err &
    pid=$!
    tries=0
    until [ -e "late.cp${made:-.lock}" ] || [ -e "late.cp" ]; do
        [ $((tries += 1)) -le 500 ] || fail "no checkpoint: $(cat .err)"
        sleep 0.02
    done
    echo precious >late.cp
    [ "$made" ] || kill $pid
    # between the opening and the writing of a file another one may take its place
    while [ "$made" ] && kill -0 $pid 2>/dev/null; do
        [ "$(cat late.cp)" = precious ] || echo precious >late.cp
        sleep 0.1
    done
    wait $pid
    status=$?
    last="lorenz --checkpoint late.cp"
    [ $status -ne 0 ] || fail "it ended with 0"
    equal "the file" "$(cat late.cp)" precious
done
err=$(cat .err)
says " written by somebody else since this run began"
# What a file is written as before it has its name may be somebody's, too.
rm -f late.cp*
echo precious >late.cp.new
if [ "$(getfattr -n user.foliot rows.csv 2>/dev/null)" ]; then
    run run ball --quiet --checkpoint late.cp
    expect 1
    says "it is written as 'late.cp.new' first, and that is there and was made by somebody else"
    equal "the file" "$(cat late.cp.new)" precious
fi
echo precious >late-bode.gp
run linearize small.mo --quiet --gnuplot late
expect 1
says "late-bode.gp is there and is not what --gnuplot writes"
equal "the file" "$(cat late-bode.gp)" precious

# Moments of another model are replaced with a note, where the file system keeps whose they are.
rm -f moments.csv
run run ball --quiet --events moments.csv
expect 0
run run ball --quiet --events moments.csv
expect 0
equal "said" "$err" ""
run run bouncing-balls --quiet --stop 1 --events moments.csv
expect 0
if touch tried && setfattr -n user.foliot -v x tried 2>/dev/null; then
    says "note: moments.csv had moments of 'ball', which are replaced"
fi

# Devices and pipes are no files of anybody.
run run ball --quiet --output /dev/null
expect 0
finish
