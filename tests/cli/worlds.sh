#!/bin/sh
# Models that are made of processes: each runs, shows itself and reports; replications.
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/check.sh"

all="predator-prey rocket fire reactor dominoes pilot-ejection bouncing-balls mm1 bank machine-shop
gas-station"
run models
expect 0
for model in $all; do prints "$model"; done
for model in $all; do
    run show "$model"
    expect 0
    prints "(--set name=value)"
    run run "$model"
    expect 0
    prints "at the end"
    prints "of processes"
    run run "$model" --plot --ascii --quiet
    expect 0
    prints "time ["
    run run "$model" --replications 3 --quiet --output "$model.csv"
    expect 0
    equal "rows of $model.csv" "$(wc -l <"$model.csv")" 4
done

# What they say.
run run predator-prey
prints "period = 26.07836"
run run predator-prey --set birth=0.6
contains "$out" "period = 26.07836" && fail "a parameter without effect"
run run rocket --no-plot
prints "988    1071.75       35538.0"
run run fire
prints "fires = 138"
prints "mean-damage = 13.81733"
prints "138    13.817    13.257"
prints "2     5.000    38"
run run reactor
prints "batches of the reactors: 50, 30, 35, 28"
run run reactor --set frozen=1
prints "batches of the reactors: 47, 30, 35, 28"
run run dominoes
prints "best-distance = 0.020443"
prints "velocity = 0.62848"
run run dominoes --set distance=0.029
prints "velocity = 0.59415"
run run pilot-ejection --plot --ascii
prints "        900                57500"
prints "vA against h"
prints "vA [ft/s]"
run run bouncing-balls --set balls=5 --output five.csv
expect 0
contains "$(head -n 1 five.csv)" "ball5.y" || fail "five balls are not shown"
run run mm1 --set arrivals=0.5 --seed 3
prints "for ever: 2 s in the system"

# Mistakes.
run run mm11
expect 2
says "the gallery has no model 'mm11'; did you mean 'mm1'?"
run run mm1 --set arivals=0.5
expect 2
says "did you mean 'arrivals'?"
run run machine-shop --set machines=2.5
expect 2
says "'machines' must be a whole number, not 2.5"
run run dominoes --set distance=0.07
expect 1
says "at a distance between 0.008 and 0.054 m, not 55 at 0.07"
run run ball --replications 3
expect 2
says "'ball' is none"
run run mm1 --replications 0
expect 2
run run mm1 --replications 3 --plot
expect 2
run run mm1 --replications 3 --set customers=-1
expect 2
says "'customers' must lie between"
run run mm1 --replications 3 --output /nowhere/at/all.csv
expect 1
says "cannot write /nowhere/at/all.csv: No such file or directory"

# Replications: the same bits on any number of threads, and other ones for another seed.
for threads in 1 2 5; do
    run run mm1 --replications 23 --threads $threads --seed 7 --stop 2000 --output t$threads.csv
    expect 0
    prints "23 replications from seed 7"
    echo "$out" | grep -v "computed in\|written" >t$threads.txt
done
for threads in 2 5; do
    cmp -s t1.csv t$threads.csv || fail "$threads threads give other bits"
    cmp -s t1.txt t$threads.txt || fail "$threads threads say something else"
done
run run mm1 --replications 23 --seed 8 --stop 2000 --output other.csv --quiet
cmp -s t1.csv other.csv && fail "another seed gives the same numbers"
# The first of many is the one that runs alone, with the same seed.
run run mm1 --seed 7 --stop 2000
prints "time-in-system = $(awk -F, 'NR == 2 { printf "%.9g", $2 }' t1.csv)"
run run mm1 --replications 5 --output - --stop 100
prints "replication,time-in-system"
says "mean"

# Pictures through gnuplot: the script stays, and can be run again.
run run pilot-ejection --gnuplot heights
expect 0
prints "heights.dat, heights.gp"
equal "the last point" "$(tail -n 1 heights.dat)" "900 57500"
if command -v gnuplot >/dev/null 2>&1; then
    prints "heights.png"
    [ -s heights.png ] || fail "no picture"
    sed 's/pngcairo/svg/; s/heights.png/changed.svg/' heights.gp >changed.gp
    gnuplot changed.gp || fail "the script cannot be run again"
    grep -q "<svg" changed.svg || fail "the changed script draws nothing"
else
    echo "no gnuplot here, nothing drawn"
    prints "there is no gnuplot here"
fi
run run fire --gnuplot damage --quiet
expect 0
equal "the second bar" "$(sed -n 3p damage.dat)" "5 38"
run run mm1 --gnuplot waiting
expect 0
contains "$(cat waiting.gp)" "set xlabel 'time [s]'" || fail "no label of time"

# On a terminal replications show how far they are.
if script -qec true /dev/null >/dev/null 2>&1; then
    # shellcheck disable=SC2154 # check.sh sets it
    out=$(script -qec "'$foliot' run mm1 --replications 60 --threads 1 --stop 300000" /dev/null \
        </dev/null | tr -d '\r')
    prints " of 60 replications  "
    prints "60 replications from seed 1"
    out=$(script -qec "timeout --foreground -s INT 1 '$foliot' run mm1 --replications 1000000" \
        /dev/null </dev/null | tr -d '\r')
    prints "interrupted after "
    prints "time-in-system"
else
    echo "no script(1) here, nothing tried"
fi
# "as asked" is said where somebody has asked.
run run predator-prey
contains "$out" "as asked" && fail "nobody asked for a solver"
run live predator-prey --plain --stop 0.05
contains "$out" "as asked" && fail "nobody asked for a solver"
prints "rkf45: the model's own"
run live predator-prey --plain --stop 0.05 --solver dp45
prints "dp45: as asked"
finish
