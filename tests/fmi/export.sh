#!/bin/sh
# Exported units, run by this program and compared with the direct run: Co-Simulation to equal bits
# of its reals, Model Exchange to the tolerance. Descriptions are checked against the official
# schemas where FOLIOT_FMI_SCHEMAS names their folder (2.0/, 3.0/; otherwise ../shared/fmi) and xmllint is there.
#
#   export.sh <foliot> <folder of foliot_fmu.so>
set -eu
. "$(dirname "$0")/prologue.sh"

# same <a.csv> <b.csv> <tolerance>: the common columns at the times that both have, the last row of
# each time; relative to the column's largest value.
same()
{
    awk -F, -v tolerance="$3" '
    FNR == 1 { file++; for (i = 1; i <= NF; i++) column[file, $i] = i; if (file == 1) { n = NF; for (i = 2; i <= NF; i++) name[i] = $i } next }
    file == 1 { for (i = 2; i <= n; i++) { a[$1, i] = $i; s = $i < 0 ? -$i : $i + 0; if (s > scale[i]) scale[i] = s } next }
    { for (i = 2; i <= n; i++) if ((2, name[i]) in column && ($1, i) in a) b[$1, i] = $(column[2, name[i]]) }
    END {
        for (k in b) { split(k, part, SUBSEP); e = a[k] - b[k]; if (e < 0) e = -e; compared++
            if (e > tolerance * (scale[part[2]] + 1e-300)) { printf "  %s at %s: %s and %s\n", name[part[2]], part[1], a[k], b[k]; exit 1 } }
        if (compared < 100) { print "  only " compared + 0 " values were compared"; exit 1 }
    }' "$1" "$2"
}

check()
{
    model=$1 tolerance=$2
    "$foliot" run "$model" -q --no-plot -o direct.csv >/dev/null 2>&1 || { fail "$model does not run"; return; }
    for version in 2 3; do
        if ! "$foliot" export "$model" --fmu unit.fmu --fmi $version; then fail "$model $version: export"; continue; fi
        if [ -n "${FOLIOT_FMI_SCHEMAS:-}" ] && command -v xmllint >/dev/null && command -v unzip >/dev/null; then
            unzip -p unit.fmu modelDescription.xml >description.xml
            xmllint --noout --schema "$FOLIOT_FMI_SCHEMAS/$version.0/fmi${version}ModelDescription.xsd" \
                description.xml 2>said || { head -3 said; fail "$model $version: schema"; }
        fi
        for type in me cs; do
            "$foliot" run unit.fmu --type $type -q --no-plot -o $type.csv >/dev/null 2>said ||
                { cat said; fail "$model $version $type: run"; continue; }
        done
        same direct.csv cs.csv 0 || fail "$model $version cs: other values"
        same direct.csv me.csv "$tolerance" || fail "$model $version me: other values"
    done
}

check ball.mo 1e-6            # guards that are turned round
check sir-epidemic 1e-6       # relations
check sampled-control 1e-6    # a clock
check bouncing-ball 1e-6      # a diagram
check mass-on-a-spring 1e-6   # a structure

# What loops of equations are iterated for starts from what the last step has left: equal bits in the last row, too.
rm -f direct.csv cs.csv
"$foliot" run pendulum-cartesian -q --no-plot -o direct.csv >/dev/null 2>&1 || fail "pendulum-cartesian"
"$foliot" export pendulum-cartesian --fmu unit.fmu --platform none --type cs && "$foliot" run unit.fmu -q --no-plot -o cs.csv >/dev/null 2>said || { cat said; fail "pendulum-cartesian as a unit"; }
same direct.csv cs.csv 0 || fail "pendulum-cartesian cs: other values"

# The state machine of dry friction: where the clutch locks, w > 0 and w < 0 pass zero at one instant.
cat >clutch.mo <<'M'
model Clutch
  Real v(start = 10, fixed = true), u(start = 0, fixed = true), a, b, tau, sa, w;
  Boolean forward(start = false, fixed = true), backward(start = false, fixed = true), locked(start = false);
  Integer mode(start = 3, fixed = true);
equation
  der(v) = a; a = 10*sin(32*time) - tau;
  der(u) = b; 3*b = 10*sin(21*time) + tau; w = v - u;
  forward = pre(mode) == 0 and (sa > 5 or pre(forward) and sa > 5) or initial() and w > 0;
  backward = pre(mode) == 0 and (sa < -5 or pre(backward) and sa < -5) or initial() and w < 0;
  locked = not (pre(mode) == 1 or forward or pre(mode) == -1 or backward);
  a - b = if locked then 0 else if forward then sa - 5 else if backward then sa + 5 else if pre(mode) == 1 then sa - 5 else sa + 5;
  tau = if locked then sa else if forward then 5 else if backward then -5 else if pre(mode) == 1 then 5 else -5;
  mode = if (pre(mode) == 1 or pre(mode) == 2 or forward) and w > 0 then 1
    else if (pre(mode) == -1 or pre(mode) == 2 or backward) and w < 0 then -1 else 0;
  annotation(experiment(StopTime = 3, Interval = 0.01, Tolerance = 1e-8));
end Clutch;
M
rm -f direct.csv
"$foliot" run clutch.mo -q --no-plot -o direct.csv >/dev/null 2>&1 || fail "clutch.mo"
for version in 2 3; do
    "$foliot" export clutch.mo --fmu unit.fmu --platform none --fmi $version || fail "export of clutch"
    for type in me cs; do
        rm -f $type.csv
        "$foliot" run unit.fmu --type $type -q --no-plot -o $type.csv >/dev/null 2>said || { cat said; fail "clutch $version $type"; continue; }
    done
    same direct.csv cs.csv 0 || fail "clutch $version cs: other values"
    awk -f "$here/compare.awk" -v span=3 -v tube=1 direct.csv me.csv | awk '!($1 <= 2e-6 && $2 > 3000) { print "  clutch: " $0; exit 1 }' ||
        fail "clutch $version me: other values"
done

# An indicator that stays beside zero and leaves it the other way.
rm -f direct.csv me.csv
"$foliot" run traffic-light -q --no-plot -o direct.csv >/dev/null 2>&1 || fail "traffic-light"
"$foliot" export traffic-light --fmu unit.fmu --platform none && "$foliot" run unit.fmu -q --no-plot -o me.csv >/dev/null 2>&1 || fail "traffic-light as a unit"
awk -f "$here/compare.awk" -v span=180 -v tube=1 direct.csv me.csv | awk '{ print "  traffic-light: " $0 } !($1 <= 1e-9 && $2 > 1000) { exit 1 }' ||
    fail "traffic-light me: other values"

# Driven by columns: inputs are continuous, in rates, outputs and in what makes events.
cat >driven.mo <<'M'
model Driven
  input Real u(start = 0); output Real y; output Integer k; output Boolean b;
  Real x(start = 0.1, fixed = true); Real z(start = 0, fixed = true);
  discrete Real s(start = 0, fixed = true); discrete Integer n(start = 0, fixed = true);
equation
  der(x) = u - x; der(z) = if u > 0.4 then 1 else -s; y = x*u + k; k = integer(3*u); b = x > u;
  when u > 1.1 then n = pre(n) + 1; end when;
  when sample(0.25, 0.25) then s = u; end when;
  annotation(experiment(StopTime = 4, Interval = 0.1, Tolerance = 1e-9));
end Driven;
M
awk 'BEGIN { print "time,u"; for (i = 0; i <= 40; i++) printf "%.17g,%.17g\n", i / 10, 2 * sin(i / 3) }' >columns.csv
rm -f direct.csv
"$foliot" run driven.mo --input columns.csv -q --no-plot -o direct.csv >/dev/null 2>said || { cat said; fail "a driven model"; }
for version in 2 3; do
    "$foliot" export driven.mo --fmu driven.fmu --platform none --fmi $version || fail "export of driven"
    rm -f me.csv
    "$foliot" run driven.fmu --type me --input columns.csv -q --no-plot -o me.csv >/dev/null 2>said || { cat said; fail "a driven unit"; }
    awk -f "$here/compare.awk" -v span=4 direct.csv me.csv | awk '!($1 <= 1e-8 && $2 > 500) { print "  driven: " $0; exit 1 }' ||
        fail "driven $version me: other values"
done

# States of a unit in Co-Simulation can be started elsewhere; what it computes cannot.
rm -f direct.csv cs.csv
"$foliot" run driven.mo --start x=0.7 -q --no-plot -o direct.csv >/dev/null 2>&1 || fail "--start"
"$foliot" run driven.fmu --type cs --start x=0.7 -q --no-plot -o cs.csv >/dev/null 2>said || { cat said; fail "--start of a unit"; }
same direct.csv cs.csv 0 || fail "--start: other values"
if "$foliot" run driven.fmu --type cs --start y=0.7 -q --no-plot -o no.csv >/dev/null 2>said; then fail "--start of what is computed"; fi
grep -q "'y' cannot be started at 0.7" said || { cat said; fail "no message about --start"; }

# Where bounces accumulate a unit comes to rest on the floor, at whatever tolerance and by whatever way of stepping; it
# may end with a message, but it does not fall through.
for floor in 0 5; do
    cat >floor.mo <<M
model Floor
  Real h(start = $floor + 1, fixed = true), v(start = 0, fixed = true);
equation
  der(h) = v; der(v) = -9.81;
  when h <= $floor then reinit(v, -0.75*pre(v)); end when;
  annotation(experiment(StopTime = 5, Interval = 0.1));
end Floor;
M
    for version in 2 3; do
        "$foliot" export floor.mo --fmu floor.fmu --platform none --fmi $version || fail "export of floor"
        for how in "--rtol 1e-4" "--rtol 1e-6" "--rtol 1e-8" "--solver bs23" "--solver rk4 --step 0.01"; do
            rm -f me.csv
            "$foliot" run floor.fmu --type me $how -q --no-plot -o me.csv >/dev/null 2>said || { cat said; fail "floor $how"; }
            awk -F, -v floor=$floor 'NR > 1 && $2 < floor - 1e-9 { print "  floor: " $0; bad = 1; exit } END { exit bad }' me.csv ||
                fail "floor $floor, $version, $how: the unit falls through"
        done
    done
done

# Where straight lines between steps locate an impact too far behind the floor the run ends with a message.
sed 's/0.75/0.9/; s/h <= 5/h <= 0/; s/5 + 1/0 + 1/; s/StopTime = 5/StopTime = 12/' floor.mo >deep.mo
"$foliot" export deep.mo --fmu deep.fmu --platform none || fail "export of deep"
rm -f deep.csv
if "$foliot" run deep.fmu --type me --solver rk4 --step 0.01 -q --no-plot -o deep.csv >/dev/null 2>said; then
    awk -F, 'NR > 1 && $2 < -1e-9 { exit 1 }' deep.csv || fail "deep: the unit falls through"
else
    grep -q "moments of indicator\[1\] accumulate" said || { cat said; fail "deep: another message"; }
fi
"$foliot" export deep.mo --fmu deep.fmu --platform none --fmi 2 || fail "export of deep"
if "$foliot" run deep.fmu --type cs --event-mode -q --no-plot >/dev/null 2>said; then fail "event mode of FMI 2"; fi
grep -q "is of FMI 2, which has no event mode" said || { cat said; fail "no message about event mode"; }

# Integer and Boolean inputs of a unit in a text follow what the text computes, at every event.
cat >twice.mo <<M
model Twice input Integer i; output Integer z; equation z = 2*i; end Twice;
M
cat >counts.mo <<M
block Twice input Integer i; output Integer z; annotation(__Foliot_fmu(file = "twice.fmu")); end Twice;
model Counts Twice p; Integer n(start = 0, fixed = true);
equation p.i = n; when sample(0.5, 0.5) then n = pre(n) + 1; end when;
  annotation(experiment(StopTime = 2.25, Interval = 0.25)); end Counts;
M
"$foliot" export twice.mo --fmu twice.fmu --platform none --type me && rm -f counts.csv &&
    "$foliot" run counts.mo --node-types twice.fmu -q --no-plot --signals n,p.z -o counts.csv >/dev/null 2>said || { cat said; fail "an Integer input"; }
awk -F, 'NR > 1 && $3 != 2*$2 { print "  counts: " $0; exit 1 } END { if ($2 != 4) exit 1 }' counts.csv || fail "an Integer input is not followed"
sed 's/Integer i/Boolean i/; s/2\*i/if i then 1 else 0/' twice.mo >truth.mo
sed 's/Integer i/Boolean i/; s/p.i = n/p.i = n > 1/; s/twice/truth/' counts.mo >truths.mo
"$foliot" export truth.mo --fmu truth.fmu --platform none --type me && rm -f counts.csv &&
    "$foliot" run truths.mo --node-types truth.fmu -q --no-plot --signals n,p.z -o counts.csv >/dev/null 2>said || { cat said; fail "a Boolean input"; }
awk -F, 'NR > 1 && $3 != ($2 > 1) { print "  truths: " $0; exit 1 } END { if ($2 != 4) exit 1 }' counts.csv || fail "a Boolean input is not followed"

# Files that a model reads go into its unit, which runs in a folder that has none of them.
cat >replay.json <<M
{"format": "foliot diagram", "version": 1, "name": "replay", "simulation": {"start": 0, "stop": 2, "integrator": "RK_DP", "step": 0.1},
 "nodes": [{"name": "file", "type": "From Data File", "parameters": {"File Name": "data/run.dat"}},
  {"name": "x", "type": "Integrator"}, {"name": "y", "type": "Time vs Input"}],
 "lines": [{"from": "file", "to": "x"}, {"from": "x", "to": "y"}]}
M
mkdir -p data Lib shelf/Far nowhere
awk 'BEGIN { print "foliot data 1\nstep 0.1 rows 1 cols 1 kind real"; for (i = 0; i <= 20; i++) printf "%.17g %.17g\n", i*0.1, sin(i) }' >data/run.dat
echo 'package Lib end Lib;' >Lib/package.mo
echo 'within Lib; model B parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = -k*x; end B;' >Lib/B.mo
echo 'package Far end Far;' >shelf/Far/package.mo
echo 'within Far; model C Real x(start = 1, fixed = true); equation der(x) = -x; end C;' >shelf/Far/C.mo
echo 'within Lib; function lines input String f; output Integer n; external "C" n = ModelicaInternal_countLines(f); end lines;' >Lib/lines.mo
printf '1\n2\n3\n' >Lib/three.txt
echo 'model Uses Lib.B b(k = Lib.lines("modelica://Lib/three.txt") - Lib.lines("data/run.dat")/22); Far.C c; end Uses;' >uses.mo
for document in replay.json uses.mo Far.C; do
    [ $document = replay.json ] && version=2 || version=3
    rm -f files.csv files.fmu
    MODELICAPATH=shelf "$foliot" run $document -q --no-plot -o files.csv >/dev/null 2>&1 || fail "$document"
    MODELICAPATH=shelf "$foliot" export $document --fmu files.fmu --fmi $version 2>said || { cat said; fail "$document: export"; }
    for type in me cs; do
        rm -f nowhere/unit.csv
        (cd nowhere && "$foliot" run ../files.fmu --type $type -q --no-plot -o unit.csv >/dev/null 2>&1) || fail "$document $version $type with its files"
        { tail -1 files.csv; tail -1 nowhere/unit.csv; } | awk -F, '{ v[NR] = $2 } END { d = v[1] - v[2]; exit !(NR == 2 && d * d < 1e-24) }' ||
            fail "$document $version $type: other values"
    done
done
sed 's,data/run.dat,nowhere.dat,' replay.json >lost.json
if "$foliot" export lost.json --fmu lost.fmu >/dev/null 2>&1 || [ -e lost.fmu ]; then fail "a diagram whose file is not there"; fi

# Sliding is for Model Exchange a row of events without end, which ends with a message; Co-Simulation slides.
echo 'model Slide Real x(start = 1, fixed = true); equation der(x) = if x > 0 then -1 else 2; annotation(experiment(StopTime = 2)); end Slide;' >slide.mo
"$foliot" export slide.mo --fmu slide.fmu || fail "slide: export"
if "$foliot" run slide.fmu --type me -q --no-plot >/dev/null 2>said; then fail "sliding in Model Exchange"; fi
grep -q "the FMU chatters, or slides" said || { cat said; fail "no message about sliding"; }
"$foliot" run slide.fmu --type cs -q --no-plot -o slide.csv >/dev/null 2>&1 || fail "sliding in Co-Simulation"
[ "$(tail -1 slide.csv)" = 2,0 ] || fail "sliding: $(tail -1 slide.csv)"

# A parameter that is set between communication points acts from there on.
cat >later.mo <<M
model Later parameter Real k = 0 annotation(Evaluate = false); Real x(start = 0, fixed = true); output Real y = x;
equation der(x) = k; annotation(experiment(StopTime = 1, Interval = 0.1)); end Later;
M
printf 'time,name,value\n0.55,k,1\n' >set.csv
for version in 2 3; do
    "$foliot" export later.mo --fmu later.fmu --fmi $version || fail "export of later"
    for type in me cs; do
        rm -f later.csv
        "$foliot" run later.fmu --type $type --events-in set.csv -q --no-plot --signals x,y -o later.csv >/dev/null 2>said || { cat said; fail "later $type"; }
        awk -F, 'END { if (!($2 > 0.45 - 1e-9 && $2 < 0.45 + 1e-9)) { print "  later: " $0; exit 1 } }' later.csv || fail "later $version $type: the set acts at another time"
    done
done

# The same model gives the same file.
"$foliot" export ball.mo --fmu one.fmu && "$foliot" export ball.mo --fmu two.fmu
cmp one.fmu two.fmu || fail "two exports of one model differ"

# What cannot be exported is said.
if "$foliot" export lorenz --fmu no.fmu 2>said; then fail "a compiled model was exported"; fi
grep -q "not a system" said || { cat said; fail "no message about a compiled model"; }
if "$foliot" export ball.mo --fmu no.fmu --fmi 4 2>said; then fail "FMI 4"; fi
[ ! -e no.fmu ] || fail "a file is left of an export that failed"

finish
