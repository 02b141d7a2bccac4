#!/bin/sh
# Our units in other tools' importers: every document of models/ that can be exported, in both versions and
# both types, run by this program, by fmusim (of modelica/Reference-FMUs) and by FMPy, and compared with the
# direct run; FMPy's validation of each. And other tools' units in ours: the Reference-FMUs.
#
#   others.sh <foliot> <models> [report]
#
# The copies lie outside of the repository. Where one is not named, its part is left out and that is said:
#   FOLIOT_FMUSIM          the program
#   FOLIOT_FMPY            a Python that has FMPy, with its arguments if it needs some
#   FOLIOT_REFERENCE_FMUS  a folder with 2.0/*.fmu and 3.0/*.fmu
#   FOLIOT_FMI_MODELS      only documents whose name has this in it
set -u
models=$2 report=${3:-/dev/stdout} found=0
. "$(dirname "$0")/prologue.sh"

[ -n "${FOLIOT_FMUSIM:-}" ] && found=1 || echo "missing: fmusim (FOLIOT_FMUSIM)"
[ -n "${FOLIOT_FMPY:-}" ] && found=1 || echo "missing: FMPy (FOLIOT_FMPY)"
[ -n "${FOLIOT_REFERENCE_FMUS:-}" ] && found=1 || echo "missing: the Reference-FMUs (FOLIOT_REFERENCE_FMUS)"
[ $found = 1 ] || exit 77

# ------------------------------------------------------------------------------------- theirs in ours

# row <csv> <time>: the last row at a time.
row()
{
    awk -F, -v t="$2" 'NR > 1 && ($1 - t < 1e-9 && t - $1 < 1e-9) { r = $0 } END { print r }' "$1"
}

# expect <unit> <type> <time> <column> <value> <tolerance> [more arguments of run]
expect()
{
    unit=$1 type=$2 t=$3 column=$4 value=$5 tolerance=$6
    shift 6
    [ -f "$FOLIOT_REFERENCE_FMUS/$unit.fmu" ] || { echo "missing: $unit"; return; }
    rm -f theirs.csv
    "$foliot" run "$FOLIOT_REFERENCE_FMUS/$unit.fmu" --type "$type" -q --no-plot -o theirs.csv "$@" >/dev/null 2>said ||
        { tail -1 said; fail "$unit $type does not run"; return; }
    row theirs.csv "$t" | awk -F, -v n="$column" -v wanted="$value" -v tolerance="$tolerance" '
        { e = $n - wanted; if (e < 0) e = -e; if (!(e <= tolerance)) { print "  " $n " for " wanted; exit 1 } seen = 1 }
        END { exit !seen }' || fail "$unit $type at t = $t, column $column"
}

if [ -n "${FOLIOT_REFERENCE_FMUS:-}" ]; then
    for v in 2.0 3.0; do
        expect $v/BouncingBall cs 0.5 2 0.135600687 5e-10
        expect $v/BouncingBall cs 1 2 0.236643687 5e-10
        expect $v/BouncingBall cs 2 2 0.054889078 5e-10
        expect $v/BouncingBall me 0.5 2 0.138779880360 1e-9
        expect $v/BouncingBall me 1 2 0.225059760719 1e-9
        expect $v/BouncingBall me 2 2 0.042433547803 1e-9
        expect $v/BouncingBall me 2.4991133142 2 0 1e-9
        expect $v/VanDerPol cs 1 2 1.50966834 5e-9
        expect $v/VanDerPol cs 10 2 -2.02638073 5e-9
        expect $v/VanDerPol me 10 2 -2.00834078 2e-6
        expect $v/VanDerPol me 10 2 -2.00834078 5e-9 --rtol 1e-11
        expect $v/Dahlquist cs 1 2 0.3486784401 1e-15
        expect $v/Dahlquist me 1 2 0.36787944117144233 1e-6
        expect $v/Stair me 9 2 10 0
        expect $v/Stair cs 9 3 10 0
        expect $v/Resource me 1 2 97 0
    done
    # events inside of steps, clocks, strings and binaries
    expect 3.0/BouncingBall cs 0.5 2 0.135600687 5e-10 --event-mode
    expect 3.0/BouncingBall cs 2 2 0.054889078 5e-10 --event-mode
    expect 3.0/Stair cs 9 3 10 0 --event-mode
    printf 'time,name,value\n0,inClock2,1\n1,inClock2,1\n8,inClock2,1\n9,inClock2,1\n' >ticks.csv
    for ticks in "0 1 1 0 2" "4 5 2 1 8" "9 10 4 1 15"; do
        set -- $ticks
        for column in 2 3 4 5; do
            eval "wanted=\${$column}"
            expect 3.0/Clocks se "$1" $column "$wanted" 0 --events-in "$work/ticks.csv"
        done
    done
    "$foliot" run "$FOLIOT_REFERENCE_FMUS/3.0/Feedthrough.fmu" --no-plot --text String_input=hallo --text Binary_input=00ff7f >said 2>&1 || fail "Feedthrough"
    grep -q "String_output hallo" said && grep -q "Binary_output 00ff7f" said || { cat said; fail "strings and binaries of Feedthrough"; }
    expect 3.0/StateSpace me 1 5 2.718281828459045 1e-6
    expect 3.0/StateSpace cs 1 2 2.71692393 5e-9
fi

# ------------------------------------------------------------------------------------- ours in theirs

# Co-Simulation is the same simulation: it may differ by the digits that a writer of CSV leaves away, 1e-15.
#
# Model Exchange has another solver, which keeps a tolerance T: in each step an error of T. n steps add up, each
# amplified by no more than the document's condition K: how far a run moves when its start is moved by 1e-6 of each
# state's largest value, relative to that, and at least 1 (chaotic documents have K = 270). So what a tool finds may be
#
#   own_error + n K T      foliot: T is the document's own rtol, n = 100, since its rows lie on dense output
#                          fmusim: T is the 1e-8 that it is told, n the rows, since it steps from row to row;
#                          it is absolute, too, so that in a column whose largest value s is below 1 it is 1e-8 / s
#
# and, for documents with events, what fmusim's own rule adds: an event within 1e-5 of a row's time, relative to it, is
# taken for one at the row. That moves a solution by 1e-5 times its span times its steepest relative slope between
# rows (an event is a steep place). All that is counted from the direct run, whose own error is its distance from a run with 1e-10, of dop853 where tolerances do not move
# the document's solver (fixed steps). FMPy's solver is Euler's with a fixed step, whose error has no bound: that it
# runs to the end is asked.
limit() # <model> <type> <tool>
{
    case $2-$3 in
    cs-*) echo 1e-15 ;;
    me-fmpy) echo inf ;;
    me-foliot) awk -v e="$own_error" -v K="$condition" -v T="$own_tolerance" 'BEGIN { print e + 100 * K * T }' ;;
    *) awk -v e="$own_error" -v K="$condition" -v n="$(wc -l <direct.csv)" -v j="$jitter" -v s="$smallest" 'BEGIN { print e + ((n > 100 ? n : 100) * 1e-8 / (s < 1 ? s : 1) + j) * K }' ;;
    esac
}

# distance <a.csv> <b.csv>: as judge measures it
distance()
{
    awk -f "$here/compare.awk" -v span="$span" -v ignore='^balance$|^energy$|^state\\[' -v tube=1 "$1" "$2" | cut -d' ' -f1
}

# fine <arguments of run>: fine.csv, to 1e-10
fine()
{
    rm -f "$2"
    timeout 120 "$foliot" run "$1" -q --no-plot --rtol 1e-10 --atol 1e-12 -o "$2" $3 >/dev/null 2>&1 || rm -f "$2"
    if [ ! -s "$2" ] || cmp -s direct.csv "$2"; then
        timeout 120 "$foliot" run "$1" -q --no-plot --solver dop853 --rtol 1e-10 --atol 1e-12 -o "$2" $3 >/dev/null 2>&1 || rm -f "$2"
    fi
    [ -s "$2" ]
}

# How far a solution with events moves when they are 1e-5 of the span late; 0 without events.
events_jitter() # <csv>
{
    awk -F, -v span="$span" 'FNR > 1 { if (NR > 2 && $1 == t) events = 1
            for (i = 2; i <= NF; i++) { v = $i + 0; a = v < 0 ? -v : v; if (a > scale[i]) scale[i] = a
                d = v - last[i]; if (d < 0) d = -d; if (NR > 2 && d > most[i]) most[i] = d; last[i] = v }
            if ($1 - t > 0) step = $1 - t
            t = $1 }
        END { for (i in most) if (scale[i] > 0 && most[i] / scale[i] > steep) steep = most[i] / scale[i]
            print (events && step > 0 ? 1e-5 * span * steep / step : 0) }' "$1"
}

# The least of the columns' largest values, as compare.awk has them: none less than a millionth of the largest.
smallest_column() # <csv>
{
    awk -F, 'FNR > 1 { for (i = 2; i <= NF; i++) { a = $i < 0 ? -$i : $i + 0; if (a > scale[i]) scale[i] = a } }
        END { for (i in scale) if (scale[i] > most) most = scale[i]
            least = most
            for (i in scale) { s = scale[i] < 1e-6 * most ? 1e-6 * most : scale[i]; if (s < least) least = s }
            print (least > 0 ? least : 1) }' "$1"
}

# own_error, own_tolerance and condition of a document whose direct.csv is there; own_error empty: no truth was found
measure_errors() # <document>
{
    own_error='' condition=1 jitter=$(events_jitter direct.csv) smallest=$(smallest_column direct.csv)
    own_tolerance=$("$foliot" show "$1" | sed -n 's/.*rtol \([0-9.e-]*\).*/\1/p' | tail -1)
    own_tolerance=${own_tolerance:-1e-6}
    fine "$1" fine.csv "" || return
    own_error=$(distance fine.csv direct.csv)
    moved=$("$foliot" show "$1" | awk -F, 'FILENAME == "direct.csv" {
            if (FNR == 1) { for (i = 1; i <= NF; i++) name[i] = $i; next }
            for (i = 2; i <= NF; i++) { a = $i < 0 ? -$i : $i + 0; if (a > scale[name[i]]) scale[name[i]] = a }
            next }
        /^States/ { on = 1; next } /^$/ { on = 0 }
        on && n < 20 { split($0, part, " "); if (part[1] in scale && scale[part[1]] > 0) { n++
            printf "--start %s=%.17g ", part[1], part[2] + 1e-6 * scale[part[1]] } }' direct.csv -)
    [ -n "$moved" ] && fine "$1" moved.csv "$moved" || return
    condition=$(awk -v d="$(distance fine.csv moved.csv)" 'BEGIN { k = d / 1e-6; print k < 1 ? 1 : k }')
}

# Not compared: energies that stay as they are (at zero) and their balance, which is an account of each run's own
# errors, and coordinates that a text chooses in the run.
# judge <model> <version> <type> <tool> <status of its run>: other.csv against direct.csv
judge()
{
    # Stiff models are beyond Euler's method and beyond the 500 steps of fmusim: the unit is not to blame.
    if [ "$5" != 0 ] && { [ "$3-$4" = me-fmpy ] && grep -q "FMICallException" said || grep -q "mxstep" said; }; then
        echo "note: $1 $2 $3 is too stiff for $4"
        return
    fi
    if [ "$5" != 0 ] || [ ! -s other.csv ]; then
        tail -2 said | cut -c1-300
        fail "$1 $2 $3 by $4 does not run"
        return
    fi
    if [ "$3-$4" != me-fmpy ] && [ "$3" = me ] && [ -z "$own_error" ]; then
        echo "note: $1 $2 $3 by $4 is not judged: no truth of it is known here"
    fi
    set -- "$1" "$2" "$3" "$4" $(awk -f "$here/compare.awk" -v span="$span" -v ignore='^balance$|^energy$|^state\\[' -v tube="$([ "$3" = me ] && echo 1 || echo 0)" direct.csv other.csv)
    echo "$1 $2 $3 $4 $5 $6 $7 $8" >>lines
    # where the direct run is the less exact one, the truth itself may be what the tool has found
    if [ "$3" = me ] && [ "$4" != fmpy ] && [ -s fine.csv ]; then
        truth=$(distance fine.csv other.csv)
        set -- "$1" "$2" "$3" "$4" "$(awk -v a="$5" -v b="$truth" 'BEGIN { print a + 0 < b + 0 ? a : b }')" "$6" "$7" "$8"
    fi
    awk -v e="$5" -v n="$6" -v limit="$([ "$3" = cs ] || [ -n "$own_error" ] && limit "$1" "$3" "$4" || echo inf)" 'BEGIN { exit !(n >= 10 && (limit == "inf" || e <= limit)) }' ||
        fail "$1 $2 $3 by $4: $5 at $7($8), of $6 values; the limit is $(limit "$1" "$3" "$4"), its own error $own_error, its condition $condition, of events $jitter"
}

# States as bytes and event mode of unit.fmu in Co-Simulation, by others: a state goes to another instance in FMPy; with
# events and early return a run has more rows (two at an event) and ends as the direct one does.
check_more() # <model> <version>
{
    if [ -n "${FOLIOT_FMPY:-}" ] && grep -q 'canSerializeFMU.*true.*canHandle' description.xml; then
        TMPDIR=$work timeout 120 $FOLIOT_FMPY "$here/others.py" unit.fmu state >said 2>&1 ||
            { tail -1 said; fail "$1 $2 cs by fmpy: the state of another instance"; }
    fi
    [ "$2" = 3 ] && [ -n "${FOLIOT_FMUSIM:-}" ] || return
    rm -f other.csv
    TMPDIR=$work timeout 120 "$FOLIOT_FMUSIM" --interface-type cs --set-stop-time --early-return-allowed \
        --event-mode-used --output-file other.csv unit.fmu >said 2>&1
    judge "$1" "$2" cs fmusim $?
}

check()
{
    document=$1 name=$(basename "$1")
    rm -f direct.csv
    "$foliot" run "$document" -q --no-plot -o direct.csv >/dev/null 2>said || { tail -1 said; fail "$name does not run"; return; }
    span=$(awk 'END { print }' direct.csv | cut -d, -f1)
    measure_errors "$document"
    echo "measured $name: own error ${own_error:-unknown}, condition $condition, rtol $own_tolerance"
    for version in 2 3; do
        "$foliot" export "$document" --fmu unit.fmu --fmi $version 2>said.export ||
            { tail -1 said.export; fail "$name $version: export"; continue; }
        for type in me cs; do
            if [ $type = me ] && grep -q "has Co-Simulation only" said.export; then continue; fi
            rm -f other.csv
            timeout 120 "$foliot" run unit.fmu --type $type -q --no-plot -o other.csv >/dev/null 2>said
            judge "$name" $version $type foliot $?
            if [ -n "${FOLIOT_FMUSIM:-}" ]; then
                rm -f other.csv
                TMPDIR=$work timeout 120 "$FOLIOT_FMUSIM" --interface-type $type --solver cvode --tolerance 1e-8 --set-stop-time \
                    --output-file other.csv unit.fmu >said 2>&1
                judge "$name" $version $type fmusim $?
            fi
            if [ -n "${FOLIOT_FMPY:-}" ]; then
                rm -f other.csv
                TMPDIR=$work timeout 120 $FOLIOT_FMPY "$here/others.py" unit.fmu $type other.csv >said 2>&1
                judge "$name" $version $type fmpy $?
            fi
        done
        unzip -p unit.fmu modelDescription.xml >description.xml && check_more "$name" $version
    done
}

for document in "$models"/*/*.mo "$models"/*/*.json; do
    case $document in *"${FOLIOT_FMI_MODELS:-}"*) check "$document" ;; esac
done

if [ -s lines ]; then
    # The largest difference of the four runs of each model by each tool.
    awk '{ key = $1 SUBSEP $4 SUBSEP $3; models[$1]; if (!(key in worst) || $5 + 0 > worst[key]) worst[key] = $5 + 0 }
    END {
        print "| document | Model Exchange: foliot | fmusim | FMPy | Co-Simulation: foliot | fmusim | FMPy |"
        print "| --- | --- | --- | --- | --- | --- | --- |"
        split("foliot fmusim fmpy", tool, " "); split("me cs", type, " ")
        for (m in models) {
            line = "| " m
            for (t = 1; t <= 2; t++) for (i = 1; i <= 3; i++) {
                key = m SUBSEP tool[i] SUBSEP type[t]
                line = line " | " (key in worst ? sprintf("%.1g", worst[key]) : "-")
            }
            print line " |" | "sort"
        }
    }' lines >"$work/table"
    (cd "$begun_in" && cat "$work/table" >"$report")
fi
finish
