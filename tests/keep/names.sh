#!/bin/sh
# Names with control characters are shown, written and drawn without them; quoted names work in
# pictures.
#
#   names.sh FOLIOT
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/../cli/check.sh"

# plain FILE...: no byte in it that a terminal obeys.
plain()
{
    for file; do
        checks=$((checks + 1))
        if [ -n "$(LC_ALL=C tr -d '\11\12\40-\176\200-\377' <"$file")" ]; then
            fail "$file has control characters"
        fi
    done
}
try()
{
    run "$@"
    plain .out .err
}

esc=$(printf '\033')
cat >wild.json <<'END'
{"format": "foliot diagram", "version": 1, "name": "d\u001b[31m",
 "simulation": {"start": 0, "stop": 1, "integrator": "RK_04", "step": 0.25},
 "nodes": [{"name": "on\u001b[31me", "type": "Constant"}, {"name": "o\u0007\nut", "type": "Time vs Input"}],
 "lines": [{"from": "on\u001b[31me", "to": "o\u0007\nut"}]}
END
sed 's/"Constant"/"Constan\\u0007"/' wild.json >wrong.json
sed 's/"Constant"/"Gain"/' wild.json >open.json
cat >wild.structure.json <<'END'
{"structure": "s\u001b[31m", "about": "it \u001b[0m",
 "nodes": [{"at": [0, 0], "fixed": true}, {"name": "ti\u001bp", "at": [1, 0], "mass": 1, "velocity": [0, 1]}],
 "springs": [{"between": [1, 2], "k": 10}]}
END
printf 'model m\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = -x;\n  assert(x > 0.5, "%s[32mgreen");\nend m;\n' \
    "$esc" >assert.mo
printf "model m\n  Real 'a%s[31m' = 1;\nend m;\n" "$esc" >name.mo
for model in wild.json wild.structure.json; do
    for verb in check show; do
        try $verb $model
        expect 0
    done
    try run $model --plot --ascii --output rows.csv --events acts.csv --gnuplot curve
    expect 0
    plain rows.csv acts.csv curve.gp curve.dat
    try run $model --quiet --events acts.jsonl
    plain acts.jsonl
    rm -f rows.csv acts.csv
    try live $model --plain --stop 0.2 --speed 10 --record record --overwrite
    expect 0
    plain record
done
equal "the header" "$("$foliot" run wild.json --quiet --output - | head -n 1)" 'time,o\u0007\nut,on\u001b[31me'
run run wild.json --quiet --output rows.csv --signals 'on\u001b[31me' # as it is shown
expect 0
for model in wrong.json open.json assert.mo name.mo; do
    try check $model
    try run $model
    [ "$status" -ne 0 ] || fail "it was not refused"
done
try check name.mo
says "a quoted name with a control character"
for arguments in "run nothing${esc}[1m" "nothing${esc}[1m" "run ball --signals x${esc}[1m" "run ball --output /x${esc}[1m/y" \
    "show ball --set x${esc}[1m=1" "watch x${esc}[1m" "live --replay x${esc}[1m" "run ball --restart x${esc}[1m"; do
    # shellcheck disable=SC2086 # words
    try $arguments
    [ "$status" -ne 0 ] || fail "it was not refused"
done

# Quoted names of texts, in every picture.
cat >quoted.mo <<'END'
model quoted
  Real 'a b'(start = 1, fixed = true);
  Real '"x`y,z' = 2 * 'a b';
equation
  der('a b') = -'a b';
end quoted;
END
run run quoted.mo --plot --ascii --output rows.csv --gnuplot drawn --overwrite
expect 0
prints "'a b'"
equal "the header" "$(head -n 1 rows.csv)" "time,'a b',\"'\"\"x\`y,z'\""
if command -v gnuplot >/dev/null; then [ -s drawn.png ] || fail "gnuplot drew nothing"; fi
finish
