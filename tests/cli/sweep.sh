#!/bin/sh
# foliot sweep: the table, what goes on after an interruption, mistakes.
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/check.sh"

run sweep ball --vary e=0.5:0.9:9 --vary m=0.1,0.2 --measure 'count(bounce)' --measure 'max(y)' -o all.csv
expect 0
prints "18 runs"
equal "columns" "$(head -1 all.csv)" "e,m,count(bounce),max(y),reason"
equal "rows" "$(wc -l <all.csv | tr -d ' ')" 19

# interrupted after some rows, in the middle of one: the same file in the end
head -c 200 all.csv >part.csv
run sweep ball --vary e=0.5:0.9:9 --vary m=0.1,0.2 --measure 'count(bounce)' --measure 'max(y)' -o part.csv --continue
expect 0
equal "the table" "$(cat part.csv)" "$(cat all.csv)"
run sweep ball --vary e=0.5:0.8:9 --vary m=0.1,0.2 --measure 'count(bounce)' --measure 'max(y)' -o part.csv --continue
expect 1
says "a row is not the one of this sweep"
run sweep ball --vary e=0.5:0.9:9 --measure 'max(y)' -o part.csv --continue
expect 1
says "its columns are not those"

# an interrupted table goes on only with the model and the numbers that it is of
head -c 200 all.csv >part.csv
run sweep ball --vary e=0.5:0.9:9 --vary m=0.1,0.2 --measure 'count(bounce)' --measure 'max(y)' -o part.csv --continue --stop 1
expect 1
says "comes out different"
run sweep ball --vary e=0.5:0.9:9 --vary m=0.1,0.2 --measure 'count(bounce)' --measure 'max(y)' -o new.csv
expect 0
equal "no note is left" "$(ls new.csv.sweep 2>/dev/null)" ""
head -3 all.csv >new.csv
printf 'model ball\n' >new.csv.sweep
run sweep ball --vary e=0.5:0.9:9 --vary m=0.1,0.2 --measure 'count(bounce)' --measure 'max(y)' -o new.csv --continue
expect 1
says "of another model, or run with other options"

for threads in 1 2 5; do
    run sweep ball --vary e=0.1..0.9 --samples 40 --design sobol --measure 'last(bounce)' --threads $threads -o t$threads.csv
    expect 0
done
equal "two threads" "$(cat t2.csv)" "$(cat t1.csv)"
equal "five threads" "$(cat t5.csv)" "$(cat t1.csv)"

run sweep ball --vary e=0.5:1.5:3 --measure 'max(y)' -o -
expect 0
prints "1.5,,\"'e' must lie between 0 and 1, not 1.5\""
run sweep ball --vary e=1.5:2:3 --measure 'max(y)'
expect 1
says "all 3 runs failed"
# external C runs where that is allowed, whatever the threads: der(x) = -k x
cat >outside.mo <<'EOF'
function f input Real a; output Real y; external "C" y = last_of(a)
  annotation(Include = "static double last; double last_of(double a) { last = a; return last; }");
end f;
model Outside parameter Real k = 1; Real x(start = 1, fixed = true); equation der(x) = f(-k*x);
end Outside;
EOF
run sweep outside.mo --vary k=0.5:2:4 --measure 'final(x)'
expect 1
says "--allow-external"
for threads in 1 3; do
    run sweep outside.mo --vary k=0.5:2:4 --measure 'final(x)' --allow-external --threads $threads -o o$threads.csv
    expect 0
done
equal "three threads" "$(cat o3.csv)" "$(cat o1.csv)"
equal "exp(-k)" "$(awk -F, 'NR > 1 { d = $2 - exp(-$1); if (d*d < 1e-12) n++ } END { print n }' o1.csv)" 4

run sweep ball --vary e=0.5,0.6 --measure 'max(y)' --json
expect 0
prints '"vary": ["e"]'
prints '{"values": [0.6], "measures": [1.5]}'
run sweep ball --measure 'max(y)'
expect 2
says "needs --vary"
run sweep ball --vary e=1 --measure 'max(y)' --design sobol
expect 2
says "--design needs --samples"
run sweep ball --vary e=0.5:0.9:9 --vary m=0.1:1:9 --measure 'count(bounce)' --plot --ascii
expect 0
prints "upwards"
finish
