#!/bin/sh
# Compiled programs in the cache: what was damaged, put there by others or lies where others can
# write is not loaded.
#
#   cache.sh FOLIOT
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/../cli/check.sh"
command -v cc >/dev/null || { echo "no cc"; exit 77; }
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
umask 002

cat >grow.mo <<'END'
model grow
  Real x(start = 1);
equation
  der(x) = 0.3 * x * (1 - x / 7);
  annotation(experiment(StopTime = 4));
end grow;
END

object()
{
    find cache/foliot -name '*.so' | head -n 1
}

# The numbers are those of the first run whatever was done to the cache.
same()
{
    run run grow.mo --native --output rows.csv
    expect 0
    equal "the rows" "$(cat rows.csv)" "$good"
}

run run grow.mo --native --output rows.csv
expect 0
prints "machine code of cc"
good=$(cat rows.csv)
so=$(object)
equal "objects" "$(find cache/foliot -type f | wc -l)" 1
equal "who may do what" "$(stat -c %a cache/foliot) $(stat -c %a "$so")" "700 700"
cp -p "$so" whole.so
same
! contains "$out" anew || fail "a good object was compiled anew"

# Cut short, from nothing to all but one byte.
size=$(stat -c %s whole.so)
for part in 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
    count=$((size * part / 16))
    [ "$part" -lt 16 ] || count=$((size - 1))
    head -c "$count" whole.so >"$so"
    chmod 700 "$so"
    same
    prints "compiled anew: the object in the cache was not used"
done
same
! contains "$out" anew || fail "what was compiled anew is not kept"

# One bit flipped, all over the file and in every part of the seal.
flip()
{
    old=$(od -An -tu1 -j "$1" -N 1 whole.so)
    cp whole.so "$so"
    # shellcheck disable=SC2059 # the format is the byte
    printf "\\$(printf %o $((old ^ 1 << ($1 % 8))))" |
        dd of="$so" bs=1 seek="$1" conv=notrunc 2>/dev/null
}
for at in 0 17 $((size / 7)) $((size / 3)) $((size / 2)) $((size * 4 / 5)) $((size - 84)) \
    $((size - 80)) $((size - 60)) $((size - 30)) $((size - 10)) $((size - 1)); do
    flip "$at"
    same
    prints "compiled anew"
done

# Where there is no report a note says it, once.
for arguments in "run grow.mo --quiet" "run grow.mo --json" "live grow.mo --plain --stop 0.05 --quiet"; do
    flip 17
    # shellcheck disable=SC2086 # words
    run $arguments --native
    expect 0
    says "note: the compiled program in the cache was made anew: the object in the cache was not used"
    # shellcheck disable=SC2086 # words
    run $arguments --native
    expect 0
    ! contains "$err" anew || fail "a good object was compiled anew"
done

# The object of another source, and something that is no object, under its name.
sed 's/0\.3/0.4/' grow.mo >other.mo
run run other.mo --native
expect 0
for file in cache/foliot/*.so; do [ "$file" = "$so" ] || cp -p "$file" "$so"; done
same
prints "it was made of another source"
rm "$so"
mkfifo "$so"
same
prints "compiled anew"
rm -f "$so"
ln -s "$folder/whole.so" "$so"
same
prints "compiled anew"
[ ! -h "$so" ] || fail "the link is still there"
chmod 777 "$so"
same
prints "others can write to it"

# A folder that others can write to, also above it, or that belongs to another: it goes without.
refused()
{
    run run grow.mo --native --output rows.csv
    expect 0
    says "note: no compiled programs are kept or loaded in the cache: "
    says "$1"
    prints "bytecode"
    equal "the rows" "$(cat rows.csv)" "$good"
}
chmod 770 cache/foliot
refused "cache/foliot can be written to by others"
chmod 1777 cache/foliot
refused "cache/foliot can be written to by others"
chmod 700 cache/foliot
chmod 777 cache
refused "cache can be written to by others"
chmod 1777 cache
same
chmod 700 cache
mkdir open closed
chmod 777 open
mkdir -m 700 open/real
XDG_CACHE_HOME=$PWD/closed
ln -s "$PWD/open/real" closed/foliot # a link leads to where it leads
refused "open can be written to by others"
XDG_CACHE_HOME=$PWD/cache
if [ "$(id -u)" -eq 0 ]; then
    chown nobody "$so"
    same
    prints "it belongs to another user"
    chown nobody cache/foliot
    refused "cache/foliot belongs to another user"
    chown root cache/foliot
    chown nobody cache
    refused "cache belongs to another user"
    chown root cache
fi
same

# Nowhere to keep it: no folder in the root or in the present one.
for home in "" relative / ./here; do
    for cache in "" relative; do
        before=$(ls -a / .)
        last="run --native with HOME='$home' XDG_CACHE_HOME='$cache'"
        HOME=$home XDG_CACHE_HOME=$cache "$foliot" run grow.mo --native >.out 2>.err
        status=$?
        err=$(cat .err)
        expect 0
        says "no folder to keep compiled programs in"
        equal "what is in the root and here" "$(ls -a / .)" "$before"
    done
done
HOME=$PWD/home XDG_CACHE_HOME=relative
mkdir home
run run grow.mo --native
expect 0
[ -d home/.cache/foliot ] || fail "a relative XDG_CACHE_HOME is not passed over"
XDG_CACHE_HOME=$PWD/cache

# A model in C, in the same cache by the same rules.
cat >fall.c <<'END'
#include <foliot/foliot.h>
static fo_status rates(const void *model, const fo_state *s, double t, const double *x, double *dx)
{
    (void)model, (void)t, (void)s, (void)x;
    dx[0] = -1;
    return FO_OK;
}
static const fo_system_type type = {.kind = "C", .rates = rates};
static const fo_description about = {.name = "fall", .states = FO_VARIABLES({"h", "m", 10})};
static const fo_compiled_model fall = {.system = {&type, &about, NULL},
                                       .stop = 1, .interval = 0.5};
FO_EXPORT_SYSTEM(fall);
END
run run fall.c --quiet --output rows.csv
expect 0
good=$(cat rows.csv)
so=$(find cache/foliot -name 'world-*.so')
cp -p "$so" whole.so
size=$(stat -c %s whole.so)
for at in 100 $((size / 2)) $((size - 3)); do
    flip "$at"
    run run fall.c --quiet --output rows.csv
    expect 0
    equal "the rows" "$(cat rows.csv)" "$good"
    head -c "$at" whole.so >"$so"
    run run fall.c --quiet --output rows.csv
    expect 0
    equal "the rows" "$(cat rows.csv)" "$good"
done
chmod 777 cache/foliot
run run fall.c
expect 1
says "cache/foliot can be written to by others"
# A compiler does not outlive whoever waits for it, however that ends.
mkdir -m 700 slow
XDG_CACHE_HOME=$PWD/slow/cache
export XDG_CACHE_HOME
printf '#!/bin/sh\nsleep 61.25 &\necho $! >"%s/worker"\nwait\n' "$PWD" >slow/cc
chmod +x slow/cc
cat >waited.mo <<'END'
model waited
  Real x(start = 1, fixed = true);
equation
  der(x) = -3.25 * x;
end waited;
END
echo 'int nothing;' >waited.c
for number in 9 15; do
    for arguments in "run waited.mo --native --quiet" "check waited.c"; do
        rm -f worker
        last="$arguments, ended by $number while the compiler works"
        # shellcheck disable=SC2086 # words
        PATH=$PWD/slow:$PATH "$foliot" $arguments >.out 2>.err </dev/null &
        pid=$!
        for _ in $(seq 200); do
            [ ! -s worker ] || break
            sleep 0.05
        done
        [ -s worker ] || fail "no compiler was started"
        # Who ends it holds nothing else open: no lock of a file, no pipe that somebody reads.
        guard=$(ps -o pgid= -p "$(cat worker)" | tr -d ' ')
        for _ in $(seq 40); do
            [ "$(find "/proc/$guard/fd" -mindepth 1 2>/dev/null | wc -l)" != 1 ] || break
            sleep 0.05
        done
        equal "what the guard has open" "$(find "/proc/$guard/fd" -mindepth 1 | wc -l)" 1
        kill -$number $pid
        wait $pid 2>/dev/null
        for _ in $(seq 60); do
            kill -0 "$(cat worker)" 2>/dev/null || break
            sleep 0.05
        done
        checks=$((checks + 1))
        if kill -0 "$(cat worker)" 2>/dev/null; then fail "the compiler goes on"; fi
    done
done
# Whoever starts the program may have asked not to hear of its children: it waits for its own all the same.
if env --ignore-signal=CHLD true 2>/dev/null; then
    last="run waited.mo --native, SIGCHLD ignored"
    env --ignore-signal=CHLD "$foliot" run waited.mo --native --stop 1 >.out 2>.err
    status=$? out=$(cat .out) err=$(cat .err)
    expect 0
    prints "machine code of cc"
fi
finish
