#!/bin/sh
# Several units together, against closed forms.
#
#   group.sh <foliot> <folder of foliot_fmu.so>
#
# Two masses of 1 kg on springs of 1 N/m to the walls, a spring of 1 N/m between them; the first one begins at
# 1 m. With the modes (x1 + x2) and (x1 - x2) of the frequencies 1 and sqrt(3):
#
#     x1(t) = (cos t + cos(sqrt(3) t)) / 2      x1(20) = -0.294217046
#
# One mass is a unit that takes the force of the middle spring, the rest a unit that takes its velocity.
set -eu
. "$(dirname "$0")/prologue.sh"

cat >left.mo <<'M'
model Left
  parameter Real k(unit = "N/m") = 1;
  parameter Real m(unit = "kg") = 1;
  input Real f(unit = "N", start = 0);
  output Real v(unit = "m/s", start = 0, fixed = true);
  Real x(unit = "m", start = 1, fixed = true);
equation
  der(x) = v;
  der(v) = (f - k*x)/m;
  annotation(experiment(StopTime = 20, Interval = 0.1, Tolerance = 1e-12));
end Left;
M
cat >right.mo <<'M'
model Right
  parameter Real k(unit = "N/m") = 1;
  parameter Real m(unit = "kg") = 1;
  input Real v(unit = "m/s", start = 0);
  output Real f(unit = "N");
  Real y(unit = "m", start = 1, fixed = true) "where the other mass is";
  Real x(unit = "m", start = 0, fixed = true);
  Real w(unit = "m/s", start = 0, fixed = true);
equation
  der(y) = v;
  der(x) = w;
  f = k*(x - y);
  der(w) = -(k*x + f)/m;
  annotation(experiment(StopTime = 20, Interval = 0.1, Tolerance = 1e-12));
end Right;
M
cat >gain.mo <<'M'
model Gain
  parameter Real k = 2;
  parameter Real c = 1;
  input Real u(start = 0);
  output Real y;
  Real x(start = 0, fixed = true);
equation
  der(x) = 1;
  y = k*u + c + x;
  annotation(experiment(StopTime = 2, Interval = 0.1));
end Gain;
M
for m in left right gain; do "$foliot" export $m.mo --fmu $m.fmu --type cs; done

# masses <method> <step> <control>: the last row
masses()
{
    cat >masses.fmus.json <<J
{"units": {"left": "left.fmu", "right": "right.fmu"},
 "connections": [["left.v", "right.v"], ["right.f", "left.f"]],
 "master": {"method": "$1", $3}, "run": {"stop": 20, "step": $2}}
J
    "$foliot" run masses.fmus.json -q --no-plot -o rows.csv --overwrite >/dev/null
    tail -1 rows.csv
}

# Orders: the error of left.x (column 3) with half the step is 2^-order of it. Energy: E = 1 at the begin, and what
# is there at the end more than that is what the residual (column 8) says, by the trapezoidal rule.
order()
{
    a=$(masses "$1" 0.05 '"control": "fixed"') b=$(masses "$1" 0.025 '"control": "fixed"')
    printf '%s\n%s\n' "$a" "$b" | awk -F, -v least="$2" -v most="$3" '
        { x = $3 + 0.294217046; e[NR] = x < 0 ? -x : x
          made = ($2*$2 + $3*$3 + $5*$5 + $6*$6 + $7*$7) / 2 - 1; d = made - $8; if (d < 0) d = -d
          if (d > 0.02 * (made < 0 ? -made : made) + 3e-3) { print "  energy " made ", residual " $8; bad = 1 } }
        END { p = log(e[1] / e[2]) / log(2); if (p < least || p > most) { print "  order " p; bad = 1 } exit bad }' ||
        fail "$1"
}
order held 0.8 1.6
order sequential 0.8 1.6
order extrapolated 1.7 2.4
order iterated 1.7 2.4

# A tolerance that is ten times less gives less error; with the power, too.
for control in error power; do
    method=extrapolated
    [ $control = power ] || method=iterated
    for tolerance in 1e-3 1e-5; do
        masses $method 0.5 "\"control\": \"$control\", \"rtol\": $tolerance, \"energy\": 1"
    done | awk -F, -v c=$control '{ x = $3 + 0.294217046; e[NR] = x < 0 ? -x : x; n[NR] = $9 }
        END { if (!(e[2] < e[1] / 5 && n[2] > 2 * n[1] && e[2] < 2e-3)) { print "  errors " e[1], e[2] ", steps " n[1], n[2]; exit 1 } }' ||
        fail "control $control"
done

# A loop of direct feedthrough with gain -15: y_a = 2 u_a + 1 + t, y_b = 3 y_a - 1 + t, y_c = -5 y_b + 1/2 + t,
# u_a = y_c / 2 + 1. Its solution is y_a = 17/32 - 3/16 t.
cat >loop.fmus.json <<'J'
{"units": {"a": "gain.fmu", "b": {"fmu": "gain.fmu", "set": {"k": 3, "c": -1}}, "c": {"fmu": "gain.fmu", "set": {"k": -5, "c": 0.5}}},
 "connections": [["a.y", "b.u"], ["b.y", "c.u"], {"from": "c.y", "to": "a.u", "factor": 0.5, "offset": 1}],
 "run": {"stop": 2, "step": 0.1}}
J
"$foliot" run loop.fmus.json -q --no-plot -o loop.csv >/dev/null || fail "a loop"
awk -F, 'NR > 1 { e = $3 - (17 / 32 - 3 / 16 * $1); if (e < 0) e = -e; if (!(e < 1e-11)) { print "  " $0; exit 1 } n++ } END { exit n < 20 }' loop.csv ||
    fail "a loop has another solution"

# A loop without a solution (y = u + 1 + t, u = y) is refused.
cat >none.fmus.json <<'J'
{"units": {"a": {"fmu": "gain.fmu", "set": {"k": 1}}}, "connections": [["a.y", "a.u"]]}
J
if "$foliot" run none.fmus.json -q --no-plot -o none.csv >/dev/null 2>said; then fail "a loop without a solution"; fi
grep -q "no solution was found" said || { cat said; fail "no message about a loop"; }

# The same as a system structure: equal rows.
cat >masses.ssd <<'X'
<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription"
    xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon"
    xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues" name="masses" version="1.0">
  <ssd:System name="root">
    <ssd:Connectors>
      <ssd:Connector name="speed" kind="output"><ssc:Real unit="km/h"/></ssd:Connector>
    </ssd:Connectors>
    <ssd:Elements>
      <ssd:Component name="left" type="application/x-fmu-sharedlibrary" source="left.fmu">
        <ssd:Connectors>
          <ssd:Connector name="v" kind="output"><ssc:Real unit="m/s"/></ssd:Connector>
          <ssd:Connector name="f" kind="input"><ssc:Real unit="N"/></ssd:Connector>
        </ssd:Connectors>
      </ssd:Component>
      <ssd:Component name="right" type="application/x-fmu-sharedlibrary" source="right.fmu">
        <ssd:Connectors>
          <ssd:Connector name="v" kind="input"><ssc:Real unit="m/s"/></ssd:Connector>
          <ssd:Connector name="f" kind="output"><ssc:Real unit="N"/></ssd:Connector>
        </ssd:Connectors>
      </ssd:Component>
    </ssd:Elements>
    <ssd:Connections>
      <ssd:Connection startElement="left" startConnector="v" endElement="right" endConnector="v"/>
      <ssd:Connection startElement="right" startConnector="f" endElement="left" endConnector="f"/>
      <ssd:Connection startElement="left" startConnector="v" endConnector="speed"/>
    </ssd:Connections>
    <ssd:Annotations><ssc:Annotation type="org.foliot"><Master method="iterated" step="0.05"/></ssc:Annotation></ssd:Annotations>
  </ssd:System>
  <ssd:Units>
    <ssc:Unit name="m/s"><ssc:BaseUnit m="1" s="-1"/></ssc:Unit>
    <ssc:Unit name="km/h"><ssc:BaseUnit m="1" s="-1" factor="0.27777777777777777"/></ssc:Unit>
    <ssc:Unit name="N"><ssc:BaseUnit kg="1" m="1" s="-2"/></ssc:Unit>
  </ssd:Units>
  <ssd:DefaultExperiment startTime="0" stopTime="20"/>
</ssd:SystemStructureDescription>
X
masses iterated 0.05 '"control": "fixed"' >/dev/null
"$foliot" run masses.ssd -q --no-plot -o ssd.csv >/dev/null 2>said || { cat said; fail "a system structure"; }
cut -d, -f1-9 ssd.csv | cmp - rows.csv || fail "a system structure gives other rows"
awk -F, 'NR > 1 { e = $10 - 3.6 * $2; if (e > 1e-12 || e < -1e-12) { print; exit 1 } }' ssd.csv || fail "km/h"

# The right one in a system in a system, through connectors of both: the same rows under longer names.
awk '/Component name="right"/ { inside = 1
        for (i = 0; i < 2; i++) {
            print "<ssd:System name=\"" (i ? "deep" : "inner") "\"><ssd:Connectors>"
            print "<ssd:Connector name=\"vin\" kind=\"input\"/><ssd:Connector name=\"fout\" kind=\"output\"/></ssd:Connectors><ssd:Elements>"
        } }
    inside && /<\/ssd:Component>/ { print; inside = 0
        print "</ssd:Elements><ssd:Connections><ssd:Connection startConnector=\"vin\" endElement=\"right\" endConnector=\"v\"/>"
        print "<ssd:Connection startElement=\"right\" startConnector=\"f\" endConnector=\"fout\"/></ssd:Connections></ssd:System>"
        print "</ssd:Elements><ssd:Connections><ssd:Connection startConnector=\"vin\" endElement=\"deep\" endConnector=\"vin\"/>"
        print "<ssd:Connection startElement=\"deep\" startConnector=\"fout\" endConnector=\"fout\"/></ssd:Connections></ssd:System>"
        next }
    { sub(/endElement="right" endConnector="v"/, "endElement=\"inner\" endConnector=\"vin\"")
      sub(/startElement="right" startConnector="f"/, "startElement=\"inner\" startConnector=\"fout\""); print }' masses.ssd >nested.ssd
"$foliot" run nested.ssd -q --no-plot -o nested.csv >/dev/null 2>said || { cat said; fail "a system in a system"; }
head -1 nested.csv | grep -q "inner.deep.right.x" || { head -1 nested.csv; fail "names of a system in a system"; }
tail -n +2 ssd.csv >a && tail -n +2 nested.csv >b && cmp a b || fail "a system in a system gives other rows"

# Units that have Model Exchange only are carried by a solver of ours between two points: the same orders, and with
# the method that goes back, too.
for m in left right; do "$foliot" export $m.mo --fmu $m-me.fmu --fmi 3 --type me; done
for method in sequential extrapolated iterated; do
    for step in 0.1 0.05; do
        printf '{"units": {"left": "left-me.fmu", "right": "right.fmu"}, "connections": [["left.v", "right.v"], ["right.f", "left.f"]], "master": {"method": "%s"}, "run": {"stop": 20, "step": %s}}' $method $step >mixed.fmus.json
        "$foliot" run mixed.fmus.json -q --no-plot -o mixed.csv >/dev/null 2>said || { cat said; fail "a unit in Model Exchange, $method"; }
        masses $method $step '"control": "fixed"' >/dev/null
        awk -F, -v method=$method 'FNR == 1 { file++; for (i = 1; i <= NF; i++) at[file, $i] = i; next }
            { x[file, FNR] = $(at[file, "left.x"]); n = FNR }
            END { for (i = 2; i <= n; i++) { e = x[1, i] - x[2, i]; if (e < 0) e = -e; if (e > worst) worst = e }
                if (n < 100 || !(worst < 1e-6)) { print "  " method ": " worst " of " n; exit 1 } }' rows.csv mixed.csv ||
            fail "a unit in Model Exchange gives other values, $method"
    done
done

# In a diagram, as nodes in Model Exchange: the closed form to the tolerance. Units that are not named on the
# command line are not run.
for m in left right; do "$foliot" export $m.mo --fmu $m-me.fmu --fmi 2 --type me; done
cat >diagram.json <<'J'
{"format": "foliot diagram", "version": 1, "name": "two units",
 "simulation": {"start": 0, "stop": 20, "integrator": "RK_DP", "step": 0.1},
 "nodes": [
  {"name": "left", "type": "FMU", "parameters": {"File Name": "left-me.fmu"}},
  {"name": "right", "type": "FMU", "parameters": {"File Name": "right-me.fmu"}},
  {"name": "x", "type": "Display"}],
 "lines": [
  {"from": "left:v", "to": "right:v"}, {"from": "right:f", "to": "left:f"}, {"from": "left:x", "to": "x"}]}
J
"$foliot" run diagram.json --node-types left-me.fmu --node-types right-me.fmu --rtol 1e-10 -q --no-plot -o diagram.csv >/dev/null 2>said ||
    { cat said; fail "units in a diagram"; }
tail -1 diagram.csv | awk -F, '{ e = $3 + 0.294217046; exit !(e < 1e-8 && e > -1e-8) }' || { tail -1 diagram.csv; fail "units in a diagram: another value"; }
if "$foliot" run diagram.json --node-types left-me.fmu -q --no-plot >/dev/null 2>said; then fail "a document has run code"; fi
grep -q "runs only where the command names it" said || { cat said; fail "no message about code"; }

# What does not fit is said.
refused() # <pattern> <what>
{
    if "$foliot" run bad.ssd -q --no-plot -o bad.csv >/dev/null 2>said; then fail "$2 was taken"; fi
    grep -q "$1" said || { cat said; fail "no message about $2"; }
}
sed 's/endConnector="v"/endConnector="f"/' masses.ssd >bad.ssd
refused "has no input 'f'" "a connector that is not there"
sed 's/<ssd:Connector name="v" kind="input"><ssc:Real unit="m\/s"/<ssd:Connector name="v" kind="input"><ssc:Real unit="N"/' masses.ssd >bad.ssd
refused "units have different dimensions" "a velocity for a force"
sed 's/source="right.fmu"/source="..\/right.fmu"/' masses.ssd >bad.ssd
refused "below the document's folder" "a source outside"
sed 's/source="right.fmu"/source="wrong.fmu"/' masses.ssd >bad.ssd
refused "wrong.fmu" "a unit that is not there"
sed 's/<ssd:System name="deep">/<ssd:System>/' nested.ssd >bad.ssd
refused "needs a name" "an inner system without a name"
sed 's|endElement="deep" endConnector="vin"/>|endElement="deep" endConnector="vin"><ssd:LinearTransformation factor="2"/></ssd:Connection>|' nested.ssd >bad.ssd
refused "a transformation on the way" "a transformation at an inner connector"
sed 's/method="iterated"/method="iterated" control="power"/' masses.ssd >bad.ssd
refused "does not go with the method" "power with an iterated method"

finish
