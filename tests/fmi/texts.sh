#!/bin/sh
# Units as components of texts: a model with a unit in it has the bits of the same model without, where it is taken
# in the same way; a unit that nobody has named is not loaded, whatever the text says.
#
#   texts.sh <foliot> <folder of foliot_fmu.so>
set -eu
. "$(dirname "$0")/prologue.sh"
mkdir other

plant='parameter Real k = 2; input Real u; output Real y;'
equations='Real x(start = 1); equation der(x) = u - k*x; y = 3*x;'
loop='Real e; Real i(start = 0);
equation
  e = 1 - plant.y; der(i) = e; plant.u = 2*e + 5*i;
  annotation(experiment(StopTime = 4));
end Loop;'
echo "model Plant $plant $equations end Plant;" >plant.mo
"$foliot" export plant.mo --fmu plant.fmu || fail "export"
{ echo "block Unit $plant annotation(__Foliot_fmu(file = \"plant.fmu\")); end Unit;"; echo "model Loop Unit plant(k = 4); $loop"; } >loop.mo
{ echo "model Plant $plant $equations end Plant;"; echo "model Loop Plant plant(k = 4); $loop"; } >whole.mo

# column <csv> <name>
column()
{
    awk -F, -v name="$2" 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == name) n = i; if (!n) exit 1; next } { print $1 "," $n }' "$1"
}

"$foliot" run whole.mo -q --no-plot -o whole.csv >/dev/null 2>&1 || fail "whole.mo"
"$foliot" run loop.mo --node-types plant.fmu -q --no-plot -o loop.csv >/dev/null 2>said || { cat said; fail "loop.mo"; }
for name in i e plant.u plant.y plant.x; do
    column whole.csv $name >a && column loop.csv $name >b && cmp -s a b || fail "$name differs"
done
[ "$(wc -l <a)" -gt 400 ] || fail "only $(wc -l <a) rows"
cd other # the file lies beside the text
"$foliot" run ../loop.mo --node-types ../plant.fmu -q --no-plot -o loop.csv >/dev/null 2>&1 || fail "from another folder"
cmp -s loop.csv ../loop.csv || fail "from another folder: other values"
cd ..
"$foliot" run loop.mo --node-types plant.fmu --set plant.k=1 -q --no-plot -o set.csv >/dev/null 2>&1 || fail "--set"
"$foliot" run whole.mo --set plant.k=1 -q --no-plot -o set-whole.csv >/dev/null 2>&1 || fail "--set"
column set-whole.csv plant.y >a && column set.csv plant.y >b && cmp -s a b || fail "--set: other values"

# The block that stands for a unit is written by foliot show.
"$foliot" show plant.fmu --block >block.mo || fail "--block"
{ cat block.mo; echo "model Loop Plant plant(k = 4); $loop"; } >again.mo
"$foliot" run again.mo --node-types plant.fmu -q --no-plot -o again.csv >/dev/null 2>said || { cat said; fail "the block of --block"; }
column whole.csv plant.y >a && column again.csv plant.y >b && cmp -s a b || fail "--block: other values"

# What jumps, arrays, names that are none of the language: inputs of all types are driven, and parameters of all types
# given, in a unit of either version. The text's own model of the same equations has other steps: 1e-9 of them.
cat >jumps.mo <<'E'
model Sub parameter Real k = 2; Real y; equation y = k*time; end Sub;
type Mode = enumeration(off, slow, fast);
model Plant
  parameter Real A[2, 2] = {{0, 1}, {-4, -1}};
  parameter Integer gain = 2;
  parameter Boolean inverted = false;
  parameter Mode least = Mode.off;
  Sub sub;
  input Real u[2]; input Boolean on; input Integer n; input Mode mode; input Real 'set point'; input Boolean flags[2];
  output Real y[2]; output Boolean high; output Integer count(start = 0, fixed = true); output Real 'the sum';
  Real x[2](start = {1, 0}, each fixed = true);
equation
  der(x) = A*x + (if on then gain*u else zeros(2)) +
    (if mode == Mode.fast then {1, 0} else if mode == least then {0, 1} else if flags[2] then {0, -1} else {0, 0});
  y = x; high = (x[1] > 0.5) <> inverted; 'the sum' = x[1] + x[2] + n + 'set point' + sub.y;
  when on then count = pre(count) + n; end when;
end Plant;
E
jumps_loop() # <value of the mode> <further parameters>
{
    cat <<E
model Loop
  Plant plant(A = {{0, 1}, {-9, -0.5}}, gain = 3, inverted = true, $2);
  Integer k(start = 0, fixed = true), ups(start = 0, fixed = true);
  Real z(start = 0, fixed = true);
equation
  when sample(0.1, 0.3) then k = pre(k) + 1; end when;
  plant.on = sin(5*time) > 0; plant.n = k; plant.mode = $1; plant.flags = {false, cos(7*time) > 0};
  plant.u = {1, cos(time)}; plant.'set point' = 0.5*z;
  der(z) = plant.'the sum' - z;
  when plant.count > 3 then ups = pre(ups) + 1; end when;
  annotation(experiment(StopTime = 4, Tolerance = 1e-12));
end Loop;
E
}
# last <csv> <name>: its value in the last row
last()
{
    column "$1" "$2" | tail -1 | cut -d, -f2
}
{ cat jumps.mo; jumps_loop 'if k < 3 then Mode.off else if k < 6 then Mode.slow else Mode.fast' 'sub(k = 5)'; } >whole.mo
"$foliot" run whole.mo -q --no-plot -o jumps-whole.csv >/dev/null 2>said || { cat said; fail "whole.mo with jumps"; }
for version in 2 3; do
    "$foliot" export jumps.mo --fmu jumps.fmu --fmi $version --overwrite || fail "jumps.mo: export"
    "$foliot" show jumps.fmu --block >block.mo || fail "jumps.fmu: --block"
    { cat block.mo; jumps_loop 'if k < 3 then 1 else if k < 6 then 2 else 3' "'sub.k' = 5"; } >jumps-loop.mo
    rm -f jumps.csv
    "$foliot" run jumps-loop.mo --node-types jumps.fmu -q --no-plot -o jumps.csv >/dev/null 2>said || { cat said; fail "jumps-loop.mo"; }
    for name in z "plant.'the sum'" plant.y[1] plant.y[2] plant.high plant.count plant.n k ups; do
        { last jumps-whole.csv "$name"; last jumps.csv "$name"; } | awk '{ v[NR] = $1 }
            END { d = v[1] - v[2]; exit !(NR == 2 && d * d <= 1e-18 * (1 + v[1] * v[1])) }' || fail "jumps, FMI $version: $name differs"
    done
    [ "$(last jumps.csv ups)" = 1 ] || fail "jumps: ups is $(last jumps.csv ups)"
done

# refused <text> <part of the message> [arguments]
refused()
{
    printf '%s\n' "$1" >wrong.mo
    part=$2
    shift 2
    if "$foliot" run wrong.mo -q --no-plot -o no.csv "$@" >/dev/null 2>said; then fail "accepted: $part"; fi
    grep -q -- "$part" said || { cat said; fail "no message: $part"; }
    [ ! -e no.csv ] || { rm no.csv; fail "a file is left: $part"; }
}
unit='annotation(__Foliot_fmu(file = "plant.fmu"));'
use='Unit plant; equation plant.u = 1; end Loop;'
refused "block Unit $plant $unit end Unit; model Loop $use" "wrong.mo:1.*is code, which runs only where the command names it: --node-types plant.fmu"
cp plant.fmu other/stranger.fmu
refused "block Unit $plant annotation(__Foliot_fmu(file = \"other/stranger.fmu\")); end Unit; model Loop $use" "is code" --node-types plant.fmu
refused "block Unit input Real u; output Real z; $unit end Unit; model Loop $use" "has no output 'z'" --node-types plant.fmu
refused "block Unit parameter Real q = 1; input Real u; output Real y; $unit end Unit; model Loop $use" "has no parameter 'q'" --node-types plant.fmu
refused "block Unit $plant equation y = u; $unit end Unit; model Loop $use" "cannot have equations of its own" --node-types plant.fmu
refused "block Unit $plant annotation(__Foliot_fmu(path = \"x\")); end Unit; model Loop $use" 'file = "engine.fmu"' --node-types plant.fmu
refused "block Unit parameter String s = \"a\"; input Real u; output Real y; $unit end Unit; model Loop $use" "has no string or binary 's'" --node-types plant.fmu
refused "block Unit input Real u; output Real y; output String s = \"a\"; $unit end Unit; model Loop $use" "is an output String of an FMU" --node-types plant.fmu
refused "block Unit input Real u; input Boolean b; output Real y; $unit end Unit; model Loop Unit plant; equation plant.u = 1; plant.b = time > 1; end Loop;" "has no input 'b'" --node-types plant.fmu
refused "block Unit $plant $unit end Unit;" "is an FMU: run its file" --node-types plant.fmu
refused "block Unit $plant $unit end Unit; model Loop Unit plant; end Loop;" "plant" --node-types plant.fmu
if "$foliot" export loop.mo --fmu no.fmu 2>said; then fail "a text with a unit was exported"; fi

finish
