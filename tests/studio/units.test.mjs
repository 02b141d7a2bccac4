// Parts of the page that need no browser.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { load } from "./load.mjs";
import { program } from "./studio.mjs";

const { Splitter, encode } = await load("engine/stream.ts");
const { readFrame } = await load("engine/frame.ts");
const { merge, indexBefore, valueAt } = await load("plots/merge.ts");
const { ticks } = await load("plots/svg.ts");
const { distribution } = await load("plots/histogram.ts");
const { showNumber, readNumber, stepBy, stepOf } = await load("engine/numbers.ts");
const { keys } = await load("app/keys.ts");
const { sliderRange } = await load("panels/NumberField.tsx");
const { csv } = await load("panels/csv.ts");
const { packLink, unpackLink } = await load("app/files.ts");

// The same numbers each time, of which any part is as good as random.
function random(seed) {
  let state = BigInt(seed);
  return () => {
    state = (state * 6364136223846793005n + 1442695040888963407n) & 0xffffffffffffffffn;
    return Number(state >> 11n) / 2 ** 53;
  };
}

test("a stream is cut into the same messages however it comes in pieces", () => {
  const payloads = [0, 1, 9, 10, 4000].map((n) =>
    Uint8Array.from({ length: n }, (_, i) => i % 256),
  );
  const parts = [];
  payloads.forEach((payload, i) => {
    parts.push(encode({ id: i, text: "grün 𝄞 \n" }));
    parts.push(encode({ id: 100 + i, bytes: payload.length }, payload));
  });
  const all = Uint8Array.from(parts.flatMap((part) => [...part]));
  const next = random(1);
  for (let turn = 0; turn < 200; turn++) {
    const heard = [];
    const splitter = new Splitter((message, bytes) => heard.push([message, bytes]));
    for (let at = 0; at < all.length;) {
      const size = 1 + Math.floor(next() ** 4 * (turn % 2 ? 50 : all.length));
      splitter.feed(all.slice(at, at + size));
      at += size;
    }
    assert.equal(heard.length, 2 * payloads.length);
    payloads.forEach((payload, i) => {
      assert.equal(heard[2 * i][0].text, "grün 𝄞 \n");
      assert.equal(heard[2 * i + 1][0].id, 100 + i);
      assert.deepEqual([...heard[2 * i + 1][1]], [...payload]);
    });
  }
});

test("a frame is read wherever it lies in memory", () => {
  const bytes = new Uint8Array(32 + 16 + 16 + 3);
  for (const shift of [0, 3]) {
    const view = new DataView(bytes.buffer, shift);
    bytes.set(new TextEncoder().encode("FOF1"), shift);
    view.setUint16(4, 1, true);
    view.setUint16(6, 1, true);
    view.setUint32(8, 7, true);
    view.setUint32(16, 2, true);
    view.setUint32(20, 1, true);
    view.setBigUint64(24, 5n, true);
    view.setUint32(32, 0xffffffff, true);
    view.setUint32(36, 1, true);
    view.setUint32(40, 3, true);
    view.setUint32(44, 1, true);
    view.setFloat64(48, 0.25, true);
    view.setFloat64(56, -1e300, true);
    const frame = readFrame(bytes.subarray(shift, shift + 64));
    assert.deepEqual([frame.kind, frame.handle, frame.first], ["rows", 7, 5]);
    assert.deepEqual(
      frame.columns.map(({ signal, values }) => [signal, [...values]]),
      [
        [undefined, [0.25]],
        [3, [-1e300]],
      ],
    );
    assert.throws(() => readFrame(bytes.subarray(shift, shift + 60)));
  }
  assert.throws(() => readFrame(new Uint8Array(64)));
});

// By brute force: for each time, as many rows as the trace with most points there.
function slowMerge(traces) {
  const times = [...new Set(traces.flatMap(({ t }) => [...t]))].sort((a, b) => a - b);
  const rows = [];
  for (const time of times) {
    const here = traces.map(({ t, v }) => [...v].filter((_, i) => t[i] === time));
    const count = Math.max(...here.map((list) => list.length));
    for (let k = 0; k < count; k++)
      rows.push([
        time,
        ...here.map((l) => (k < l.length ? (Number.isFinite(l[k]) ? l[k] : null) : undefined)),
      ]);
  }
  return rows;
}

test("traces are merged as by brute force, with both sides of every jump", () => {
  const next = random(2);
  for (let turn = 0; turn < 300; turn++) {
    const traces = Array.from({ length: 1 + (turn % 4) }, () => {
      const t = [];
      for (let at = 0, i = 0; i < next() * 12; i++) t.push((at += Math.floor(next() * 3)));
      return {
        t: Float64Array.from(t),
        v: Float64Array.from(t, () => (next() < 0.1 ? NaN : next())),
      };
    });
    const [times, ...columns] = merge(traces);
    const rows = times.map((time, i) => [time, ...columns.map((column) => column[i])]);
    assert.deepEqual(rows, slowMerge(traces));
    assert.ok(columns.every((column) => column.length === times.length));
  }
});

test("the value at a time is on the line, or the last one", () => {
  const t = Float64Array.of(0, 1, 1, 2);
  const v = Float64Array.of(0, 10, 20, 40);
  assert.equal(valueAt({ t, v }, 0.5, false), 5);
  assert.equal(valueAt({ t, v }, 1, false), 20); // after the jump
  assert.equal(valueAt({ t, v }, 1.5, false), 30);
  assert.equal(valueAt({ t, v }, 1.5, true), 20);
  assert.equal(valueAt({ t, v }, 9, false), 40);
  assert.ok(Number.isNaN(valueAt({ t, v }, -1, false)));
  assert.equal(indexBefore(t, 1), 2);
  assert.equal(indexBefore(t, -1), -1);
});

test("ticks are round, inside, and few", () => {
  const next = random(3);
  for (let turn = 0; turn < 500; turn++) {
    const low = (next() - 0.5) * 10 ** (next() * 12 - 6);
    const high = low + 10 ** (next() * 12 - 6);
    const list = ticks(low, high, 6);
    const step = list[1] - list[0];
    assert.ok(list.length >= 2 && list.length <= 8, `${list.length} ticks`);
    const slack = (high - low) * 1e-6 + Math.max(Math.abs(low), Math.abs(high)) * 1e-11;
    assert.ok(list[0] >= low - slack && list.at(-1) <= high + slack);
    const lead = step / 10 ** Math.floor(Math.log10(step) + 1e-9);
    if (slack < step * 1e-3)
      assert.ok(
        [1, 2, 5, 10].some((m) => Math.abs(lead - m) < 1e-2 * m),
        `${lead}`,
      );
  }
});

test("numbers are read as they are shown", () => {
  const next = random(4);
  for (let turn = 0; turn < 1000; turn++) {
    const value = (next() - 0.5) * 10 ** (next() * 40 - 20);
    const back = readNumber(showNumber(value, 15));
    assert.ok(
      Math.abs(back - value) <= Math.abs(value) * 1e-14,
      `${value} ${showNumber(value, 15)}`,
    );
  }
  assert.equal(readNumber("1,5"), 1.5);
  assert.equal(readNumber("−2e-3"), -0.002);
  for (const text of ["", "1.2.3", "abc", "0x10", "1e999", "--1", "NaN"])
    assert.equal(readNumber(text), undefined, text);
});

test("steps follow the size of a number, and add no digits", () => {
  assert.equal(stepBy(9.81, 1), 9.9);
  assert.equal(stepBy(0.1, 1), 0.11);
  assert.equal(stepBy(0, 3), 0.3);
  assert.equal(stepOf(1234), 100);
  assert.equal(stepBy(0.3, 1, 0.1), 0.4);
  let value = 1;
  for (let i = 0; i < 7; i++) value = stepBy(value, 1, 0.1);
  assert.equal(value, 1.7);
});

test("a slider has a range that holds the number", () => {
  assert.deepEqual(sliderRange(0.5), [0, 1]);
  assert.deepEqual(sliderRange(-2), [-4, 0]);
  assert.deepEqual(sliderRange(0.1, 0, 1), [0, 1]);
  assert.deepEqual(sliderRange(1.2, 1e-9, 1e9)[0], 1e-9);
  const next = random(5);
  for (let turn = 0; turn < 300; turn++) {
    const usual = (next() - 0.5) * 10 ** (next() * 8 - 4);
    const min = next() < 0.5 ? usual - next() : undefined;
    const max = next() < 0.5 ? usual + next() : undefined;
    const [low, high] = sliderRange(usual, min, max);
    assert.ok(
      low <= usual && usual <= high && low < high,
      `${usual} ${min} ${max}: ${low} ${high}`,
    );
  }
});

test("no key means two things in one place", () => {
  const seen = new Set();
  for (const { keys: names, area } of keys)
    for (const name of names) {
      assert.ok(!seen.has(`${area} ${name}`), `${name} twice in ${area}`);
      seen.add(`${area} ${name}`);
      if (area !== "everywhere")
        assert.ok(!seen.has(`everywhere ${name}`), `${name} is taken everywhere`);
    }
  // a letter alone would be in the way of those who speak to their machine (WCAG 2.1.4)
  for (const { keys: names, area } of keys)
    if (area === "everywhere") assert.ok(names.every((name) => !/^[A-Z0-9]$/.test(name)));
});

test("CSV gives the same numbers again", () => {
  const columns = [Float64Array.of(0, 0.1 + 0.2), Float64Array.of(1 / 3, NaN)].map((values) => ({
    values,
  }));
  const text = csv(['a "b"'], { columns });
  assert.equal(text, 't,"a ""b"""\n0,0.3333333333333333\n0.30000000000000004,\n');
});

test("a model in a link comes out as it went in", async () => {
  const text = `model M\n${"  Real x; // grün\n".repeat(200)}end M;\n`;
  const link = await packLink("m.mo", text);
  assert.match(link, /^[\w-]+$/);
  assert.ok(link.length < 300);
  assert.deepEqual(await unpackLink(link), { name: "m.mo", text });
  await assert.rejects(unpackLink(link.slice(0, 20)));
  await assert.rejects(unpackLink("AAAA"));
});

test("a histogram counts by time: lines spread, steps stay, jumps take none", () => {
  const { edges, parts, mean, deviation } = distribution(
    Float64Array.of(0, 1, 1, 3),
    Float64Array.of(0, 1, 4, 4),
    4,
  );
  assert.deepEqual(edges, [0, 1, 2, 3, 4]);
  assert.deepEqual(
    [...parts].map((part) => Number(part.toFixed(12))),
    [0.333333333333, 0, 0, 0.666666666667],
  );
  assert.ok(Math.abs(mean - (0.5 + 8) / 3) < 1e-12);
  assert.ok(Math.abs(deviation ** 2 + mean ** 2 - (1 / 3 + 32) / 3) < 1e-12);
  // against many small pieces
  const next = random(6);
  for (let turn = 0; turn < 50; turn++) {
    const t = [0];
    const v = [next()];
    for (let i = 0; i < 20; i++) {
      t.push(t.at(-1) + (next() < 0.3 ? 0 : next()));
      v.push(next());
    }
    const found = distribution(Float64Array.from(t), Float64Array.from(v), 7);
    const many = new Float64Array(7);
    const [low, high] = [Math.min(...v), Math.max(...v)];
    const pieces = 2000;
    for (let i = 0; i + 1 < t.length; i++)
      for (let k = 0; k < pieces; k++) {
        const value = v[i] + ((k + 0.5) / pieces) * (v[i + 1] - v[i]);
        many[Math.min(6, Math.floor(((value - low) / (high - low)) * 7))] +=
          (t[i + 1] - t[i]) / pieces / t.at(-1);
      }
    found.parts.forEach((part, k) =>
      assert.ok(Math.abs(part - many[k]) < 2e-3, `${part} ${many[k]}`),
    );
    assert.ok(Math.abs([...found.parts].reduce((a, b) => a + b) - 1) < 1e-12);
  }
});

// -------------------------------------------------------------------------------- processes

const { FloorAt } = await load("scene/floor.ts");

// The rows of a file without its comments, as texts.
const rowsOf = (path) =>
  readFileSync(path, "utf8")
    .trim()
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .map((line) => line.split(","));

/** The acts and the rows of a run of a world. */
function runWorld(model) {
  const folder = mkdtempSync(join(tmpdir(), "foliot-floor-"));
  const [events, output] = [join(folder, "acts.csv"), join(folder, "rows.csv")];
  execFileSync(program, ["run", model, "--quiet", "--events", events, "--output", output]);
  const acts = rowsOf(events)
    .filter((row) => row[2] === "process")
    .map(([t, , , , who, number, what, action, amount]) => [
      Number(t),
      who,
      Number(number),
      what,
      action,
      amount === "" ? null : Number(amount),
    ]);
  const [names, ...rows] = rowsOf(output);
  rmSync(folder, { recursive: true });
  return { acts, names: names.map((name) => name.replace(/ \[.*|"/g, "")), rows };
}

// model, place, the signal that counts who waits there, the one that counts who is served
for (const [model, place, waits, served] of [
  ["bank", "clerk", "line"],
  ["gas-station", "pumps", "waiting", "busy"],
])
  test(`the floor of ${model} has as many people as its signals say`, () => {
    const { acts, names, rows } = runWorld(model);
    const floor = new FloorAt();
    floor.set(acts);
    let [compared, most] = [0, 0];
    rows.forEach((row, i) => {
      const time = Number(row[0]);
      // at a moment there are rows of before and after; the floor is that of after
      if (rows[i + 1] && Number(rows[i + 1][0]) === time) return;
      const found = floor.at(time).places.find(({ name }) => name === place);
      if (!found) return;
      compared++;
      most = Math.max(most, found.line.length);
      assert.equal(found.line.length, Number(row[names.indexOf(waits)]), `waiting at ${time}`);
      if (served)
        assert.equal(found.inside.size, Number(row[names.indexOf(served)]), `served at ${time}`);
    });
    assert.ok(compared > 100 && most > 1, `${compared} rows, at most ${most} waiting`);
    // back, and in pieces, it is the same
    const [half, end] = [rows[rows.length >> 1], rows.at(-1)].map((row) => Number(row[0]));
    const told = (at) => at.places.map(({ name, line }) => [name, line.map(({ key }) => key)]);
    const then = told(floor.at(half));
    const pieces = new FloorAt();
    for (let i = 0; i < acts.length; i += 7) {
      pieces.add(acts.slice(i, i + 7).filter(([t]) => t <= half));
      pieces.at(Math.min(half, acts[Math.min(i + 6, acts.length - 1)][0]));
    }
    assert.deepEqual(told(pieces.at(half)), then);
    floor.at(end);
    assert.deepEqual(told(floor.at(half)), then);
  });
