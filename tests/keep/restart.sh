#!/bin/sh
# Checkpoints from outside: killed, interrupted and going on, with the bytes of the run that was
# never interrupted.
#
#   restart.sh FOLIOT [KILLS]
kills=${2:-20}
source=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/../cli/check.sh"
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
mkdir -m 700 cache

cat >bounce.mo <<'END'
model bounce
  parameter Real c = 15;
  parameter Real e = 0.995;
  Real h(start = 1), v, s;
equation
  der(h) = v;
  der(v) = -9.81;
  der(s) = sin(c * time) * h;
  when h < 0 then
    reinit(v, -e * pre(v));
  end when;
  annotation(experiment(StopTime = 60, Interval = 0.01));
end bounce;
END

# Whole runs, in the ways that matter.
for way in bytecode native; do
    rm -f ./*.csv point
    run run bounce.mo --program $way --output whole.csv --events whole-events.csv --quiet
    expect 0

    # Looked at often: the same bytes.
    run run bounce.mo --program $way --output o.csv --events e.csv --checkpoint point --every 0.7 --quiet
    expect 0
    equal "rows with checkpoints" "$(cmp whole.csv o.csv)" ""
    equal "moments with checkpoints" "$(cmp whole-events.csv e.csv)" ""

    # From the last one nothing is left to do, and nothing is doubled.
    run run bounce.mo --program $way --output o.csv --events e.csv --restart point --quiet
    expect 0
    equal "rows after the end" "$(cmp whole.csv o.csv)" ""
done

# The figures of moments that --json has printed.
figures()
{
    printf '%s' "$out" | tr '\n' ' ' | sed -n 's/.*\("moment_count": [^,]*\),.*\("moments": \[[^]]*\]\).*/\1 \2/p'
}
run run bounce.mo --json
expect 0
whole=$(figures)
contains "$whole" '"first": 0.4' || fail "the figures are '$whole'"

# Killed at any time: the run goes on from the last checkpoint, or from the beginning.
killed=0
for i in $(seq "$kills"); do
    rm -f o.csv e.csv point point.new
    for try in 1 2 3 4; do
        from=
        [ ! -f point ] || from="--restart point"
        # shellcheck disable=SC2086 # options
        "$foliot" run bounce.mo --output o.csv --events e.csv --checkpoint point --every 0.05 \
            --quiet $from >.out 2>.err &
        pid=$!
        sleep "0.0$(((i * 7 + try * 13) % 60 + 10))"
        kill -9 $pid 2>/dev/null && killed=$((killed + 1))
        wait $pid 2>/dev/null
        # what is there is whole: lines, and a checkpoint that can be read
        [ ! -f o.csv ] || flock o.csv true # what was being written for it is there
        [ ! -f o.csv ] || [ -z "$(tail -c 1 o.csv | tr -d '\n')" ] || fail "o.csv ends in a part of a row"
    done
    from=
    [ ! -f point ] || from="--restart point"
    # shellcheck disable=SC2086
    run run bounce.mo --output o.csv --events e.csv --json $from
    expect 0
    equal "the figures after kill $i" "$(figures)" "$whole"
    [ -z "$from" ] || prints '"restarted_at": '
    cmp -s whole.csv o.csv || fail "rows after kill $i differ"
    cmp -s whole-events.csv e.csv || fail "moments after kill $i differ"
done
checks=$((checks + kills))
[ "$killed" -gt 0 ] || fail "nothing was killed"

# What begins at the checkpoint is said: pictures, the list of moments, and the bits of methods that start afresh.
rm -f o.csv e.csv point
"$foliot" run bounce.mo --stop 600 --checkpoint point --every 1 --quiet &
pid=$!
while [ ! -s point ] && kill -0 $pid 2>/dev/null; do sleep 0.01; done
kill -9 $pid 2>/dev/null
wait $pid 2>/dev/null
run run bounce.mo --stop 600 --restart point --gnuplot rest --moments
expect 0
at=$(printf '%s\n' "$err" | sed -n 's/.*note: the picture begins at t = \(.*\) s, where the run goes on$/\1/p')
[ -n "$at" ] || fail "nothing is said of the picture: $err"
prints "Moments since t = $at s"
prints "from $at s on computed in "
awk -v at="$at" '$1 != "#" && NF { exit !($1 > at * 0.999999 && $1 < at + 5) }' rest.dat || fail "the picture begins elsewhere"
if "$foliot" solvers | grep -q '^cvode-bdf'; then
    run run lorenz --solver cvode-bdf --checkpoint point --overwrite --quiet
    expect 0
    run run lorenz --solver cvode-bdf --restart point --quiet
    expect 0
    says "note: cvode-bdf starts afresh at t = "
fi
rm -f point

# A signal: a checkpoint, the status of one, and the rest of the run later.
for signal in INT TERM; do
    rm -f o.csv e.csv point
    env --default-signal=INT "$foliot" run bounce.mo --stop 60000 --set e=1 --output o.csv --events e.csv \
        --checkpoint point --quiet >.out 2>.err &
    pid=$!
    for try in $(seq 500); do # until there are rows
        [ "$(head -c 200 o.csv 2>/dev/null | wc -l)" -gt 1 ] && break
        sleep 0.02
    done
    kill -$signal $pid
    wait $pid
    status=$?
    err=$(cat .err)
    last="run with SIG$signal"
    if [ $signal = INT ]; then expect 130; else expect 143; fi
    says "it goes on from here with --restart point"
    says "interrupted at t = "
    t=$(tail -n 1 o.csv | cut -d , -f 1 | cut -d . -f 1)
    [ "$t" -lt 60000 ] || fail "it was not interrupted"
done

# What differs is said, and nothing is touched.
rm -f o.csv e.csv
run run bounce.mo --output o.csv --checkpoint point --every 20 --quiet
expect 0
before=$(cksum o.csv)
refused()
{
    says_=$1
    shift
    run run bounce.mo --output o.csv --restart point --quiet "$@"
    expect 1
    says "$says_"
    equal "the rows" "$(cksum o.csv)" "$before"
}
refused "'point' was saved with c = 15, this run has c = 3" --set c=3
refused "was saved with rtol = 1e-6, this run has rtol = 0.001" --rtol 1e-3
refused "was saved with stop = 60, this run has stop = 70" --stop 70
refused "was saved with an interval of rows = 0.01" --interval 0.02
refused "this run has signals with the hash = " --signals h
refused "this run has --start h = 2" --start h=2
refused "this run has solver = bs23" --solver bs23
refused "was saved with --events = not given" --events e.csv
sed 's/9\.81/9.82/' bounce.mo >kept.mo
mv bounce.mo good.mo && mv kept.mo bounce.mo
refused "was saved with the document's hash"
mv good.mo bounce.mo
cp o.csv kept.csv
sed '$s/1/2/' kept.csv >o.csv
before=$(cksum o.csv)
refused "cannot continue o.csv: its rows are not those of that run"
head -n 100 kept.csv >o.csv
before=$(cksum o.csv)
refused "cannot continue o.csv: it is shorter than it was then"
cp kept.csv o.csv
printf 'x' | dd of=point bs=1 seek=900 conv=notrunc 2>/dev/null
before=$(cksum o.csv)
refused "'point' is damaged: the checksum does not agree with the block"
head -c 700 point >short && mv short point
refused "'point' is damaged: it is cut short"
echo "no checkpoint" >point
refused "'point' does not begin with 'foliot-run-2'"
rm point
mkfifo point
refused "cannot read 'point': it is no plain file"
rm point

# What the model takes from other files: a library, data, a part; and what the other run had and this one has not.
keeps()
{
    rm -f o.csv point
    run run "$@" --output o.csv --checkpoint point --quiet
    expect 0
    run run "$@" --output o.csv --restart point --quiet
    expect 0
}
differs()
{
    says_=$1
    shift
    run run "$@" --output o.csv --restart point --quiet
    expect 1
    says "$says_"
}
other="was saved with the hash of what the model takes from other files = "
cat >Shelf.mo <<'END'
package Shelf
  model part
    Real x(start = 1);
  equation
    der(x) = -x;
  end part;
end Shelf;
END
cat >uses.mo <<'END'
model uses
  Shelf.part p;
  annotation(experiment(StopTime = 2, Interval = 0.1));
end uses;
END
keeps uses.mo
sed -i 's/= -x/= -2 * x/' Shelf.mo
differs "$other" uses.mo
cat >writes.json <<'END'
{"format": "foliot diagram", "version": 1, "name": "writes",
 "simulation": {"start": 0, "stop": 2, "integrator": "RK_04", "step": 0.25},
 "nodes": [{"name": "wave", "type": "Sine Wave"},
           {"name": "data", "type": "To Data File", "parameters": {"File Name": "wave.dat"}}],
 "lines": [{"from": "wave", "to": "data"}]}
END
cat >reads.json <<'END'
{"format": "foliot diagram", "version": 1, "name": "reads",
 "simulation": {"start": 0, "stop": 2, "integrator": "RK_04", "step": 0.25},
 "nodes": [{"name": "data", "type": "From Data File", "parameters": {"File Name": "wave.dat"}},
           {"name": "sum", "type": "Integrator"}, {"name": "end", "type": "Terminator"}],
 "lines": [{"from": "data", "to": "sum"}, {"from": "sum", "to": "end"}]}
END
run run writes.json --quiet
expect 0
keeps reads.json
sed -i 's/^1\.5 .*/1.5 7/' wave.dat
differs "$other" reads.json
cp "$source/models/mass-on-a-spring/mass-on-a-spring.structure.json" part.structure.json
cat >part.json <<'END'
{"format": "foliot diagram", "version": 1, "name": "part",
 "simulation": {"start": 0, "stop": 2, "integrator": "RK_04", "step": 0.25},
 "nodes": [{"name": "well", "type": "Structure", "parameters": {"File Name": "part.structure.json"}}], "lines": []}
END
keeps part.json
echo >>part.structure.json
differs "$other" part.json
keeps bounce.mo --start h=2
differs "was saved with the number of --start = 1, this run has the number of --start = 0" bounce.mo
echo "30,v,1" >taps.csv
keeps bounce.mo --events-in taps.csv
differs "this run has --events-in's hash = none" bounce.mo

# Models that have none say why.
run run mm1 --checkpoint point
expect 2
says "has no checkpoints: the stacks of processes cannot be copied"
run run ball --every 3
expect 2
says "--every needs a file"

# Fields, structures and diagrams, through the same door.
for model in wave-2d mass-on-a-beam thermostat ball buck-converter; do
    rm -f a.csv b.csv point
    run run $model --quiet --output a.csv
    expect 0
    stop=$(tail -n 1 a.csv | cut -d , -f 1)
    run run $model --quiet --output b.csv --checkpoint point --every "$(echo "$stop" | awk '{print $1 * 0.61}')"
    expect 0
    equal "the rows of $model" "$(cmp a.csv b.csv)" ""
done
# Two runs with one checkpoint: the second is refused before it has computed anything, also where
# the first has not written its checkpoint yet.
rm -f point point.lock o.csv
"$foliot" run lorenz --stop 1e9 --checkpoint point --every 0.5 --quiet >.first 2>&1 &
first=$!
while [ ! -s point ] && kill -0 $first 2>/dev/null; do sleep 0.02; done
run run lorenz --stop 0.1 --checkpoint point --output o.csv --quiet
expect 1
says "another run is writing the checkpoint point"
[ ! -f o.csv ] || fail "rows were written"
kill -9 $first
wait $first 2>/dev/null
run run lorenz --stop 0.1 --checkpoint point --quiet # a killed one has no lock
expect 0
if command -v flock >/dev/null; then
    rm -f point
    flock point.lock "$foliot" run lorenz --stop 0.1 --checkpoint point --quiet >.out 2>.err
    status=$? err=$(cat .err)
    expect 1
    says "another run is writing the checkpoint point"
    [ ! -e point ] || fail "a checkpoint was written"
    rm -f point.lock
fi
run run lorenz --stop 0.1 --checkpoint point --quiet
expect 0
equal "what is beside it" "$(echo point*)" point

# A run that the model has ended says why also when it is gone on with; parameters may be called as they like.
cat >ends.mo <<'END'
model ends
  parameter Real rows = 1, moments = 2, stopped = 3, stop = 4, model_name = 5, solver = 6;
  Real x(start = 1);
equation
  der(x) = -x * rows;
  when x < 0.5 then terminate("half is gone"); end when;
end ends;
END
rm -f point o.csv e.csv
run run ends.mo --checkpoint point --output o.csv --events e.csv
expect 0
prints "by the model: half is gone"
cp o.csv before.csv
run run ends.mo --restart point --checkpoint point --output o.csv --events e.csv
expect 0
prints "by the model: half is gone"
run run ends.mo --restart point --output o.csv --events e.csv --json
expect 0
prints '"status": "stopped", "message": "half is gone"'
cmp -s before.csv o.csv || fail "rows of a run that had ended differ"
finish
