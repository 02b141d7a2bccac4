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
# Subscripts may have blanks, as other tools write them.
echo 'model R Real r[2,2](each start = 1, each fixed = true); equation der(r) = -r; end R;' >rows.mo
run run rows.mo --stop 1 --quiet --signals 'r[1, 2]' --output -
expect 0
prints '"r[1,2]"'
run check ball.mo
expect 0
prints "2 states, 1 guard"

# Nobody looked at rows: what is told at the end is no infinity all the same.
cat >large.mo <<'MO'
model Large
  Real x(start = 1, fixed = true), y, z;
equation
  der(x) = -1;
  y = exp(400*(1 - x));
  z = exp(-400*(1 - x));
end Large;
MO
run run large.mo --stop 1
expect 0
run run large.mo --stop 2
expect 1
says "the output 'y' is infinite at t = 2 or before"

# The pole of an output is passed, and stands in the summary.
cat >pole.mo <<'MO'
model Pole
  Real x(start = 0, fixed = true), y;
equation
  der(x) = 1 - x;
  y = 1/(x - 0.5);
end Pole;
MO
run run pole.mo --stop 2
expect 0
prints "poles        \`y = 1 / (x - 0.5)\` (line 5) at t = 0.693147"
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
for way in bytecode machine native auto; do
    run run ball.mo --program $way --output way.csv
    expect 0
    prints "  program "
    equal "rows of --program $way" "$(cat way.csv)" "$(cat ball.csv)"
done
run run ball.mo --program bytecode
prints "bytecode"
# A short run goes through machine code as well: there is nothing to wait for.
case $(uname -m) in
x86_64 | aarch64)
    run run ball.mo
    prints "  program      machine code"
    ;;
esac
run run ball.mo --program assembler
expect 2
says "auto, bytecode, machine or native"
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
says "Real h(start = 1"
run run missing.mo
expect 1
says "missing.mo"

# What is set may decide sizes, and what follows from others; one model of several is named.
cat >rod.mo <<'MO'
package Rods
  model Rod
    parameter Integer n = 3;
    parameter Real k = 2, a = k/n;
    parameter Real T0;
    final parameter Real f = 1;
    Real T[n](each start = T0, each fixed = true);
  equation
    der(T) = -a*T;
    when terminal() then
      assert(T[1] < 0, "the end, T = " + String(T[1]));
    end when;
  end Rod;
  model Other
    Real x = 1;
  equation
    when time > 0.5 then
      terminate("half of it, x = " + String(x));
    end when;
  end Other;
end Rods;
MO
run run rod.mo
expect 1
says "name the model to run, for example 'rod.mo:Rods.Rod'"
run run rod.mo:Rods.Rod
expect 1
says "parameter 'T0' has no value"
run run rod.mo:Rods.Rod --set T0=5 --set n=2 --set a=0 -qo-
expect 1
equal "the header with n = 2" "$(echo "$out" | head -n 1)" "time,T[1],T[2]"
says "assertion failed at t = 1: the end, T = 5 (line 11)"
run run rod.mo:Rods.Rod --set f=2
expect 1
says "'f' is final: it cannot be set"
run run rod.mo:Rods.Rod --set T0=5 --set m=2
expect 2
says "has no quantity 'm'"
run run rod.mo:Rods.Other
expect 0
prints "stopped at t = 0.5 s by the model: half of it, x = 1"
run check rod.mo:Rods.Othr
expect 1
says "there is no 'Othr' in 'Rods'; did you mean 'Other'?"

# A file of a package finds the packages around it, from wherever one runs it.
mkdir -p Lib/Part
echo 'package Lib constant Real g = 3; end Lib;' >Lib/package.mo
echo 'within Lib; package Part end Part;' >Lib/Part/package.mo
echo 'within Lib.Part; model M Real x = 2*g; end M;' >Lib/Part/M.mo
run run Lib/Part/M.mo -qo-
expect 0
prints "1,6"
cd Lib/Part || exit 1
run run M.mo -qo-
expect 0
prints "1,6"
cd ../.. || exit 1
echo 'model N Lib.Part.M m; end N;' >N.mo
mkdir -p elsewhere
mv N.mo elsewhere
MODELICAPATH=/nowhere:$folder
export MODELICAPATH
run run elsewhere/N.mo -qo-
expect 0
prints "1,6"
# What is in a package of the libraries, one line for each class.
printf 'M\n' >Lib/Part/package.order
run show Lib.Part
expect 0
prints "model"
prints "M"
run show Lib.Part.M
expect 0
prints "x"
run show Lib.Part.Mm --help
expect 1
says "there is no 'Mm' in 'Lib.Part'"
run show Lib.Part.M --help
expect 0
prints "model Lib.Part.M"
# A description of two lines is one line there. What is made to be used is fine in a package, too.
cat >Lib/Part/Load.mo <<'MO'
within Lib.Part;
model Load "what takes
   current"
  connector Pin Real v; flow Real i; end Pin;
  Pin p;
  parameter Real R;
equation
  p.v = R*p.i;
end Load;
MO
printf 'M\nLoad\n' >Lib/Part/package.order
run show Lib.Part
expect 0
prints "what takes current"
run check Lib.Part
expect 0
prints "Lib.Part: 2 models are fine, 1 of them complete, and 0 cannot be used"
echo 'within Lib.Part; model Bad Real x = nothing; end Bad;' >Lib/Part/Bad.mo
printf 'M\nLoad\nBad\n' >Lib/Part/package.order
run check Lib.Part
expect 1
prints "Lib.Part.Bad"
prints "'nothing' is not declared"
prints "2 models are fine, 1 of them complete, and 1 cannot be used"
rm Lib/Part/Bad.mo Lib/Part/Load.mo
printf 'M\n' >Lib/Part/package.order

# Units that do not fit, and how they are accepted all the same.
cat >units.mo <<'MO'
model Units
  Real x(unit = "m", start = 1, fixed = true), v(unit = "N");
equation
  der(x) = v;
  v = -1;
end Units;
MO
run check units.mo
expect 1
says "units.mo:4:3: error: units do not fit: the left side of this equation has 'm/s', the right 'N'"
run check units.mo --no-units
expect 0
run run units.mo -qo- --no-units --interval 1
expect 0
prints "0,1,-1"

# A class that is made to be used is no worse alone in its file than among others; it does not run.
cat >used.mo <<'MO'
model Used
  connector Pin
    Real v;
    flow Real i;
  end Pin;
  Pin p, n;
  parameter Real R;
equation
  p.i + n.i = 0;
  p.v - n.v = R*p.i;
end Used;
MO
printf 'model Lacks\n  parameter Real p;\n  Real x = p;\nend Lacks;\n' >lacks.mo
printf 'model Few\n  Real x, y;\nequation\n  x = 1;\nend Few;\n' >few.mo
run check used.mo
expect 0
run check lacks.mo
expect 0
says "lacks.mo:2:18: note: parameter 'p' has no value"
prints "1 class is fine, 0 of them complete models"
run run lacks.mo -qo-
expect 1
run check lacks.mo:Lacks
expect 1
run check few.mo
expect 1
says "too few equations"
finish
