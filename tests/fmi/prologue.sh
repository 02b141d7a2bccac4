# What the scripts of this folder begin with: . "$(dirname "$0")/prologue.sh"
#
#   <script> <foliot> <folder of foliot_fmu.so>
#
# They work in an empty folder of their own, whose folder `temporary` is TMPDIR and has to be empty in the end, and end
# with `finish`. Schemas of FMI are those of FOLIOT_FMI_SCHEMAS (2.0/, 3.0/), or of ../shared/fmi beside the repository.
foliot=$1 parts=${2:-}
here=$(cd "$(dirname "$0")" && pwd)
case $0 in
*others.sh) ;;
*) [ -f "$parts/foliot_fmu.so" ] || { echo "foliot_fmu.so is not built"; exit 77; } ;;
esac
schemas=$(cd "$here/../../.." && pwd)/shared/fmi
[ -n "${FOLIOT_FMI_SCHEMAS:-}" ] || [ ! -d "$schemas" ] || FOLIOT_FMI_SCHEMAS=$schemas
begun_in=$PWD
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
mkdir temporary
failures=0

fail()
{
    echo "FAILED: $*"
    failures=$((failures + 1))
}

# Nothing is left behind, and nothing has failed.
finish()
{
    [ -z "$(ls "$work/temporary")" ] || fail "left behind: $(ls "$work/temporary")"
    echo "$failures failures"
    [ "$failures" -eq 0 ]
}

export TMPDIR="$work/temporary"
