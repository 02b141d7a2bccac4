#!/bin/sh
# Names with control characters are shown, written and drawn without them; quoted names work in
# pictures; no name is code.
#
#   names.sh FOLIOT
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/../cli/check.sh"
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
mkdir -m 700 cache

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

# Marks of direction make a name read otherwise than it is; C1 is a control character of 8-bit terminals.
turn=$(printf '\342\200\256')
high=$(printf '\302\233')
cat >turned.mo <<END
model turned
  Real 'a${turn}b'(start = 1, fixed = true);
  Real 'c${high}d' = 2 * 'a${turn}b';
equation
  der('a${turn}b') = -'a${turn}b';
  annotation(experiment(StopTime = 1));
end turned;
END
for arguments in "check" "show" "show --json" "show --equations" "show --sorted" "run --json" "run --output rows.csv" \
    "run --output rows.json" "run --plot --ascii" "linearize" "steady" "steady --json"; do
    # shellcheck disable=SC2086 # words
    set -- $arguments
    verb=$1
    shift
    run "$verb" turned.mo --overwrite "$@"
    [ "$status" -ne 2 ] || run "$verb" turned.mo "$@"
    expect 0
    for text in "$out" "$err" "$(cat rows.csv 2>/dev/null)" "$(cat rows.json 2>/dev/null)"; do
        case $text in
        *"$turn"* | *"$high"*) fail "a mark got through" ;;
        esac
    done
    rm -f rows.csv rows.json
done

# Names of files, of displays, and units.
bom=$(printf '\357\273\277')
cat >seen.json <<END
{"format": "foliot diagram", "version": 1, "name": "seen",
 "simulation": {"start": 0, "stop": 1, "integrator": "RK_04", "step": 0.25},
 "nodes": [{"name": "one", "type": "Constant"}, {"name": "x\\u001b[31my\\u202e\\ufeff", "type": "Display"}],
 "lines": [{"from": "one", "to": "x\\u001b[31my\\u202e\\ufeff"}]}
END
cat >unit.mo <<END
model unit
  Real x(start = 1, fixed = true, unit = "m${turn}${bom}");
equation
  der(x) = -x;
  annotation(experiment(StopTime = 1));
end unit;
END
odd="n${esc}[31m${turn}${bom}"
# nothing FILE...: none of the marks is in what was printed.
nothing()
{
    checks=$((checks + 1))
    case $out$err in
    *"$esc"* | *"$turn"* | *"$bom"*) fail "a mark got through: $out$err" ;;
    esac
}
run run seen.json --no-units
expect 0
prints 'x\u001b[31my\u202e\ufeff = '
nothing
for verb in run show "show --json" check; do
    for model in seen.json unit.mo; do
        # shellcheck disable=SC2086 # words
        run $verb --no-units $model
        # shellcheck disable=SC2086 # words
        [ "$status" -ne 2 ] || run $verb $model
        nothing
    done
done
run run ball --moments --output "$odd.csv" --events "$odd-e.csv" --checkpoint "$odd"
expect 0
prints 'n\u001b[31m\u202e\ufeff.csv: '
prints 'checkpoint   n\u001b[31m\u202e\ufeff, at t = '
nothing
run run ball --gnuplot "$odd"
expect 2
says '--gnuplot: the name has characters that control the terminal'
nothing
run live ball --plain --stop 0.05 --record "$odd-r"
expect 0
prints 'n\u001b[31m\u202e\ufeff-r: '
nothing
run sweep ball --vary e=0.5,0.6 --measure 'max(y)' --stop 1 --output "$odd-s.csv"
expect 0
prints 'written to n\u001b[31m\u202e\ufeff-s.csv'
nothing
run run mm1 --replications 2 --stop 50 --output "$odd-m.csv"
expect 0
prints 'written to n\u001b[31m\u202e\ufeff-m.csv'
nothing

# A structure that is written again, and its energy. JSON has the characters' numbers, also of DEL and directions.
cat >s.structure.json <<'END'
{"structure": "st\u001b[31m\u202e\u009b\u007f", "about": "ab\u0007", "dimension": 1,
 "nodes": [{"name": "a\u001b[31m\u202e\u009b\u007f", "at": [0], "fixed": true},
           {"name": "b\u001b[31m\u202e\u009b\u007f", "at": [1], "mass": 2}],
 "springs": [{"between": ["a\u001b[31m\u202e\u009b\u007f", "b\u001b[31m\u202e\u009b\u007f"], "k": 4}], "run": {"stop": 1}}
END
run export s.structure.json --document
expect 0
nothing
prints '"structure": "st\u001b[31m\u202e\u009b\u007f"'
echo "$out" >again.structure.json
run check again.structure.json
expect 0
nothing
run export s.structure.json --hamiltonian
expect 0
nothing
run export s.structure.json --hamiltonian --json
expect 0
nothing
run run s.structure.json --output rows.json --quiet --overwrite
expect 0
out=$(cat rows.json)
nothing

# Names and texts of a model are no code, neither for the compiler of --native nor for gnuplot.
cat >code.mo <<'END'
model 'a*/ extern int puts(const char *); __attribute__((constructor)) static void f(void) { puts("code"); } /*'
  parameter Real 'p`touch code`"; system("touch code"); # */' = 2 "*/ #error";
  Real 'x`touch code`"; system("touch code"); # */'(start = 1, unit = "m");
equation
  der('x`touch code`"; system("touch code"); # */') = -'p`touch code`"; system("touch code"); # */';
  assert('x`touch code`"; system("touch code"); # */' > -9, "*/ %n%s \" ??/");
end 'a*/ extern int puts(const char *); __attribute__((constructor)) static void f(void) { puts("code"); } /*';
END
cat >code.json <<'END'
{"format": "foliot diagram", "version": 1, "name":
 "a*/ extern int puts(const char *); __attribute__((constructor)) static void f(void) { puts(\"code\"); } /*",
 "simulation": {"start": 0, "stop": 1, "integrator": "RK_04", "step": 0.25},
 "nodes": [{"name": "*/ #error", "type": "Constant"}, {"name": "'`touch code`", "type": "Integrator"},
           {"name": "end", "type": "Terminator"}],
 "lines": [{"from": "*/ #error", "to": "'`touch code`"}, {"from": "'`touch code`", "to": "end"}]}
END
# Joined lines and trigraphs end comments, too.
for end in '*\\\n/' '*\\ \n/' '*??/\n/' '*/' '*\\\r\n/'; do
    files=$((${files:-0} + 1))
    sed "s#\"a\*/ extern#\"a$(printf '%s' "$end" | sed 's/[\\&]/\\&/g') extern#" code.json >"code$files.json"
done
[ "$(cat code[1-5].json | sort -u | wc -l)" = 10 ] || fail "the names are not five"
for model in code.mo code.json code[1-5].json; do
    run run $model --program bytecode --output bytes.csv --quiet --overwrite --no-units
    expect 0
    run run $model --program native --output native.csv --quiet --gnuplot drawn --overwrite --no-units
    expect 0
    equal "what it printed" "$out" ""
    equal "the rows" "$(cmp bytes.csv native.csv)" ""
    [ ! -e code ] || fail "gnuplot ran what stands in a name"
done

# Nor is one looked at where lanes look for their parts in that C.
lanes="--vary c=1:2:4 --measure final(x) --solver dp45 --lanes 2 --threads 1 --quiet --overwrite"
for name in plain "'INLINED void rates_at(int a) { } static int puts; /*'" "'        error2 = 0; INLINED void stages_dp45('"; do
    cat >lanes.mo <<END
model $name
  parameter Real c = 2;
  Real x(start = 1), y;
equation
  der(x) = -c * x + y;
  der(y) = -x;
end $name;
END
    # shellcheck disable=SC2086 # options
    run sweep lanes.mo $lanes --output lanes.csv
    expect 0
    [ -f plain.csv ] || cp lanes.csv plain.csv
    equal "the table of $name" "$(cmp lanes.csv plain.csv)" ""
done

# What a text says in a run, in the tables of analyses as in the message of a run: no line of its own either.
printf 'model m\n  parameter Real k = 1;\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = -k * x;\n  assert(x > 0.5, "a%s[32m%sb\\nfoliot: fine");\n  annotation(experiment(StopTime = 1));\nend m;\n' \
    "$esc" "$turn" >spoken.mo
for arguments in "run" "live --plain --quiet --speed 1000" "linearize --at 1" "sweep --vary k=1,2 --measure max(x)" \
    "sweep --vary k=1,2 --measure max(x) --json" "sweep --vary k=1,2 --measure max(x) --output said.csv --overwrite"; do
    # shellcheck disable=SC2086 # words
    set -- $arguments
    verb=$1
    shift
    try "$verb" spoken.mo "$@"
    expect 1
    for text in "$out" "$err" "$(cat said.csv 2>/dev/null)"; do
        case $text in
        *"$turn"*) fail "a mark got through" ;;
        esac
        printf '%s\n' "$text" | grep -q '^foliot: fine' && fail "a text has a line of its own"
    done
done
# The line of a text that is shown with a message.
printf 'model m\n  Real x = y; // %s%s\377\nend m;\n' "$turn" "$high" >shown.mo
try check shown.mo
expect 1
says "// ?"
case $err in
*"$turn"* | *"$high"* | *"$(printf '\377')"*) fail "a mark got through" ;;
esac
# One line is one line: a sum of the energies, printed and in a file.
cat >lines.structure.json <<'END'
{"structure": "s", "nodes": [{"at": [0, 0], "fixed": true}, {"name": "t\nip", "at": [1, 0], "mass": 1}],
 "springs": [{"between": [1, 2], "k": 10}]}
END
run export lines.structure.json --hamiltonian
expect 0
equal "its lines" "$(printf '%s\n' "$out" | wc -l)" 1
run export lines.structure.json --hamiltonian --output energy.txt
expect 0
equal "the file's lines" "$(wc -l <energy.txt)" 1
if [ -x "$(dirname "$foliot")/foliot-studio" ]; then
    try studio "nothing${esc}[1m$turn"
    expect 1
    case $err in
    *"$turn"*) fail "a mark got through" ;;
    esac
fi

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
# A name of XML, in a picture that is XML; and one in a measure, as the hint shows it.
cat >xml.mo <<'END'
model 'm]]>'
  parameter Real 'k c' = 1;
  Real 'a]]>b<&'(start = 1, fixed = true);
equation
  der('a]]>b<&') = -'k c' * 'a]]>b<&';
  annotation(experiment(StopTime = 1));
end 'm]]>';
END
run run xml.mo --quiet --gnuplot xml.svg
expect 0
if [ -f xml.svg ]; then
    checks=$((checks + 1))
    grep -q ']]>' xml.svg && fail "]]> stands in the text of an SVG"
fi
for name in "'a]]>b<&'" "''a]]>b<&''"; do
    run sweep xml.mo --vary "'k c'=1,2" --measure "final($name)" --quiet --output -
    expect 0
done
finish
