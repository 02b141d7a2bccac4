#!/bin/sh
# What is nested deep is a message, not a fallen stack: also where the stack is small.
#
#   depth.sh FOLIOT
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/../cli/check.sh"
command -v awk >/dev/null || { echo "no awk"; exit 77; }

# many N TEXT: the text so many times.
many()
{
    awk -v n="$1" -v t="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%s", t }'
}
cat >sizes.mo <<'END'
model sizes
  function n input Integer k; output Integer r; protected Real z[n(k + 1)]; algorithm r := size(z, 1); end n;
  Real x[n(1)] = zeros(n(1));
end sizes;
END
cat >calls.mo <<'END'
model calls
  function n input Integer k; output Integer r; algorithm r := size(ones(n(k + 1)), 1); end n;
  Real x[n(1)] = zeros(n(1));
end calls;
END
cat >both.mo <<'END'
model both
  function f input Real u; output Real y; algorithm y := if u < 1e9 then f(u + 1) else u; end f;
  parameter Real p = f(1);
  Real x = f(time);
end both;
END
echo "model parts model A B b; end A; model B A a; end B; A a; end parts;" >parts.mo
awk 'BEGIN { print "model chain"; for (i = 0; i < 20000; i++) printf "parameter Integer n%d = n%d;\n", i, i + 1;
    print "parameter Integer n20000 = 3; Real x[n0] = ones(n0); end chain;" }' >chain.mo
awk 'BEGIN { for (i = 0; i < 20000; i++) printf "model m%d extends m%d; end m%d;\n", i, i + 1, i;
    print "model m20000 Real x = 1; end m20000; model heirs m0 a; end heirs;" }' >heirs.mo
for pair in '(:)' '{:}' 'sin(:)' '2^(:)' 'a[:]' 'if time > 1 then 2 else :'; do
    n=$((${n:-0} + 1))
    { printf 'model nest%d Real x = ' $n; many 100000 "${pair%%:*}"; printf 1; many 100000 "${pair#*:}"; echo '; end;'; } >nest$n.mo
done
{ printf 'model sum Real x = 1'; many 100000 ' + 1'; echo '; end sum;'; } >sum.mo
{ printf 'model ifs Real x; equation '; many 50000 'if true then '; echo 'x = 1;'; many 50000 'end if;'; echo 'end ifs;'; } >ifs.mo
{ many 100000 '['; many 100000 ']'; } >lists.json
many 50000 '{"format": ' >objects.json
{ printf '{"structure": '; many 50000 '['; } >lists.structure.json
{ printf '{"field": '; many 50000 '{"a": '; } >objects.field.json
for model in *.mo *.json; do
    for stack in 8192 1024; do
        last="check $model with a stack of $stack KB"
        (ulimit -s $stack && timeout 60 "$foliot" check "$model") >.out 2>.err </dev/null
        status=$?
        err=$(cat .err)
        checks=$((checks + 1))
        expect 1
        [ -n "$err" ] || fail "it says nothing"
    done
done
last="check sizes.mo"
err=$( (ulimit -s 1024 && "$foliot" check sizes.mo) 2>&1)
says "nested too deep for the stack of this process"
finish
