// Scenes that follow from what a model says of itself.
import assert from "node:assert/strict";
import { test } from "node:test";
import { Range, scaleColor } from "../../web/scene/colors.ts";
import {
  deriveScene,
  fieldSignals,
  readScene,
  springsByName,
  wantedSignals,
} from "../../web/scene/derive.ts";
import { Bindings } from "../../web/scene/model.ts";
import type { Description } from "../../web/engine/protocol.ts";

function describe(
  kind: string,
  name: string,
  signals: readonly string[],
  numbers: Record<string, number> = {},
  events: readonly string[] = [],
): Description {
  return {
    kind,
    name,
    run: { start: 0, stop: 1, interval: 0.1, step: 0.1, rtol: 1e-6, atol: 1e-9, random: false },
    numbers: Object.entries(numbers).map(([n, value]) => ({
      name: n,
      value,
      type: "real",
      variability: "tunable",
    })),
    signals: signals.map((s) => ({ name: s, type: "real", kind: "state" })),
    events: events.map((e) => ({ name: e })),
    guards: [],
    plot: [],
    totals: [],
  };
}
const derive = (d: Description): ReturnType<typeof deriveScene> =>
  deriveScene(
    d,
    d.signals.map((s) => s.name),
  );

test("numbers are read as offset + gain * signal", () => {
  const bindings = new Bindings(["a", "b"]);
  bindings.values = [2, 5];
  assert.equal(bindings.read({ signal: "b", gain: 3, offset: 1 }), 16);
  assert.equal(bindings.read({ signal: "a" }), 2);
  assert.equal(bindings.read(7), 7);
  assert.ok(Number.isNaN(bindings.read({ signal: "c" })));
});

test("a described scene is taken as it is, what it has wrong is left out", () => {
  const scene = readScene({
    camera: [0, 0, 4],
    background: "x",
    shapes: [
      {
        kind: "sphere",
        position: [{ signal: "x", gain: 1, offset: 0 }, 0, 0],
        size: [1, 1, 1],
        color: [1, 0, 0],
      },
      { kind: "dragon" },
      null,
      { kind: "line", position: [0, 0, 0], end: [1, "2", 0] },
    ],
  });
  assert.equal(scene?.shapes.length, 2);
  assert.deepEqual(scene.camera, [0, 0, 4]);
  assert.equal(scene.background, undefined);
  assert.deepEqual(scene.shapes[1]?.end, [1, 0, 0]);
  assert.equal(readScene(3), undefined);
});

test("pendulums hang on their length and can be tapped", () => {
  const one = derive(describe("system", "pendulum", ["y", "v"], { l: 0.5 }, ["tap"]))!;
  const bob = one.shapes.find((s) => s.name === "y")!;
  assert.deepEqual(bob.position, [0, -0.5, 0]);
  assert.deepEqual(bob.rotation?.[2], { signal: "y", gain: 1, offset: 0 });
  assert.equal(bob.tap, "tap");
  const two = derive(
    describe("system", "double-pendulum", ["y1", "y2"], { l: 1 }, ["tap1", "tap2"]),
  )!;
  assert.deepEqual(
    two.shapes.flatMap((s) => s.tap ?? []),
    ["tap1", "tap2"],
  );
});

test("springs between neighbours of chains, lattices and blocks", () => {
  assert.deepEqual(springsByName(["1", "2", "3"]), [
    [0, 1],
    [1, 2],
  ]);
  assert.deepEqual(springsByName(["a.1", "a.2", "b.1", "mass"]), [[0, 1]]);
  const lattice = [1, 2, 3].flatMap((i) => [1, 2].map((j) => `beam.${i}.${j}`));
  // 3 by 2: 4 along, 3 across, 4 diagonals
  assert.equal(springsByName(lattice).length, 11);
  const block = [1, 2].flatMap((i) => [1, 2].flatMap((j) => [1, 2].map((k) => `b.${i}.${j}.${k}`)));
  // a cube: 12 edges and 12 diagonals of its faces
  assert.equal(springsByName(block).length, 24);
});

test("a structure has its nodes, what holds them, and what pulls them", () => {
  const names = ["top.x", "top.y", "tip.x", "tip.y", "tip.vx", "tip.vy"];
  const text = JSON.stringify({
    nodes: [{ name: "top", fixed: true }, { name: "tip" }],
    springs: [{ between: ["top", "tip"] }],
  });
  const scene = deriveScene(describe("structure", "swing", names), names, text)!;
  assert.deepEqual(scene.structure?.springs, [[0, 1]]);
  assert.deepEqual(
    scene.structure.nodes.map((n) => n.fixed),
    [true, false],
  );
  assert.deepEqual(scene.structure.nodes[1]?.velocity, ["tip.vx", "tip.vy", undefined]);
  assert.ok(deriveScene(describe("structure", "swing", names), names, "{broken")?.structure);
});

test("a field knows the names of its nodes, x first", () => {
  assert.deepEqual(fieldSignals([3, 2], false)[4], { probe: "value(1,1)", state: "x[4]" });
  assert.deepEqual(fieldSignals([3, 1], true)[2], { probe: "value(2)", state: "x[2]" });
  const d = describe("field", "wave", ["value(1,1)"], {
    "size[1]": 3,
    "size[2]": 2,
    "length[1]": 30,
    "length[2]": 20,
  });
  assert.equal(wantedSignals(d).length, 6);
  const probes = derive(d)!.field!;
  assert.deepEqual(
    probes.signals.filter((s) => s !== undefined),
    ["value(1,1)"],
  );
  const whole = deriveScene(d, wantedSignals(d))!.field!;
  assert.equal(whole.signals.filter((s) => s !== undefined).length, 6);
});

test("other models have something that moves", () => {
  assert.equal(derive(describe("system", "ball", ["y", "v", "x"]))!.shapes[0]?.kind, "sphere");
  assert.equal(
    derive(describe("system", "mass-spring-damper", ["x", "v"], { k: 1 }))!.shapes[1]?.kind,
    "spring",
  );
  assert.equal(derive(describe("system", "lorenz", ["x", "y", "z"]))!.shapes[0]?.kind, "trail");
  assert.equal(derive(describe("world", "bank", ["line", "wait"]))!.columns?.signals.length, 2);
  assert.equal(
    derive(
      describe(
        "text",
        "heat-rod",
        Array.from({ length: 20 }, (_, i) => `T[${i + 1}]`),
      ),
    )!.field?.size[0],
    20,
  );
  assert.equal(derive(describe("text", "newton-cooling", ["T"]))!.columns?.signals.length, 1);
  assert.equal(derive(describe("text", "nothing", [])), undefined);
});

test("colour scales and ranges", () => {
  assert.deepEqual(scaleColor(0), [0.267, 0.005, 0.329]);
  assert.deepEqual(scaleColor(5), scaleColor(1));
  assert.deepEqual(scaleColor(NaN), scaleColor(0));
  for (let i = 0; i < 100; i++) {
    // lighter and lighter, also for who sees no colours
    const light = ([r, g, b]: readonly number[]): number => 0.2126 * r! + 0.7152 * g! + 0.0722 * b!;
    assert.ok(light(scaleColor((i + 1) / 100)) >= light(scaleColor(i / 100)));
  }
  const range = new Range();
  assert.equal(range.place(3), 0.5);
  for (const value of [2, NaN, -4, Infinity]) range.take(value);
  assert.deepEqual([range.low, range.high, range.reach], [-4, 2, 4]);
  assert.equal(range.place(-1), 0.5);
});
