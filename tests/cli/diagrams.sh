#!/bin/sh
# Diagrams on the command line: run, check, nodes.
models=$(cd "$(dirname "$0")/../../models/diagrams" && pwd)
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/check.sh"

cat >decay.json <<'END'
{"format": "foliot diagram", "version": 1, "name": "decay",
 "simulation": {"start": 1, "stop": 3, "integrator": "RK_04", "step": 0.1},
 "nodes": [{"name": "x", "type": "Integrator", "parameters": {"Initial Condition": 1}},
           {"name": "g", "type": "Gain", "parameters": {"Gain": -0.5}},
           {"name": "out", "type": "Time vs Input"},
           {"name": "file", "type": "To File", "parameters": {"File Name": "decay.txt"}}],
 "lines": [{"from": "x", "to": "g", "branches": [{"to": "out"}, {"to": "file"}]},
           {"from": "g", "to": "x"}]}
END
run check decay.json
expect 0
prints "decay: fine; 1 states, 0 guards, 4 outputs"
equal "files after check" "$(ls decay.txt 2>/dev/null)" ""
run run decay.json --signals out --output decay.csv
expect 0
equal "the first row" "$(sed -n 2p decay.csv)" "1,1"
equal "the last row" "$(tail -n 1 decay.csv | cut -c1-10)" "3,0.367879"
equal "lines of the file" "$(wc -l <decay.txt)" 21
run run decay.json --solver dop853 --rtol 1e-10 --quiet --plot
expect 0

run run decay.json --program bytecode --signals x --output bytecode.csv
expect 0
prints "program      bytecode"
run run decay.json --program nodes --signals x --output nodes.csv
expect 0
prints "diagram      node by node"
equal "rows of both ways" "$(cmp bytecode.csv nodes.csv && echo same)" same
run run decay.json --program fast
expect 2
says "--program must be auto, bytecode, machine or native, or nodes, not 'fast'"

sed 's/"to": "g"/"to": "h"/' decay.json >wrong.json
run check wrong.json
expect 1
says "wrong.json:7:32: "
says "\$.lines[0].to: there is no node 'h'"
run run missing.json
expect 1
says "missing.json"

run nodes
expect 0
for part in Continuous Discrete Tables "Math and Logic" Nonlinear Miscellaneous Sinks Sources \
    Control Subsystems Entities Models; do
    prints "$part"
done
equal "nodes" "$(echo "$out" | grep -c '^  [A-Z]')" 100
run nodes integrator
expect 0
for part in "Integrator (Continuous)" inputs outputs "data types" feedthrough "sample time" \
    expansion dimensions Parameters "Initial Condition" Example; do
    prints "$part"
done
run nodes Transfer Function
expect 0
prints "Denominator"
run nodes Integrater
expect 2
says "did you mean 'Integrator'?"
run nodes Subsystem
expect 0
prints "ports        those of the diagram inside"
prints '"Gain": 2'

# the models of the gallery write no files, and have scenes
mkdir clean && cd clean || exit 1
for model in pendulum bouncing-ball bus-wheels; do
    run run "$models/$model.json" --quiet
    expect 0
    run show "$models/$model.json" --scene
    expect 0
    prints "Scene of $model"
done
prints "front left.X2 + 0.3"
equal "files after runs" "$(ls)" ""
run show lorenz --scene
expect 2
says "--scene is for block diagrams"
run show ../decay.json --scene
expect 0
prints "decay has no scene"
cd ..

cat >loop.json <<'END'
{"format": "foliot diagram",
 "simulation": {"algebraicLoops": "refuse"},
 "nodes": [{"name": "t", "type": "Clock"},
           {"name": "y", "type": "Sum", "parameters": {"Signs": "+-"}},
           {"name": "out", "type": "Display"}],
 "lines": [{"from": "t", "to": "y:1"}, {"from": "y", "to": ["y:2", "out"]}]}
END
run check loop.json
expect 1
says "an algebraic loop: 'y' -> 'y'"
sed 's/"refuse"/"solve"/' loop.json >solved.json
run run solved.json --signals out --output solved.csv
expect 0
equal "half of the time" "$(tail -n 1 solved.csv)" "10,5"

# Displays show numbers, whatever these are; XY Graphs are drawn beside any number of Displays.
cat >sinks.json <<'END'
{"format": "foliot diagram", "simulation": {"stop": 1, "step": 0.01},
 "nodes": [{"name": "v", "type": "Sine Wave", "parameters": {"Amplitude": [1, 2]}},
           {"name": "w", "type": "Sine Wave", "parameters": {"Frequency": [3, 5]}},
           {"name": "m", "type": "Constant", "parameters": {"Constant Value": [[1, 2], [3, 4]]}},
           {"name": "z", "type": "Constant", "parameters": {"Constant Value": "1+2i 3"}},
           {"name": "b", "type": "Bool", "parameters": {"Boolean Value": [[true, false]]}},
           {"name": "t", "type": "Clock"},
           {"name": "clock", "type": "Display"}, {"name": "matrix", "type": "Display"},
           {"name": "complex", "type": "Display"}, {"name": "truth", "type": "Display"},
           {"name": "graph", "type": "XY Graph"}, {"name": "curve", "type": "Time vs Input"}],
 "lines": [{"from": "t", "to": "clock"}, {"from": "m", "to": "matrix"}, {"from": "z", "to": "complex"},
           {"from": "b", "to": "truth"}, {"from": "v", "to": ["graph:1", "curve"]},
           {"from": "w", "to": "graph:2"}]}
END
run run sinks.json --plot
expect 0
prints "clock = 1, matrix = [1 2; 3 4], complex = [1+2i 3+0i], truth = [true false], graph.y[1] = "
prints "graph.y[1]"
prints " graph.x"
prints "curve[2]"
sed 's/"Sine Wave", "parameters": {"Frequency": .*}}/"Constant", "parameters": {"Constant Value": "1i 2"}}/' \
    sinks.json >wrong.json
run check wrong.json
expect 1
says "complex"
sed 's/\[3, 5\]/[[3, 5], [7, 9]]/' sinks.json >wrong.json
run check wrong.json
expect 1
says "must be a single number or have the dimension of its first, 1 x 2, not 2 x 2"
sed 's/\[\[true, false\]\]/"true maybe"/' sinks.json >wrong.json
run check wrong.json
expect 1
says "expected true and false, also as a vector or matrix, found 'true maybe'"
finish
