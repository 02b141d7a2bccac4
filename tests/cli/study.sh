#!/bin/sh
# foliot study: what stands in a file, on one process and on ranks.
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/check.sh"

mkdir here
cat >here/sweep.json <<'END'
{"command": "sweep", "about": "how often it bounces", "model": "ball", "set": {"g": 9.7},
 "vary": {"e": "0.1:0.9:150"}, "measure": ["count(bounce)", "last(bounce)"], "output": "runs.csv", "quiet": true}
END
run study here/sweep.json --print
expect 0
prints "foliot sweep '--set' 'g=9.7' '--vary' 'e=0.1:0.9:150'"
run study here/sweep.json
expect 0
run sweep ball --set g=9.7 --vary e=0.1:0.9:150 --measure 'count(bounce)' --measure 'last(bounce)' -o direct.csv -q
expect 0
equal "the table" "$(cat here/runs.csv)" "$(cat direct.csv)"

cat >several.json <<'END'
{"studies": [
  {"command": "steady", "model": "lorenz", "json": true},
  {"command": "sensitivity", "model": "ball", "to": ["e", "g"], "measure": "last(bounce)", "stop": 1, "json": true}
]}
END
run study several.json
expect 0
prints '"equilibria"'
prints '"derivatives"'

echo '{"command": "run", "model": "ball"}' >bad.json
run study bad.json
expect 2
says "expected sweep, fit, steady, linearize, sensitivity or optimize, found 'run'"
echo '{"command": "sweep", "model": "ball", "vary": null}' >bad.json
run study bad.json
expect 2
says "bad.json:1:47: \$.vary"
echo '{"command": "sweep"}' >bad.json
run study bad.json
expect 2
says "a study needs"
run study nothing.json
expect 1

# The same table on any number of ranks. A launcher that cannot start anything here is no failure.
part=$(dirname "$foliot")/foliot_mpi.so
if command -v mpirun >/dev/null 2>&1 && [ -f "$part" ] &&
    mpirun --allow-run-as-root --oversubscribe -n 2 true >/dev/null 2>&1; then
    for ranks in 2 3 4; do
        rm -f here/runs.csv
        last="study on $ranks ranks"
        mpirun --allow-run-as-root --oversubscribe -n $ranks "$foliot" study here/sweep.json >/dev/null 2>err.txt
        equal "exit status" "$?" 0
        equal "the table on $ranks ranks" "$(cat here/runs.csv)" "$(cat direct.csv)"
    done
    head -40 direct.csv >half.csv
    mpirun --allow-run-as-root --oversubscribe -n 3 "$foliot" sweep ball --set g=9.7 --vary e=0.1:0.9:150 --measure 'count(bounce)' --measure 'last(bounce)' -o half.csv -q --continue >/dev/null 2>&1
    equal "goes on" "$(cat half.csv)" "$(cat direct.csv)"
fi
finish
