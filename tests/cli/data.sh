#!/bin/sh
# What goes in and out as files: *.csv, *.json, *.mat, units, patterns of signals, inputs, compare.
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/check.sh"

# One run in three formats is one result, and a fourth that is coarser is near it.
for ending in csv json mat; do
    run run ball --rtol 1e-10 -q --output "ball.$ending"
    expect 0
done
run compare ball.csv ball.mat --tolerance 0
expect 0
prints "6 signals agree"
run compare ball.mat ball.json --tolerance 0
expect 0
run run ball --rtol 1e-5 -q -o coarse.csv
run compare ball.mat coarse.csv
expect 0
prints "jumps 8.6e-05 apart"
run compare ball.mat coarse.csv --tolerance 1e-9
expect 1
prints "too far"
run compare ball.mat coarse.csv --tolerance 1e-4
expect 1
run compare ball.mat coarse.csv --tolerance 1e-4 --signals 'y,w'
expect 0
run compare ball.mat coarse.csv --json
expect 0
prints '"equal": true'
run compare ball.mat coarse.csv -q --tolerance 1e-9
expect 1
silent
run run ball --stop 2 -q -o short.csv
run compare ball.csv short.csv
expect 1
prints "they cover different times: 0 .. 7.52844 and 0 .. 2"
run compare ball.csv nowhere.csv
expect 2
says "cannot open nowhere.csv"
run run ball --signals y -q -o y.csv
run compare ball.csv y.csv
expect 1
prints "missing in the second file"
run compare y.csv ball.csv
expect 0
prints "5 signals are in the second file only"

# Other endings are refused before anything is run.
for name in out.txt out out.CSV; do
    run run ball --output "$name"
    expect 2
    says "a file of results is called *.csv, *.json or *.mat"
done
equal "files" "$(ls out* 2>/dev/null)" ""
run run ball -q --output x.mat --checkpoint k
expect 2
says "cannot be gone on with after a checkpoint"
run run ball -q --stop 1 --output u.csv --units --signals y,v,w
expect 0
equal "the units" "$(sed -n 2p u.csv)" "s,m,m/s,"
run compare u.csv ball.csv --json
prints '"name": "v", "missing": false'
run run ball -q --output x.json --units
expect 2

# JSON goes on after a checkpoint as CSV does, to the same bytes.
run run lorenz -q --stop 5 --output whole.json
run run lorenz -q --stop 5 --output part.json --checkpoint k --every 2
equal "the same with checkpoints" "$(cat part.json)" "$(cat whole.json)"
run run lorenz -q --stop 5 --output part.json --restart k
equal "the same after a restart" "$(cat part.json)" "$(cat whole.json)"

# Signals by pattern.
run run rc-circuit -q -o - --signals 'resistor.?.v,capacitor.v' --stop 0
run run rc-circuit -q -o p.csv --signals 'resistor.?.v,capacitor.v,capacitor*'
expect 0
equal "names by pattern" "$(head -n 1 p.csv)" \
    "time,resistor.p.v,resistor.n.v,capacitor.v,capacitor.p.v,capacitor.p.i,capacitor.n.v,capacitor.n.i,capacitor.i"
run run rc-circuit -q --signals '*.nothing'
expect 2
says "no signal of 'RcCircuit' matches '*.nothing'"

# Inputs from a file: x' = u, so x is the area under u; y' = w while on holds.
cat >i.mo <<'MODEL'
model I
  input Real u(start=7);
  input Real w(start=2);
  input Boolean on(start=false);
  Real x(start=0, fixed=true);
  Real y(start=0, fixed=true);
  discrete Integer n(start=0, fixed=true);
equation
  der(x) = u;
  der(y) = if on then w else 0;
  when u > 1.5 then n = pre(n) + 1; end when;
  annotation(experiment(StopTime=5));
end I;
MODEL
cat >in.csv <<'ROWS'
time,u,on
0,0,0
1,1,1
2,1,0
2,3,0
3,0,1
4,0,0
ROWS
for solver in dp45 rk4 radau5; do
    run run i.mo --input in.csv --set w=3 --solver $solver -q -o i.csv --signals x,y,n,u
    expect 0
    equal "the areas by $solver" "$(tail -n 1 i.csv | awk -F, '{printf "%.6f %.6f %g %g", $2, $3, $4, $5}')" \
        "3.000000 6.000000 1 0"
done
equal "u between rows" "$(awk -F, '$1 == 0.5 {printf "%.9f", $5}' i.csv)" "0.500000000"
run run i.mo --input in.csv --set u=1
expect 2
says "'u' is an output and cannot be set"
run run ball --input in.csv
expect 2
says "'ball' has no inputs"
sed 's/on/off/' in.csv >wrong.csv
run run i.mo --input wrong.csv
expect 2
says "off"
run run i.mo --input in.csv --checkpoint k
expect 2
says "--input is not possible with --checkpoint"

# shows: waits until the run of this name is shared
shows()
{
    tries=0
    until "$foliot" watch "data-$$" --once >/dev/null 2>&1; do
        [ $((tries += 1)) -le 200 ] || return
        sleep 0.05
    done
}

# A run that is shared is drawn by who looks on, or told in numbers.
"$foliot" run wave-2d --stop 1e6 -q --share "data-$$" &
runner=$!
shows
run watch "data-$$" --once
expect 0
prints "wave-2d, t = "
prints "···"
run watch "data-$$" --once --numbers
prints "value(10,10)"
run watch "data-$$" --once --json
prints '{"model": "wave-2d", "t": '
kill "$runner"
wait "$runner" 2>/dev/null
"$foliot" live wave-2d --plain -q --share "data-$$" --stop 1000 &
runner=$!
shows
run watch "data-$$" --once
prints "wave-2d, t = "
kill "$runner"
wait "$runner" 2>/dev/null

# What a text delays of an input follows the file between the ends of steps, too.
cat >late.mo <<'MO'
model late
  input Real u;
  Real x(start = 1, fixed = true);
  output Real z;
equation
  der(x) = -0.001*x;
  z = delay(sin(50*u), 0.5);
end late;
MO
printf 'time,u\n0,0\n2,2\n' >ramp.csv
run run late.mo --input ramp.csv --stop 2 --interval 0.013 -q -o late.csv
expect 0
worst=$(awk -F, 'NR > 1 && $1 > 0.6 { e = $3 - sin(50*($1 - 0.5)); if (e < 0) e = -e
    if (e > w) w = e } END { print w < 2e-6 ? "near" : w }' late.csv)
equal "a delayed input" "$worst" near

# Pictures through gnuplot: the ending says what is drawn, and the script stays.
run run double-pendulum --gnuplot curves.svg --size 640x480 -q
expect 0
contains "$(cat curves.gp)" "svg size 640,480" || fail "the size: $(head -2 curves.gp)"
contains "$(cat curves.gp)" "set arrow from first 0.4820919" || fail "moments are not marked"
run run wave-2d --gnuplot field.pdf -q
expect 0
contains "$(cat field.gp)" "with pm3d" || fail "no surface"
equal "rows of the grid" "$(grep -vc "^#" field.dat)" 22
run run wave-2d --gnuplot field.pdf -q
expect 0 # its own files are drawn again
if command -v gnuplot >/dev/null 2>&1; then
    contains "$(head -c 200 curves.svg)" "<svg" || fail "no SVG"
    equal "a PDF" "$(head -c 4 field.pdf)" "%PDF"
fi
run run ball --gnuplot x --size 10x10
expect 2
says "--size needs WIDTHxHEIGHT"
finish
