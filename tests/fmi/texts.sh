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
refused "block Unit $plant $unit end Unit;" "is an FMU: run its file" --node-types plant.fmu
refused "block Unit $plant $unit end Unit; model Loop Unit plant; end Loop;" "plant" --node-types plant.fmu
if "$foliot" export loop.mo --fmu no.fmu 2>said; then fail "a text with a unit was exported"; fi

finish
