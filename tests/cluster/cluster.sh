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
nodes_run() { # pid of a master: waits until its four nodes are there, and a moment more
    tries=0
    until [ "$(wc -w <"/proc/$1/task/$1/children" 2>/dev/null)" = 4 ]; do
        [ $((tries += 1)) -le 300 ] || return 1
        sleep 0.1
    done
    sleep 1
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

# Ctrl-C: everything ends, with the figures so far.
setsid -w timeout 60 sh -c 'trap - INT; "$0" cluster "$1" >"$2" 2>&1 & echo $! >"$3"; wait $!; echo $? >"$4"' \
    "$foliot" "$model" "$room/int" "$room/pid" "$room/status" &
session=$!
appears . "$room/pid" || die "it did not start"
nodes_run "$(cat "$room/pid")" || die "its nodes did not start"
kill -TERM "$(cat "$room/pid")"
wait $session
[ "$(cat "$room/status")" = 143 ] || die "SIGTERM gave $(cat "$room/status"): $(cat "$room/int")"
grep -q '^ended at cycle' "$room/int" || die "no figures after the signal: $(cat "$room/int")"
grep -q 'CPU usage ratio' "$room/int" || die "no figures after the signal: $(cat "$room/int")"

# A node that is killed ends the run with the cause, at once.
"$foliot" cluster "$model" >"$room/kill" 2>&1 &
master=$!
nodes_run $master || die "its nodes did not start"
node=$(cat /proc/$master/task/$master/children | cut -d' ' -f2)
# What a node of this machine alone has bound nobody else can reach.
bound=$(for link in /proc/"$node"/fd/*; do readlink "$link"; done | sed -n 's/^socket:\[\(.*\)\]$/\1/p' |
    while read -r inode; do awk -v i="$inode" '$10 == i { print substr($2, 1, 8) }' /proc/net/udp; done | sort -u)
[ "$bound" = 0100007F ] || die "a node has bound '$bound', expected loopback alone"
[ -n "$node" ] && kill -KILL "$node"
wait $master && die "nobody missed the node"
grep -q 'node 1 was ended by signal 9' "$room/kill" || die "no cause: $(cat "$room/kill")"
echo fine
