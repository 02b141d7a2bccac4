#!/bin/sh
# Exported units, run by this program and compared with the direct run: Co-Simulation to equal bits
# of its reals, Model Exchange to the tolerance. Descriptions are checked against the official
# schemas where FOLIOT_FMI_SCHEMAS names their folder (2.0/, 3.0/; otherwise ../shared/fmi) and xmllint is there.
#
#   export.sh <foliot> <folder of foliot_fmu.so>
set -eu
. "$(dirname "$0")/prologue.sh"

# same <a.csv> <b.csv> <tolerance>: the common columns at the times that both have, the last row of
# each time; relative to the column's largest value.
same()
{
    awk -F, -v tolerance="$3" '
    FNR == 1 { file++; for (i = 1; i <= NF; i++) column[file, $i] = i; if (file == 1) { n = NF; for (i = 2; i <= NF; i++) name[i] = $i } next }
    file == 1 { for (i = 2; i <= n; i++) { a[$1, i] = $i; s = $i < 0 ? -$i : $i + 0; if (s > scale[i]) scale[i] = s } next }
    { for (i = 2; i <= n; i++) if ((2, name[i]) in column && ($1, i) in a) b[$1, i] = $(column[2, name[i]]) }
    END {
        for (k in b) { split(k, part, SUBSEP); e = a[k] - b[k]; if (e < 0) e = -e; compared++
            if (e > tolerance * (scale[part[2]] + 1e-300)) { printf "  %s at %s: %s and %s\n", name[part[2]], part[1], a[k], b[k]; exit 1 } }
        if (compared < 100) { print "  only " compared + 0 " values were compared"; exit 1 }
    }' "$1" "$2"
}

check()
{
    model=$1 tolerance=$2
    "$foliot" run "$model" -q --no-plot -o direct.csv >/dev/null 2>&1 || { fail "$model does not run"; return; }
    for version in 2 3; do
        if ! "$foliot" export "$model" --fmu unit.fmu --fmi $version; then fail "$model $version: export"; continue; fi
        if [ -n "${FOLIOT_FMI_SCHEMAS:-}" ] && command -v xmllint >/dev/null && command -v unzip >/dev/null; then
            unzip -p unit.fmu modelDescription.xml >description.xml
            xmllint --noout --schema "$FOLIOT_FMI_SCHEMAS/$version.0/fmi${version}ModelDescription.xsd" \
                description.xml 2>said || { head -3 said; fail "$model $version: schema"; }
        fi
        for type in me cs; do
            "$foliot" run unit.fmu --type $type -q --no-plot -o $type.csv >/dev/null 2>said ||
                { cat said; fail "$model $version $type: run"; continue; }
        done
        same direct.csv cs.csv 0 || fail "$model $version cs: other values"
        same direct.csv me.csv "$tolerance" || fail "$model $version me: other values"
    done
}

check ball.mo 1e-6            # guards that are turned round
check sir-epidemic 1e-6       # relations
check sampled-control 1e-6    # a clock
check bouncing-ball 1e-6      # a diagram
check mass-on-a-spring 1e-6   # a structure

# An indicator that stays beside zero and leaves it the other way.
rm -f direct.csv me.csv
"$foliot" run traffic-light -q --no-plot -o direct.csv >/dev/null 2>&1 || fail "traffic-light"
"$foliot" export traffic-light --fmu unit.fmu && "$foliot" run unit.fmu -q --no-plot -o me.csv >/dev/null 2>&1 || fail "traffic-light as a unit"
awk -f "$here/compare.awk" -v span=180 -v tube=1 direct.csv me.csv | awk '{ print "  traffic-light: " $0 } !($1 <= 1e-9 && $2 > 1000) { exit 1 }' ||
    fail "traffic-light me: other values"

# The same model gives the same file.
"$foliot" export ball.mo --fmu one.fmu && "$foliot" export ball.mo --fmu two.fmu
cmp one.fmu two.fmu || fail "two exports of one model differ"

# What cannot be exported is said.
if "$foliot" export lorenz --fmu no.fmu 2>said; then fail "a compiled model was exported"; fi
grep -q "not a system" said || { cat said; fail "no message about a compiled model"; }
if "$foliot" export ball.mo --fmu no.fmu --fmi 4 2>said; then fail "FMI 4"; fi
[ ! -e no.fmu ] || fail "a file is left of an export that failed"

finish
