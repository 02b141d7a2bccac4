#!/bin/sh
# On a terminal: colours, the progress bar, the width. script(1) makes the terminal.
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/check.sh"
if ! script -qec true /dev/null >/dev/null 2>&1; then
    echo "no script(1) here, nothing tried"
    exit 0
fi
escape=$(printf '\033')

# on_terminal WORDS: runs the shell command on a terminal of 60 columns
on_terminal()
{
    last="(on a terminal) $1"
    out=$(script -qec "stty cols 60 rows 30; $1" /dev/null </dev/null | tr -d '\r')
}

on_terminal "'$foliot' run ball --stop 2"
prints "${escape}[36m"
prints "┤"
# Without colours and without all but the first byte of a letter, bytes are columns.
equal "lines wider than the terminal" \
    "$(echo "$out" | sed "s/${escape}\[[0-9]*m//g" | grep '[│┤]' | LC_ALL=C tr -d '\200-\277' |
        LC_ALL=C awk 'length($0) > 60' | wc -l)" 0
contains "$out" "left" && fail "a bar for a short run"

on_terminal "NO_COLOR=1 '$foliot' run ball --stop 2"
prints "┤"
contains "$out" "${escape}[3" && fail "colours in spite of NO_COLOR"

on_terminal "'$foliot' run ball --stop 2 --output x.csv"
contains "$out" "┤" && fail "a plot in spite of --output"

on_terminal "timeout --foreground -s INT 2 '$foliot' run lorenz --stop 1e9"
prints "steps/s"
prints "of 1e+09 s"
prints "interrupted at t = "

# Half of it in no time, and then a billion moments: what is left is said at the pace of the last
# seconds.
cat >relay.mo <<'END'
model Relay
  Real x(start = 1, fixed = true), y(start = 1, fixed = true);
equation
  der(x) = if y > 0 then -1 else 1;
  der(y) = (x - y)/1e-6;
end Relay;
END
on_terminal "stty cols 120; timeout --foreground -s INT 5 '$foliot' run relay.mo --stop 2"
prints "' chatters: "
equal "what is left when it chatters" "$(echo "$out" | tr '\033' '\n' | grep ' left' | tail -n 1 |
    grep -c -E ' (long|[0-9]+:[0-9]+:[0-9]+) left')" 1

on_terminal "timeout --foreground -s INT 1 '$foliot' run lorenz --stop 1e9 --quiet"
contains "$out" "steps/s" && fail "a bar in spite of --quiet"
finish
