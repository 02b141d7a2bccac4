#!/bin/sh
# Models by name, of every kind; numbers of documents that are set.
source=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/check.sh"


# Every folder of models/ has a model of its name, and every one that is listed can be read.
run models
expect 0
names=$(echo "$out" | cut -d ' ' -f 1)
for model in "$source"/models/*/; do
    name=$(basename "$model")
    case $name in diagrams | worlds) continue ;; esac
    checks=$((checks + 1))
    echo "$names" | grep -qx "$name" || fail "'$name' is not listed"
done
for name in $names; do
    run check "$name"
    expect 0
    prints ": fine"
done
equal "names that are listed twice" "$(echo "$names" | sort | uniq -d)" ""
prints ""
run models
prints "wave-2d                   field      a damped sheet"
prints "clamped-beam              structure  a beam"

# A file in the present folder comes first, then FOLIOT_MODELS.
mkdir mine
sed 's/"k": 100/"k": 200/' "$source/models/mass-on-a-spring/mass-on-a-spring.structure.json" \
    >mine/mass-on-a-spring.structure.json
last_of()
{
    run "$@" --quiet --signals mass.y --output -
    expect 0
    result=$(echo "$out" | tail -n 1)
}
last_of run mass-on-a-spring
usual=$result
last_of run mass-on-a-spring --set k=200
set=$result
FOLIOT_MODELS=$PWD/mine
export FOLIOT_MODELS
last_of run mass-on-a-spring
unset FOLIOT_MODELS
equal "the model of FOLIOT_MODELS" "$result" "$set"
checks=$((checks + 1))
[ "$usual" != "$set" ] || fail "--set k=200 changes nothing"
last_of run mine/mass-on-a-spring.structure.json
equal "the same model by its path" "$result" "$set"

# Numbers by their place; what fits several or nothing.
last_of run mass-on-a-spring --set 'springs[1].k=200'
equal "a spring by its place" "$result" "$set"
last_of run mass-on-a-spring --set 'gravity[2]=-9.81'
equal "the element of a vector" "$result" "$usual"
run run mass-on-a-spring --set mass=3
expect 2
says "there are 2 numbers 'mass'"
run run mass-on-a-spring --set 'springs[1].kk=3'
expect 2
says "did you mean 'springs[1].k'?"
run run mass-on-a-spring --set 'springs[1].k=-3'
expect 1
says "expected a number above zero, found -3"
run show mass-on-a-spring --set k=7
expect 0
prints "springs[1].k           7"

# Fields, and a number that decides a size: the model is made with it.
run check wave-1d --set 'size[1]=201'
expect 0
prints "402 states"
run check wave-1d --set 'size[1]=11'
expect 1
says "the axis has 11 nodes"
last_of()
{
    run "$@" --quiet --output -
    expect 0
    result=$(echo "$out" | tail -n 1)
}
sed 's/"c": 3,/"c": 2,/; s/"c": 1,/"c": 0.7,/; s/"c": 10,/"c": 8,/' \
    "$source/models/wave-2d/wave-2d.field.json" >slow.field.json
c=$(sed -n 's/.*"c": *\([0-9.]*\).*/\1/p' slow.field.json | head -n 1)
last_of run slow.field.json
slow=$result
last_of run wave-2d --set c="$c"
equal "a wave at another speed" "$result" "$slow"
last_of run wave-2d
checks=$((checks + 1))
[ "$result" != "$slow" ] || fail "--set c=$c changes nothing"

# Diagrams: parameters with names, expressions, nodes.
cat >pendulum.json <<'END'
{"format": "foliot diagram", "name": "small", "simulation": {"stop": 1, "step": 0.1, "integrator": "RK_04"},
 "parameters": {"m": {"value": 2, "unit": "kg", "min": 0.5, "max": 10}, "g": 10, "l": 0.5, "both": "2*m"},
 "nodes": [{"name": "one", "type": "Constant", "parameters": {"Constant Value": "m*g*l"}},
           {"name": "two", "type": "Gain", "parameters": {"Gain": "both -1 (g - l)^2"}},
           {"name": "see", "type": "Time vs Input"}],
 "lines": [{"from": "one", "to": "two"}, {"from": "two", "to": "see"}]}
END
end_of()
{
    run run pendulum.json "$@" --quiet --output - --signals 'one,two[1],two[2],two[3]'
    expect 0
    equal "what follows from $*" "$(echo "$out" | tail -n 1)" "$expected"
}
expected=1,10,40,-10,902.5 end_of --set m=2
expected=1,15,90,-15,1353.75 end_of --set m=3
expected=1,15,90,-15,30 end_of --set m=3 --set 'two.Gain[3]=2'
expected=1,7,28,-7,631.75 end_of --set 'one.constantvalue=7'
run run pendulum.json --set m=11
expect 1
says "'m' must lie between 0.5 and 10, not 11"
run run pendulum.json --set two.Gain=1
expect 2
says "'two.Gain' has 1 by 3 numbers"
run run pendulum.json --set two.Gian=1
expect 2
says "did you mean 'two.Gain"
sed 's/m\*g\*l/m*g*h/' pendulum.json >wrong.json
run check wrong.json
expect 1
says "there is no parameter 'h'"
for text in 'm*' '(m' 'm)' 'f(m)' 'm 1,2' 'sqrt(-1)' '1/0' 'atan2(1)' 'm**2'; do
    sed "s|m\\*g\\*l|$text|" pendulum.json >wrong.json
    run check wrong.json
    expect 1
    says "wrong.json:3:"
done

# Live has the same numbers: what is recorded is carried through again, however busy the machine was.
last_of() # last_of NAME: in the last row of live.csv
{
    awk -F, -v name="$1" 'NR == 1 {for (i = 1; i <= NF; i++) if ($i == name) k = i} END {print $k}' live.csv
}
run live pendulum.json --set m=3 --set 'two.Gain[3]=2' --stop 0.2 --speed 10 --quiet --record live.rec
expect 0
run live --replay live.rec --quiet --output live.csv
expect 0
equal "a number that was set before" "$(last_of 'two[3]')" 30
last="live, a number of a node while it runs"
printf '0.1 set one.Constant Value 7\n0.1 set two.Gain 3\n0.15 set two.Gain[3] 4\n' |
    "$foliot" live pendulum.json --stop 0.2 --plain --record set.rec >.out 2>.err
equal "the status" $? 0
out=$(tail -n 30 .out) err=$(cat .err)
says "has no quantity 'two.Gain'"
run live --replay set.rec --quiet --output live.csv --overwrite
expect 0
equal "one" "$(last_of one)" 7
equal "two[3]" "$(last_of 'two[3]')" 28
run live pendulum.json --set nothing=3 --stop 0.2 --plain
expect 2
says "has no quantity 'nothing'"

# Replications of a diagram with entities: a wait of 4 s, a utilisation of 0.8; the same numbers for any
# number of threads.
run run queue --replications 100 --threads 2 --quiet --output two.csv
expect 0
run run queue --replications 100 --threads 1 --quiet --output one.csv
expect 0
equal "what one thread gives" "$(cksum <one.csv)" "$(cksum <two.csv)"
equal "different ones" "$(tail -n +2 one.csv | cut -d , -f 3 | sort -u | wc -l)" 100
means=$(awk -F, 'NR > 1 {w += $3; u += $4; n++}
    END {w /= n; u /= n; print (w > 3.5 && w < 4.5 && u > 0.78 && u < 0.82) ? "right" : w " " u}' one.csv)
equal "the means" "$means" right
run run pendulum-short --replications 2
expect 2
says "every run of it would be the same"
# A beam that lies straight beyond its buckling load is at a saddle: that is told, and it begins buckled.
sed 's/"start": 150/"start": 200/g; s/"friction"/"begin": "rest", "friction"/' \
    "$source/models/poissons-ratio/poissons-ratio.structure.json" >buckles.structure.json
run run buckles.structure.json --stop 0.001 --no-plot
expect 0
says "is a saddle of the energy"
sed 's/"start": 200/"start": 100/g' buckles.structure.json >straight.structure.json
run run straight.structure.json --stop 0.001 --no-plot
expect 0
equal "nothing is said of a beam that stays straight" "$err" ""
finish
