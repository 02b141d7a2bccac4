#!/bin/sh
# Replications of whatever draws random numbers: diagrams with noise, systems in C, worlds.
#
#   replications.sh FOLIOT
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/../cli/check.sh"

XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME

# Normal noise with the mean 3 and the variance 4, and the same halved: what is drawn last.
cat >noise.json <<'END'
{"format": "foliot diagram", "name": "noise",
 "simulation": {"start": 0, "stop": 1, "step": 0.5, "integrator": "RK_DP"},
 "nodes": [{"name": "rn", "type": "Random Number",
            "parameters": {"Mean": 3, "Variance": 4, "Initial Seed": 5}},
           {"name": "half", "type": "Gain", "parameters": {"Gain": 0.5}},
           {"name": "x", "type": "Integrator", "parameters": {"Initial Condition": 1}},
           {"name": "a", "type": "Display"}, {"name": "b", "type": "Display"},
           {"name": "c", "type": "Display"}],
 "lines": [{"from": "rn", "to": "a"}, {"from": "rn", "to": "half"}, {"from": "half", "to": "b"},
           {"from": "rn", "to": "x"}, {"from": "x", "to": "c"}]}
END
for threads in 1 2 5; do
    run run noise.json --replications 400 --threads $threads --output t$threads.csv
    expect 0
    echo "$out" | grep -v "computed in\|written" >t$threads.txt
done
for threads in 2 5; do
    cmp -s t1.csv t$threads.csv || fail "$threads threads give other bits"
    cmp -s t1.txt t$threads.txt || fail "$threads threads say something else"
done
equal "the header" "$(head -n 1 t1.csv)" "replication,a,b,c"
equal "the rows" "$(wc -l <t1.csv)" 401
equal "different ones" "$(tail -n +2 t1.csv | cut -d , -f 2 | sort -u | wc -l)" 400
# The mean of 400 is within 4 standard errors (0.1 each), and what is printed follows from the rows:
# mean, deviation, and the half-width t(0.975, 399) s / sqrt(400) = 1.96592731 s / 20.
awk -F, 'NR > 1 {n++; s += $2; q += $2 * $2; d = $3 - $2 / 2; if (d * d > 1e-28) bad = 1}
    END {m = s / n; v = (q - n * m * m) / (n - 1)
         if (m < 2.6 || m > 3.4 || v < 3 || v > 5 || bad) print "wrong:", m, v, bad
         printf "%.6g %.3g %.6g\n", m, 1.96592731 * sqrt(v) / 20, sqrt(v)}' t1.csv >expected
equal "the report" "$(awk '$1 == "a" {print $2, $4, $5}' t1.txt)" "$(cat expected)"
# Another seed, other numbers; fewer replications are the first of many.
run run noise.json --replications 400 --seed 2 --output other.csv --quiet
expect 0
cmp -s t1.csv other.csv && fail "another seed gives the same numbers"
run run noise.json --replications 40 --output few.csv --quiet
expect 0
equal "fewer are the first" "$(head -n 41 t1.csv | cksum)" "$(cksum <few.csv)"
# A single run has the document's own numbers, replications or not.
run run noise.json --quiet --output one.csv
expect 0
run run noise.json --seed 0 --quiet --output zero.csv
expect 0
cmp -s one.csv zero.csv || fail "the run's seed is not 0 by itself"

# Other results and starts: x(1) = x(0) + what is drawn, so the means differ by the starts.
run run noise.json --replications 50 --signals x,a --start x.state=11 --output eleven.csv --quiet
expect 0
equal "the results" "$(head -n 1 eleven.csv)" "replication,x,a"
run run noise.json --replications 50 --signals x,a --output usual.csv --quiet
expect 0
equal "the starts" "$(paste -d , eleven.csv usual.csv |
    awk -F, 'NR > 1 {d = $2 - $5 - 10; if (d * d > 1e-24 || $3 != $6) bad++} END {print bad + 0}')" 0
run run noise.json --replications 3 --signals nothing
expect 2
run run noise.json --replications 3 --start a=1
expect 2
for option in "--events e.csv" "--plot" "--share s" "--gnuplot g" "--events-in e.csv"; do
    # shellcheck disable=SC2086
    run run noise.json --replications 3 $option
    expect 2
    says "does not go with --replications"
done

# What draws nothing is told so, also where it could be replicated otherwise.
sed 's/"Random Number",/"Constant"},/; /"parameters": {"Mean"/d' noise.json >still.json
run run still.json --replications 3
expect 2
says "every run of it would be the same"

# A system in C of one's own that draws from the run's seed.
cat >dice.c <<'END'
#include <foliot/model.h>
#include <foliot/random.h>
static fo_status start(const void *model, fo_state *s)
{
    (void)model;
    fo_random dice = fo_random_stream(s->seed, 0);
    s->d[0] = 1 + (double)fo_random_below(&dice, 6);
    return FO_OK;
}
static const fo_variable eyes = {"eyes"};
static const fo_system_type type = {.kind = "dice", .start = start};
static const fo_description about = {.name = "dice", .about = "a die", .discretes = {&eyes, 1}};
static const fo_compiled_model dice = {.system = {&type, &about, NULL},
                                       .stop = 1, .interval = 1,
                                       .random = true};
FO_EXPORT_SYSTEM(dice);
END
run run dice.c --replications 600 --output dice.csv
expect 0
prints "600 replications from seed 1"
equal "all sides" "$(tail -n +2 dice.csv | cut -d , -f 2 | sort -u | tr '\n' ' ')" "1 2 3 4 5 6 "
finish
