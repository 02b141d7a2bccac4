#!/bin/sh
# Ctrl-C and SIGTERM: the first one ends a run wherever it is, with whole rows in the files. 0.2 s are
# promised; a machine that does other things meanwhile gets 1 s, or more where it is slow to start anything.
#
#   obeys.sh FOLIOT
source=$(cd "$(dirname "$0")/../.." && pwd)
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/../cli/check.sh"
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
mkdir -m 700 cache

# prompt MILLISECONDS: within a second, or on a busy machine within twenty times what it takes there to
# start the program and let it say its version.
prompt()
{
    [ "$1" -lt 1000 ] && return
    since=$(date +%s%N)
    "$foliot" --version >/dev/null
    start=$((($(date +%s%N) - since) / 1000000))
    [ "$1" -lt $((20 * start)) ] || fail "it took $1 ms, and to start $start ms"
}

# at_work PID: waits until it has computed for 0.08 s, which is more than its start takes, or waits for something
at_work()
{
    tries=0
    while [ $((tries += 1)) -le 1000 ] && read -r stat <"/proc/$1/stat"; do
        # shellcheck disable=SC2086 # its words: the state, ..., the ticks of user and system
        set -- "$1" ${stat##*) }
        [ "$2" = S ] || [ $((${13} + ${14})) -ge 8 ] && return
        sleep 0.02
    done 2>/dev/null
}

# obeys SIGNAL SECONDS ARGUMENT...: started, sent a signal after so long (or more, where it has not begun to work
# until then), and waited for.
obeys()
{
    signal=$1
    after=$2
    shift 2
    last="$*, SIG$signal after $after s"
    env --default-signal=INT "$foliot" "$@" >.out 2>.err </dev/null &
    pid=$!
    sleep "$after"
    at_work $pid
    begun=$(date +%s%N)
    kill -"$signal" $pid 2>/dev/null || fail "it ended by itself: $(cat .err)"
    wait $pid
    status=$?
    took=$((($(date +%s%N) - begun) / 1000000))
    out=$(cat .out)
    err=$(cat .err)
    checks=$((checks + 1))
    prompt "$took"
    if [ "$signal" = INT ]; then expect 130; else expect 143; fi
}

whole_rows()
{
    checks=$((checks + 1))
    [ -z "$(tail -c 1 "$1" | tr -d '\n')" ] || fail "$1 ends in a part of a row"
    columns=$(head -n 1 "$1" | tr -cd , | wc -c)
    equal "commas in the last row" "$(tail -n 1 "$1" | tr -cd , | wc -c)" "$columns"
}

for signal in INT TERM; do
    obeys $signal 0.3 run lorenz --stop 1e6 --quiet --output rows.csv
    says "interrupted at t = "
    whole_rows rows.csv
    obeys $signal 0.3 run ball --interval 1e-10 --quiet --output rows.csv # one step, a billion rows
    whole_rows rows.csv
    obeys $signal 0.3 run mm1 --stop 1e9 --quiet --output rows.csv
    obeys $signal 0.3 run mm1 --replications 1000000 --quiet
    obeys $signal 0.3 run lorenz --stop 1e6 --quiet --checkpoint point --output rows.csv
    says "it goes on from here"
    whole_rows rows.csv
done

# Somebody who never reads, in the middle of a run.
mkfifo pipe
obeys TERM 0.3 run ball --quiet --output pipe
says "interrupted"

# Elsewhere: a live run that cannot keep up, a measurement, somebody who looks on, servers.
for signal in INT TERM; do
    obeys $signal 0.4 live lorenz --speed 1e9 --plain --quiet
    obeys $signal 0.4 live ball --plain --quiet --record record --overwrite
    obeys $signal 0.4 cluster --scale --nodes 1
    obeys $signal 0.3 cluster "$source/models/wave-over-slots/wave-over-slots.field.json" --by-hand --quiet
    says "interrupted at cycle 0"
done
# Analyses, units, and what they read.
cat >prey.mo <<'END'
model prey
  Real x(start = 1), y(start = 2);
equation
  der(x) = x * (1 - y);
  der(y) = y * (x - 1);
end prey;
END
run export prey.mo --fmu prey.fmu
expect 0
{
    echo time,x
    seq 0 2000 | awk '{print $1 / 2 ",1"}'
} >measured.csv
cat >long.json <<'END'
{"studies": [{"command": "sweep", "model": "lorenz", "vary": {"rho": "20:30:100000"}, "stop": 100,
              "measure": ["max(z)"], "output": "study.csv"},
             {"command": "steady", "model": "lorenz", "starts": 1000000}]}
END
for signal in INT TERM; do
    obeys $signal 0.4 sweep lorenz --vary rho=20:30:100000 --measure 'max(z)' --quiet --stop 100 \
        --output table.csv
    whole_rows table.csv
    obeys $signal 0.4 fit lorenz --data measured.csv --adjust rho=20..30 --quiet --stop 1000 --starts 1000
    obeys $signal 0.4 steady lorenz --starts 1000000 --quiet
    obeys $signal 0.4 sensitivity lorenz --to rho=20..30 --samples 100000 --measure 'max(z)' --quiet
    obeys $signal 0.4 sensitivity lorenz --to rho --measure 'max(z)' --stop 1e6 --quiet
    obeys $signal 0.4 optimize lorenz --adjust rho=20..30 --minimize 'max(z)' --stop 1e6 --quiet --output steps.csv
    obeys $signal 0.4 study long.json
    obeys $signal 0.5 run prey.fmu --stop 1e9 --quiet
    obeys $signal 0.5 run prey.fmu --type cs --stop 1e9 --quiet
done
"$foliot" run lorenz --stop 1e9 --quiet --share obeys >.shared 2>&1 &
shared=$!
tries=0
until "$foliot" watch obeys --once >/dev/null 2>&1; do
    [ $((tries += 1)) -le 100 ] || fail "nothing is shared: $(cat .shared)"
    sleep 0.05
done
obeys TERM 0.3 watch obeys --interval 100
kill $shared
wait $shared 2>/dev/null
mkfifo lines
sleep 20 >lines &
sleeper=$!
# A desk in the middle of a run and of a translation: it says nothing, and ends.
{
    echo '{"id": 1, "do": "open", "name": "a.mo", "text": "model a Real x(start = 1); equation der(x) = -x * sin(1e3 * time); end a;"}'
    echo '{"id": 2, "do": "run", "doc": 1, "stop": 1e9}'
} >busy
for signal in INT TERM; do
    last="desk, busy, SIG$signal"
    rm -f speech
    mkfifo speech
    env --default-signal=INT "$foliot" desk <speech >.out 2>.err &
    pid=$!
    exec 9>speech # it stays open: the desk waits for more
    cat busy >&9
    for try in $(seq 200); do # until the run was begun
        grep -q '"id": 2' .out && break
        sleep 0.05
    done
    begun=$(date +%s%N)
    kill -$signal "$pid"
    wait $pid
    status=$?
    exec 9>&-
    took=$((($(date +%s%N) - begun) / 1000000))
    prompt "$took"
    err=$(cat .err)
    if [ $signal = INT ]; then expect 130; else expect 143; fi
done
for server in desk lsp; do
    last="$server"
    env --default-signal=INT "$foliot" $server >.out 2>.err <lines &
    pid=$!
    sleep 0.2
    kill -TERM $pid
    wait $pid
    status=$?
    expect 143
done
kill $sleeper

# In a translation.
{
    echo "model big"
    seq 1 4000 | sed 's/.*/  Real x&(start = &);/'
    echo equation
    seq 1 3999 | awk '{printf "  der(x%d) = sin(x%d * x%d) - x%d;\n", $1, $1 + 1, $1, $1}'
    echo "  der(x4000) = -x1;"
    echo "end big;"
} >big.mo
obeys TERM 0.05 run big.mo --quiet --stop 1000
cat >many.mo <<'END'
model many
  parameter Integer n = 1000000;
  Real x[n];
equation
  for i in 1:n loop der(x[i]) = -x[i] * i; end for;
end many;
END
for verb in check show run live steady linearize; do obeys INT 0.3 $verb many.mo; done
obeys TERM 0.3 export many.mo --fmu many.fmu
[ ! -e many.fmu ] || fail "it wrote a unit"
if [ -x "$(dirname "$foliot")/foliot-studio" ]; then
    "$foliot" studio --port 0 . >.out 2>.err &
    pid=$!
    last=studio
    for try in $(seq 200); do [ -s .out ] && break || sleep 0.05; done
    begun=$(date +%s%N)
    kill -TERM $pid
    wait $pid
    status=$?
    took=$((($(date +%s%N) - begun) / 1000000))
    prompt "$took"
    expect 0
fi

# Steps and intervals that cannot move time.
for option in "--interval 1e-300" "--step 1e-300 --solver rk4" "--max-step 1e-17" \
    "--checkpoint point --every 1e-200"; do
    # shellcheck disable=SC2086 # options
    run run ball --quiet --output none.csv $option
    expect 2
    says "is too short to move time"
    [ ! -f none.csv ] || fail "it wrote something"
done
run run ball --quiet --interval 1 --output rows.csv
expect 0
for option in "--window 1e-12" "--window 1e-300" "--window 0.01 --speed 1e6" "--interval 1e-300" "--interval 1e-9"; do
    # shellcheck disable=SC2086 # options
    run live lorenz --plain --stop 0.1 --record none $option
    expect 2
    says "is too short to move time"
    [ ! -f none ] || fail "it wrote something"
done
run live lorenz --plain --stop 0.1 --window 1e-4 --interval 1e-3
expect 0
finish
