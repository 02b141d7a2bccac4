// Makes panels/gallery.json: the models that come with foliot, each with a picture of a real run.
//
//   node gallery.mjs FOLIOT [--check]
//
// --check compares instead of writing, and says what is no longer so.
import { spawn } from "node:child_process";
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const [program, check] = process.argv.slice(2);
const target = join(dirname(fileURLToPath(import.meta.url)), "panels/gallery.json");

// Two signals against each other, where that is the picture that people know; and the part of the
// run that is drawn.
const planes = {
  lorenz: { signals: ["x", "z"], part: [0.3, 0.62], points: 230 },
  kepler: { signals: ["x", "y"], run: { stop: 6.4, interval: 0.02 }, part: [0, 1], points: 120 },
  "van-der-pol": { part: [0, 1], points: 120 },
  brusselator: { part: [0, 0.7], points: 120 },
  "predator-prey": { part: [0, 1], points: 120 },
};
// Those that are shown first, in this order.
const first = [
  "double-pendulum",
  "ball",
  "second-order",
  "tapped-pendulum",
  "lorenz",
  "wave-2d",
  "balloon",
  "bank",
  "bus-wheels",
  "predator-prey",
  "hodgkin-huxley",
  "clamped-beam",
  "kepler",
  "buck-converter",
  "wedge-on-wave",
  "machine-shop",
  "pendulum.json",
  "sir-epidemic",
  "chua-circuit",
  "mass-on-a-chain",
];
const WIDTH = 240;
const HEIGHT = 96;
const MOST_LINES = 3;
const MOST_POINTS = 90; // of a line; then it is drawn coarser

// The documents, by the names that the gallery has for them.
const documents = new Map();
const models = join(dirname(fileURLToPath(import.meta.url)), "../models");
for (const folder of readdirSync(models, { withFileTypes: true }).filter((e) => e.isDirectory()))
  for (const file of readdirSync(join(models, folder.name)).filter((f) => /\.(mo|json)$/.test(f))) {
    documents.set(file, file);
    documents.set(file.replace(/(\.structure|\.field)?\.(json|mo)$/, ""), file);
  }
const codeKinds = ["system", "world"]; // models that are C: there is no text

function openDesk() {
  const child = spawn(program, ["desk"], { stdio: ["pipe", "pipe", "inherit"] });
  const waiting = new Map();
  const done = new Map();
  let held = Buffer.alloc(0);
  let awaited;
  let last = 0;
  child.stdout.on("data", (piece) => {
    held = Buffer.concat([held, piece]);
    for (;;) {
      if (awaited) {
        if (held.length < awaited.bytes) return;
        awaited.payload = held.subarray(0, awaited.bytes);
        held = held.subarray(awaited.bytes);
        settle(awaited);
        awaited = undefined;
        continue;
      }
      const end = held.indexOf(10);
      if (end < 0) return;
      const message = JSON.parse(held.subarray(0, end).toString());
      held = held.subarray(end + 1);
      if ("bytes" in message) awaited = message;
      else settle(message);
    }
  });
  function settle(message) {
    if (message.on === "done") {
      done.get(message.run)?.(message);
      done.set(message.run, message);
    }
    const { resolve, reject } = waiting.get(message.id) ?? {};
    if ("error" in message) reject?.(new Error(message.error.text));
    else resolve?.({ ...message.ok, payload: message.payload });
  }
  return {
    ask(what, members = {}) {
      const id = ++last;
      child.stdin.write(JSON.stringify({ id, do: what, ...members }) + "\n");
      return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
    },
    // the run may be over before anybody asks
    finished: (run) => done.get(run) ?? new Promise((resolve) => done.set(run, resolve)),
    close: () => child.stdin.end(),
  };
}

function columns(payload) {
  const count = payload.readUInt32LE(16);
  const list = [];
  let at = 32 + 8 * count;
  for (let i = 0; i < count; i++) {
    const length = payload.readUInt32LE(36 + 8 * i);
    list.push(Array.from({ length }, (_, k) => payload.readDoubleLE(at + 8 * k)));
    at += 8 * length;
  }
  return list;
}

/** Fewer points of a line that stays where it is within the slack (Douglas and Peucker). */
function simplify(points, slack) {
  const keep = new Set([0, points.length - 1]);
  const stack = [[0, points.length - 1]];
  while (stack.length) {
    const [a, b] = stack.pop();
    const [ax, ay] = points[a];
    const [dx, dy] = [points[b][0] - ax, points[b][1] - ay];
    const length = Math.hypot(dx, dy);
    let [worst, at] = [slack, -1];
    for (let i = a + 1; i < b; i++) {
      const [x, y] = [points[i][0] - ax, points[i][1] - ay];
      const off = length ? Math.abs(x * dy - y * dx) / length : Math.hypot(x, y);
      if (off > worst) [worst, at] = [off, i];
    }
    if (at < 0) continue;
    keep.add(at);
    stack.push([a, at], [at, b]);
  }
  return points.filter((_, i) => keep.has(i));
}

function range(lists) {
  let [low, high] = [Infinity, -Infinity];
  for (const list of lists)
    for (const value of list)
      if (Number.isFinite(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
  return high > low ? [low, high] : [low - 1, high + 1];
}

function place(xs, ys, [x0, x1], [y0, y1]) {
  const points = [];
  for (let i = 0; i < xs.length; i++)
    if (Number.isFinite(xs[i]) && Number.isFinite(ys[i]))
      points.push([((xs[i] - x0) / (x1 - x0)) * WIDTH, (1 - (ys[i] - y0) / (y1 - y0)) * HEIGHT]);
  return points;
}

const isWild = (points) => points.length > 1 && simplify(points, 1).length > MOST_POINTS;

function draw(xs, ys, across, up, most = MOST_POINTS) {
  const points = place(xs, ys, across, up);
  if (points.length < 2) return "";
  let slack = 0.3;
  let kept = simplify(points, slack);
  while (kept.length > most) kept = simplify(points, (slack *= 1.5));
  const short = kept.map(([x, y]) => `${Math.round(x)} ${Math.round(y)}`);
  return short.filter((text, i) => text !== short[i - 1]).join(" ");
}

/** Which signals are the picture: what the model plots, of one unit, or its first state. */
function choose(description, names) {
  const about = new Map(description.signals.map((s) => [s.name, s]));
  const plotted = description.plot.filter((name) => names.includes(name));
  const wanted = plotted.length ? plotted : names.slice(0, 1);
  const unit = about.get(wanted[0])?.unit;
  return wanted.filter((name) => about.get(name)?.unit === unit).slice(0, MOST_LINES);
}

async function picture(desk, entry) {
  const { doc } = await desk.ask("open", { name: entry.name });
  const description = await desk.ask("describe", { doc });
  const started = await desk.ask("run", { doc, ...planes[entry.name]?.run });
  await desk.finished(started.run);
  const plane = planes[entry.name];
  const names = plane
    ? (plane.signals ?? started.signals.slice(0, 2))
    : choose(description, started.signals);
  const signals = names.map((name) => started.signals.indexOf(name));
  let lines;
  if (plane) {
    const [, xs, ys] = columns((await desk.ask("rows", { run: started.run, signals })).payload);
    const [from, to] = plane.part.map((part) => Math.round(part * xs.length));
    const [across, up] = [range([xs]), range([ys])];
    lines = [draw(xs.slice(from, to), ys.slice(from, to), across, up, plane.points)];
  } else {
    // What changes too often to be drawn well is drawn for a shorter time.
    const span = started.stop - started.start;
    for (let part = 1; !lines && part > 1e-3; part /= 2) {
      const window = {
        run: started.run,
        signals,
        pixels: 240,
        to: started.start + part * span,
      };
      const got = columns((await desk.ask("rows", window)).payload);
      const times = got.filter((_, i) => i % 2 === 0);
      const values = got.filter((_, i) => i % 2 === 1);
      const [across, up] = [range(times), range(values)];
      if (part > 2e-3 && values.some((list, i) => isWild(place(times[i], list, across, up))))
        continue;
      lines = values.map((list, i) => draw(times[i], list, across, up));
    }
  }
  await desk.ask("forget", { run: started.run });
  await desk.ask("close", { doc });
  return lines.filter((line) => line);
}

const desk = openDesk();
const gallery = (await desk.ask("gallery")).models;
const list = [];
for (const { name, kind, about } of gallery) {
  const began = Date.now();
  const lines = await picture(desk, { name }).catch((error) => {
    console.error(`${name}: ${error.message}`);
    return [];
  });
  if (Date.now() - began > 2000) console.error(`${name}: ${Date.now() - began} ms`);
  const file = codeKinds.includes(kind) ? undefined : documents.get(name);
  list.push({ name, kind, about, file, lines });
}
desk.close();
const rank = ({ name }) => (first.includes(name) ? first.indexOf(name) : first.length);
list.sort((a, b) => rank(a) - rank(b));
const text = "[\n" + list.map((entry) => JSON.stringify(entry)).join(",\n") + "\n]\n";
if (!check) {
  writeFileSync(target, text);
} else if (readFileSync(target, "utf8") !== text) {
  const old = new Map(
    JSON.parse(readFileSync(target, "utf8")).map((e) => [e.name, JSON.stringify(e)]),
  );
  for (const entry of list)
    if (old.get(entry.name) !== JSON.stringify(entry))
      console.log(`${entry.name}: is not so any more`);
  console.log("web/panels/gallery.json is old: node web/gallery.mjs build/foliot makes it again");
  process.exitCode = 1;
}
