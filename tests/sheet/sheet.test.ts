// The sheet's parts that need no page: ports, geometry, symbols, diagnoses, keys, search.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { nodesOf } from "../../web/document/diagram.ts";
import type { NodeData } from "../../web/document/diagram.ts";
import type { Json } from "../../web/document/json.ts";
import { align, distribute, spread, stack } from "../../web/sheet/arrange.ts";
import { Camera } from "../../web/sheet/camera.ts";
import { rank } from "../../web/sheet/chooser.ts";
import { locate, pathAt, splitPath } from "../../web/sheet/diagnostics.ts";
import { geometryOf, GRID } from "../../web/sheet/geometry.ts";
import { fedThrough } from "../../web/sheet/hit.ts";
import { splitNumber } from "../../web/sheet/inserter.ts";
import { bindings, keyName } from "../../web/sheet/keys.ts";
import { Kinds, portIndex, portsOf } from "../../web/sheet/kinds.ts";
import type { Topic } from "../../web/sheet/kinds.ts";
import { nodeMarkup } from "../../web/sheet/markup.ts";
import type { Leg } from "../../web/sheet/route.ts";
import { symbolNames, symbolOf } from "../../web/sheet/symbols.ts";
import { digits, typesOf } from "../../web/sheet/values.ts";
import { Wiring } from "../../web/sheet/wiring.ts";
import { models, random } from "./helpers.ts";

const foliot = process.env.FOLIOT ?? "build/check/foliot";
const schema = JSON.parse(readFileSync("docs/diagram.schema.json", "utf8")) as {
  $defs: { node: { properties: { type: { enum: string[] } } } };
};
const types = schema.$defs.node.properties.type.enum;

// What the desk's help says of the nodes that are used here.
const topics: Topic[] = [
  [
    "Integrator",
    "u|reset|initial condition",
    "integral",
    [
      ["External Reset", "none"],
      ["Initial Condition Source", "internal"],
    ],
  ],
  [
    "Sum",
    "first|second",
    "sum",
    [
      ["Sign of First Input", "+"],
      ["Sign of Second Input", "+"],
      ["Signs", ""],
    ],
  ],
  [
    "Product",
    "first|second",
    "product",
    [
      ["Function", "multiplication"],
      ["Signs", ""],
    ],
  ],
  ["Mux", "first|second", "both", [["Inputs", "2"]]],
  ["Demux", "u", "first|second", [["Outputs", "2"]]],
  ["Multi-Port Switch", "first|second|control", "y", [["Inputs", "2"]]],
  ["Gain", "u", "product", [["Gain", "1"]]],
  ["Subsystem", "", "", [["Definition", ""]]],
  ["Input Port", "u", "u", []],
  ["Output Port", "y", "y", []],
  [
    "Modelica Block",
    "",
    "",
    [["Text", "block same input Real u; output Real y; equation y = u; end same;"]],
  ],
].map(([name, inputs, outputs, parameters]) => ({
  kind: "node",
  name: name as string,
  inputs: inputs as string,
  outputs: outputs as string,
  parameters: (parameters as [string, string][]).map(([p, value]) => ({
    name: p,
    kind: "real",
    value,
  })),
}));
const kinds = new Kinds(topics);
const node = (json: object): NodeData => nodesOf({ nodes: [json as Json] })[0]!;
const ports = (json: object, root: Json = {}): string => {
  const { inputs, outputs } = portsOf(node(json), kinds, root);
  return `${inputs.join(",")} > ${outputs.join(",")}`;
};

test("every type of node has a symbol, and no symbol is for nothing", () => {
  for (const type of types) assert.notEqual(symbolOf(type).text, type, type);
  const known = new Set(types);
  for (const name of symbolNames) assert.ok(known.has(name), name);
  for (const type of types)
    for (const length of symbolOf(type).size) assert.equal(length % 20, 0, `${type}: ${length}`);
});

test("ports follow the parameters, however they are spelt", () => {
  assert.equal(ports({ name: "a", type: "Integrator" }), "u > integral");
  assert.equal(
    ports({ name: "a", type: "integrator", parameters: { "external reset": "rising" } }),
    "u,reset > integral",
  );
  assert.equal(
    ports({
      name: "a",
      type: "Integrator",
      parameters: { "External Reset": "either", "Initial Condition Source": "external" },
    }),
    "u,reset,initial condition > integral",
  );
  assert.equal(
    ports({ name: "a", type: "Sum", parameters: { Signs: "+-+" } }),
    "first,second,third > sum",
  );
  assert.equal(ports({ name: "a", type: "Mux", parameters: { Inputs: 5 } }).split(",").length, 5);
  assert.equal(
    ports({ name: "a", type: "Multi-Port Switch", parameters: { Inputs: 3 } }),
    "first,second,third,control > y",
  );
  assert.equal(
    ports({ name: "a", type: "Demux", parameters: { Outputs: "1 3 2" } }),
    "u > first,second,third",
  );
  assert.equal(ports({ name: "a", type: "Input Port" }), " > u");
  assert.equal(
    ports({
      name: "m",
      type: "Modelica Block",
      parameters: {
        Text: [
          "block R",
          ' input Real heat(unit="W"), outside; // input Real no;',
          " output Real T(start=5);",
          "end R;",
        ],
      },
    }),
    "heat,outside > T",
  );
  const inside = {
    nodes: [
      { name: "p", type: "Input Port" },
      { name: "q", type: "Output Port" },
    ],
  };
  assert.equal(ports({ name: "s", type: "Subsystem", diagram: inside }), "p > q");
  assert.equal(
    ports(
      { name: "s", type: "Subsystem", parameters: { Definition: "d" } },
      { subsystems: { d: inside } },
    ),
    "p > q",
  );
  assert.equal(portIndex("2", ["a", "b"]), 1);
  assert.equal(portIndex("mean wait", ["length", "mean wait"]), 1);
  assert.equal(portIndex("3", ["a", "b"]), -1);
});

test("ports lie on the grid, on the edge of the turned box, and look outward", () => {
  for (const type of types)
    for (let turns = 0; turns < 4; turns++)
      for (const flip of [false, true]) {
        const data = { turns, flip };
        const p = { inputs: ["a", "b", "c"].slice(0, 1 + (type.length % 3)), outputs: ["y"] };
        const { box, inputs, outputs } = geometryOf(data, [40, 30], symbolOf(type), p);
        for (const port of [...inputs, ...outputs]) {
          assert.equal(port.x % GRID, 0, type);
          assert.equal(port.y % GRID, 0, type);
          const edge = [box.x + box.w, box.y + box.h, box.x, box.y][port.out]!;
          assert.equal(port.out % 2 ? port.y : port.x, edge, `${type} ${turns} ${flip}`);
        }
      }
});

test("turning by a quarter turns every port by a quarter, mirroring exchanges left and right", () => {
  const p = { inputs: ["a", "b"], outputs: ["y"] };
  const symbol = symbolOf("Sum");
  const at = (turns: number, flip: boolean): [number, number][] => {
    const node = { turns, flip, name: "a name" };
    const { box, inputs, outputs, label } = geometryOf(node, [0, 0], symbol, p);
    // its name stands where no line leaves it
    for (const { x, y, out } of [...inputs, ...outputs])
      if (out % 2 === 1)
        assert.ok(
          Math.abs(label[0] - x) > 18 || Math.sign(label[1] - y) !== (out === 1 ? 1 : -1),
          `${turns} ${flip}: ${label} at ${x}, ${y}`,
        );
    const [cx, cy] = [box.x + box.w / 2, box.y + box.h / 2];
    return [...inputs, ...outputs].map((port) => [port.x - cx, port.y - cy]);
  };
  const straight = at(0, false);
  assert.deepEqual(
    at(1, false),
    straight.map(([x, y]) => [-y + 0, x + 0]),
  );
  assert.deepEqual(
    at(2, false),
    straight.map(([x, y]) => [-x + 0, -y + 0]),
  );
  assert.deepEqual(
    at(0, true),
    straight.map(([x, y]) => [-x + 0, y]),
  );
});

test(
  "every node of every diagram of the gallery can be drawn",
  { skip: !existsSync(foliot) },
  () => {
    const help = execFileSync(foliot, ["desk"], {
      input: '{"id":1,"do":"help"}\n',
      encoding: "utf8",
    });
    const { ok } = JSON.parse(help.split("\n")[0]!) as { ok: { topics: Topic[] } };
    const all = new Kinds(ok.topics);
    assert.equal(all.list.length, types.length);
    for (const [name, text] of Object.entries(models)) {
      const root = JSON.parse(text) as Json;
      const wiring = new Wiring(all);
      wiring.update(root, root);
      wiring.settle(10_000);
      for (const [key, wire] of wiring.wires) {
        assert.ok(wire.source, `${name}: ${key} has no source`);
        for (const link of wire.links) assert.ok(link.port, `${name}: ${key} leads to ${link.to}`);
      }
      for (const item of wiring.nodes.values()) {
        const markup = nodeMarkup(item, wiring.connected(item.name), all);
        assert.ok(!/NaN|undefined/.test(markup), `${name}: ${markup}`);
      }
    }
  },
);

test("what is written in a document cannot break out of the drawing", () => {
  const bad = '"><script>alert(1)</script>';
  const root = {
    nodes: [
      { name: bad, type: "Gain", parameters: { Gain: bad } },
      { name: "x", type: bad },
    ],
  } as Json;
  const wiring = new Wiring(kinds);
  wiring.update(root, root);
  for (const item of wiring.nodes.values()) {
    const markup = nodeMarkup(item, new Set(), kinds);
    assert.ok(!markup.includes("<script"), markup);
    assert.ok(!markup.includes('">"'), markup);
  }
});

test("a step of a drag re-routes what has moved, and nothing else", () => {
  const root = JSON.parse(models["second-order"]!) as Json;
  const wiring = new Wiring(
    new Kinds([
      ...topics,
      ...["Clock", "Absolute", "Trigonometric Function", "Time vs Input", "Display"].map(
        (name) => ({
          kind: "node",
          name,
          inputs: name === "Clock" ? "" : "u",
          outputs: /Time vs|Display/.test(name) ? "" : "y",
        }),
      ),
    ]),
  );
  wiring.update(root, root);
  wiring.settle(10_000);
  const still = wiring.update(root, root);
  assert.equal(still.nodes.size + still.wires.size, 0);
  const moved = wiring.update(root, root, new Map([["sin", [280, 150]]]));
  assert.deepEqual([...moved.nodes], ["sin"]);
  assert.deepEqual([...moved.wires].sort(), ["3.77:1", "sin:1"]);
  const back = wiring.update(root, root);
  assert.deepEqual([...back.nodes], ["sin"]);
});

test("diagnoses find their nodes, ports and lines", () => {
  const text = models["second-order"]!;
  const root = JSON.parse(text) as Json;
  const at = (words: string): ReturnType<typeof locate>[number] =>
    locate([{ from: [0, 0], to: [0, 1], severity: "error", text: words }], root, text, [])[0]!;
  const node = at(
    "$.nodes[4]: node 'sum1' (Sum): input 2 (second) is not connected; a Ground can be put there",
  );
  assert.deepEqual([node.node, node.port, node.here], ["sum1", { input: true, index: 1 }, true]);
  assert.equal(node.text, "input 2 (second) is not connected; a Ground can be put there");
  // an answer about the document before still finds the node that it names
  assert.equal(at("$.nodes[0]: node 'sum1' (Sum): input 2 (second) is not connected").node, "sum1");
  const line = at("$.lines[2].to: there is no node 'sun1'; did you mean 'sum1'?");
  assert.deepEqual([line.wire, line.node], ["0.5:1", "sum1"]);
  assert.equal(at("$.nodes[2].parameters.Gain: expected a number").node, "0.5");
  assert.deepEqual(splitPath("$.subsystems.a.nodes[1].parameters.Initial Condition: no")?.path, [
    "subsystems",
    "a",
    "nodes",
    1,
    "parameters",
    "Initial Condition",
  ]);
  const offset = text.indexOf('"sum1", "type"');
  assert.deepEqual(pathAt(text, offset), ["nodes", 4, "name"]);
});

test("no key means two things", () => {
  const keys = bindings.flatMap((binding) => binding.keys);
  assert.equal(new Set(keys).size, keys.length);
  assert.equal(
    keyName({ key: "z", ctrlKey: true, metaKey: false, altKey: false, shiftKey: true }),
    "Ctrl+Shift+Z",
  );
  assert.equal(
    keyName({ key: "/", ctrlKey: false, metaKey: false, altKey: false, shiftKey: true }),
    "/",
  );
});

test("the search finds what is meant", () => {
  const best = (query: string): string =>
    [...types]
      .flatMap((t) => (rank(query, t) === undefined ? [] : { t, r: rank(query, t)! }))
      .sort((a, b) => a.r - b.r)[0]!.t;
  assert.equal(best("sum"), "Sum");
  assert.equal(best("int"), "Integrator");
  assert.equal(best("tf"), "Transfer Function");
  assert.equal(best("zoh"), "Zero-Order Hold");
  assert.deepEqual(splitNumber("gain -2.5e3"), { name: "gain", number: -2500 });
  assert.deepEqual(splitNumber("Matrix 1"), { name: "Matrix", number: 1 });
  assert.deepEqual(splitNumber("gain"), { name: "gain", number: undefined });
});

test("numbers as they are shown", () => {
  assert.equal(digits(0.09655065), "0.09655");
  assert.equal(digits(-1234567), "−1.235e6");
  assert.equal(digits(0), "0");
  assert.equal(digits(NaN), "–");
  assert.equal(digits(-Infinity), "−∞");
  assert.equal(digits(100), "100");
});

test("types and widths of signals", () => {
  const signal = (name: string, type = "real"): { name: string; type: string } => ({ name, type });
  const types = typesOf([
    signal("a"),
    ...[1, 2, 3].map((i) => signal(`mux[${i}]`)),
    signal("b", "boolean"),
    signal("z.re"),
    signal("z.im"),
    signal("w[1].re"),
    signal("w[1].im"),
    signal("w[2].re"),
    signal("w[2].im"),
  ]);
  assert.deepEqual(Object.fromEntries(types), {
    a: "real",
    mux: "real × 3",
    b: "boolean",
    z: "complex",
    w: "complex × 2",
  });
});

test("zooming keeps what is under the pointer; fitting shows everything", () => {
  const camera = new Camera();
  const pick = random(5);
  for (let i = 0; i < 50; i++) {
    const [px, py] = [pick(900), pick(600)];
    const before = camera.toSheet(px, py);
    camera.zoomAt(px, py, 0.5 + pick(100) / 60);
    const after = camera.toSheet(px, py);
    const scale = 1e-9 * (1 + Math.abs(before[0]) + Math.abs(before[1]));
    assert.ok(Math.abs(before[0] - after[0]) < scale && Math.abs(before[1] - after[1]) < scale);
  }
  const box = { x: -300, y: 50, w: 4000, h: 900 };
  camera.fit(box, 800, 600);
  const seen = camera.seen(800, 600);
  assert.ok(
    seen.x <= box.x + 2 &&
      seen.x + seen.w >= box.x + box.w - 2 &&
      seen.y <= box.y &&
      seen.y + seen.h >= box.y + box.h,
  );
});

test("aligned and distributed nodes stand so", () => {
  const root = {
    nodes: [
      [0, 0],
      [130, 70],
      [320, 30],
    ].map((position, i) => ({ name: `n${i}`, type: "Gain", position })),
  } as unknown as Json;
  const wiring = new Wiring(kinds);
  wiring.update(root, root);
  const nodes = [...wiring.nodes.values()];
  assert.deepEqual(new Set([...align(nodes, "top").values()].map((p) => p[1])), new Set([0]));
  const xs = [...distribute(nodes, true).values()].map((p) => p[0]);
  assert.equal(xs[1]! - xs[0]!, xs[2]! - xs[1]!);
});

test("nodes below each other stand as near to their wishes as their heights allow", () => {
  const next = random(7);
  for (let n = 1; n < 9; n++) {
    const wishes = Array.from({ length: n }, () => next(200));
    const heights = Array.from({ length: n }, () => 20 + next(40));
    const found = stack(wishes, heights, 10);
    const cost = (list: readonly number[]): number =>
      list.reduce((sum, y, i) => sum + (y - wishes[i]!) ** 2, 0);
    const fits = (list: readonly number[]): boolean =>
      list.every(
        (y, i) => !i || y - list[i - 1]! > (heights[i - 1]! + heights[i]!) / 2 + 10 - 1e-9,
      );
    assert.ok(fits(found), `${found}`);
    // no part of it that is moved a little, alone or with what is below it, comes nearer
    for (let i = 0; i < n; i++)
      for (let j = i + 1; j <= n; j++)
        for (const by of [-1, 1]) {
          const other = found.map((y, k) => (k >= i && k < j ? y + by : y));
          assert.ok(!fits(other) || cost(other) > cost(found) - 1e-9, `${wishes}: ${other}`);
        }
  }
});

test(
  "arranged, signals run to the right, and chains straight",
  { skip: !existsSync(foliot) },
  () => {
    const text = models["second-order"]!;
    const root = JSON.parse(text) as Json;
    const requests = [
      { id: 1, do: "open", name: "a.json", text },
      { id: 2, do: "layout", doc: 1 },
      { id: 3, do: "help" },
    ];
    const answers = execFileSync(foliot, ["desk"], {
      input: requests.map((r) => `${JSON.stringify(r)}\n`).join(""),
      encoding: "utf8",
    })
      .split("\n")
      .filter(Boolean)
      .map((line) => JSON.parse(line) as { id: number; ok: never });
    const answer = <T>(id: number): T => answers.find((a) => a.id === id)!.ok;
    const rough = answer<{ nodes: Record<string, [number, number]> }>(2).nodes;
    const wiring = new Wiring(new Kinds(answer<{ topics: Topic[] }>(3).topics));
    wiring.update(root, root);
    const back = [...wiring.wires.values()].flatMap((wire) =>
      wire.links.filter((l) => rough[l.node]![0] <= rough[wire.node]![0]).map((l) => l.to),
    );
    assert.deepEqual(back, ["sum2:2"]); // of a loop one line leads back
    const places = spread(rough, wiring);
    const held = new Map(places);
    wiring.update(root, root, held);
    wiring.settle(10_000);
    for (const name of ["t", "3.77", "sin", "absolute", "9", "sum2"])
      assert.equal(
        wiring.wires.get(`${name}:1`)?.legs[0]?.points.length,
        2,
        `${name} leads straight on`,
      );
    const boxes = [...wiring.nodes.values()].map((n) => n.geometry.box);
    for (const [i, a] of boxes.entries())
      for (const b of boxes.slice(i + 1))
        assert.ok(a.x >= b.x + b.w || b.x >= a.x + a.w || a.y >= b.y + b.h || b.y >= a.y + a.h);
  },
);

test("a place of a line feeds its own end and what branches off behind it", () => {
  const link = (to: string) => ({ to, node: to, port: undefined, pins: [] });
  const links = ["a", "b", "c"].map(link);
  const wire = {
    key: "s",
    from: "s",
    node: "s",
    source: undefined,
    color: undefined,
    links,
    signature: "",
    legs: [
      {
        points: [
          [0, 0],
          [100, 0],
        ],
        branches: false,
      },
      {
        points: [
          [50, 0],
          [50, 80],
          [100, 80],
        ],
        branches: true,
      },
      {
        points: [
          [50, 40],
          [100, 40],
        ],
        branches: true,
      },
    ] as Leg[],
  };
  const fed = (i: number, at: readonly [number, number]): string[] =>
    fedThrough({ kind: "line", wire, link: links[i]!, segment: 0, at }).sort();
  assert.deepEqual(fed(0, [20, 0]), ["a", "b", "c"]);
  assert.deepEqual(fed(0, [80, 0]), ["a"]);
  assert.deepEqual(fed(1, [50, 20]), ["b", "c"]);
  assert.deepEqual(fed(1, [70, 80]), ["b"]);
  assert.deepEqual(fed(2, [70, 40]), ["c"]);
});
