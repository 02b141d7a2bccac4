#!/bin/sh
# Models as text: run, check, show, and what wrong ones are told.
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/check.sh"

cat >ball.mo <<'MO'
model Ball "a ball that bounces"
  parameter Real g(unit = "m/s2") = 9.81;
  parameter Real e = 0.8;
  Real h(start = 1, fixed = true, unit = "m");
  Real v(start = 0, fixed = true, unit = "m/s");
equation
  der(h) = v;
  der(v) = -g;
  when h <= 0 then
    reinit(v, -e*pre(v));
  end when;
  annotation(experiment(StopTime = 3));
end Ball;
MO
run run ball.mo --output ball.csv --events bounces.csv
expect 0
equal "the header" "$(head -n 1 ball.csv)" "time,h,v"
equal "the first bounce" "$(sed -n 2p bounces.csv | cut -c1-11)" "0.451523640"
equal "the bounces" "$(grep -c guard bounces.csv)" 6
prints "1 of 1 guard certified"
run run ball.mo --set e=0.5 --stop 1 --quiet --output -
expect 0
prints "time,h,v"
run check ball.mo
expect 0
prints "2 states, 1 guard"
run show ball.mo --sorted
expect 0
prints "der(h) := v"
run show ball.mo --equations
expect 0
prints "when h <= 0.0 then"
run show ball.mo --c
expect 0
prints "static int rates"
run show ball --c
expect 2
says "texts (*.mo) only"

# With the compiler or without, the rows are the same to the last digit.
XDG_CACHE_HOME=$folder/cache
export XDG_CACHE_HOME
run run ball.mo --native --output native.csv
expect 0
equal "rows of the compiled model" "$(cat native.csv)" "$(cat ball.csv)"

# So they are in every way that a program runs.
for way in bytecode tcc native auto; do
    run run ball.mo --program $way --output way.csv
    expect 0
    prints "  program "
    equal "rows of --program $way" "$(cat way.csv)" "$(cat ball.csv)"
done
run run ball.mo --program bytecode
prints "bytecode"
run run ball.mo --program assembler
expect 2
says "auto, bytecode, tcc or native"
run run ball --program native --no-plot
expect 0
says "only programs"

# Mistakes are shown with their place, the line and a caret.
sed 's/der(v) = -g/der(v) = -gravity/' ball.mo >wrong.mo
run check wrong.mo
expect 1
says "wrong.mo:8:13: error:"
says "der(v) = -gravity;"
says "^"
sed '/der(h) = v/d' ball.mo >few.mo
run run few.mo
expect 1
says "few.mo:"
says "too few equations"
run run missing.mo
expect 1
says "missing.mo"
finish
