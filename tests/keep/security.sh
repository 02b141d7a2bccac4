#!/bin/sh
# docs/security.md names the test that shows each line of its tables: they are there, and are run.
#
#   security.sh FOLIOT
source=$(cd "$(dirname "$0")/../.." && pwd)
page=$source/docs/security.md
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/../cli/check.sh"
last="docs/security.md"

# What stands in backquotes and is a file of tests: with its folder, or in the one named before it in its line.
grep -o '`tests/[A-Za-z0-9_/.]*`\|`fuzz_[a-z]*\.c`' "$page" | tr -d '`' | sort -u >named
[ "$(wc -l <named)" -ge 30 ] || fail "it names only $(wc -l <named) tests"
while read -r name; do
    case $name in
    fuzz_*) name=tests/fuzz/$name ;;
    esac
    checks=$((checks + 1))
    [ -e "$source/$name" ] || fail "it names $name, which is not there"
done <named

# Every line of a table whose last column is "shown by" names one, or says that nothing shows it.
awk -F '|' '/^\|/ && NF > 3 {
    if ($(NF - 1) ~ /shown by/) { in_table = 1; next }
    if (in_table && $(NF - 1) !~ /---/ && $(NF - 1) !~ /tests\// && $(NF - 1) !~ /not defended/) print $2
    next } { in_table = 0 }' "$page" >bare
equal "lines without a test" "$(cat bare)" ""

# Every fuzzer that there is stands there, so that no reader is forgotten.
for fuzzer in "$source"/tests/fuzz/fuzz_*.c; do
    name=$(basename "$fuzzer")
    checks=$((checks + 1))
    grep -q "$name" "$page" || fail "it does not name $name"
done
finish
