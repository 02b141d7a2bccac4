#!/bin/sh
# One document gives one result: every model of models/ through `foliot run`, from C through the
# header, and live with a recording that is replayed: the same files, byte by byte.
#
#   program.sh FOLIOT TEST_MODEL_BITS
bits=$2
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/../cli/check.sh"

XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME

"$bits" list >names
checks=$((checks + 1))
[ "$(wc -l <names)" -ge 53 ] || fail "only $(wc -l <names) models"
same()
{
    checks=$((checks + 1))
    cmp -s "$2" "$3" || fail "$1: $(diff "$2" "$3" | head -n 4)"
}
while read -r name kind; do
    run run "$name" --quiet --output run.csv
    expect 0
    "$bits" csv "$name" c.csv || fail "$name from C"
    same "$name ($kind) by the program and from C" run.csv c.csv
    # its usual run, much faster than the clock: two of every kind (test_bits.c has all)
    kinds="${kinds:-} $kind"
    [ "$(echo "$kinds" | tr ' ' '\n' | grep -cx "$kind")" -le 2 ] || continue
    stop=$("$foliot" show "$name" | sed -n '/^Usual run/{n;s/^ *[^ ]* \.\. \([^ ]*\) .*/\1/p;}')
    run live "$name" --quiet --stop "$stop" --speed 1e9 --rate 100 --record recording
    expect 0
    run live --replay recording "$name" --quiet --output live.csv
    expect 0
    same "$name ($kind) in batch and live" run.csv live.csv
done <names

# What is set is the same in all of them, also numbers that are fixed when a model is opened.
set_in_both()
{
    name=$1 stop=$2
    shift 2
    run run "$name" "$@" --stop "$stop" --quiet --output run.csv
    expect 0
    run live "$name" "$@" --stop "$stop" --quiet --speed 1e6 --record recording
    expect 0
    run live --replay recording "$name" --quiet --output live.csv
    expect 0
    same "$name $*" run.csv live.csv
    run run "$name" --stop "$stop" --quiet --output usual.csv
    checks=$((checks + 1))
    ! cmp -s run.csv usual.csv || fail "$name $*: nothing was set"
}
set_in_both ball 2 --set e=0.3
set_in_both mm1 100 --set arrivals=0.5
set_in_both mass-on-a-spring 5 --set k=150 --set friction=2
set_in_both wave-2d 3 --set c=7
set_in_both pendulum-short 2 --set 'Length.Constant Value=0.7'
set_in_both ball.mo 2 --set e=0.3

# A start that is not zero, a step that an adaptive method is kept at, a sink that writes a file.
cat >late.json <<'END'
{"format": "foliot diagram", "name": "late",
 "simulation": {"start": 2, "stop": 4, "step": 0.1, "integrator": "RK_DP"},
 "nodes": [{"name": "x", "type": "Integrator", "parameters": {"Initial Condition": 1}},
           {"name": "pull", "type": "Gain", "parameters": {"Gain": -1}},
           {"name": "keep", "type": "To File", "parameters": {"File Name": "kept.txt"}}],
 "lines": [{"from": "x", "to": "pull"}, {"from": "pull", "to": "x"}, {"from": "x", "to": "keep"}]}
END
run run late.json --quiet --output run.csv
expect 0
equal "where it starts" "$(sed -n 2p run.csv | cut -d , -f 1)" 2
mv kept.txt run.txt
run live late.json --quiet --stop 4 --speed 100 --record recording
expect 0
same "the file of a sink" run.txt kept.txt
run live --replay recording late.json --quiet --output live.csv
expect 0
same "a late start" run.csv live.csv
finish
