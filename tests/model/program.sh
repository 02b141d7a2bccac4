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
# Every document of models/ is among them, by its kind.
models=$(dirname "$0")/../../models
of_kind()
{
    equal "models of the kind $1" "$(grep -c " $1\$" names)" "$2"
}
of_kind text "$(find "$models" -name '*.mo' | wc -l)"
of_kind structure "$(find "$models" -name '*.structure.json' | wc -l)"
of_kind field "$(find "$models" -name '*.field.json' | wc -l)"
of_kind diagram "$(find "$models" -name '*.json' ! -name '*.structure.json' ! -name '*.field.json' |
    wc -l)"
compiled=$(find "$models" -name '*.c' | grep -cv '/\(gallery\|worlds\)\.c$')
equal "models in C" "$(grep -c ' \(world\|system\)$' names)" "$compiled"

same()
{
    checks=$((checks + 1))
    cmp -s "$2" "$3" || fail "$1: $(diff "$2" "$3" | head -n 4)"
}
# What differs in one digit is seen.
printf 'time,x\n0,1\n' >one.csv
printf 'time,x\n0,2\n' >two.csv
(same "nothing" one.csv two.csv >.seen 2>&1
 [ "$failures" -eq 1 ]) || fail "a difference is not seen"
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

# A world and a system of one's own: compiled from *.c, as *.so, from C through the header, live.
cat >own.c <<'END'
#include <foliot/model.h>
typedef struct shop { double rate, done; fo_random stream; } shop;
static void serve(fo_world *w, void *self)
{
    shop *s = self;
    s->stream = fo_world_stream(w, 0);
    for (;;) fo_hold(w, fo_random_negexp(&s->stream, s->rate)), s->done++;
}
static const fo_world_number parameters[] = {FO_WORLD_NUMBER(shop, rate, "rate", "1/s", 2)};
static const fo_world_number outputs[] = {FO_WORLD_NUMBER(shop, done, "done")};
static const fo_world_model own = {.name = "own", .stop = 50, .interval = 1, .size = sizeof(shop),
    .parameters = parameters, .parameter_count = 1, .outputs = outputs, .output_count = 1,
    .random = true, .actions = serve};
FO_EXPORT_WORLD(own);
END
cat >swing.c <<'END'
#include <foliot/model.h>
static fo_status rates(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    (void)model, (void)t;
    dx[0] = x[1], dx[1] = -s->p[0] * x[0];
    return FO_OK;
}
static const fo_variable states[] = {{"x", "m", 1}, {"v", "m/s", 0}}, parameters[] = {{"k", "", 4}};
static const fo_system_type type = {.kind = "swing", .rates = rates};
static const fo_description about = {.name = "swing", .states = {states, 2},
                                     .parameters = {parameters, 1}};
static const fo_compiled_model swing = {.system = {&type, &about, NULL}, .stop = 9, .interval = 0.1};
FO_EXPORT_SYSTEM(swing);
END
for name in own swing; do
    run run $name.c --quiet --output run.csv
    expect 0
    cc -std=gnu17 -I"$models/../include" -O2 -shared -fPIC -ffp-contract=off -o $name.so $name.c ||
        fail "$name.so"
    run run ./$name.so --quiet --output so.csv
    expect 0
    same "$name as *.c and *.so" run.csv so.csv
    if [ $name = swing ]; then # the test does not export the functions that a world calls
        "$bits" csv ./$name.so c.csv || fail "$name from C"
        same "$name (library) by the program and from C" run.csv c.csv
    fi
    stop=$(tail -n 1 run.csv | cut -d , -f 1)
    run live ./$name.so --quiet --stop "$stop" --speed 1e9 --rate 100 --record recording
    expect 0
    run live --replay recording ./$name.so --quiet --output live.csv
    expect 0
    same "$name (library) in batch and live" run.csv live.csv
done

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
