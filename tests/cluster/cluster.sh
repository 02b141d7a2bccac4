# foliot cluster from outside: mistakes, Ctrl-C, a node that dies, a node started by hand.
set -u
foliot=$1
model=$2
room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
die() { echo "cluster.sh: $*"; exit 1; }
appears() { # words, file: waits until they are there, as long as a busy machine may take
    tries=0
    until grep -q "$1" "$2" 2>/dev/null; do
        [ $((tries += 1)) -le 300 ] || return 1
        sleep 0.1
    done
}
expect() { # status, words, command...
    wanted=$1 words=$2
    shift 2
    out=$(timeout 60 "$@" 2>&1)
    got=$?
    [ $got = "$wanted" ] || die "'$*' ended with $got, expected $wanted: $out"
    case $out in *"$words"*) ;; *) die "'$*' did not say '$words': $out" ;; esac
}

expect 2 'expected a document' "$foliot" cluster
expect 2 "--bridge must be hold or extrapolate, not 'guess'" "$foliot" cluster "$model" --bridge guess
expect 2 '--node needs --master' "$foliot" cluster "$model" --node 1
expect 1 'do not fit into a period' "$foliot" cluster "$model" --slot 0.001 --nodes 4
expect 1 'stability limit' "$foliot" cluster "$model" --step 0.5
expect 1 'are 4, but there are 3 nodes' "$foliot" cluster "$model" --nodes 3
expect 2 "--parts needs numbers like 1x4 or 2x2x1, not 'many'" "$foliot" cluster "$model" --parts many
expect 0 '2x2 parts' sh -c '"$0" cluster "$1" --parts 2x2 --stop 0.2 --compare -q && echo 2x2 parts' \
    "$foliot" "$model"
expect 1 'No such file' "$foliot" cluster nothing.field.json
expect 1 'cannot listen at' "$foliot" cluster "$model" --listen 203.0.113.7:1 --open
expect 1 'can be reached from other computers' "$foliot" cluster "$model" --listen 203.0.113.7:1
expect 1 'can be reached from other computers' \
    "$foliot" cluster "$model" --node 1 --master 203.0.113.7:1 --joining 0.2
expect 1 'would be all interfaces' "$foliot" cluster "$model" --listen 0.0.0.0:0 --open
expect 1 'have not joined' "$foliot" cluster "$model" --by-hand --joining 0.2
expect 1 'no welcome from the master' \
    "$foliot" cluster "$model" --node 1 --master 127.0.0.1:9 --joining 0.2
expect 1 'node 0 ended with status 127' \
    "$foliot" cluster "$model" --hosts nowhere --agent '/no/such/agent {}' --nodes 4
expect 2 'makes its own grids' "$foliot" cluster "$model" --scale

# A key: a file of one's own, the same for all. Without libsodium it is refused with a message.
umask 077
head -c 32 /dev/urandom >"$room/key"
head -c 32 /dev/urandom >"$room/other"
head -c 32 /dev/urandom >"$room/seen"
chmod 644 "$room/seen"
mkfifo "$room/fifo"
if "$foliot" cluster "$model" --key "$room/key" --by-hand --joining 0.1 2>&1 | grep -q libsodium; then
    echo "this build has no keys"
else
    expect 2 'contradict each other' \
        "$foliot" cluster "$model" --key "$room/key" --open
    expect 1 'No such file' "$foliot" cluster "$model" --key "$room/none"
    expect 1 'open to others (mode 644)' "$foliot" cluster "$model" --key "$room/seen"
    expect 1 'not an ordinary file' "$foliot" cluster "$model" --key "$room/fifo"
    expect 0 'CPU usage ratio: mean' "$foliot" cluster "$model" --stop 0.4 --key "$room/key"
    "$foliot" cluster "$model" --by-hand --nodes 4 --key "$room/key" --joining 3 >"$room/keyed" 2>&1 &
    master=$!
    appears 'waiting for 4 nodes at ' "$room/keyed" || die "the master does not say where it is"
    at=$(sed -n 's/^waiting for 4 nodes at //p' "$room/keyed")
    expect 1 'no welcome from the master' \
        "$foliot" cluster "$model" --node 1 --master "$at" --joining 0.5 --key "$room/other"
    expect 1 'no welcome from the master' \
        "$foliot" cluster "$model" --node 1 --master "$at" --joining 0.5
    wait $master && die "a run without nodes went well"
    grep -q 'do all have the same key' "$room/keyed" || die "no hint: $(cat "$room/keyed")"
fi

# A whole run, with its files and figures.
expect 0 'CPU usage ratio: mean' "$foliot" cluster "$model" --stop 0.4 --compare -o "$room/out.csv"
head -n 1 "$room/out.csv" | grep -q '^time,"value(3,2)","value(3,4)"' || die "no heading"
[ "$(wc -l <"$room/out.csv")" = 6 ] || die "the rows are not 0.1 s apart"

expect 1 'nobody has read it for 10 s' \
    "$foliot" cluster "$model" --stop 0.1 -q -o "$room/fifo"

# Started by hand, as on other computers.
"$foliot" cluster "$model" --by-hand --listen 127.0.0.1:0 --stop 0.4 >"$room/master" 2>&1 &
master=$!
appears 'waiting for 4 nodes at ' "$room/master" || die "the master does not say where it is"
at=$(sed -n 's/^waiting for 4 nodes at //p' "$room/master")
nodes=
for i in 0 1 2 3; do
    "$foliot" cluster "$model" --node $i --master "$at" >"$room/node$i" 2>&1 &
    nodes="$nodes $!"
done
wait $master || die "started by hand: $(cat "$room/master")"
for node in $nodes; do wait "$node" || die "a node failed: $(cat "$room"/node*)"; done
grep -q 'node 3: 100 cycles' "$room/node3" || die "node 3 said: $(cat "$room/node3")"

whole_rows() { # file: the header and rows with as many fields, each with its end
    [ -z "$(tail -c 1 "$1")" ] && awk -F, 'NR == 1 {n = NF} NF != n {exit 1} END {exit NR < 1}' "$1" ||
        die "no whole rows in $1: $(cat "$1")"
}

# The file of the probes is opened, and the run's alone, before the first node is started; its rows come while it
# runs and are there when the master is killed. What is another's stays.
expect 1 'No such file or directory' "$foliot" cluster "$model" -o "$room/none/rows.csv"
case $out in *'have joined'*) die "it ran before it looked for the folder" ;; esac
"$foliot" cluster "$model" -q -o "$room/rows.csv" >"$room/rows" 2>&1 &
master=$!
appears '^0.2' "$room/rows.csv" || die "no rows: $(cat "$room/rows")"
expect 1 'another run is writing' "$foliot" cluster "$model" -o "$room/rows.csv"
kill -KILL $master
wait $master 2>/dev/null
whole_rows "$room/rows.csv"
[ "$(wc -l <"$room/rows.csv")" -ge 4 ] || die "rows were lost: $(cat "$room/rows.csv")"

# Ctrl-C: everything ends, with the figures so far. Where a busy machine does not let it within its time, that is
# said; of five some are in order.
orderly=0
for try in 1 2 3 4 5; do
    [ $orderly = 0 ] || break
    rm -f "$room/pid" "$room/int"
    setsid -w timeout 60 sh -c 'trap - INT; "$0" cluster "$1" --period 0.05 --slot 0.008 --step 0.002 --strict \
        --output "$2.csv" --overwrite >"$2" 2>&1 & echo $! >"$3"; wait $!; echo $? >"$4"' \
        "$foliot" "$model" "$room/int" "$room/pid" "$room/status" &
    session=$!
    appears . "$room/pid" || die "it did not start"
    appears 'all 4 nodes have joined' "$room/int" || die "its nodes did not start: $(cat "$room/int")"
    kill -TERM "$(cat "$room/pid")"
    wait $session
    # what is lost on a busy machine is said; an end that was asked for loses nothing
    if grep -q 'note: ' "$room/int"; then
        [ "$(cat "$room/status")" = 1 ] || die "with --strict it ended with $(cat "$room/status"): $(cat "$room/int")"
        continue
    fi
    [ "$(cat "$room/status")" = 143 ] || die "SIGTERM gave $(cat "$room/status"): $(cat "$room/int")"
    whole_rows "$room/int.csv"
    if grep -q '^ended at cycle' "$room/int" && grep -q 'CPU usage ratio' "$room/int"; then
        grep -q ',\(,\|$\)' "$room/int.csv" && die "values are missing: $(cat "$room/int.csv")"
        orderly=1
    else
        grep -q 'could not be ended in order' "$room/int" || die "no figures after the signal: $(cat "$room/int")"
    fi
done
[ $orderly = 1 ] || die "no figures after five signals: $(cat "$room/int")"

# A node that stands still for many cycles is bridged, which is said with --quiet, too, and with --strict
# is a status. It is stopped again and again until the run is over, so some stop is within it.
bridges() { # status, options...
    wanted=$1
    shift
    "$foliot" cluster "$model" --stop 0.8 --patience 60 -o "$room/bridged.csv" "$@" >"$room/bridged" 2>&1 &
    master=$!
    while node=$(cut -d' ' -f2 "/proc/$master/task/$master/children" 2>/dev/null); do
        [ -n "$node" ] || continue
        kill -STOP "$node" 2>/dev/null
        sleep 0.1 # 25 cycles, or more on a busy machine
        kill -CONT "$node" 2>/dev/null
        sleep 0.02
    done
    wait $master
    got=$?
    [ $got = "$wanted" ] || die "bridged with '$*' it ended with $got, expected $wanted: $(cat "$room/bridged")"
    grep -q 'note: .* boundaries did not come in time and were held (at nodes ' "$room/bridged" ||
        die "bridged with '$*', and nothing is said: $(cat "$room/bridged")"
}
bridges 0 --quiet
bridges 1 --quiet --strict

# A node that is killed ends the run with the cause, at once.
"$foliot" cluster "$model" >"$room/kill" 2>&1 &
master=$!
appears 'all 4 nodes have joined' "$room/kill" || die "its nodes did not start: $(cat "$room/kill")"
node=$(cat /proc/$master/task/$master/children | cut -d' ' -f2)
# What a node of this machine alone has bound nobody else can reach.
bound=$(for link in /proc/"$node"/fd/*; do readlink "$link"; done | sed -n 's/^socket:\[\(.*\)\]$/\1/p' |
    while read -r inode; do awk -v i="$inode" '$10 == i { print substr($2, 1, 8) }' /proc/net/udp; done | sort -u)
[ "$bound" = 0100007F ] || die "a node has bound '$bound', expected loopback alone"
[ -n "$node" ] && kill -KILL "$node"
wait $master && die "nobody missed the node"
grep -q 'node 1 was ended by signal 9' "$room/kill" || die "no cause: $(cat "$room/kill")"
echo fine
