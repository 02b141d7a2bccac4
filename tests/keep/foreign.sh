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
