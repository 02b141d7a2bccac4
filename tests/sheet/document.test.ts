// The document: every command takes itself back, whatever came before it.
import assert from "node:assert/strict";
import { test } from "node:test";
import * as commands from "../../web/document/commands.ts";
import { levelAt, netsOf, nodesOf, parseReference } from "../../web/document/diagram.ts";
import { JsonDocument } from "../../web/document/document.ts";
import type { Draft } from "../../web/document/document.ts";
import { copy, paste, readFragment } from "../../web/document/fragment.ts";
import type { Json } from "../../web/document/json.ts";
import * as lines from "../../web/document/lines.ts";
import { print } from "../../web/document/print.ts";
import { group, ungroup } from "../../web/document/subsystem.ts";
import { models, random } from "./helpers.ts";

const open = (text = ""): JsonDocument => new JsonDocument("test.json", text);

// One command at random; `pick` draws a whole number below its argument.
function act(doc: JsonDocument, pick: (n: number) => number): void {
  const nodes = nodesOf(doc.root);
  const name = (): string => nodes[pick(nodes.length)]?.name ?? "none";
  const some = (): Set<string> => new Set(nodes.filter(() => pick(3) === 0).map((n) => n.name));
  const types = ["Gain", "Sum", "Integrator", "Step", "Display", "Subsystem"];
  const end = (): string => (pick(2) ? name() : `${name()}:${pick(3) + 1}`);
  const point = (): [number, number] => [pick(900) / 4, pick(900) / 4];
  const recipes: ((d: Draft) => unknown)[] = [
    (d) =>
      commands.addNode(d, [], {
        type: types[pick(6)]!,
        position: point(),
      }),
    (d) => nodes.length && lines.connect(d, [], end(), end()),
    (d) => nodes.length && lines.connect(d, [], end(), end()),
    (d) => lines.disconnect(d, [], end()),
    (d) => commands.removeNodes(d, [], [name()], pick(2) === 0),
    (d) => commands.moveNodes(d, [], new Map([...some()].map((n) => [n, point()]))),
    (d) => commands.orient(d, [], some(), (["rotate", "flip-x", "flip-y"] as const)[pick(3)]!),
    (d) => nodes.length && commands.renameNode(d, [], name(), `name ${pick(40)}`),
    (d) =>
      nodes.length && commands.setParameter(d, [], name(), "Gain", pick(9) ? pick(9) : undefined),
    (d) => lines.colorNet(d, [], name(), pick(2) ? "#ff0000" : undefined),
    (d) => lines.pinLine(d, [], end(), pick(2) ? [point()] : undefined),
    (d) => commands.addNote(d, [], "a note", point()),
    (d) => commands.setNote(d, [], pick(3), { text: `text ${pick(9)}` }),
    (d) => commands.removeNotes(d, [], [pick(3)]),
    (d) => group(d, [], some()),
    (d) => ungroup(d, [], name()),
    (d) => paste(d, [], readFragment(copy(d.root, [], some()))!, [20, 20]),
    (d) => commands.setSheetParameter(d, `p${pick(3)}`, pick(3) ? pick(9) : undefined),
    (d) => commands.setSimulation(d, "stop", pick(9) + 1),
  ];
  const gesture = pick(4) ? {} : { gesture: "g" };
  doc.change("act", recipes[pick(recipes.length)]!, gesture);
}

test("undo to the beginning and redo to the end give the same documents, letter by letter", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const pick = random(seed);
    const doc = open(seed % 2 ? "" : models["second-order"]);
    const texts = [print(doc.root)];
    let heard = 0;
    doc.subscribe(() => heard++);
    for (let i = 0; i < 60; i++) {
      const before = heard;
      act(doc, pick);
      if (heard > before) texts.push(print(doc.root));
      // a gesture may have gone into the step before: walk back and forth from here
      if (pick(10) === 0) {
        const text = print(doc.root);
        const steps = 1 + pick(5);
        let back = 0;
        while (back < steps && doc.undo()) back++;
        for (let k = 0; k < back; k++) assert.ok(doc.redo());
        assert.equal(print(doc.root), text);
      }
    }
    const last = print(doc.root);
    while (doc.undo());
    assert.equal(print(doc.root), texts[0]);
    assert.equal(doc.canUndo, false);
    while (doc.redo());
    assert.equal(print(doc.root), last);
  }
});

test("a net never feeds an input twice, and no line hangs in the air", () => {
  for (let seed = 1; seed <= 60; seed++) {
    const pick = random(1000 + seed);
    const doc = open();
    for (let i = 0; i < 80; i++) {
      act(doc, pick);
      const names = new Set(nodesOf(doc.root).map((n) => n.name));
      const ends = netsOf(doc.root).flatMap((net) => net.targets.map((t) => t.to));
      const keys = ends.map((e) => `${parseReference(e).node}:${parseReference(e).port}`);
      assert.equal(new Set(keys).size, keys.length);
      for (const net of netsOf(doc.root)) {
        assert.ok(net.targets.length > 0);
        assert.ok(names.has(parseReference(net.from).node), net.from);
        for (const { to } of net.targets) assert.ok(names.has(parseReference(to).node), to);
      }
    }
  }
});

test("steps of one gesture are undone together, sealed ones are not", () => {
  const doc = open();
  doc.change("add", (d) => commands.addNode(d, [], { type: "Gain", position: [0, 0] }));
  for (const value of [1, 2, 3])
    doc.change("set", (d) => commands.setParameter(d, [], "gain", "Gain", value), {
      gesture: "s",
    });
  doc.seal();
  doc.change("set", (d) => commands.setParameter(d, [], "gain", "Gain", 4), {
    gesture: "s",
  });
  const gain = (): unknown => nodesOf(doc.root)[0]?.parameters.Gain;
  assert.equal(gain(), 4);
  doc.undo();
  assert.equal(gain(), 3);
  doc.undo();
  assert.equal(gain(), undefined);
  assert.equal(doc.undoLabel, "add");
});

test("what is opened and not changed is saved to the letter", () => {
  for (const text of Object.values(models)) {
    const doc = open(text);
    assert.equal(doc.text(), text);
    doc.change("a", (d) => commands.setSimulation(d, "stop", 77));
    assert.notEqual(doc.text(), text);
    assert.deepEqual(JSON.parse(doc.text()), {
      ...JSON.parse(text),
      simulation: { ...JSON.parse(text).simulation, stop: 77 },
    });
    doc.undo();
    assert.deepEqual(JSON.parse(doc.text()), JSON.parse(text));
  }
});

test("mirroring twice and turning four times change nothing; X after R is R-inverse after X", () => {
  const doc = open();
  doc.change("add", (d) => commands.addNode(d, [], { type: "Gain", position: [0, 0] }));
  const state = (): string => `${nodesOf(doc.root)[0]!.turns} ${nodesOf(doc.root)[0]!.flip}`;
  const turn = (...list: commands.Turn[]): string => {
    for (const t of list) doc.change("turn", (d) => commands.orient(d, [], ["gain"], t));
    const result = state();
    list.forEach(() => doc.undo());
    return result;
  };
  assert.equal(turn("flip-x", "flip-x"), "0 false");
  assert.equal(turn("flip-y", "flip-y"), "0 false");
  assert.equal(turn("rotate", "rotate", "rotate", "rotate"), "0 false");
  assert.equal(turn("flip-x", "flip-y"), turn("rotate", "rotate"));
  assert.equal(turn("rotate", "flip-x"), turn("flip-x", "rotate", "rotate", "rotate"));
});

test("a subsystem made and taken apart gives the same nodes and connections", () => {
  const doc = open(models["second-order"]);
  const links = (): string[] =>
    netsOf(doc.root)
      .flatMap((net) => net.targets.map((t) => `${net.from}>${t.to}`.replaceAll(/:1(?=>|$)/g, "")))
      .sort();
  const before = links();
  const names = new Set(["0.5", "11", "sum1"]);
  const name = doc.change("group", (d) => group(d, [], names))!;
  assert.equal(nodesOf(levelAt(doc.root, [name])).length, 6);
  assert.equal(nodesOf(doc.root).length, 11);
  doc.change("ungroup", (d) => ungroup(d, [], name));
  assert.deepEqual(links(), before);
});

test("a fragment brings its named numbers, also those of which they are made", () => {
  const doc = open(
    JSON.stringify({
      format: "foliot diagram",
      parameters: { m: 2, g: 9.81, l: 0.5, omega: "sqrt(g/l)" },
      nodes: [
        { name: "a", type: "Gain", parameters: { Gain: "2*omega" } },
        { name: "b", type: "Gain" },
      ],
      lines: [{ from: "a", to: "b" }],
    }),
  );
  const text = copy(doc.root, [], new Set(["a", "b"]));
  assert.deepEqual(JSON.parse(text).parameters, {
    g: 9.81,
    l: 0.5,
    omega: "sqrt(g/l)",
  });
  const other = open();
  const names = other.change("paste", (d) => paste(d, [], readFragment(text)!, [10, 0]));
  assert.deepEqual(names, ["a", "b"]);
  const again = other.change("paste", (d) => paste(d, [], readFragment(text)!, [10, 0]));
  assert.deepEqual(again, ["a 2", "b 2"]);
  assert.equal(netsOf(other.root).length, 2);
});

test("lines keep their colours in copies, in a subsystem and out of it", () => {
  const doc = open(
    JSON.stringify({
      format: "foliot diagram",
      nodes: ["a", "b", "c", "d"].map((name) => ({ name, type: "Gain" })),
      lines: [
        { from: "a", to: "b", color: "s1" },
        { from: "b", to: "c", color: "s2" },
        { from: "c", to: "d", color: "s3" },
      ],
    }),
  );
  const colors = (at: Json | undefined): (string | undefined)[] => netsOf(at).map((n) => n.color);
  const text = copy(doc.root, [], new Set(["b", "c"]));
  const other = open();
  other.change("paste", (d) => paste(d, [], readFragment(text)!, [0, 0]));
  assert.deepEqual(colors(other.root), ["s2"]);
  const name = doc.change("group", (d) => group(d, [], new Set(["b", "c"])))!;
  assert.deepEqual(colors(levelAt(doc.root, [name])).sort(), ["s1", "s2", "s3"]);
  assert.deepEqual(colors(doc.root).sort(), ["s1", "s3"]);
  doc.change("ungroup", (d) => ungroup(d, [], name));
  assert.deepEqual(colors(doc.root).sort(), ["s1", "s2", "s3"]);
});

test("a node that goes into a coloured line, and out of it again, leaves the colour", () => {
  const written: readonly Json[] = [
    [{ from: "a", to: ["c", "d"], color: "s3" }],
    [{ from: "a", to: "c", branches: [{ to: "d" }], color: "s3" }],
    [
      { from: "a", to: "c", color: "s3" },
      { from: "a", to: "d", color: "s3" },
    ],
  ];
  for (const list of written)
    for (const ends of [["c", "d"], ["c"], ["d"]]) {
      const nodes = ["a", "c", "d"].map((name) => ({ type: "Gain", name, position: [0, 0] }));
      const doc = open(JSON.stringify({ nodes, lines: list }));
      const before = doc.root;
      const colors = () => netsOf(doc.root).map(({ from, color }) => [from, color]);
      doc.change("insert", (d) => {
        commands.addNode(d, [], { type: "Gain", name: "g", position: [50, 50] });
        lines.insertInLine(d, [], ends, "g", "g");
      });
      assert.deepEqual(colors().sort(), [
        ["a", "s3"],
        ["g", "s3"],
      ]);
      doc.change("remove", (d) => commands.removeNodes(d, [], ["g"], true));
      assert.deepEqual(colors(), [["a", "s3"]]);
      doc.undo();
      doc.undo();
      assert.deepEqual(doc.root, before);
    }
  // a line of the node that has a colour of its own keeps it
  const nodes = ["a", "c", "d", "g"].map((name) => ({ type: "Gain", name, position: [0, 0] }));
  const own = { from: "g", to: "d", color: "s5" };
  const doc = open(JSON.stringify({ nodes, lines: [{ from: "a", to: "c", color: "s3" }, own] }));
  doc.change("insert", (d) => lines.insertInLine(d, [], ["c"], "g", "g"));
  assert.equal(netsOf(doc.root).find(({ from }) => from === "g")?.color, "s5");
});

test("hostile documents are passed over, not fallen over", () => {
  for (const text of [
    '{"nodes": 3, "lines": "x"}',
    '{"nodes": [null, 1, {"name": 2}, {"name": "a", "type": "Gain", "position": ["x", 1]}]}',
    '{"nodes": [], "lines": [{"from": 1}, {"from": "a", "to": [1, null]}, null]}',
    '{"nodes": [{"name": "__proto__", "type": "constructor"}], "lines": []}',
  ]) {
    const doc = open(text);
    nodesOf(doc.root);
    netsOf(doc.root);
    copy(doc.root, [], new Set(["a"]));
  }
  assert.throws(() => open("[1, 2]"), SyntaxError);
  assert.throws(() => open("{"), SyntaxError);
});
