#!/bin/sh
# Every call of the system that can fail fails once: no crash, no hang, no end without a word, and
# what was there before is not lost.
#
#   faults.sh FOLIOT LIBRARY [EVERY]     EVERY: only each so many'th allocation, default 23
library=$2
every=${3:-23}
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/../cli/check.sh"
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
mkdir -m 700 cache

cat >small.mo <<'END'
model small
  parameter Real c = 2;
  Real x(start = 1), y;
equation
  der(x) = -c * x + y;
  der(y) = if x > 0.5 then 1 else -1;
  annotation(experiment(StopTime = 1, Interval = 0.1));
end small;
END

# with FAULT ARGUMENT...: status and words; a signal is a failure, and so is silence.
with()
{
    fault=$1
    shift
    last="$* with $fault"
    FOLIOT_FAULT=$fault LD_PRELOAD=$library timeout 20 "$foliot" "$@" >.out 2>.err </dev/null
    status=$?
    err=$(cat .err)
    checks=$((checks + 1))
    [ "$status" -lt 124 ] || fail "status $status"
    [ "$status" -eq 0 ] || [ -n "$err" ] || fail "it ended with status $status without a word"
}

# Allocations: until one beyond the last, when the run is fine.
memory()
{
    n=1
    fine=0
    while [ "$n" -lt 20000 ] && [ "$fine" -lt 5 ]; do
        with "malloc:$n" "$@"
        if [ "$status" -eq 0 ]; then fine=$((fine + 1)); else fine=0; fi
        [ "$n" -gt 40 ] || fine=0
        n=$((n + (n < 8 ? 1 : every)))
    done
}
memory check small.mo
memory run small.mo --program bytecode --quiet --output rows.csv
memory run ball --quiet --output rows.csv
for from in 1 30 200; do with "malloc:$from+" run small.mo --program bytecode; done

# Disks: rows end after whole lines, an older checkpoint stays.
run run ball --quiet --output good.csv --checkpoint point --every 1
expect 0
for what in write fsync rename close ftruncate; do
    for n in 1 2 3 4 5 6 8 10 1+ 2+ 3+; do
        cp point kept
        with "$what:$n" run ball --quiet --output rows.csv --checkpoint kept --every 2
        if [ -s rows.csv ] && [ -n "$(tail -c 1 rows.csv | tr -d '\n')" ]; then
            fail "rows.csv ends in a part of a row"
        fi
        # whatever happened, what is called a checkpoint is one
        [ -f kept ] || fail "the checkpoint is gone"
        if [ "$status" -eq 0 ]; then cmp -s rows.csv good.csv || fail "wrong rows and status 0"; fi
    done
done
cp good.csv rows.csv
for what in write fsync rename; do
    with "$what:1" run ball --quiet --output rows.csv --restart point
    equal "files .new" "$(ls ./*.new 2>/dev/null)" ""
done
for what in write fsync rename close; do
    rm -rf cache/foliot
    with "$what:1" run small.mo --native --quiet
    with "$what:2" run small.mo --native --quiet
    run run small.mo --native --quiet
    expect 0
done
finish
