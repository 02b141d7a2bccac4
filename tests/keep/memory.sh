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
    "run huge.field.json"; do
    # shellcheck disable=SC2086 # words
    run $arguments --memory 60M
    expect 1
    says "memory"
done
if [ -x /usr/bin/time ]; then
    last="check many.mo --memory 100M"
    /usr/bin/time -f %M -o peak "$foliot" check many.mo --memory 100M >.out 2>.err
    checks=$((checks + 1))
    [ "$(tail -n 1 peak)" -lt 160000 ] || fail "it had $(tail -n 1 peak) KB"
fi

# Whoever needs less runs.
for arguments in "check small.mo" "run small.mo --quiet" "live small.mo --plain --quiet --speed 1000 --stop 1"; do
    # shellcheck disable=SC2086
    run $arguments --memory 60M
    expect 0
done

for size in 0 x 1e300 -5M 15M 5Q 1MM nan; do
    run check small.mo --memory "$size"
    expect 2
    says "--memory"
done
finish
