# Help, manual pages and completion say the same: every option of every command is in all three.
#
#   help.sh FOLIOT
set -u
foliot=$1
COLUMNS=400 # so that nothing is wrapped
export COLUMNS
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
passed=0
failed=0
check() # check NAME COMMAND...
{
    name=$1
    shift
    if "$@" >output 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "$name"
        head -20 output
    fi
}

# What each says: long options, with the value where there is one.
of_help() { "$foliot" help "$1" | sed -n '/^Options:/,/^$/s/^  \(-.,\|   \) \(--[^ ]*\).*/\2/p' | sed 's/\[.*//'; }
of_man() { sed 's/\\f.//g; s/\\-/-/g' "foliot-$1.1" | sed -n 's/^\(-., \)\{0,1\}\(--[a-z-]*\).*/\2/p'; }
of_completion() { "$foliot" help --complete -- "$1" -- | cut -f 1; }

check "the pages are written" "$foliot" help --man=.
"$foliot" help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p' >commands
check "there are commands" test "$(wc -l <commands)" -ge 10
while read -r c; do
    of_help "$c" | sort >help
    of_man "$c" | sort >man
    of_completion "$c" | sort >completion
    check "$c has --help" grep -qx -e --help help
    check "$c: help and manual" diff help man
    check "$c: help and completion" diff help completion
    check "$c: the page by itself is the one of the folder" sh -c \
        "'$foliot' help --man $c | cmp - foliot-$c.1"
    check "$c: what it is for" grep -q "^foliot.-$c .- [A-Z].*\.$" "foliot-$c.1"
    check "$c is in foliot(1)" grep -q "^\.BR foliot.-$c (1)" foliot.1
    check "$c is completed" sh -c "'$foliot' help --complete -- '$c' | grep -q '^$c	'"
    # what help says beside options is on the page, too
    "$foliot" help "$c" | sed -n '/^Examples:/,/^$/s/^  //p' >examples
    sed 's/\\-/-/g; s/\\(aq/'"'"'/g; s/\\e/\\/g' "foliot-$c.1" >plain
    while read -r line; do check "$c: example" grep -qF -e "$line" plain; done <examples
done <commands
check "run has many options" test "$("$foliot" help --complete -- run -- | wc -l)" -ge 30

# every option that the tables promise is taken: none is unknown
while read -r c; do
    for o in $(of_help "$c"); do
        check "$c $o is known" sh -c "! '$foliot' '$c' '$o' --help 2>&1 </dev/null |
            grep 'unknown option'"
    done
done <commands

# the pages are good ones
if command -v groff >/dev/null; then
    for page in *.1; do
        groff -man -ww -Tutf8 -Kutf8 "$page" >shown 2>warnings
        check "$page: groff warns: $(head -1 warnings)" test ! -s warnings
        check "$page has text" test "$(wc -l <shown)" -ge 15
    done
fi
if command -v lexgrog >/dev/null; then
    check "whatis finds the pages" lexgrog foliot.1 foliot-run.1
fi
if command -v mandoc >/dev/null; then
    mandoc -W warning -T lint ./*.1 | grep -v "missing date\|longer than 80" >warnings
    check "mandoc warns" test ! -s warnings
fi

check "names of models" sh -c "'$foliot' models --names | grep -qx wave-2d"
check "as many as models" test "$("$foliot" models --names | wc -l)" = "$("$foliot" models | wc -l)"
check "names of solvers" sh -c "'$foliot' solvers --names | grep -qx rk4"
check "an unknown command has no page" sh -c "! '$foliot' help --man nonsense"
check "a folder that is not there" sh -c "! '$foliot' help --man=no/such/folder"

echo "$passed passed, $failed failed"
[ "$failed" = 0 ]
