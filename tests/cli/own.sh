#!/bin/sh
# Worlds and systems of one's own: foliot run shop.c and ./shop.so.
#
#   own.sh FOLIOT SOURCE
include=$2/include
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/check.sh"
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
command -v cc >/dev/null || { echo "no cc"; exit 77; }

cat >shop.c <<'END'
#include <foliot/foliot.h>

typedef struct shop {
    double rate, served;
    fo_random times;
} shop;

static void serve(fo_world *w, void *record)
{
    shop *s = record;
    s->times = fo_world_stream(w, 0);
    for (;;) {
        fo_hold(w, fo_random_negexp(&s->times, s->rate));
        s->served++;
    }
}

static const fo_world_number parameters[] = {
    FO_WORLD_NUMBER(shop, rate, "rate", "1/s", 2, "customers in a second", 0.1, 100)};
static const fo_world_number outputs[] = {FO_WORLD_NUMBER(shop, served, "served")};
static const char *const results[] = {"served", NULL};
static const fo_world_model model = {.name = "shop",
                                     .about = "a shop that serves at random",
                                     .stop = 100,
                                     .interval = 10,
                                     .size = sizeof(shop),
                                     .parameters = parameters,
                                     .parameter_count = 1,
                                     .outputs = outputs,
                                     .output_count = 1,
                                     .plot = results,
                                     .results = results,
                                     .random = true,
                                     .actions = serve};
FO_EXPORT_WORLD(model);
END
run run shop.c --seed 5 --output c.csv
expect 0
prints "shop, until 100 s"
prints "served"
equal "the last row" "$(tail -n 1 c.csv | cut -d , -f 1)" 100
equal "what is kept" "$(find cache/foliot -type f | wc -l)" 1
run show shop.c
expect 0
prints "customers in a second"
prints "0.1 .. 100"
run run shop.c --set rate=0.01
expect 2
says "'rate' must lie between 0.1 and 100"

# Replications: 100 s at a rate of 2 are 200 customers, give or take 14.
run run shop.c --replications 200 --seed 1 --output many.csv
expect 0
mean=$(awk -F, 'NR > 1 {s += $2; n++} END {printf "%d", s / n}' many.csv)
checks=$((checks + 1))
[ "$mean" -ge 196 ] && [ "$mean" -le 204 ] || fail "the mean is $mean, expected 200"

# The same as a shared library.
cc -shared -fPIC -I"$include" shop.c -o shop.so || fail "shop.so"
for name in ./shop.so shop.so; do
    run run $name --seed 5 --output so.csv --quiet
    expect 0
    equal "the rows of $name" "$(cat so.csv)" "$(cat c.csv)"
done
run live ./shop.so --stop 50 --speed 1000 --quiet --record shop.rec
expect 0
run live --replay shop.rec
expect 2
says "the recording is of code, './shop.so': name the MODEL"
silent
run live ./shop.so --replay shop.rec
expect 0

# A system in C.
cat >fall.c <<'END'
#include <foliot/foliot.h>
static fo_status rates(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    (void)model, (void)t;
    dx[0] = x[1], dx[1] = -s->p[0];
    return FO_OK;
}
static const fo_system_type type = {.kind = "C", .rates = rates};
static const fo_description about = {.name = "fall",
                                     .states = FO_VARIABLES({"h", "m", 10}, {"v", "m/s"}),
                                     .parameters = FO_VARIABLES({"g", "m/s^2", 10})};
static const fo_compiled_model fall = {.system = {&type, &about, NULL},
                                       .stop = 1, .interval = 0.5};
FO_EXPORT_SYSTEM(fall);
END
run run fall.c --quiet --output - --set g=12
expect 0
equal "where it is at last" "$(echo "$out" | tail -n 1 | awk -F, '{printf "%.9g %.9g", $2, $3}')" "4 -12"

# Mistakes in it are the compiler's, with their places.
sed 's/s->served++/s->servd++/' shop.c >wrong.c
run run wrong.c
expect 1
says "wrong.c:14:"
says "servd"
silent
sed 's/fo_hold(/fo_hol(/' shop.c >unknown.c # the linker would find it out without a place
run run unknown.c
expect 1
says "unknown.c:13:"
says "fo_hol"
silent
run check no-such.c
expect 1
says "no-such.c"
echo 'int nothing;' >empty.c
run run empty.c
expect 1
says "empty.c is no model: it has no FO_EXPORT_WORLD(...) or FO_EXPORT_SYSTEM(...)"
echo text >broken.so
run run ./broken.so
expect 1
run run ./no-such.so
expect 1
says "cannot open ./no-such.so: No such file or directory"
sed 's/FO_EXPORT_WORLD(model);/extern const fo_exported_model fo_exported; const fo_exported_model fo_exported = {"0.0.1", \&model, 0};/' shop.c >old.c
run run old.c
expect 1
says "was compiled for foliot 0.0.1"

# A world whose preparation fails, with no reason given, or without actions.
world()
{
    cat >"$1" <<END
#include <foliot/model.h>
typedef struct record { double a; } record;
static void act(fo_world *w, void *self) { (void)self, fo_hold(w, 1); }
static fo_status prepare(fo_world *w, void *self) { (void)w, (void)self; return $2; }
static const char *const names[] = {"$3", NULL};
static const fo_world_number outputs[] = {{{"a", ""}, offsetof(record, a)}};
static const fo_world_model model = {.name = "p", .stop = 5, .size = sizeof(record),
    .actions = $4, .prepare = prepare, .outputs = outputs, .output_count = 1, .results = names};
FO_EXPORT_WORLD(model);
END
}
world good.c FO_OK a act
run run good.c
expect 0
prints "at the end"
world status.c FO_ERROR_MODEL a act
run run status.c
expect 1
says "the world 'p' could not be prepared"
silent
world odd.c FO_REACHED a act
run run odd.c
expect 1
says "the world 'p' could not be prepared"
world idle.c FO_OK a NULL
run run idle.c
expect 1
says "the world 'p' has no actions"
world unknown.c FO_OK aa act
run run unknown.c
expect 1
says "among the results of the world: "
says "'aa'"
silent
run check unknown.c
expect 1

# A folder of models is no place from which code is run.
mkdir models
cp shop.c shop.so models
FOLIOT_MODELS=$PWD/models
export FOLIOT_MODELS
rm shop.c shop.so
run run shop
expect 2
run run shop.so
expect 1
finish
