# shellcheck shell=sh disable=SC2034 # its variables are for the scripts
# Sourced by the scripts here: runs the program and compares.
#
#   run ARGUMENT...     runs it; $status, $out and $err then hold what came
#   expect STATUS       its exit status
#   says TEXT           standard error contains the text; prints, for standard output
#   silent              nothing was printed on standard output
#   equal WHAT A B      two texts are the same
#   finish              the script's end
set -u
foliot=$1
folder=$(mktemp -d)
readonly folder # it is removed at the end
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
unset COLUMNS NO_COLOR LC_ALL LC_CTYPE
LANG=C.UTF-8
TERM=xterm
export LANG TERM
checks=0
failures=0
last=

fail()
{
    failures=$((failures + 1))
    echo "FAILED: foliot $last" >&2
    echo "    $*" >&2
}

run()
{
    last=$*
    "$foliot" "$@" >"$folder/.out" 2>"$folder/.err" </dev/null
    status=$?
    out=$(cat "$folder/.out")
    err=$(cat "$folder/.err")
}

expect()
{
    checks=$((checks + 1))
    [ "$status" -eq "$1" ] || fail "exit status $status, expected $1; it said: $err"
}

contains()
{
    case $1 in
    *"$2"*) ;;
    *) return 1 ;;
    esac
}

says()
{
    checks=$((checks + 1))
    contains "$err" "$1" || fail "standard error is '$err', expected it to contain '$1'"
}

prints()
{
    checks=$((checks + 1))
    contains "$out" "$1" || fail "standard output is '$out', expected it to contain '$1'"
}

silent()
{
    checks=$((checks + 1))
    [ -z "$out" ] || fail "standard output is '$out', expected nothing"
}

equal()
{
    checks=$((checks + 1))
    [ "$2" = "$3" ] || fail "$1 is '$2', expected '$3'"
}

finish()
{
    [ "$failures" -le "$checks" ] || checks=$failures
    echo "$((checks - failures)) passed, $failures failed"
    [ "$failures" -eq 0 ]
    exit
}
