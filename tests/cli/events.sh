#!/bin/sh
# What comes from outside, from a file; and what a model says by the way.
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/check.sh"
models=$(cd "$(dirname "$0")/../../models" && pwd)

# The text and the model in C are given the same taps.
cp "$models/tapped-pendulum/taps.csv" .
printf '\n 25.5 , "tap" ,-0.3\r\n' >>taps.csv
run run "$models/tapped-pendulum/tapped-pendulum.mo" --events-in taps.csv --events text.csv \
    --signals y,v --output text-rows.csv --solver dop853 --rtol 1e-11
expect 0
run run pendulum --set tap=0 --events-in taps.csv --events c.csv --signals y,v --output c-rows.csv \
    --solver dop853 --rtol 1e-11
expect 0
equal "the moments" "$(cut -d, -f1,2 text.csv)" "$(cut -d, -f1,2 c.csv)"
equal "how many" "$(grep -c tap, text.csv)" 2
awk -F, 'NR == FNR { y[FNR] = $2; next } FNR > 1 { d = $2 - y[FNR]; if (d * d > 1e-16) bad++ }
    END { exit bad > 0 }' text-rows.csv c-rows.csv
equal "rows of both" $? 0

# Parameters can be set, too, and a world hears it.
printf 'time,name,value\n2,c,0\n' >set.csv
run run pendulum --events-in set.csv --stop 3
expect 0
prints "c set at 2"

mistake()
{
    printf '%b' "$1" >wrong.csv
    run run pendulum --events-in wrong.csv
    expect 2
    says "wrong.csv:$2"
    silent
}
mistake '# nothing\n1,tapp,2\n' "2: 'pendulum' has no event 'tapp'; did you mean 'tap'?"
mistake '1,tap,x\n' "1: expected a number as value, found 'x'"
mistake '1,tap,nan\n' "1: expected a number as value, found 'nan'"
mistake 'soon,tap,1\n' "1: expected a time [s], found 'soon'"
mistake '\n1\n' "2: expected time,name,value, found '1'"
mistake '1,tap,2,3\n' "1: expected time,name,value"
mistake '1,c\n' "1: expected a value for what is set"
mistake '-1,tap,2\n' "1: t = -1 lies before the start at 0"
mistake '1,c,-1e999\n' "1: expected a number"
run run pendulum --events-in nowhere.csv
expect 2
says "nowhere.csv"
printf '50,tap,1\n' >late.csv
run run pendulum --events-in late.csv
expect 0
says "note: 1 of the events in late.csv come after the stop at 40 s"

# What is set in a run has a type, bounds and may be final, as for --set.
cat >typed.mo <<'MO'
model Typed
  type Colour = enumeration(red, green, blue);
  parameter Integer n = 2;
  parameter Boolean on = false;
  parameter Colour c = Colour.red;
  final parameter Real f = 3;
  parameter Real k(min = 0) = 1;
  Real x(start = 1, fixed = true);
equation
  der(x) = -k*x*n*f + (if on then 1 else 0) + (if c == Colour.red then 0 else 1);
end Typed;
MO
while read -r line message; do
    echo "$line" >typed.csv
    run run typed.mo --events-in typed.csv --stop 1
    expect 2
    says "typed.csv:1: $message"
    silent
done <<'END'
0.5,n,2.5 'n' must be a whole number, not 2.5
0.5,on,0.3 'on' is a boolean: it must be 0 or 1, not 0.3
0.5,on,2 'on' is a boolean: it must be 0 or 1, not 2
0.5,c,7 'c' must lie between 1 and 3, not 7
0.5,c,0 'c' must lie between 1 and 3, not 0
0.5,c,1.5 'c' must be a whole number, not 1.5
0.5,f,4 'f' is fixed
0.5,k,-1 'k' must be at least 0, not -1
END
printf '0.5,n,3\n0.5,on,1\n0.5,c,3\n0.5,k,0\n' >typed.csv
run run typed.mo --events-in typed.csv --stop 1
expect 0

# The first input is not the first parameter, though each is the first of its kind.
cat >two.mo <<'MO'
model Two
  input Boolean tap;
  parameter Real k = 1;
  Real x(start = 1, fixed = true);
  discrete Integer n(start = 0, fixed = true);
equation
  der(x) = -k*x;
  when tap then n = pre(n) + 1; end when;
end Two;
MO
printf '0.2,tap,1\n0.3,tap,0\n0.5,k,2\n' >two.csv
run run two.mo --events-in two.csv --stop 1
expect 0
prints "2 times tap set, first 0.2, last 0.3; k set at 0.5"

# A warning is printed, and the run goes on; a failed assert and a value that is none end it.
cat >warns.mo <<'MO'
model Warns
  Real x(start = 0, fixed = true);
  Real y = sqrt(2.5 - x);
equation
  der(x) = 1;
  assert(x < 1.5, "x is " + String(x), AssertionLevel.warning);
  annotation(experiment(StopTime = 2));
end Warns;
MO
run run warns.mo
expect 0
says "foliot run: warning at t = 1.5: x is 1.5 (line 6)"
run run warns.mo --stop 3 --output rows.csv --interval 0.25
expect 1
says "\`y = sqrt(2.5 - x)\` (line 3) is not a number at t = 2.5"
equal "the last row" "$(tail -n 1 rows.csv | cut -d, -f1)" 2.5

# Late in a run times have as many digits as tell how far apart they are: the ball falls for
# sqrt(2/g), and its hops take twice as long in all when half of the speed is left.
cat >late.mo <<'MO'
model Late
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(h) = v; der(v) = -9.81;
  when h <= 0 then reinit(v, -0.5*pre(v)); end when;
  annotation(experiment(StartTime = 1e6, StopTime = 1000002.123456));
end Late;
MO
run run late.mo
expect 0
prints "Late, until 1000002.12 s"
prints "1000000 .. 1000002.12 s, computed"
prints "first 1000000.45, last 1000001.35; h <= 0 rest begins at 1000001.35"
prints "h = 0 from 1000001.355 s to the end"
finish
