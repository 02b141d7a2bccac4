#!/bin/sh
# Killed while it saves, in every way that it saves: what is there afterwards is whole, what was there
# before is not lost, and the next run is not in its way.
#
#   kills.sh FOLIOT [KILLS]     of each kind
kills=${2:-5}
here=$(cd "$(dirname "$0")" && pwd)
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
cat >pen.json <<'END'
{"format": "foliot diagram", "version": 1, "name": "d", "simulation": {"start": 0, "stop": 1e6,
"integrator": "RK_04", "step": 0.01}, "nodes": [{"name": "one", "type": "Constant"}, {"name": "sum",
"type": "Integrator"}, {"name": "pen", "type": "To File", "parameters": {"File Name": "pen.txt"}},
{"name": "data", "type": "To Data File", "parameters": {"File Name": "pen.dat"}}],
"lines": [{"from": "one", "to": "sum"}, {"from": "sum", "to": "pen"}, {"from": "sum", "to": "data"}]}
END

# killed NUMBER ARGUMENT...: started, and killed some milliseconds later, or at its end.
killed()
{
    number=$1
    shift
    last="$*, killed"
    "$foliot" "$@" >.out 2>.err </dev/null &
    pid=$!
    sleep "0.$(printf %03d $(((number * 37) % 150)))"
    kill -9 $pid 2>/dev/null
    wait $pid 2>/dev/null
    checks=$((checks + 1))
}

# What was being written for the process is there when the lock of the file is free.
whole()
{
    [ -f "$1" ] || return 0
    flock "$1" true
    [ -z "$(tail -c 1 "$1" | tr -d '\n')" ] || fail "$1 ends in a part of a row"
}

# Files of rows end after a whole one; the same options write them again.
rows()
{
    file=$1
    short=$2
    shift 2
    for i in $(seq "$kills"); do
        killed "$i" "$@"
        whole "$file"
    done
    # shellcheck disable=SC2086 # options
    run "$@" $short
    expect 0
    rm -f "$file"
}
rows rows.csv "--stop 1" run lorenz --interval 0.001 --quiet --stop 1e5 --output rows.csv
rows rows.json "--stop 1" run lorenz --interval 0.001 --quiet --stop 1e5 --output rows.json
rows acts.csv "--stop 1" run mm1 --quiet --stop 1e9 --events acts.csv
rows acts.jsonl "--stop 1" run mm1 --quiet --stop 1e9 --events acts.jsonl
rows runs.csv "--replications 2" run mm1 --quiet --stop 50 --replications 100000 --output runs.csv
rows pen.txt "--stop 1" run pen.json --quiet
rows pen.dat "--stop 1" run pen.json --quiet
rows record "--stop 0.1" live lorenz --plain --quiet --rate 1000 --record record
rows steps.csv "--stop 0.1" optimize lorenz --adjust rho=20..30 --minimize 'final(z)' --quiet --stop 100 \
    --output steps.csv
rows probes.csv "--stop 0.1" run wave-1d --quiet --stop 1e5 --output probes.csv

# A table of a sweep goes on to the one that was never killed.
sweep="sweep small.mo --vary c=1:2:300 --measure max(x) --quiet"
run $sweep --output whole.csv
expect 0
for i in $(seq "$kills"); do
    rm -f table.csv*
    killed "$i" $sweep --output table.csv
    whole table.csv
    run $sweep --output table.csv --continue
    expect 0
    equal "the table that went on" "$(cmp whole.csv table.csv)" ""
done

# Results for other tools: what was counted can be read.
for i in $(seq "$kills"); do
    rm -f rows.mat
    killed "$i" run lorenz --interval 0.001 --quiet --stop 1e5 --output rows.mat
    [ -s rows.mat ] || continue
    run compare rows.mat rows.mat --quiet
    [ "$status" -le 2 ] || fail "reading it ends with $status"
done
rm -f rows.mat # the size that is waited for is this run's
"$foliot" run lorenz --interval 0.001 --quiet --stop 1e7 --output rows.mat >.out 2>.err &
pid=$!
tries=0
until [ -f rows.mat ] && [ "$(stat -c %s rows.mat)" -gt 1000000 ] || [ $tries -ge 3000 ]; do
    sleep 0.02
    tries=$((tries + 1))
done
kill -9 $pid
wait $pid 2>/dev/null
run compare rows.mat rows.mat --quiet
expect 0

# What is put in place whole is the old one or the new one, and the next time works.
# places FILE OLD NEW: arguments that make the one and the other
places()
{
    file=$1
    old=$2
    new=$3
    # shellcheck disable=SC2086 # options
    run $new
    expect 0
    cp "$file" new.copy
    # shellcheck disable=SC2086
    run $old
    expect 0
    cp "$file" old.copy
    for i in $(seq "$kills"); do
        # shellcheck disable=SC2086
        killed "$i" $new
        cmp -s "$file" new.copy || cmp -s "$file" old.copy || fail "$file is neither the old nor the new one"
        # shellcheck disable=SC2086
        run $old
        expect 0
        equal "$file, put back" "$(cmp "$file" old.copy)" ""
    done
}
places table.csv "steady lorenz --starts 2 --quiet --overwrite --output table.csv" \
    "steady lorenz --starts 300 --quiet --overwrite --output table.csv"
places made.json "export mass-on-a-spring --document --output made.json" \
    "export mass-on-a-chain --document --output made.json"
places made.fmu "export small.mo --fmu made.fmu --fmi 2" "export small.mo --fmu made.fmu --fmi 3"
places curve.dat "run ball --quiet --stop 1 --gnuplot curve" "run ball --quiet --stop 2 --gnuplot curve"
# Nobody draws on into the picture of a run that was killed: it may be another run's by then.
mkdir bin
cat >bin/gnuplot <<'END'
#!/bin/sh
echo $$ >drawing
exec sleep 60
END
chmod +x bin/gnuplot
last="run ball --gnuplot slow, killed"
PATH=$PWD/bin:$PATH "$foliot" run ball --quiet --gnuplot slow >.out 2>.err &
pid=$!
tries=0
until [ -s drawing ] || [ $((tries += 1)) -gt 3000 ]; do sleep 0.02; done
kill -9 $pid
wait $pid 2>/dev/null
tries=0
while kill -0 "$(cat drawing)" 2>/dev/null && [ $((tries += 1)) -le 500 ]; do sleep 0.02; done
checks=$((checks + 1))
[ $tries -le 500 ] || { fail "gnuplot goes on"; kill "$(cat drawing)"; }

# What the studio has acknowledged is in the folder.
if command -v node >/dev/null && [ -x "$(dirname "$foliot")/foliot-studio" ]; then
    last="studio, killed while it saves"
    checks=$((checks + 1))
    FOLIOT=$foliot node "$here/kills.mjs" "$kills" >.out 2>.err || fail "$(cat .out .err)"
fi

# Compiled programs.
run run small.mo --native --quiet --output whole.csv --overwrite
expect 0
for i in $(seq "$kills"); do
    rm -rf cache/foliot
    killed "$i" run small.mo --native --quiet --output rows.csv
    run run small.mo --native --quiet --output rows.csv
    expect 0
    equal "rows afterwards" "$(cmp whole.csv rows.csv)" ""
done
finish
