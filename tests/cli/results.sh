#!/bin/sh
# What a run writes and prints: formats, options in any order, full disks, closed pipes.
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/check.sh"

run models
expect 0
prints "ball"
equal "lines of models" "$(echo "$out" | grep -c .)" "$(echo "$out" | cut -d' ' -f1 | sort -u | wc -l)"
run solvers
expect 0
prints "name"
prints "dp45"
run show ball
expect 0
for part in Equations Parameters States Guards Outputs bounce m/s^2 stop_speed; do prints "$part"; done

# CSV: a header, rows on the grid, two rows at each jump, in the order of time.
run run ball --stop=1 --interval 0.25 --signals y,v --output ball.csv --events events.csv
expect 0
equal "the header" "$(head -n 1 ball.csv)" "time,y,v"
equal "the first row" "$(sed -n 2p ball.csv)" "0,1.5,0"
equal "the order of time" "$(tail -n +2 ball.csv | cut -d, -f1 | sort -g)" \
    "$(tail -n +2 ball.csv | cut -d, -f1)"
equal "rows at the bounce" "$(cut -d, -f1 ball.csv | grep -c '^0\.567')" 2
equal "times with more than two rows" \
    "$(cut -d, -f1 ball.csv | uniq -c | awk '$1 > 2' | wc -l)" 0
for time in 0.25 0.5 0.75 1; do
    equal "rows at $time" "$(cut -d, -f1 ball.csv | grep -cx "$time")" 1
done
equal "the header of the moments" "$(head -n 1 events.csv)" "time,name,kind,k"
equal "the bounces" "$(grep -c '^0\.567[0-9]*,bounce,guard,1$' events.csv)" 1
prints "bounce"
prints "certified"
prints "ball.csv: "

# The words' order does not matter, and "--" ends the options.
run run --interval=0.25 --stop 1 --signals=y,v -o other.csv -q -- ball
expect 0
silent
equal "the same run" "$(cat other.csv)" "$(cat ball.csv)"
run run ball -qo- --stop 1 --interval 0.25 --signals y,v
equal "standard output" "$out" "$(cat ball.csv)"

# Every step; settings; nothing is written without being asked for.
run run ball --interval 0 --solver rk4 --step 0.1 --stop 0.3 --signals y -q -o steps.csv
equal "steps" "$(sed 1d steps.csv | cut -d, -f1 | awk '{printf "%.1f ", $1}')" "0.0 0.0 0.1 0.2 0.3 "
mkdir empty
(cd empty && "$foliot" run ball -q)
equal "files" "$(ls empty)" ""
run run ball --set stop_speed=3 --start y=2
prints "stopped at t = "
prints "by the model: bounce"
run run ball --step 0.1 -q
says "note: dp45 chooses its steps, --step is not used"

# Many moments: how many of each, the first and the last; or all of them.
run run ball
prints "70; 2 of 2 guards certified; 35 apexes, first 0, last 7.51858; 35 bounces, first 0.567214"
prints "at the end   y = "
run run double-pendulum
prints "19 collisions, first 0.482092, last 14.5752; top2 at 0.91824"
run run ball --moments
equal "moments that are listed" "$(echo "$out" | grep -c 'guard, falling')" 70

# As JSON: the last values are those of the last row.
run run ball --json --output j.csv --signals y,v
expect 0
prints '"status": "stopped", "message": "bounce", "solver": "dp45"'
prints '"name": "bounce", "kind": "guard", "count": 35'
prints "\"values\": {\"y\": $(tail -n 1 j.csv | cut -d, -f2), \"v\": $(tail -n 1 j.csv | cut -d, -f3)}"
run run ball --json --output -
expect 2
run run mm1 --replications 3 --json --stop 100
expect 0
prints '"replications": 3, "seed": 1'
for command in models solvers nodes "nodes Gain" "show ball" "check ball"; do
    # shellcheck disable=SC2086 # two words
    run $command --json
    expect 0
    contains "[{" "$(echo "$out" | head -c 1)" || fail "no JSON of $command"
done
run check nothing-there --json
prints '"fine": false'
# A finding is a range with all that there is to say: place, length, severity, hint.
printf 'model A\n  Reel x;\nend A;\n' >reel.mo
run check reel.mo --json
prints '"line": 2, "column": 3, "length": 4, "hint": '
prints "Real"

# Pictures: ASCII where the locale says so, no colours in a pipe.
run run ball --plot=y,v --stop 2
prints "┤"
prints "y [m]"
prints "v [m/s]"
contains "$out" "$(printf '\033')" && fail "colours in a pipe"
LANG=C
run run ball --plot --stop 2
contains "$out" "┤" && fail "Unicode in the C locale"
prints "* y [m]"
LANG=C.UTF-8
run run ball --plot --ascii --quiet --stop 2
prints "* y [m]"
contains "$out" "computed in" && fail "a quiet run has a summary"

# A full disk, and a reader that goes away.
if [ -w /dev/full ]; then
    run run ball -q --output /dev/full
    expect 1
    says "writing /dev/full failed after 0 rows: No space left on device; the rows before are valid"
    "$foliot" models >/dev/full 2>.err
    equal "the status of models on a full disk" $? 1
    contains "$(cat .err)" "writing to standard output failed" || fail "a full disk is not told"
fi
(
    ulimit -f 64 # blocks of 512 bytes; what counts reached lines would be cut, too
    LLVM_PROFILE_FILE=/dev/null "$foliot" run lorenz -q --interval 0.001 --output full.csv
) 2>.err
equal "the status with a full disk" $? 1
rows=$(($(wc -l <full.csv) - 1))
contains "$(cat .err)" "writing full.csv failed after $rows rows: File too large" ||
    fail "a full disk: $(cat .err)"
equal "columns of the last row" "$(tail -n 1 full.csv | awk -F, '{print NF}')" \
    "$(head -n 1 full.csv | awk -F, '{print NF}')"
equal "the end of the file" "$(tail -c 1 full.csv | od -An -c | tr -d ' ')" '\n'
{
    "$foliot" run lorenz -q --interval 0.0001 --output - 2>.err
    echo $? >.status
} | head -n 2 >.head
equal "two rows" "$(wc -l <.head)" 2
equal "the status without a reader" "$(cat .status)" 0
equal "a reader that goes away" "$(cat .err)" ""

# Ctrl-C: the file is whole, the exit status is 130.
# has_rows FILE: waits until there are some
has_rows()
{
    tries=0
    until [ "$(head -c 200 "$1" 2>/dev/null | wc -l)" -gt 1 ]; do
        [ $((tries += 1)) -le 500 ] || return
        sleep 0.02
    done
}
rm -f long.csv
env --default-signal=INT "$foliot" run lorenz --stop 1e9 --output long.csv >.out 2>.err &
child=$!
has_rows long.csv
kill -INT $child
wait $child
equal "the status after Ctrl-C" $? 130
contains "$(cat .err)" "foliot run: interrupted at t = " || fail "Ctrl-C: $(cat .err)"
contains "$(cat .out)" "long.csv: $(($(wc -l <long.csv) - 1)) rows" || fail "rows after Ctrl-C"
# A signal with its echo, as timeout sends them, is one. On a busy machine the second may come late
# and is then one of its own: of five some are enough.
orderly=0
for _ in 1 2 3 4 5; do
    rm -f long.csv
    "$foliot" run lorenz --stop 1e9 --output long.csv >.out 2>.err &
    child=$!
    has_rows long.csv
    kill -TERM $child
    kill -TERM $child 2>/dev/null
    wait $child
    equal "the status after a signal and its echo" $? 143
    if contains "$(cat .err)" "foliot run: interrupted at t = "; then orderly=$((orderly + 1)); fi
done
[ $orderly -ge 2 ] || fail "a signal and its echo: $orderly of 5 ended in order"
finish
