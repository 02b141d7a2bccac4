# Options have one name for one thing: read from the tables themselves, as foliot help --json gives them.
#
#   options.sh FOLIOT
set -u
command -v python3 >/dev/null || exit 77
foliot=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
"$foliot" help --json >tables.json || { echo "help --json failed"; exit 1; }
python3 - <<'END'
import json, sys

commands = json.load(open("tables.json"))["commands"]
failed = []
uses = {}
for c in commands:
    names = [o["name"] for o in c["options"]]
    letters = [o["letter"] for o in c["options"] if o["letter"]]
    if len(set(names)) != len(names) or len(set(letters)) != len(letters):
        failed.append(f"{c['name']}: an option is there twice")
    if "json" not in names:
        failed.append(f"{c['name']} has no --json")
    for o in c["options"]:
        uses.setdefault(o["name"], []).append((c["name"], o))
        if o["letter"]:
            uses.setdefault("-" + o["letter"], []).append((c["name"], {"kind": o["name"], "value": None}))
if len(commands) < 20 or len(uses) < 80:
    failed.append(f"only {len(commands)} commands and {len(uses)} options were read")

# The same kind of value, called the same. A picture may have a choice of what is drawn (--plot=A,B),
# and what is given once in one command may be repeated in another.
same = {"flag": "flag", "text or nothing": "flag", "texts": "text", "positive number": "number"}
for name, where in sorted(uses.items()):
    kinds = {same.get(o["kind"], o["kind"]) for _, o in where}
    values = {o["value"] for _, o in where if o["value"] and not o["value"].startswith("[=")}
    if len(kinds) > 1 or len(values) > 1:
        failed.append(f"--{name} means several things: " + "; ".join(
            f"{c} takes {o['value']} ({o['kind']})" for c, o in where))

for line in failed:
    print(line)
print(f"{len(uses)} options of {len(commands)} commands")
sys.exit(bool(failed))
END
result=$?

# Commands that print nothing else are read back.
cat >two.json <<'END'
{"studies": [{"command": "sweep", "model": "ball", "vary": {"e": "0.5,0.6"}, "measure": ["max(y)"], "stop": 1},
             {"command": "steady", "model": "lorenz"}]}
END
for words in "study two.json --json" "study two.json --json --print" "export clamped-beam --matrix --json" \
    "export clamped-beam --document --output d.structure.json --json" "help --json run" "help --json"; do
    # shellcheck disable=SC2086 # words
    "$foliot" $words >out.json 2>err || { echo "foliot $words failed: $(cat err)"; result=1; }
    python3 - "$words" <<'END' || result=1
import json, sys
text, found = open("out.json").read(), []
while text.strip():
    value, end = json.JSONDecoder().raw_decode(text.lstrip())
    found.append(value)
    text = text.lstrip()[end:]
wanted = 2 if sys.argv[1].startswith("study") else 1
if len(found) != wanted or not all(found):
    sys.exit(f"{sys.argv[1]}: {len(found)} documents, {wanted} expected")
END
done
exit $result
