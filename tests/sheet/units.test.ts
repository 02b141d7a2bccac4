// Units as people type them.
import assert from "node:assert/strict";
import { test } from "node:test";
import { convert, splitQuantity } from "../../web/engine/units.ts";
import { toggleProbe } from "../../web/document/probes.ts";
import { bell } from "../../web/scene/water.ts";
import { columnsFor, Filling, roleOf } from "../../web/scene/process.ts";
import { diffLines, hunks } from "../../web/document/diff.ts";
import { crc32 } from "../../web/scene/film.ts";
import { packFigure, unpackFigure } from "../../web/app/figure.ts";

test("what is typed becomes the unit that is asked", () => {
  const cases: [number, string, string, number][] = [
    [20, "cm", "m", 0.2],
    [72, "km/h", "m/s", 20],
    [90, "deg", "rad", Math.PI / 2],
    [3, "min", "s", 180],
    [25, "degC", "K", 298.15],
    [298.15, "K", "degC", 25],
    [1, "bar", "Pa", 1e5],
    [5, "g", "kg", 0.005],
    [9.81, "m/s2", "m/s^2", 9.81],
    [1, "kN.m", "J", 1000],
    [60, "rpm", "rad/s", 2 * Math.PI],
    [50, "%", "", 0.5],
  ];
  for (const [value, typed, wanted, truth] of cases) {
    const got = convert(value, typed, wanted);
    assert.ok(typeof got === "number", `${value} ${typed}: ${got}`);
    assert.ok(Math.abs(got - truth) <= 1e-14 * Math.abs(truth), `${value} ${typed}: ${got}`);
  }
});

test("there and back gives the same number", () => {
  for (const [a, b] of [
    ["km/h", "m/s"],
    ["deg", "rad"],
    ["mm^2", "m2"],
    ["uF", "F"],
  ] as const)
    for (const value of [0.1, 3, 12345.678]) {
      const there = convert(value, a, b) as number;
      assert.ok(Math.abs((convert(there, b, a) as number) - value) <= 1e-13 * value);
    }
});

test("what makes no sense is explained", () => {
  assert.match(String(convert(1, "s", "m")), /another kind/);
  assert.match(String(convert(1, "furlong", "m")), /no unit/);
  assert.match(String(convert(1, "kg", "")), /pure number/);
  assert.match(String(convert(1, "m", "widgets")), /without a unit/);
  assert.deepEqual(splitQuantity("1e3 km"), ["1e3", "km"]);
  assert.deepEqual(splitQuantity("-2.5"), ["-2.5", ""]);
});

test("a probe is put in and taken out, and the rest of the text stays", () => {
  const text = '{\n  "size": [8, 6], // no\n  "probes": [{"node": [3, 2]}],\n  "c": 1\n}\n';
  const more = toggleProbe(text, [5, 4], true);
  assert.equal(more, text.replace("[3, 2]}]", '[3, 2]}, {"node": [5, 4]}]'));
  assert.equal(toggleProbe(more, [5, 4], true), text);
  assert.equal(toggleProbe(text, [3, 2], true), text.replace('{"node": [3, 2]}', ""));
  const none = '{"size": [20]}\n';
  const one = toggleProbe(none, [7, 0], false);
  assert.deepEqual(JSON.parse(one), { size: [20], probes: [{ node: [7] }] });
  assert.deepEqual(JSON.parse(toggleProbe(one, [7, 0], false)), { size: [20], probes: [] });
});

test("a finger is a bell that stays inside of the field", () => {
  const cells = bell([22, 22], [0, 21]);
  assert.ok(cells.every(([k, part]) => k >= 0 && k < 484 && part > 0 && part <= 1));
  assert.deepEqual(
    cells.filter(([, part]) => part === 1).map(([k]) => k),
    [21 * 22],
  );
  assert.ok(bell([22, 1], [11, 0]).every(([k]) => k < 22));
});

test("a figure in an address is the same figure again, and nonsense is left out", () => {
  const figure = {
    signals: ["y1", "a b&c"],
    window: [0.25, 3.5] as const,
    cursor: 1.5,
    kind: "xy",
    axes: ["v 1", "y1"],
    choices: { stop: 20, rtol: 1e-7, seed: 0, solver: "rk4" },
    settings: { g: 9.81, "x=y": -1e-9 },
    against: { settings: { "a&b": 1 }, choices: { interval: 0.5 } },
  };
  assert.deepEqual(unpackFigure(packFigure(figure)), figure);
  assert.deepEqual(unpackFigure("t=3,1&at=x&stop=-1&seed=-2&as=z&set=q&set==2&y=v"), {
    signals: ["v"],
    settings: {},
    choices: {},
  });
});

test("signals of a process are drawn as what they are", () => {
  assert.equal(roleOf("line", false, false), "queue");
  assert.equal(roleOf("cars", false, true), "figure"); // all that have come
  assert.equal(roleOf("running", false, false), "store");
  assert.equal(roleOf("fuel", false, false), "level");
  assert.equal(roleOf("mean-wait", false, false), "figure");
});

test("histograms stand beside each other where they would be too low one above the other", () => {
  assert.equal(columnsFor(3, 400, 400), 1);
  assert.equal(columnsFor(8, 600, 340), 2);
  assert.equal(columnsFor(8, 900, 130), 4);
  assert.equal(columnsFor(40, 400, 100), 1); // lines of words
});

test("a histogram that fills keeps all of the time, whatever comes", () => {
  const filling = new Filling();
  let [sum, all, seed] = [0, 0, 7];
  for (let i = 0; i < 2000; i++) {
    seed = (seed * 48271) % 2147483647;
    const value = (seed / 2147483647 - 0.3) * 10 ** (i % 5);
    const weight = 1 + (i % 3);
    filling.take(value, weight);
    sum += weight * value;
    all += weight;
    const end = filling.low + filling.parts.length * filling.width;
    assert.ok(value >= filling.low && value < end);
  }
  const held = filling.parts.reduce((total, part) => total + part, 0);
  assert.ok(Math.abs(held - all) < 1e-9 * all);
  assert.ok(Math.abs(filling.mean - sum / all) < 1e-9 * Math.abs(sum / all));
  filling.take(NaN, 1);
  filling.take(1, 0);
  assert.equal(filling.time, all);
});

test("lines that differ are found: the old text and what is put give the new one", () => {
  const old = "a\nb\nc\nd\ne\nf\ng\nh";
  for (const now of [
    old,
    "",
    "a\nx\nc\nd\ne\nf\ng\nh",
    "z\na\nb\nh\ng",
    "b\nc\nd\ne\nf\ng\nh\nh",
  ]) {
    const lines = diffLines(old, now);
    const text = (...kinds: string[]) =>
      lines.flatMap(({ kind, text: t }) => (kinds.includes(kind) ? [t] : [])).join("\n");
    assert.equal(text("same", "taken"), old);
    assert.equal(text("same", "put"), now);
    assert.equal(hunks(lines).length === 0, now === old);
  }
});

test("CRC-32 of its check value", () => {
  assert.equal(crc32(new TextEncoder().encode("123456789")), 0xcbf43926);
});
