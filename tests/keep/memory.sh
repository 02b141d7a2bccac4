#!/bin/sh
# --memory: what a model may take. It ends with a message, and takes no more.
#
#   memory.sh FOLIOT
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/../cli/check.sh"

cat >many.mo <<'END'
model many
  parameter Integer n = 1000000;
  Real x[n];
equation
  for i in 1:n loop der(x[i]) = -x[i] * i; end for;
end many;
END
cat >huge.field.json <<'END'
{"field": "wave", "name": "huge", "size": [20000, 20000], "length": [100, 100], "c": 10,
 "method": "euler", "run": {"stop": 1, "step": 0.001, "interval": 0.1}}
END
cat >small.mo <<'END'
model small
  Real x(start = 1);
equation
  der(x) = -x;
end small;
END

# Whoever needs more is told so. The limit counts what is asked for, so the most that it had is below it,
# but for the program itself.
for arguments in "check many.mo" "show many.mo" "run many.mo" "live many.mo --plain" "check huge.field.json" \
    "run huge.field.json" "export many.mo --fmu many.fmu" "cluster huge.field.json" "steady many.mo" \
    "sweep many.mo --vary n=5,1000000 --measure final(x[1])"; do
    # shellcheck disable=SC2086 # words
    run $arguments --memory 60M
    expect 1
    says "memory"
done
awk 'BEGIN { print "time,x"; for (i = 0; i < 600000; i++) print i "," 1 }' >long.csv
run compare long.csv long.csv --memory 16M
expect 2
says "memory"
run compare long.csv long.csv --memory 500M --quiet
expect 0
rm long.csv
if [ -x /usr/bin/time ]; then
    last="check many.mo --memory 100M"
    /usr/bin/time -f %M -o peak "$foliot" check many.mo --memory 100M >.out 2>.err
    checks=$((checks + 1))
    [ "$(tail -n 1 peak)" -lt 160000 ] || fail "it had $(tail -n 1 peak) KB"
fi

# Arrays within arrays, and sets of too many elements, are counted before the first element is made. Elements that a
# modification makes different are not taken for equal ones.
{
    echo 'model deep L1 a[4]; end deep;'
    for i in $(seq 23); do echo "model L$i L$((i + 1)) a[4]; end L$i;"; done
    echo 'model L24 Real x(start = 1); equation der(x) = -x; end L24;'
} >deep.mo
cat >wide.mo <<'END'
model wide
  model M Real x[1000](each start = 1); equation der(x) = -x; end M;
  M m[200, 1000];
end wide;
END
cat >set.mo <<'END'
model set
  Real y = sum({i * j * k * l for i in 1:300, j in 1:300, k in 1:300, l in 1:300});
end set;
END
cat >uneven.mo <<'END'
model uneven
  model M parameter Integer n = 1; Real x[n](each start = 1, each fixed = true); equation der(x) = -x; end M;
  M m[20000](n = cat(1, {9000}, fill(0, 19999)));
  annotation(experiment(StopTime = 1));
end uneven;
END
for model in deep.mo:deep wide.mo:wide set.mo:set; do
    run check $model
    expect 1
    if [ -x /usr/bin/time ]; then
        last="check $model"
        /usr/bin/time -f %M -o peak "$foliot" check $model >.out 2>.err
        checks=$((checks + 1))
        [ "$(tail -n 1 peak)" -lt 200000 ] || fail "it had $(tail -n 1 peak) KB"
    fi
done
run check uneven.mo:uneven
expect 0

# Whoever needs less runs.
for arguments in "check small.mo" "run small.mo --quiet" "live small.mo --plain --quiet --speed 1000 --stop 1"; do
    # shellcheck disable=SC2086
    run $arguments --memory 60M
    expect 0
done

# Without the option it is half of what is free: as far as other programs leave that alone meanwhile, and with a
# machine that says that it has little. (What groups say is tests/keep/test_free_memory.c.)
limit_of()
{
    sed -n 's/^Max data size *\([0-9]*\) .*/\1/p' "/proc/$1/limits" 2>/dev/null
}
available()
{
    sed -n 's/^MemAvailable: *\([0-9]*\) kB/\1/p' /proc/meminfo
}
mkfifo quiet
sleep 60 >quiet &
sleeper=$!
"$foliot" live small.mo --plain --quiet <quiet >.out 2>.err &
pid=$!
last="live small.mo, its limit"
limit=
for _ in $(seq 400); do
    limit=$(limit_of $pid)
    [ -z "$limit" ] || break
    sleep 0.05
done
kill $pid $sleeper
wait $pid $sleeper 2>/dev/null # the last word of it is in .err
checks=$((checks + 1))
if [ -z "$limit" ]; then
    fail "there is none"
else
    # groups may leave less, so that only the upper end is known
    [ $((limit / 1024)) -le $(($(available) * 3 / 4 + 300000)) ] || fail "$limit bytes of $(available) kB free"
    [ $((limit / 1024)) -ge 16000 ] || fail "$limit bytes"
fi
if unshare -rm true 2>/dev/null && [ -x /usr/bin/time ]; then
    printf 'MemTotal: 4000000 kB\nMemFree: 100 kB\nMemAvailable: 200000 kB\n' >meminfo
    # with ARGUMENT...: on a machine with so little
    with()
    {
        last="$* with 200 MB free"
        unshare -rm sh -c 'mount --bind meminfo /proc/meminfo && exec /usr/bin/time -f %M -o peak "$@"' with \
            "$foliot" "$@" >.out 2>.err </dev/null
        status=$?
        err=$(cat .err)
    }
    for arguments in "check many.mo" "show many.mo" "run many.mo" "export many.mo --fmu many.fmu" "steady many.mo" \
        "cluster huge.field.json"; do
        # shellcheck disable=SC2086 # words
        with $arguments
        expect 1
        says "memory"
        checks=$((checks + 1))
        [ "$(tail -n 1 peak)" -lt 160000 ] || fail "it had $(tail -n 1 peak) KB"
    done
    with run small.mo --quiet
    expect 0
fi

for size in 0 x 1e300 -5M 15M 5Q 1MM nan; do
    run check small.mo --memory "$size"
    expect 2
    says "--memory"
done
finish
