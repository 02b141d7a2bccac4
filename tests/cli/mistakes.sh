#!/bin/sh
# Mistakes on the command line: exit status 2, nothing on standard output, and the nearest right
# name; a run that fails: exit status 1.
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/check.sh"

# mistake MESSAGE ARGUMENT...
mistake()
{
    message=$1
    shift
    run "$@"
    expect 2
    says "$message"
    silent
}

mistake "foliot: unknown command 'rnu'; did you mean 'run'?" rnu
mistake "foliot: unknown command 'slovers'; did you mean 'solvers'?" help slovers
mistake "foliot: unknown option '--verison'; did you mean '--version'?" --verison
mistake "Try 'foliot help run'." run ball --nonsense
mistake "foliot run: needs a MODEL" run
mistake "foliot run: the gallery has no model 'bal'; did you mean 'ball'?" run bal
mistake "found one more argument: 'lorenz'" run ball lorenz
mistake "'ball.xyz' is no model that can be read; MODEL is a name that 'foliot models' lists" \
    run ball.xyz
mistake "'./ball' is no model" show ./ball
mistake "foliot show: the gallery has no model 'lorens'; did you mean 'lorenz'?" show lorens
mistake "foliot models: takes no arguments, found 'ball'" models ball
mistake "foliot solvers: unknown option '--foo'" solvers --foo

mistake "unknown option '--stpo'; did you mean '--stop'?" run ball --stpo 3
mistake "unknown option '--rtoll'; did you mean '--rtol'?" run ball --rtoll=3
mistake "unknown option '-x'" run ball -x
mistake "--stop needs a value: --stop T" run ball --stop
mistake "--quiet takes no value, found '1'" run ball --quiet=1
for number in 1x x "" " 1" 0x10 inf nan -inf 1e999 1,5 --quiet; do
    mistake "--stop needs a number, not '$number'" run ball --stop "$number"
done
mistake "--stop needs a time after 0, where the run begins, not '-1'" run ball --stop -1
mistake "--stop needs a time after 0, where the run begins, not '0'" run ball --stop 0
mistake "a run cannot go from t = 0 to t = -1" sensitivity ball --to e --measure 'final(y)' --stop -1
mistake "a run cannot go from t = 0 to t = 0" sensitivity ball --to e --measure 'final(y)' --stop 0
mistake "--rtol needs a positive number, not '0'" run ball --rtol=0
mistake "--interval needs a number that is not negative, not '-1'" run ball --interval -1
mistake "--seed needs a whole number, not '1.5'" run ball --seed 1.5
mistake "--seed needs a whole number, not '-1'" run ball --seed -1
mistake "--seed needs a whole number, not '18446744073709551616'" \
    run ball --seed 18446744073709551616
mistake "--substeps needs a whole number from 0 to 4294967295, not '4294967296'" run ball --substeps 4294967296
# Counts that are kept in fewer bits, or of which no more make sense.
for words in "run mm1 --replications 2 --threads" "run wave-2d --balance" "cluster wave-2d --nodes" \
    "cluster wave-2d --steps" "cluster wave-2d --slots" "cluster wave-2d --master localhost:1 --node" \
    "cluster --scale --nodes" "sweep ball --vary e=0.5,0.6 --measure max(y) --threads" \
    "sweep ball --vary e=0.5,0.6 --measure max(y) --lanes" "sensitivity ball --to e --measure max(y) --threads" \
    "sensitivity ball --to e --along a.csv --points" "fit ball --adjust e --data d.csv --starts" \
    "fit ball --adjust e --data d.csv --iterations" "steady lorenz --starts" \
    "optimize ball --adjust e=0.5..0.9 --minimize y --starts" \
    "optimize ball --adjust e=0.5..0.9 --minimize y --threads"; do
    for count in 4294967297 18446744073709551615; do
        # shellcheck disable=SC2086 # words
        mistake " needs a whole number from " $words $count
        says ", not '$count'"
    done
done
mistake "--nodes needs a whole number from 1 to 200, not '100000'" cluster wave-2d --nodes 100000
mistake "unknown solver 'dp46'; did you mean 'dp45'?" run ball --solver dp46

mistake "ball has no quantity 'vv'; did you mean 'v'?" run ball --signals y,vv
mistake "ball has no quantity 'vv'; did you mean 'v'?" run ball --plot=y,vv
mistake "ball has no quantity 'stop_sped'; did you mean 'stop_speed'?" run ball --set stop_sped=3
mistake "--set needs name=value, not 'e'" run ball --set e
mistake "--set needs name=value, not '=3'" run ball --set =3
mistake "--set e needs a number, not '1x'" run ball --set e=1x
mistake "'y' is a state: use --start y=3" run ball --set y=3
mistake "'g' is a parameter: use --set g=3" run ball --start g=3
mistake "'a' is an output and cannot be set" run ball --start a=3
mistake "found an empty one" run ball --signals y,
mistake "--plot and --no-plot contradict each other" run ball --plot --no-plot
mistake "the gallery has no model 'zzzzzz'; 'foliot models' lists them" run zzzzzz
mistake "expected a document *.field.json, found 'ball'" cluster ball
mistake "found none" export x.structure.json
mistake "found more" export x.structure.json --matrix --document
mistake "--fmu names the file to write, *.fmu, not 'x.mo'" export --fmu x.mo
mistake "name the same file 'x.csv'" run ball --output x.csv --events x.csv

# Mistakes in a file are none of the command line.
echo '{"field": "wave", "size": [4' >wrong.field.json
for file in wrong.field.json no-such.field.json no-such.structure.json no-such.json no-such.mo; do
    run run $file
    expect 1
    says "$file"
    silent
done

# A comma in brackets is part of a name.
cat >small.field.json <<'END'
{"field": "wave", "size": [6, 5], "c": 1, "start": {"sine": [1, 1]}, "probes": "all",
 "run": {"stop": 0.1, "step": 0.01, "interval": 0.1}}
END
run run small.field.json --signals 'value(3,2),value(2,2)' --output -
expect 0
equal "the header" "$(echo "$out" | head -n 1)" 'time,"value(3,2)","value(2,2)"'
run run small.field.json --output all.csv --plot
expect 0
prints "value(1,1)   "
equal "values in a row" "$(sed -n 2p all.csv | tr ',' '\n' | wc -l)" 31

# What the solver does not look at is said.
run run ball --substeps 4 --quiet
expect 0
says "note: dp45 has no substeps"

# A run that cannot start leaves an older file alone.
echo old >kept.csv
run run dip --output kept.csv --overwrite --set width=3
expect 1
says "foliot run: width must lie in (0, 2), is 3"
equal "kept.csv" "$(cat kept.csv)" "old"

run run ball --output nowhere/x.csv
expect 1
says "foliot run: cannot write nowhere/x.csv: No such file or directory"

# Help is no mistake.
for words in "" help --help -h "help run" "run --help" "show -h"; do
    # shellcheck disable=SC2086 # several words
    run $words
    expect 0
    prints "Usage: foliot"
done
run run --help
prints "--output FILE"
prints "--plot[=A,B,X:Y]"
run --version
expect 0
equal "the version" "${out%% *}" "foliot"
finish
