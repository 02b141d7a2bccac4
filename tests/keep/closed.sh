#!/bin/sh
# A closed standard input, output or error: no file of results takes its place.
#
#   closed.sh FOLIOT
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/../cli/check.sh"

# closed FILE ARGUMENT...: the file is the same whichever of the three is closed, and what could not
# be printed is told by the status.
closed()
{
    file=$1
    shift
    rm -f "$file"
    run "$@"
    expect 0
    cp "$file" whole
    for which in 0 1 2 01 12 012; do
        rm -f "$file"
        last="$* ($which closed)"
        case $which in
        0) "$foliot" "$@" <&- >.out 2>.err ;;
        1) "$foliot" "$@" </dev/null >&- 2>.err ;;
        2) "$foliot" "$@" </dev/null >.out 2>&- ;;
        01) "$foliot" "$@" <&- >&- 2>.err ;;
        12) "$foliot" "$@" </dev/null >&- 2>&- ;;
        012) "$foliot" "$@" <&- >&- 2>&- ;;
        esac
        status=$?
        err=$(cat .err)
        case $which in
        *1*) expect 1 ;;
        *) expect 0 ;;
        esac
        case $which in
        1 | 01) says "writing to standard output failed" ;;
        esac
        equal "$file" "$(cmp whole "$file" 2>&1)" ""
    done
}

cat >loud.mo <<'END'
model loud
  Real x(start = 1);
equation
  der(x) = -x;
  assert(x > 0.9, "x is small", AssertionLevel.warning);
end loud;
END
closed rows.csv run ball --output rows.csv
closed rows.mat run ball --output rows.mat
closed acts.csv run ball --events acts.csv
closed rows.csv run loud.mo --stop 1 --output rows.csv
closed table.csv sweep loud.mo --stop 1 --vary x=1:2:3 --measure 'max(x)' --output table.csv
closed made.json export mass-on-a-spring --json --document --output made.json

# A recording has times of the clock: it is whole, and can be replayed.
"$foliot" live ball --plain --stop 0.1 --record record </dev/null >&- 2>.err
status=$?
last="live ball --record record (1 closed)"
expect 1
run live --replay record
expect 0

# Rows that go to a closed standard output are an error too.
"$foliot" run ball --output - </dev/null >&- 2>.err
status=$? err=$(cat .err) last="run ball --output - (1 closed)"
expect 1
says "standard output"
# A recording on a full disk is said once.
run live ball --plain --quiet --stop 0.1 --speed 100 --record /dev/full
expect 1
equal "how often it says so" "$(grep -c 'No space left\|disk may be full' .err)" 1
finish
