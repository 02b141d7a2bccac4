#!/bin/sh
# Questions to a model: optima, equilibria, sensitivities; how they print, and how they end.
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/check.sh"

cat >rosenbrock.mo <<'END'
model R
  parameter Real a = -1.2, b = 1;
  Real f(start = 0, fixed = true);
equation
  der(f) = (1 - a)^2 + 100*(b - a^2)^2;
end R;
END
run optimize rosenbrock.mo --adjust a=-2..2,b=-2..2 --minimize 'final(f)' --stop 1 --method descent -o history.csv
expect 0
prints "the least that was found"
equal "columns" "$(head -1 history.csv)" "a,b,final(f),violation,best"
run optimize rosenbrock.mo --adjust a=-2..2 --adjust b=-2..2 --minimize 'final(f)' --stop 1 --method descent --json
expect 0
prints '"reached": true'
run optimize dominoes --adjust distance=0.005..0.04 --maximize 'final(velocity)'
expect 0
prints "final(velocity) = 0.628"
prints "distance   0.0204"
# --gnuplot takes the names that it takes in foliot run
run sweep rosenbrock.mo --vary a=0:1:3 --measure 'final(f)' --gnuplot swept.pdf
expect 0
test -f swept.gp || fail "no script of that name"
grep -q pdfcairo swept.gp || fail "the script draws no PDF"
run sweep rosenbrock.mo --vary a=0:1:3 --measure 'final(f)' --gnuplot swept.eps
expect 2
says "a picture is called"
run optimize rosenbrock.mo --adjust a --minimize 'final(f)' --maximize 'final(f)'
expect 2
says "contradict each other"
run optimize rosenbrock.mo --adjust a=-2..2 --minimize 'final(f)' --subject 'a >= 5' --method descent
expect 1
says "meets the constraints"

cat >modes.mo <<'END'
model W
  Real x(start = 0, fixed = true);
equation
  der(x) = if x < 1 then 5 - x else -x - 1;
end W;
END
run steady modes.mo
expect 1
says "no equilibrium was found"
run steady thermostat
expect 1

cat >kink.mo <<'END'
model K
  parameter Real p = 0, q = 2;
  Real x(start = 0, fixed = true);
equation
  der(x) = abs(p) + q;
end K;
END
run sensitivity kink.mo --to p,q --measure 'final(x)' --stop 1
expect 1
says "has a kink at p = 0"
prints "not known"
prints "q            1"
run sensitivity kink.mo --to p=-1..1,q=0..4 --measure 'final(x)' --stop 1 --morris 20
expect 0
prints "60 runs"
run sensitivity kink.mo --to p=-1..1,q=0..4 --measure 'final(x)' --stop 1 --morris 20 --json
expect 0
prints '"effects": '
prints '"measures": ["final(x)"]'
run steady kink.mo --set q=0 --json
prints '"complete": false'

# along a run, through a bounce: dh/de, dh/dh0 and dv/de at t = 2 by closed form
cat >bounce.mo <<'END'
model B
  parameter Real e = 0.8;
  Real h(start = 1.5, fixed = true), v(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h <= 0 then
    reinit(v, -e*pre(v));
  end when;
end B;
END
run sensitivity bounce.mo --to e,h --along along.csv --stop 2 --points 51
expect 0
equal "columns" "$(head -1 along.csv)" "time,h,v,d h / d e,d h / d h,d v / d e,d v / d h"
equal "the end" "$(tail -1 along.csv | tr , '\n' | sed -n '4,6p' | cut -c1-9 | tr '\n' ' ')" "7.1395852 1.6298755 19.529792 "
run sensitivity bounce.mo --to e --along along.csv --measure 'final(h)'
expect 2
says "cannot be combined"

# residuals of a fit: a line through (0, 1), (1, 3), (2, 4) has 1 / 6, -1 / 3, 1 / 6
cat >line.mo <<'END'
model Line
  parameter Real a = 1;
  Real x(start = 0, fixed = true);
equation
  der(x) = a;
end Line;
END
printf 'time,x\n0,1\n1,3\n2,4\n' >line.csv
run fit line.mo --data line.csv --adjust a,x --residuals -
expect 0
equal "differences" "$(printf '%s\n' "$out" | tail -3 | cut -d, -f6 | cut -c1-7 | tr '\n' ' ')" "0.16666 -0.3333 0.16666 "

cat >loop.mo <<'END'
model Loop "1 / ((s + 1) (s + 2) (s + 3))"
  input Real u;
  output Real y;
  Real a(start = 0, fixed = true), b(start = 0, fixed = true), c(start = 0, fixed = true);
equation
  der(a) = b;
  der(b) = c;
  der(c) = -6*a - 11*b - 6*c + u;
  y = a;
end Loop;
END
run linearize loop.mo --nyquist n.csv --nichols p.csv --root-locus l.csv --mat loop.mat
expect 0
prints "Gain margin 60"
equal "Nyquist" "$(head -1 n.csv)" "omega,re,im"
equal "Nichols" "$(head -1 p.csv)" "omega,phase_deg,gain_dB"
equal "open loop" "$(sed -n 2p l.csv | cut -c1-4)" "0,-1"
equal "a MAT-file" "$(wc -c <loop.mat | tr -d ' ')" "216"
# --gnuplot takes the names that it takes in foliot run
run linearize loop.mo --gnuplot drawn.pdf
expect 0
for what in bode nyquist nichols locus; do
    grep -q pdfcairo drawn-$what.gp || fail "the script of $what draws no PDF"
done
grep -q "'-1'" drawn-nyquist.gp || fail "the curve of Nyquist is drawn without -1"
grep -q "'-1'" drawn-nichols.gp || fail "the curve of Nichols is drawn without -1"
run linearize loop.mo --gnuplot drawn.eps
expect 2
says "a picture is called"
run linearize loop.mo --reduce 2
expect 0
prints "2 of 3 states are kept"
# A text with a mistake: each says where, and what.
printf 'model broken\n  Real x;\nequation\n  der(x) = y;\nend broken;\n' >broken.mo
printf 'time,x\n0,1\n1,2\n' >two.csv
for line in "steady broken.mo" "linearize broken.mo" "sensitivity broken.mo --to c --measure final(x)" \
    "sweep broken.mo --vary c=1:2:3 --measure final(x)" "fit broken.mo --data two.csv --adjust c" \
    "optimize broken.mo --adjust c=0..1 --minimize final(x)"; do
    # shellcheck disable=SC2086 # options
    run $line
    expect 1
    says "broken.mo:4:12: 'y' is not declared"
    # shellcheck disable=SC2086
    run $(echo "$line" | sed 's/broken/nothing/')
    expect 1
    says "nothing.mo: cannot read 'nothing.mo': No such file or directory"
done

# The differences of a fit replace no file of others.
printf 'model decay parameter Real c = 1; Real x(start = 1); equation der(x) = -c * x; end decay;' >decay.mo
echo "of somebody else" >kept.csv
run fit decay.mo --data two.csv --adjust c --quiet --residuals kept.csv
expect 1
says "kept.csv"
equal "the file of somebody else" "$(cat kept.csv)" "of somebody else"
run fit decay.mo --data two.csv --adjust c --quiet --residuals kept.csv --overwrite
expect 0
equal "the first line" "$(head -n 1 kept.csv)" "data,time,signal,measured,model,difference"
run fit decay.mo --data two.csv --adjust c --quiet --residuals kept.csv
expect 0

# What the data do not tell apart has no correlation; nothing that is no number is printed.
printf 'model P parameter Real a = 1; parameter Real b = 0.5; Real x(start = 2, fixed = true); equation der(x) = -a*b*x; end P;' >product.mo
printf 'time,x\n1,1\n2,0.51\n3,0.24\n' >product.csv
run fit product.mo --data product.csv --adjust a=0..5,b=0..5
expect 0
prints "The data do not tell these apart: a b"
equal "no nan" "$(printf "%s" "$out" | grep -c nan)" "0"
equal "no inf" "$(printf "%s" "$out" | grep -c inf)" "0"

# A condition that nothing meets is named as the reason.
run optimize product.mo --adjust a=0..1,b=0..1 --minimize 'final(x)' --subject 'final(x) >= 3' --stop 1 --runs 200
expect 1
says "meets the constraints"

# An output that does not depend on the input but for rounding brings no zero beyond all digits.
printf 'model Pe input Real u; output Real y; Real x(start = 0.5, fixed = true); Real v(start = 0, fixed = true); equation der(x) = v; der(v) = -9.81*sin(x) - 0.3*v + cos(x)*u; y = x^2*u + sin(v); end Pe;' >hangs.mo
run linearize hangs.mo --at steady --json
expect 0
equal "zeros" "$(printf '%s\n' "$out" | grep -c '"zeros": \[\[-\?0, 0\]\]')" "1"

# A range in which equilibria begin is followed from its end.
printf 'model F parameter Real r = 0; Real x(start = 1, fixed = true); equation der(x) = r - x^2; end F;' >fold.mo
run steady fold.mo --vary r=-1..1 --output fold.csv
expect 0
prints "fold at r = "
equal "table" "$(head -1 fold.csv)" "branch,parameter,x,largest_re,stability,mark"

# Centres: neither stable nor unstable, not singular, and no Hopf points along them.
printf 'model PP parameter Real a = 1.1; Real x(start = 10, fixed = true); Real y(start = 10, fixed = true); equation der(x) = a*x - 0.4*x*y; der(y) = 0.1*x*y - 0.4*y; end PP;' >centre.mo
run steady centre.mo --vary a=0.5..2
expect 0
prints "branch 1: undecided at "
prints "centres of the linear system"
prints " 0 of them marked"
run steady centre.mo
expect 0
prints "undecided: a centre of the linear system, eigenvalues lie on the imaginary axis"

# A fast and a slow part: both are seen over time, and reached in any units.
printf 'model Sd input Real u; output Real y; Real a(start = 0, fixed = true); Real b(start = 0, fixed = true); equation der(a) = -1e6*a + 1e-6*u; der(b) = -1e-3*b + 1e-6*a; y = 1e9*b; end Sd;' >slow.mo
run linearize slow.mo --step-response slow.csv
expect 0
prints "Controllable, observable"
equal "the end" "$(tail -1 slow.csv | awk -F, '{print ($1 > 6000 && $1 < 8000)}')" "1"
equal "the beginning" "$(sed -n 3p slow.csv | awk -F, '{print ($1 > 0 && $1 < 1e-6)}')" "1"
printf 'model G input Real u; output Real y; Real x(start = 0, fixed = true); equation der(x) = x + 2*u; y = x; end G;' >grows.mo
run linearize grows.mo
expect 0
prints "Gain margin 0.5 (-6.0206 dB) at 0 rad/s"

# Back through the run, with the same derivative: d(2 exp(-a b t))/da at t = 1.
run sensitivity product.mo --to a,b --measure 'final(x)' --stop 1 --method adjoint
expect 0
prints "back through the run"
prints "-0.606530"
run sensitivity product.mo --to a --measure 'final(x)' --stop 1 --method sideways
expect 2
says "forward, adjoint or differences, not 'sideways'"

finish
