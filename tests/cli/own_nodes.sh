#!/bin/sh
# Node types of one's own: --node-types mine.c and --node-types ./mine.so.
#
#   own_nodes.sh FOLIOT SOURCE
include=$2/include
# shellcheck source=tests/cli/check.sh
. "$(dirname "$0")/check.sh"
XDG_CACHE_HOME=$PWD/cache
export XDG_CACHE_HOME
command -v cc >/dev/null || { echo "no cc"; exit 77; }

cat >mine.c <<'END'
#include <foliot/node.h>

static void output(const fo_node_call *c)
{
    for (uint32_t i = 0; i < c->size; i++)
        c->outputs[0][i] = fo_node_at(&c->inputs[0], i) * fo_node_at(&c->parameters[0], i);
}

static const fo_node_field fields[] = {{"Factor", FO_NODE_NUMBERS, "1", 0, "of it"}, {0}};
static const fo_node_type scale = {.name = "Scale",
                                   .about = "The input times the factor. No more.",
                                   .inputs = "u",
                                   .outputs = "product",
                                   .parameters = fields,
                                   .output = output};
FO_EXPORT_NODES(&scale);
END
cat >d.json <<'END'
{"format": "foliot diagram", "version": 1, "simulation": {"stop": 1, "step": 0.5},
 "nodes": [{"name": "t", "type": "Clock"}, {"name": "k", "type": "scale", "parameters": {"Factor": 3}},
           {"name": "end", "type": "Terminator"}],
 "lines": [{"from": "t", "to": "k"}, {"from": "k", "to": "end"}]}
END

run run d.json --node-types mine.c --signals end -q -o c.csv
expect 0
equal "the last row" "$(tail -n 1 c.csv)" "1,3"
equal "what is kept" "$(find cache/foliot -type f | wc -l)" 1
cc -shared -fPIC -I "$include" mine.c -o mine.so
run run d.json --node-types mine.so --signals end -q -o so.csv
expect 0
equal "the other file" "$(cat c.csv)" "$(cat so.csv)"
run run d.json --node-types mine.c --set k.Factor=7 --signals end -q -o c.csv
expect 0
equal "the last row" "$(tail -n 1 c.csv)" "1,7"
run check d.json --node-types mine.c
expect 0
run show d.json --node-types mine.c
expect 0
prints "k.Factor"
run live d.json --node-types mine.c --stop 0.2 --plain
expect 0
run nodes --node-types mine.c
expect 0
prints "Your own"
prints "The input times the factor."
run nodes --node-types mine.c SCALE
expect 0
prints "Scale (Your own)"
prints "of it"

# Without the file there is no such type, and nothing is looked for.
run check d.json
expect 1
says "unknown node type 'scale'"

# What is wrong with a file is said.
run check d.json --node-types none.c
expect 2
says "cannot open none.c"
run check d.json --node-types d.json
expect 2
says "node types are in *.so or *.c"
run check d.json --node-types mine.c --node-types mine.so
expect 2
says "there are two node types 'Scale'"
echo 'int three = 3;' >three.c
run check d.json --node-types three.c
expect 2
says "three.c has no node types: it has no FO_EXPORT_NODES"
echo 'int three = ;' >wrong.c
run check d.json --node-types wrong.c
expect 2
says "wrong.c:1:"
sed 's/"Scale"/"Gain"/' mine.c >gain.c
run check d.json --node-types gain.c
expect 2
says "the node type 'Gain' has the name of one that there is already"
sed 's/FO_EXPORT_NODES.*/static const fo_node_type *const list[] = {\&scale, 0};\
extern const fo_node_export fo_exported_nodes;\
const fo_node_export fo_exported_nodes = {"0.0.1", list};/' mine.c >old.c
run check d.json --node-types old.c
expect 2
says "was compiled for foliot 0.0.1"
finish
