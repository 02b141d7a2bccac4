#!/bin/sh
# What stands on a real screen when a run has ended, and what a live run shows: tmux is the terminal.
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/check.sh"
tmux -V >/dev/null 2>&1 || { echo "no tmux here, nothing tried"; exit 0; }
bash --version >/dev/null 2>&1 || { echo "no bash here, nothing tried"; exit 0; }
server=foliot-test-$$
trap 'tmux -L $server kill-server 2>/dev/null; rm -rf "$folder"' EXIT

# The server ends with its last session, and one that is ending takes no new one: this one stays.
tmux -L "$server" -f /dev/null new-session -d -s stays -x 80 -y 24 "sleep 600"

# open COLUMNSxROWS: a shell on a screen of that size
open()
{
    columns=${1%x*}
    tmux -L "$server" -f /dev/null new-session -d -s it -x "$columns" -y "${1#*x}" \
        "env LANG=C.UTF-8 PS1='READY ' bash --norc"
    await READY
}

type_keys()
{
    tmux -L "$server" send-keys -t it "$@"
}

look()
{
    out=$(tmux -L "$server" capture-pane -p -t it)
}

# await TEXT: until the screen has it, ten seconds at most
await()
{
    for _ in $(seq 100); do
        look
        if contains "$out" "$1"; then return; fi
        sleep 0.1
    done
    fail "'$1' never came; the screen is '$out'"
}

shut()
{
    tmux -L "$server" kill-session -t it 2>/dev/null
}

# run_on SIZE WORDS: runs the program and leaves in $out what is in view when it has ended
run_on()
{
    last="(on a screen of $1) $2"
    open "$1"
    type_keys "clear; '$foliot' $2; echo DO''NE" Enter
    await DONE
    shut
}

# below: lines between the plot's legend and the end of the run
below()
{
    echo "$out" | awk '/time \[|━━/ { n = 0; next } /DONE/ { print n; exit } { n++ }'
}

# The plot is in view, all of it, with at most eight lines under it.
for model in ball lorenz pilot-ejection mm1 queue; do
    run_on 80x24 "run $model"
    prints "└"
    prints "computed in"
    [ "$(below)" -le 8 ] || fail "$(below) lines below the plot: '$out'"
    equal "the title of $model is in view" "$(echo "$out" | grep -c '┤' | awk '{print ($1 >= 2)}')" 1
done
run_on 80x24 "run double-pendulum"
[ "$(below)" -le 8 ] || fail "$(below) lines below the plot: '$out'"
prints "19 collisions, first 0.482092,"
prints "at the end   y1 = "
run_on 80x24 "run wave-2d"
prints "▀▀▀▀▀▀▀▀"
prints "at t = 20 s"
run_on 80x24 "run clamped-beam"
prints "at t = 60 s"
run_on 60x20 "run lorenz --plot x:z"
prints "━━ z"
equal "lines wider than the screen" \
    "$(echo "$out" | LC_ALL=C tr -d '\200-\277' | LC_ALL=C awk 'length($0) > 60' | wc -l)" 0

# Live: lines fit; going back cuts the curve; the last screen stays until a key; Ctrl-Z and fg.
for size in 40x16 200x40; do
    open "$size"
    last="(live on $size)"
    type_keys "'$foliot' live double-pendulum" Enter
    await "q quit"
    prints "1 tap1"
    prints "arrows"
    type_keys q
    shut
done
open 80x24
last="(live on 80x24)"
type_keys "'$foliot' live ball --set stop_speed=3 --start y=0.3" Enter
await "any key"
prints "the model stopped, t = "
type_keys x
await "lateness"
contains "$out" "any key" && fail "the screen stays after a key"
type_keys "clear" Enter
type_keys "'$foliot' live pendulum" Enter
await "q quit"
type_keys Space
await PAUSED
type_keys C-z
await Stopped
contains "$out" "q quit" && fail "the screen stays after Ctrl-Z"
type_keys "stty -a | grep -o ' icanon'; fg" Enter
await "q quit"
type_keys q
await READY
shut
finish
