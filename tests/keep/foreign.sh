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

# Devices and pipes are no files of anybody.
run run ball --quiet --output /dev/null
expect 0
finish
