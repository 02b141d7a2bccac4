// Parts of the page that need no browser.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { source } from "./browser.mjs";
import { load } from "./load.mjs";
import { program } from "./studio.mjs";

const { Splitter, encode } = await load("engine/stream.ts");
const { readFrame } = await load("engine/frame.ts");
const { holdCounts, merge, indexBefore, valueAt } = await load("plots/merge.ts");
const { columnsOf, isDense } = await load("plots/dense.ts");
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

test("columns of a trace hold its extremes, touch their neighbours and leave gaps open", () => {
  const next = random(7);
  for (let turn = 0; turn < 300; turn++) {
    const width = 1 + Math.floor(next() * 40);
    const count = Math.floor(next() * 300);
    const times = Array.from({ length: count }, () => next() * 3 - 1).sort((a, b) => a - b);
    const values = times.map(() => {
      const kind = next();
      return kind < 0.1 ? null : kind < 0.3 ? undefined : Math.round(next() * 20) - 10;
    });
    const { low, high, points } = columnsOf(times, values, [0, 1], width);
    // the plain way: every stroke from a point to the next one covers its column's values
    const want = Array.from({ length: width }, () => []);
    let before;
    let inside = 0;
    times.forEach((t, i) => {
      const v = values[i];
      if (v === undefined) return;
      if (v !== null && t >= 0 && t <= 1) {
        inside++;
        const x = Math.min(width - 1, Math.floor(t * width));
        want[x].push(v, ...(before === undefined ? [] : [before]));
      }
      before = v === null ? undefined : v;
    });
    assert.equal(points, inside);
    want.forEach((list, x) => {
      assert.equal(low[x], list.length ? Math.min(...list) : NaN);
      assert.equal(high[x], list.length ? Math.max(...list) : NaN);
    });
  }
  const wave = Array.from({ length: 4000 }, (_, i) => i / 4000);
  const slow = wave.map((t) => Math.sin(6 * t));
  const quick = wave.map((_, i) => (i % 2 ? 1 : -1));
  assert.equal(isDense(columnsOf(wave, slow, [0, 1], 1000), 1000, 2), false, "a line stays a line");
  assert.equal(isDense(columnsOf(wave, quick, [0, 1], 1000), 1000, 2), true);
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

test("the numbers of an axis have room, and differ", async () => {
  const { axisLabels } = await load("plots/axis.ts");
  assert.deepEqual(axisLabels([0, 2e6, 4e6], 2e6), ["0", "2e6", "4e6"]);
  assert.deepEqual(axisLabels([1000, 1500], 500), ["1,000", "1,500"]);
  assert.deepEqual(axisLabels([-0.5, 0, 0.5], 0.5), ["-0.5", "0.0", "0.5"]);
  const next = random(77);
  for (let turn = 0; turn < 300; turn++) {
    const step = [1, 2, 2.5, 5][turn % 4] * 10 ** Math.floor(next() * 40 - 20);
    const first = Math.round((next() - 0.5) * 20);
    const places = [0, 1, 2, 3].map((k) => (first + k) * step);
    const words = axisLabels(places, step);
    assert.equal(new Set(words).size, 4, `${places}: ${words}`);
    places.forEach((v, i) =>
      assert.ok(
        Math.abs(Number(words[i].replaceAll(",", "")) - v) <= 0.01 * step,
        `${v}: ${words[i]}`,
      ),
    );
    assert.ok(Math.max(...words.map(({ length }) => length)) <= 9, words.join(" "));
  }
});

test("the words of a time axis have room beside each other, however far one looks closer", async () => {
  const { axisLabels, timeSpace } = await load("plots/axis.ts");
  const next = random(78);
  for (let turn = 0; turn < 300; turn++) {
    const from = (next() - 0.2) * 10 ** (next() * 8 - 3);
    const span = Math.max(Math.abs(from) * 1e-9, 1e-12) * 10 ** (next() * 10);
    const width = 200 + next() * 1500;
    const space = timeSpace(from, from + span, width);
    // as uPlot does: the least of these steps that has so much room
    let step;
    for (let power = -25; !step; power++)
      step = [1, 2, 2.5, 5]
        .map((lead) => Number(`${lead}e${power}`))
        .find((s) => (s * width) / span >= space);
    const first = Math.ceil(from / step);
    const places = [];
    for (let k = first; k * step <= from + span; k++) places.push(k * step);
    const words = axisLabels(places, step);
    assert.equal(new Set(words).size, places.length, `${from} + ${span}: ${words}`);
    const longest = Math.max(0, ...words.map(({ length }) => length));
    assert.ok(6.7 * longest + 3 <= (step * width) / span, `${words}: ${space} of ${width}`);
  }
});

test("the picture of plots has both runs, the moments, and times that differ", async () => {
  const { plotSvg } = await load("plots/svg.ts");
  const t = Float64Array.from({ length: 101 }, (_, i) => 2.34 + i * 1e-7);
  const line = (by) => ({ t, v: t.map((x, i) => (i === 50 ? NaN : by * x)) });
  const drawn = {
    panes: [{ unit: "m", series: [{ name: "a.long.name", color: 0, holds: false }] }],
    traces: new Map([["a.long.name", line(1)]]),
    ghosts: new Map(),
    range: [2.34, 2.34001],
    marks: [2.340002, 2.340005, 3],
    colors: ["#123456"],
    timeUnit: "s",
  };
  const one = plotSvg(drawn);
  const both = plotSvg({ ...drawn, ghosts: new Map([["a.long.name", line(2)]]) });
  const lines = (svg) => (svg.match(/stroke="#123456"/g) ?? []).length;
  assert.deepEqual([lines(one), lines(both)], [1, 2]);
  assert.equal(
    one
      .match(/d="M[^"]*"/g)
      .find((d) => d.includes("V"))
      ?.match(/V/g).length,
    2,
  );
  const words = [...one.matchAll(/text-anchor="middle"[^>]*>([^<]*)</g)].map(([, text]) => text);
  assert.ok(words.length > 2 && new Set(words).size === words.length, words.join(" "));
  // a gap is a gap
  assert.equal(one.match(/<path d="([^"]*)" stroke="#123456"/)[1].match(/M/g).length, 2);
});

test("small numbers are stepped, slid and told as well as large ones", async () => {
  const { tidy, showTime } = await load("engine/numbers.ts");
  const { paceOfPlay } = await load("app/pace.ts");
  const next = random(79);
  for (let turn = 0; turn < 1000; turn++) {
    const value = (0.1 + next()) * 10 ** Math.floor(next() * 60 - 30);
    const more = stepBy(value, 1);
    assert.ok(
      more > value && more - value <= 0.11 * 10 * stepOf(value) + stepOf(value),
      `${value}`,
    );
    const span = value * (1 + next());
    const place = next() * span;
    assert.ok(Math.abs(tidy(place, span) - place) <= span / 1000, `${place} of ${span}`);
    // times of a run that is as short as this are told apart
    const told = (part) => Number(showTime(part * span, span, 3));
    assert.ok(told(0.501) > told(0.5) && Math.abs(told(0.5) / span - 0.5) < 1e-2, `${span}`);
    const seconds = span / paceOfPlay(span);
    assert.ok(seconds >= 0.5 && seconds <= 30.001, `${span}: ${seconds} s`);
  }
  assert.equal(showTime(2.5, 15, 3), "2.500");
  assert.equal(showTime(2.5, 15, 9), "2.500000000");
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
  assert.deepEqual(await unpackLink(link), { name: "m.mo", text, scene: undefined });
  const scene = '{"shapes": []}';
  const drawn = await packLink("m.mo", text, scene);
  assert.deepEqual(await unpackLink(drawn), { name: "m.mo", text, scene });
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

test("in a run and live the line of a place is in the order of its priorities", () => {
  const next = random(23);
  for (let turn = 0; turn < 100; turn++) {
    // one server; who has the higher priority is served first, who came first among equals
    const acts = [];
    const truth = []; // the line after each act
    let line = [];
    let busy;
    let count = 0;
    const note = (...act) => {
      acts.push(act);
      truth.push(line.map(({ key }) => key));
    };
    for (let t = 0; t < 60; t++) {
      const kind = next();
      if (kind < 0.5) {
        const one = { number: ++count, rank: Math.floor(next() * 3), key: `one ${count}` };
        const at = line.findIndex(({ rank }) => rank < one.rank);
        line.splice(at < 0 ? line.length : at, 0, one);
        note(t, "one", one.number, "desk", "wait", 1, "", 0, one.rank);
      } else if (busy) {
        note(t, "one", busy.number, "desk", "release", 1);
        busy = undefined;
      } else if (line.length) {
        busy = line.shift();
        note(t, "one", busy.number, "desk", "seize", 1);
      }
    }
    while (line.length) {
      busy = line.shift();
      note(100, "one", busy.number, "desk", "seize", 1);
    }
    const [floor, live] = [new FloorAt(), new FloorAt()];
    floor.set(acts);
    acts.forEach((act, i) => {
      const [t] = act;
      live.add([act]);
      const told = (at) => at.at(t).places[0]?.line.map(({ key }) => key) ?? [];
      assert.deepEqual(told(live), truth[i]);
      // at one time the floor is as the last of them leaves it
      if (t !== acts[i + 1]?.[0]) assert.deepEqual(told(floor), truth[i]);
    });
  }
});

test("a folder of a library becomes one text with all of its classes, which runs", async () => {
  const { packageOf } = await load("app/folder.ts");
  const text = packageOf({
    name: "Lib",
    inside: [
      { name: "package.mo", text: "within ;\npackage Lib\n  constant Real g = 9.81;\nend Lib;\n" },
      { name: "package.order", text: "Sub\nMass\ng\n" },
      {
        name: "Mass.mo",
        text: "within Lib;\nmodel Mass\n  Real v(start = 0, fixed = true);\nequation\n  der(v) = -g;\nend Mass;\n",
      },
      {
        name: "Sub",
        inside: [
          { name: "package.mo", text: "within Lib;\npackage Sub\nend Sub;\n" },
          {
            name: "Two.mo",
            text: "within Lib.Sub;\nmodel Two\n  Mass a, b;\n  Real sum = a.v + b.v;\nend Two;",
          },
        ],
      },
      { name: "Resources", inside: [{ name: "picture.png", text: "" }] },
    ],
  });
  assert.ok(text.indexOf("package Sub") < text.indexOf("model Mass"), "in the order that it says");
  const folder = mkdtempSync(join(tmpdir(), "foliot-folder-"));
  try {
    const file = join(folder, "whole.mo");
    writeFileSync(file, `${text}\nmodel Try\n  extends Lib.Sub.Two;\nend Try;\n`);
    const rows = execFileSync(program, ["run", file, "--stop", "1", "--quiet", "--output", "-"], {
      encoding: "utf8",
    })
      .trim()
      .split("\n");
    const names = rows.find((row) => !row.startsWith("#")).split(",");
    const at = names.findIndex((name) => name.includes("sum"));
    assert.ok(Math.abs(Number(rows.at(-1).split(",")[at]) + 2 * 9.81) < 1e-6);
  } finally {
    rmSync(folder, { recursive: true });
  }
  assert.equal(
    packageOf({ name: "loose", inside: [{ name: "a.mo", text: "model A end A;" }] }),
    undefined,
  );
});

test("a structure is the same as a drawing, as a matrix and after undo", async () => {
  const { JsonDocument } = await load("document/document.ts");
  const structure = await load("document/structure.ts");
  const next = random(31);
  const document = new JsonDocument("s.structure.json", '{"structure": "s"}');
  const before = document.text();
  for (let turn = 0; turn < 400; turn++) {
    const nodes = structure.nodesOf(document.root);
    const some = () => Math.floor(next() * nodes.length);
    const kind = next();
    document.change("turn", (draft) => {
      if (kind < 0.3 || nodes.length < 2) {
        structure.addNode(draft, [Math.round(next() * 10), Math.round(next() * 10) + turn]);
      } else if (kind < 0.5) structure.addSpring(draft, nodes[some()].name, nodes[some()].name);
      else if (kind < 0.6) structure.removeNode(draft, some());
      else if (kind < 0.65) structure.renameNode(draft, some(), `other${turn}`);
      else if (kind < 0.7) structure.addPort(draft, nodes[some()].name, "x");
      else {
        const [row, column] = [some(), some()];
        const value = 1 + Math.round(next() * 9);
        structure.setCell(draft, row, column, value);
        const has = structure.cell(draft.root, row, column);
        // a length needs a spring
        if (row >= column || has !== undefined) assert.equal(has, value);
      }
    });
    const names = new Set(structure.nodesOf(document.root).map(({ name }) => name));
    assert.equal(names.size, structure.nodesOf(document.root).length, "names differ");
    for (const { ends } of structure.springsOf(document.root))
      assert.ok(ends[0] !== ends[1] && ends.every((end) => names.has(end)), "no loose end");
    for (const { node } of structure.listOf(document.root, "ports")) assert.ok(names.has(node));
  }
  const end = document.text();
  while (document.undo());
  assert.equal(document.text().replace(/\s/g, ""), before.replace(/\s/g, ""));
  while (document.redo());
  assert.equal(document.text(), end);
  const { root } = new JsonDocument(
    "h.structure.json",
    '{"nodes": [{"name": "a", "at": [0, 0], "fixed": true}, {"name": "b", "at": [3, 4], "mass": 2}], "springs": [{"between": ["a", "b"], "k": 7}]}',
  );
  assert.equal(structure.hamiltonian(root), "H = |p_b|²/(2·2)\n  + ½·7 (|x_a − x_b|² − 5²)²");
  // in space a length has three coordinates; what is fixed needs no mass
  const space = new JsonDocument(
    "z.structure.json",
    '{"dimension": 3, "nodes": [{"name": "a", "at": [0, 0, 0], "fixed": true}, {"name": "b", "at": [1, 2, 2]}], "springs": [{"between": ["a", "b"], "k": 7}]}',
  ).root;
  assert.equal(structure.cell(space, 0, 1), 3);
  assert.equal(structure.cell(space, 0, 0), undefined);
  assert.match(structure.hamiltonian(space), /− 3²\)²$/);
});

test("texts over several lines and quoted names are highlighted as what they are", async () => {
  const { modelica } = await load("text/modelica.ts");
  const text =
    'model A "one\n  two end \\" three\n  four" "five";\n  Real \'a end\' = sin(1); // x\nend A;\n';
  const found = [];
  modelica.parser.parse(text).iterate({
    enter: ({ name, from, to }) => void found.push([name, text.slice(from, to)]),
  });
  const of = (kind) => found.filter(([name]) => name === kind).map(([, words]) => words);
  assert.deepEqual(of("string"), ['"one', 'two end \\" three', 'four"', '"five"']);
  assert.deepEqual(of("keyword"), ["model", "end"]);
  assert.ok(
    found.some(([name, words]) => /variableName.*standard|standard/.test(name) && words === "sin"),
  );
});

test("parts and lattices are moved as they are, and back again", async () => {
  const { JsonDocument } = await load("document/document.ts");
  const structure = await load("document/structure.ts");
  const document = new JsonDocument("p.structure.json", '{"structure": "p"}');
  for (const kind of [...Object.keys(structure.PREMADE), "lattice"])
    document.change("add", (draft) => structure.addPart(draft, kind, [0.1, 0.2], 1));
  const boxes = () => structure.partsOf(document.root).map(({ from, to }) => [...from, ...to]);
  const before = boxes();
  const text = document.text();
  const move = (way) =>
    structure
      .partsOf(document.root)
      .forEach((part) => document.change("move", (draft) => structure.movePart(draft, part, way)));
  move([0.3, -0.7]);
  boxes().forEach((box, i) =>
    box.forEach((x, k) => assert.ok(Math.abs(x - before[i][k] - [0.3, -0.7][k % 2]) < 1e-12)),
  );
  move([-0.3, 0.7]);
  assert.equal(document.text(), text, "no digit more");
  for (const part of structure.partsOf(document.root))
    for (const [a, b] of structure.meshOf(document.root, part))
      for (const [x, y] of [a, b])
        assert.ok(
          x >= part.from[0] &&
            x <= part.to[0] + 1e-12 &&
            y >= part.from[1] &&
            y <= part.to[1] + 1e-12,
        );
});

test("counts of a part are bounded before anything is drawn of it", async () => {
  const { JsonDocument } = await load("document/document.ts");
  const structure = await load("document/structure.ts");
  const huge = [20000000, 1e300, Infinity];
  for (const [columns, rows] of huge.flatMap((n) => [
    [n, 1],
    [1, n],
    [n, 0],
    [0, n],
    [n, -1],
  ]))
    for (const axis of ["x", "y"]) {
      const root = {
        lattices: [{ name: "l", columns, rows, axis, spacing: 1 }],
        parts: [{ kind: "girder", cells: [columns, rows], from: [0, 0], to: [1, 1] }],
      };
      assert.equal(structure.nodesOf(root).length, 0);
      for (const part of structure.partsOf(root))
        assert.equal(structure.meshOf(root, part).length, 0, `${columns} ${rows}`);
    }
  const document = new JsonDocument("l.structure.json", '{"structure": "l"}');
  document.change("add", (draft) => structure.addPart(draft, "lattice", [0, 0], 1));
  const [lattice] = structure.listOf(document.root, "lattices");
  assert.equal(structure.meshOf(document.root, structure.partsOf(document.root)[0]).length, 21);
  const most = structure.PART_MOST;
  for (const [key, value, can] of [
    ["columns", most / 2, true],
    ["columns", most / 2 + 1, false],
    ["columns", 20000000, false],
    ["columns", 0, false],
    ["rows", 1.5, false],
    ["rows", -1, false],
    ["cells", [99, 99], true],
    ["cells", [99, 100], false],
    ["cells", [20, 20, 21], true],
    ["cells", [30, 30, 30], false],
    ["cells", 8, true],
    ["cells", 20000000, false],
    ["mass", 1e-9, true],
  ])
    assert.equal(structure.isCountFit(lattice, key, value), can, `${key} ${value}`);
});

test("whatever is drawn, in any order and in any dimension, the engine reads it", async () => {
  const { JsonDocument } = await load("document/document.ts");
  const structure = await load("document/structure.ts");
  const folder = mkdtempSync(join(tmpdir(), "drawn-"));
  const kinds = [...Object.keys(structure.PREMADE), "lattice"];
  let files = 0;
  const isRead = (document, what) => {
    const file = join(folder, `${files++}.structure.json`);
    writeFileSync(file, document.text());
    assert.doesNotThrow(
      () => execFileSync(program, ["show", file], { stdio: "pipe" }),
      `${what} ${document.text()}`,
    );
  };
  const begin = (dimension) =>
    new JsonDocument(
      "d.structure.json",
      JSON.stringify({ structure: "d", ...(dimension !== 2 && { dimension }), gravity: true }),
    );
  const add = (document, kind) => {
    const parts = structure.partsOf(document.root).length;
    const nodes = structure.nodesOf(document.root).length;
    const at = [0, -3 * (parts + nodes)];
    return document.change("add", (draft) =>
      kind === "node" ? void structure.addNode(draft, at) : structure.addPart(draft, kind, at, 1),
    );
  };
  for (const dimension of [1, 2, 3])
    for (const first of [...kinds, "node"]) {
      const document = begin(dimension);
      const all = [first, ...kinds, "node", first];
      for (const kind of all) assert.equal(add(document, kind), undefined);
      isRead(document, `${dimension} ${first}`);
      structure
        .partsOf(document.root)
        .forEach((part) => document.change("m", (d) => structure.movePart(d, part, [0.5, 0])));
      isRead(document, `moved ${dimension} ${first}`);
      for (const [kind, label] of [
        ["chain", "plate"],
        ["plate", "chain"],
        ["chain", "block"],
        ["girder", "plate"],
      ]) {
        if (first !== kind) continue;
        const pair = begin(dimension);
        add(pair, kind);
        add(pair, label);
        isRead(pair, `${kind}, then ${label}`);
      }
    }
  // all that has a direction is lifted, and what was held is held
  const plane = new JsonDocument(
    "l.structure.json",
    JSON.stringify({
      structure: "l",
      gravity: [0, -1],
      nodes: [
        { name: "a", at: [0, 0], fixed: "xy" },
        { name: "b", at: [1, 0], mass: 1, start: [1, 1], velocity: [0, 1], fixed: "x" },
      ],
      lattices: [{ name: "l", columns: 2, rows: 1, spacing: 1, mass: 1, along: 1, origin: [5, 5] }],
      change: [{ node: "l.1.1", fixed: "yx" }],
      ports: [{ name: "p", node: "b", direction: [0, 1] }],
    }),
  );
  const before = plane.root;
  add(plane, "block");
  isRead(plane, "lifted");
  assert.deepEqual(plane.root.gravity, [0, -1, 0]);
  assert.equal(plane.root.nodes[0].fixed, true);
  assert.equal(plane.root.nodes[1].fixed, "x");
  assert.equal(plane.root.change[0].fixed, true);
  plane.undo();
  assert.deepEqual(plane.root, before);
  // edges of a plane are no surface of a space: nothing is done, and it is said why
  const ring = new JsonDocument(
    "r.structure.json",
    '{"structure": "r", "volumes": [{"facets": [[1, 2]], "law": "gas", "value": 1}]}',
  );
  assert.match(add(ring, "plate"), /volumes/);
  assert.ok(!ring.canUndo);
  rmSync(folder, { recursive: true });
});

/** Where the engine has the nodes of a structure when it begins, by name. */
function beginOf(folder, document) {
  const file = join(folder, "b.structure.json");
  writeFileSync(file, document.text());
  const csv = execFileSync(program, ["run", file, "--stop", "1e-9", "--quiet", "--output", "-"]);
  const [names, first] = csv
    .toString()
    .split("\n")
    .filter((line) => line && !line.startsWith("#"))
    .map((line) => line.split(","));
  const values = new Map(names.map((name, i) => [name.replace(/ \[.*|"/g, ""), Number(first[i])]));
  const places = new Map();
  for (const [name, x] of values)
    if (name.endsWith(".x")) {
      const of = name.slice(0, -2);
      places.set(of, [x, values.get(`${of}.y`) ?? 0, values.get(`${of}.z`) ?? 0]);
    }
  return places;
}

test("the nodes of parts are called and lie as in the engine, also where parts are joined", async () => {
  const { JsonDocument } = await load("document/document.ts");
  const structure = await load("document/structure.ts");
  const folder = mkdtempSync(join(tmpdir(), "parts-"));
  const rubber = { material: "rubber" };
  const balloon = { kind: "balloon", material: { density: 1000 }, thickness: 0.001 };
  const lists = {
    1: [{ kind: "chain", name: "c", ...rubber, cells: 3, area: 1e-4, from: [0], to: [3] }],
    2: [
      { kind: "bar", name: "b", ...rubber, cells: 4, area: 1e-4, inertia: 1e-9, from: [0, 0], to: [2, 1], clamp: "both" }, // prettier-ignore
      { kind: "girder", name: "g", ...rubber, cells: [3, 2], thickness: 0.1, from: [2, 1], to: [5, 3] }, // prettier-ignore
      { kind: "rope", name: "r", ...rubber, cells: 2, area: 1e-4, from: [5, 3], to: [5, 1] },
      { ...balloon, name: "o", cells: 7, centre: [9, 9], radius: 2, tension: 5, pressure: 100 },
    ],
    3: [
      { kind: "plate", name: "p", ...rubber, cells: [2, 3], thickness: 0.1, from: [0, 0, 1], to: [2, 3, 1] }, // prettier-ignore
      { kind: "block", name: "k", ...rubber, cells: [2, 1, 2], from: [0, 3, 1], to: [2, 4, 3] },
      { ...balloon, name: "o", cells: 2, centre: [9, 9, 9], radius: 2, tension: 5, pressure: 100 },
    ],
  };
  for (const [dimension, parts] of Object.entries(lists)) {
    const document = new JsonDocument(
      "p.structure.json",
      JSON.stringify({
        structure: "p",
        dimension: Number(dimension),
        nodes: [{ name: "n", at: [-1, -1, -1].slice(0, dimension), mass: 1 }],
        parts,
      }),
    );
    const truth = beginOf(folder, document);
    const drawn = structure.allNodesOf(document.root);
    assert.deepEqual(
      drawn.map(({ name }) => name).sort(),
      [...truth.keys()].sort(),
      `in ${dimension}`,
    );
    for (const { name, at, z } of drawn)
      [...at, z].forEach((x, a) =>
        assert.ok(Math.abs(x - truth.get(name)[a]) < 1e-12, `${name}: ${[...at, z]}`),
      );
    const names = new Set(truth.keys());
    for (const { edges } of structure.madeParts(document.root).parts)
      for (const pair of edges)
        assert.ok(
          pair.every((end) => names.has(end)),
          pair.join(),
        );
  }
  rmSync(folder, { recursive: true });
});

test("a part is held at its sides, also when it gets other cells", async () => {
  const { JsonDocument } = await load("document/document.ts");
  const structure = await load("document/structure.ts");
  const document = new JsonDocument("s.structure.json", '{"structure": "s"}');
  document.change("add", (draft) => structure.addPart(draft, "girder", [0, 0], 1));
  const [part] = structure.partsOf(document.root);
  const held = () =>
    structure
      .allNodesOf(document.root)
      .filter(({ fixed }) => fixed === "all")
      .map(({ at }) => at[0]);
  assert.deepEqual(held(), [0, 0, 0]);
  document.change("push", (draft) => structure.addPort(draft, "girder1.27", "y"));
  document.change("cells", (draft) => structure.setOfPart(draft, part, "cells", [5, 3]));
  assert.deepEqual(held(), [0, 0, 0, 0]);
  assert.equal(document.root.ports[0].node, "girder1.24"); // the last corner still
  document.change("hold", (draft) => structure.holdSide(draft, part, "right", true));
  assert.equal(held().length, 8);
  document.change("loose", (draft) => structure.holdSide(draft, part, "left", false));
  assert.deepEqual(held(), [1, 1, 1, 1]);
  while (document.undo());
  assert.deepEqual(document.root, { structure: "s" });
});

test("a matrix is drawn as what it stands for, and becomes that when it is changed", async () => {
  const { JsonDocument } = await load("document/document.ts");
  const structure = await load("document/structure.ts");
  const folder = mkdtempSync(join(tmpdir(), "matrix-"));
  const document = new JsonDocument(
    "m.structure.json",
    JSON.stringify({
      structure: "m",
      nodes: [{ name: "top", at: [0, 2], fixed: true }],
      matrix: {
        values: [
          [2, 1, 0],
          [30, 3, 1.5],
          [0, 50, 4],
        ],
        at: [
          [0, 0],
          [1.25, 0],
          [1, 1],
        ],
      },
      springs: [{ between: ["top", 2], k: 10 }],
    }),
  );
  const nodes = structure.allNodesOf(document.root);
  assert.deepEqual(
    nodes.map(({ name, mass }) => [name, mass]),
    [["top", 1], ["2", 2], ["3", 3], ["4", 4]], // prettier-ignore
  );
  assert.deepEqual(
    structure.springsOf(document.root).map(({ ends, k, length }) => [ends.join("-"), k, length]),
    [["2-3", 30, 1], ["3-4", 50, 1.5], ["top-2", 10, undefined]], // prettier-ignore
  );
  assert.equal(structure.cell(document.root, 2, 1), 30);
  assert.equal(structure.cell(document.root, 1, 2), 1);
  const rows = () => {
    const file = join(folder, "m.structure.json");
    writeFileSync(file, document.text());
    return execFileSync(program, ["run", file, "--stop", "2", "--quiet", "--output", "-"])
      .toString()
      .split("\n")
      .filter((line) => !line.startsWith("#"))
      .join("\n");
  };
  const before = [document.text(), rows()];
  // the same number again: only what it is written as has changed, and it moves as it did
  structure.edit(document, "change", (draft) => structure.setCell(draft, 2, 1, 30));
  assert.equal(document.root.matrix, undefined);
  assert.equal(document.root.springs.length, 3);
  assert.equal(rows(), before[1]);
  structure.edit(document, "change", (draft) => structure.setCell(draft, 2, 1, 31));
  assert.notEqual(rows(), before[1]);
  while (document.undo());
  assert.equal(JSON.stringify(JSON.parse(document.text())), JSON.stringify(JSON.parse(before[0])));
  rmSync(folder, { recursive: true });
});

test("what refers to a part goes with it, and comes back with it", async () => {
  const { JsonDocument } = await load("document/document.ts");
  const structure = await load("document/structure.ts");
  for (const kind of ["lattice", "chain", "girder"]) {
    const document = new JsonDocument(
      "g.structure.json",
      '{"structure": "g", "run": {"stop": 1e-5, "plot": ["n1.x", "energy"]}}',
    );
    document.change("draw", (draft) => {
      structure.addPart(draft, kind, [0, 0], 1);
      structure.addPart(draft, kind, [0, 5], 1);
      const ends = ["1", "2"].map((k) => `${kind}${k}.${kind === "lattice" ? "1.1" : "1"}`);
      const a = structure.addNode(draft, [0, 9]);
      const b = structure.addNode(draft, [1, 9]);
      structure.addSpring(draft, a, ends[0]);
      structure.addSpring(draft, a, b);
      structure.addSpring(draft, ends[0], ends[1]);
      structure.addSpring(draft, b, ends[1]);
      structure.addPort(draft, ends[0], "x");
      structure.addPort(draft, ends[1], "x");
      draft.set([], "change", [{ node: ends[0], fixed: true }]);
      draft.set([], "bends", [{ nodes: [a, b, ends[0]], coefficients: [1, -2, 1], k: 1 }]);
      draft.set(["run"], "plot", ["n1.x", `${ends[0]}.x`, "push1.flow", "push2.flow", "energy"]);
    });
    const before = document.text();
    const [part] = structure.partsOf(document.root);
    document.change("delete", (draft) => structure.removePart(draft, part));
    const { root } = document;
    assert.deepEqual(
      structure.springsOf(root).map(({ ends }) => ends.map((end) => end.split(".")[0])),
      [
        ["n1", "n2"],
        ["n2", `${kind}2`],
      ],
    );
    assert.deepEqual([root.change, root.bends, root.ports.length], [[], [], 1]);
    assert.deepEqual(root.run.plot, ["n1.x", "push2.flow", "energy"]);
    const folder = mkdtempSync(join(tmpdir(), "left-"));
    const file = join(folder, "g.structure.json");
    writeFileSync(file, document.text());
    execFileSync(program, ["run", file], { stdio: "pipe" });
    rmSync(folder, { recursive: true });
    document.undo();
    assert.equal(document.text(), before, "one step back");
  }
});

test("nodes that are called by their numbers are drawn, renamed and deleted", async () => {
  const { JsonDocument } = await load("document/document.ts");
  const structure = await load("document/structure.ts");
  const folder = mkdtempSync(join(tmpdir(), "numbers-"));
  const file = join(folder, "n.structure.json");
  const energyOf = (text) => {
    writeFileSync(file, text);
    execFileSync(program, ["run", file, "--quiet", "--output", `${file}.csv`], { stdio: "pipe" });
    const [names, ...rows] = readFileSync(`${file}.csv`, "utf8")
      .trim()
      .split("\n")
      .filter((l) => !l.startsWith("#"));
    const at = names.split(",").findIndex((name) => /potential|energy/.test(name));
    return [rows[0], rows.at(-1)].map((row) => Number(row.split(",")[at]).toPrecision(9)).join();
  };
  const document = new JsonDocument(
    "n.structure.json",
    `{"structure": "n", "run": {"stop": 0.01, "plot": ["2.x", "b.y"]},
      "nodes": [{"at": [0, 0], "fixed": true}, {"at": [1, 0], "mass": 1}, {"at": [5, 5], "fixed": true},
                {"name": "b", "at": [1, 1], "mass": 1}, {"at": [2, 1], "fixed": true}],
      "springs": [{"between": [1, 2], "k": 7, "length": 0.5}, {"between": ["2", 4], "k": 3, "length": 0.5},
                  {"between": ["b", 5], "k": 2, "length": 0.5}],
      "bends": [{"nodes": ["2", "b", 5], "coefficients": [1, -2, 1], "k": 1}],
      "ports": [{"name": "push", "node": 4, "direction": "x"}]}`,
  );
  const ends = () => structure.springsOf(document.root).map((spring) => spring.ends.join());
  assert.deepEqual(ends(), ["1,2", "2,b", "b,5"]);
  const energy = energyOf(document.text());
  // nobody holds the third: the others are what they were
  document.change("delete", (draft) => structure.removeNode(draft, 2));
  assert.deepEqual(ends(), ["1,2", "2,b", "b,5"]);
  assert.equal(energyOf(document.text()), energy);
  document.change("rename", (draft) => structure.renameNode(draft, 2, "corner"));
  assert.deepEqual(ends(), ["1,2", "2,corner", "corner,5"]);
  assert.deepEqual(document.root.run.plot, ["2.x", "corner.y"]);
  assert.deepEqual(document.root.bends[0].nodes, ["2", "corner", "5"]);
  assert.equal(energyOf(document.text()), energy);
  document.change("rename", (draft) =>
    assert.equal(structure.renameNode(draft, 2, "5"), false, "there is one"),
  );
  document.change("delete", (draft) => structure.removeNode(draft, 0));
  assert.deepEqual(ends(), ["2,corner", "corner,5"]);
  rmSync(folder, { recursive: true });
});

test("a live model begins as fast as its time asks for", async () => {
  const { paceOfActs, paceOfSpan, round125 } = await load("app/pace.ts");
  assert.deepEqual([1, 10, 120].map(paceOfSpan), [1, 1, 1]);
  assert.deepEqual([7200, 160, 0.01, 0, Infinity].map(paceOfSpan), [200, 5, 2e-4, 1, 1]);
  assert.deepEqual([3, 4, 8, 0.0149, 140].map(round125), [2, 5, 10, 0.01, 100]);
  // cars every five minutes are seen twice a second; balls bounce as they do
  assert.deepEqual([paceOfActs(12, 3600), paceOfActs(30, 10), paceOfActs(3000, 1)], [500, 1, 5e-4]);
});

test("a part that is put or moved to zero is at zero", async () => {
  const { JsonDocument } = await load("document/document.ts");
  const structure = await load("document/structure.ts");
  const next = random(11);
  for (let turn = 0; turn < 300; turn++) {
    const document = new JsonDocument("z.structure.json", '{"structure": "z"}');
    const grid = [0.05, 0.1, 0.02, 2e-7, 50][turn % 5];
    const place = () => Number((Math.round((next() - 0.5) * 40) * grid).toPrecision(12));
    const size = Number((40 * grid).toPrecision(12));
    document.change("add", (draft) => structure.addPart(draft, "plate", [place(), place()], size));
    for (let step = 0; step < 20; step++) {
      const [part] = structure.partsOf(document.root);
      const way = step % 4 === 3 ? part.from.map((x) => -x) : [place() - place(), place()];
      document.change("move", (draft) => structure.movePart(draft, part, way));
      for (const x of structure.listOf(document.root, "parts").flatMap((p) => [...p.from, ...p.to]))
        assert.ok(!Object.is(x, -0) && (x === 0 || Math.abs(x) > grid / 2), `${x} of ${grid}`);
    }
  }
  const document = new JsonDocument("z.structure.json", '{"structure": "z"}');
  document.change("add", (draft) => structure.addPart(draft, "plate", [0.1 + 0.2 - 0.3, 0], 1));
  assert.equal(structure.listOf(document.root, "parts")[0].from[0], 0);
});

// ---------------------------------------------------------------------------------- structures

const { modesOf, symmetricEigen } = await load("scene/modes.ts");

/** [0 1; -M^-1 K 0] */
function linear(masses, k) {
  const n = masses.length;
  const a = Array.from({ length: 2 * n }, () => new Array(2 * n).fill(0));
  for (let i = 0; i < n; i++) {
    a[i][n + i] = 1;
    for (let j = 0; j < n; j++) a[n + i][j] = -k[i][j] / masses[i];
  }
  return a;
}

test("the modes of a chain between walls are those of the textbook", () => {
  const [n, k, m] = [30, 250, 0.4];
  const matrix = Array.from({ length: n }, (_, i) =>
    Array.from({ length: n }, (_, j) => (i === j ? 2 * k : Math.abs(i - j) === 1 ? -k : 0)),
  );
  modesOf(linear(new Array(n).fill(m), matrix)).forEach(({ frequency, shape }, j) => {
    const angle = ((j + 1) * Math.PI) / (n + 1);
    const want = (2 * Math.sqrt(k / m) * Math.sin(angle / 2)) / (2 * Math.PI);
    assert.ok(Math.abs(frequency / want - 1) < 1e-11, `${frequency} for ${want}`);
    const sines = shape.map((_, i) => Math.sin((i + 1) * angle));
    const scale = Math.max(...sines.map(Math.abs));
    const sign = Math.sign(shape[0] * sines[0]);
    shape.forEach((x, i) => assert.ok(Math.abs(x - (sign * sines[i]) / scale) < 1e-9));
  });
});

test("modes of any masses and springs are orthogonal, fixed nodes rest, and what is none is refused", () => {
  const next = random(5);
  for (let turn = 0; turn < 20; turn++) {
    const n = 2 + Math.floor(next() * 14);
    const half = Array.from({ length: n }, () => Array.from({ length: n }, () => next() - 0.5));
    const k = half.map((a) => half.map((b) => a.reduce((sum, v, t) => sum + v * b[t], 0)));
    const masses = Array.from({ length: n }, () => 10 ** (4 * next() - 2));
    const held = Math.floor(next() * n);
    const a = linear(masses, k);
    a[n + held].fill(0);
    const modes = modesOf(a);
    assert.equal(modes.length, n - 1);
    for (const { shape } of modes) assert.equal(shape[held], 0);
    const dot = (p, q) => p.shape.reduce((sum, x, i) => sum + masses[i] * x * q.shape[i], 0);
    for (const p of modes)
      for (const q of modes)
        if (p !== q) assert.ok(Math.abs(dot(p, q)) < 1e-8 * Math.sqrt(dot(p, p) * dot(q, q)));
    // the trace is the sum of the eigenvalues
    const free = k.flatMap((row, i) => (i === held ? [] : [row[i] / masses[i]]));
    const sum = modes.reduce((all, { frequency: f }) => all + f * Math.abs(f), 0);
    const want = free.reduce((x, y) => x + y, 0) / (4 * Math.PI ** 2);
    assert.ok(Math.abs(sum / want - 1) < 1e-9, `${sum} for ${want}`);
  }
  // a spring that pushes one only is of no energy; an unstable one is said to be
  assert.throws(
    () =>
      modesOf(
        linear(
          [1, 1],
          [
            [2, 1],
            [-1, 2],
          ],
        ),
      ),
    /no energy/,
  );
  assert.ok(modesOf(linear([1], [[-4]]))[0].frequency < 0);
  assert.throws(() => modesOf([[0]]), /more states/);
  assert.deepEqual(symmetricEigen([[3]]).values, [3]);
});

test("the modes of structures are the poles that the engine finds", () => {
  const folder = mkdtempSync(join(tmpdir(), "foliot-modes-"));
  try {
    for (const name of ["clamped-beam", "steel-beam", "mass-on-a-chain"]) {
      const place = join(source, "models", name, `${name}.structure.json`);
      const { friction, friction_rate, ...free } = JSON.parse(readFileSync(place, "utf8"));
      assert.ok(friction !== null && friction_rate !== null);
      const file = join(folder, "free.structure.json");
      writeFileSync(file, JSON.stringify({ ...free, begin: "rest" }));
      const options = { encoding: "utf8", maxBuffer: 1 << 26 };
      const told = JSON.parse(execFileSync(program, ["linearize", file, "--json"], options));
      const poles = told.poles
        .map(([, turns]) => turns / (2 * Math.PI))
        .filter((f) => f > 0)
        .sort((x, y) => x - y);
      const modes = modesOf(told.A).map(({ frequency }) => frequency);
      assert.equal(modes.length, poles.length);
      modes.forEach((f, i) => assert.ok(Math.abs(f / poles[i] - 1) < 1e-6, `${f} ${poles[i]}`));
    }
  } finally {
    rmSync(folder, { recursive: true });
  }
});

// ---------------------------------------------------------------------------------------- live

test("of a recording what was done and not undone until a time", async () => {
  const { recordedActs, stepTo } = await load("app/live.ts");
  const text = [
    "foliot live recording 1",
    "model pendulum",
    "start m 0.5",
    "begin",
    "0.5 event tap 0.3",
    "0.75 set+ my%20m%25 0.4",
    "1 method rk4 0.04 1e-3",
    "2 set m 1",
    "0.9 back 3",
    "1.5 event+ tap 2",
    "3 event tap 9",
    "20 end 0123456789abcdef",
    "",
  ].join("\n");
  assert.deepEqual(recordedActs(text, 2), [
    { t: 0.5, verb: "send", name: "tap", value: 0.3, late: false },
    { t: 0.75, verb: "set", name: "my m%", value: 0.4, late: true },
    { t: 1.5, verb: "send", name: "tap", value: 2, late: true },
  ]);
  const next = random(17);
  let exact = 0;
  for (let i = 0; i < 2000; i++) {
    const from = next() * 100;
    const to = from + next() * 10 ** (4 * next() - 2);
    const by = stepTo(from, to);
    if (from + by === to) exact++;
    assert.ok(Math.abs(from + by - to) <= 2 * Number.EPSILON * to);
  }
  assert.ok(exact > 1990, `${exact} of 2000`);
});

test("a sheet's lines have the sample times of what drives them", async () => {
  const { ratesOf } = await load("sheet/values.ts");
  const kinds = {
    find: (type) => ({
      set: type === "Integrator" ? "Continuous" : "Math",
      parameters: type === "Unit Delay" ? [{ name: "Sample Time" }] : [],
    }),
  };
  const node = (name, type, parameters = {}) => [name, { name, data: { type, parameters } }];
  const wire = (from, ...to) => [from, { node: from, links: to.map((name) => ({ node: name })) }];
  const nodes = new Map([
    node("one", "Constant"),
    node("slow", "Unit Delay", { "Sample Time": 0.5 }),
    node("fast", "Unit Delay", { "Sample Time": 0.1 }),
    node("sum", "Sum"),
    node("gain", "Gain"),
    node("still", "Gain"),
    node("x", "Integrator"),
    node("sin", "Sine"),
    node("mixed", "Sum"),
  ]);
  const wires = new Map([
    wire("one", "slow", "fast", "still"),
    wire("slow", "sum"),
    wire("fast", "sum"),
    wire("sum", "gain", "x", "mixed"),
    wire("gain", "sum"), // a loop
    wire("sin", "mixed"),
  ]);
  assert.deepEqual(Object.fromEntries(ratesOf({ nodes, wires }, kinds)), {
    one: Infinity,
    slow: 0.5,
    fast: 0.1,
    sum: 0.1,
    gain: 0.1,
    still: Infinity,
    x: 0,
    sin: 0,
    mixed: 0,
  });
});

test("counts that are looked at now and then are drawn as steps", () => {
  const of = (v) => {
    const held = holdCounts({ t: Float64Array.from(v, (_, i) => i), v: Float64Array.from(v) });
    return [[...held.t], [...held.v]];
  };
  assert.deepEqual(of([0, 0, 2, 1]), [
    [0, 1, 2, 2, 3, 3],
    [0, 0, 0, 2, 2, 1],
  ]);
  assert.deepEqual(of([0, 0.5, 2]), [
    [0, 1, 2],
    [0, 0.5, 2],
  ]);
});

test("a histogram that fills has classes as fine as its values are", async () => {
  const { Filling } = await load("scene/process.ts");
  const filled = (values) => {
    const filling = new Filling();
    for (const value of values) filling.take(value, 1);
    const sum = filling.parts.reduce((a, b) => a + b, 0);
    assert.equal(sum, values.length, "nothing is lost");
    return filling;
  };
  // counts have a class each
  const counts = filled([0, 1, 1, 3]);
  assert.equal(counts.width, 1);
  assert.deepEqual([...counts.parts.slice(0, 4)], [1, 2, 0, 1]);
  // a share begins with 0, which is a whole number by chance
  const share = filled([0, 0, 0.36, 0.4, 0.9]);
  assert.equal(16 * share.width, 1);
  assert.equal(share.parts.filter((part) => part > 0).length, 4);
  const mixed = filled([0, 2, 0.5]);
  const classOf = (value) => mixed.parts[Math.floor((value - mixed.low) / mixed.width)];
  assert.deepEqual([0, 0.5, 2].map(classOf), [1, 1, 1]);
  filled([0, 40, 0.5, -3, 12.25]);
});
