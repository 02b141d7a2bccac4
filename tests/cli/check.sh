# Sourced by the scripts here: runs the program and compares.
#
#   run ARGUMENT...     runs it; $status, $out and $err then hold what came
#   expect STATUS       its exit status
#   says TEXT           standard error contains the text; prints, for standard output
#   equal WHAT A B      two texts are the same
#   finish              the script's end
set -u
foliot=$1
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder" || exit 1
unset COLUMNS NO_COLOR LC_ALL LC_CTYPE
LANG=C.UTF-8
TERM=xterm
export LANG TERM
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
    contains "$err" "$1" || fail "standard error is '$err', expected it to contain '$1'"
}

prints()
{
    contains "$out" "$1" || fail "standard output is '$out', expected it to contain '$1'"
}

silent()
{
    [ -z "$out" ] || fail "standard output is '$out', expected nothing"
}

equal()
{
    [ "$2" = "$3" ] || fail "$1 is '$2', expected '$3'"
}

finish()
{
    [ "$failures" -eq 0 ] || exit 1
    echo "passed"
}
