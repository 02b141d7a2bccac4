// Analyses and runs in a page, which has one thread and no stacks to switch: other messages are answered in the middle
// of each, it can be cancelled there, and what comes out is what the program says, to the bit.
//
//   node slices.mjs <folder with foliot.wasm> <foliot>
//
// No time is judged but by the number of turns: a desk that has a clock leaves an analysis after some
// milliseconds, so one that takes long has many.
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname } from "node:path";
import { execFileSync } from "node:child_process";
import { openDesk } from "../../web/engine/wasm.mjs";

const [folder, foliot] = process.argv.slice(2);
const module = await WebAssembly.compile(readFileSync(`${folder}/foliot.wasm`));
const more = await WebAssembly.compile(readFileSync(`${folder}/foliot-more.wasm`));

const VAN_DER_POL = `model V
  parameter Real mu = 1.5;
  parameter Real f = 0.2;
  input Real u(start = 0.5);
  Real x(start = 1, fixed = true), y(start = 0, fixed = true);
  Real n(start = 0, fixed = true);
  output Real w = x + y;
equation
  der(x) = y;
  der(y) = mu*(1 - x^2)*y - x + f*u;
  der(n) = 1e-3*(x^2 - n);
  when x > 1.9 then
    reinit(n, 0.9*pre(n));
  end when;
end V;
`;
// 27 equilibria
const CHAIN = `model C
  parameter Real k = 1;
  Real x[3](each start = 0.5, each fixed = true);
equation
  for i in 1:3 loop
    der(x[i]) = x[i] - x[i]^3 + 0.05*k*(x[if i == 1 then 3 else i - 1] - x[i]);
  end for;
  annotation(experiment(StopTime = 500));
end C;
`;
const data = { t: [], signals: { x: [] } };
for (let i = 0; i <= 20; i++) data.t.push(i), data.signals.x.push(2 * Math.cos(0.9 * i));
const QUESTIONS = {
  linearize: [VAN_DER_POL, { at: 2000, stop: 3000, rtol: 1e-10, frequencies: 20 }],
  sensitivity: [VAN_DER_POL, { to: ["mu", "f"], measures: ["final(n)"], stop: 600 }],
  steady: [CHAIN, { starts: 4, vary: "k=1..2" }],
  fit: [VAN_DER_POL, { adjust: ["mu=0.5..3"], data: [data] }],
  optimize: [VAN_DER_POL, { adjust: ["mu=0.5..3"], minimize: "final(n)", stop: 50 }],
};

/** What `foliot desk` answers to the same. */
function native(messages) {
  const input = messages.map((m) => `${JSON.stringify(m)}\n`).join("");
  const lines = execFileSync(foliot, ["desk"], { input, maxBuffer: 1 << 28 }).toString().trim().split("\n");
  return lines.map((line) => JSON.parse(line));
}

async function begin() {
  const desk = await openDesk(module, { more });
  const all = { said: [], turns: 0 };
  desk.onmessage((message) => all.said.push(message));
  all.send = (message) => desk.send(message);
  all.work = () => (all.turns++, desk.work(1));
  all.answer = (id) => all.said.find((m) => m.id === id);
  all.until = (found) => {
    while (!found()) all.work();
    return found();
  };
  all.close = () => desk.close();
  return all;
}
const diagnosis = (all, doc) => all.said.find((m) => m.on === "diagnostics" && m.doc === doc);
const BROKEN = "model Broken Real x; equation der(x) = nowhere; end Broken;";
const open = (id, text) => ({ id, do: "open", name: "a.mo", text });

for (const [what, [text, members]] of Object.entries(QUESTIONS)) {
  const ask = { id: 2, do: what, doc: 1, ...members };
  const desk = await begin();
  desk.send(open(1, text));
  desk.until(() => diagnosis(desk, 1));
  desk.send(ask);
  desk.turns = 0;
  for (let i = 0; i < 3; i++) desk.work();
  assert.equal(desk.answer(2), undefined, `${what} is not over after three turns`);
  desk.send(open(3, BROKEN));
  const heard = desk.until(() => diagnosis(desk, 2));
  assert.equal(heard.list.length > 0, true, "it is diagnosed");
  assert.equal(desk.answer(2), undefined, `${what}: a diagnosis is there before its end`);
  assert.ok(desk.turns < 12, `${desk.turns} turns`);
  const said = desk.until(() => desk.answer(2));
  console.log(`${what}: ${desk.turns} turns, ${JSON.stringify(said).length} bytes`);
  const other = native([open(1, text), ask]).find((m) => m.id === 2);
  assert.ok(said.ok, JSON.stringify(said));
  assert.deepEqual(said, other);
  // once more, and then not
  desk.send({ ...ask, id: 4 });
  for (let i = 0; i < 2; i++) desk.work();
  desk.send({ id: 5, do: "cancel", request: 4 });
  desk.until(() => desk.answer(5));
  assert.equal(desk.until(() => desk.answer(4)).error?.code, "cancelled", what);
  while (desk.work());
  // two beside each other, where that is soon done
  if (members.starts) {
    desk.send({ ...ask, id: 6 });
    desk.send({ ...ask, id: 7 });
    for (const id of [6, 7]) assert.deepEqual({ ...desk.until(() => desk.answer(id)), id: 2 }, other);
  }
  // and one that is left in the middle when the desk is put away
  desk.send({ ...ask, id: 8 });
  desk.work(), desk.work();
  desk.close();
}

// A sweep: the rows of the command line, and a diagnosis long before the last of them.
{
  const sweep = { id: 2, do: "sweep", doc: 1, vary: ["mu=0.5:1.5:1000"], measures: ["final(n)"], stop: 20 };
  const desk = await begin();
  desk.send(open(1, VAN_DER_POL));
  desk.until(() => diagnosis(desk, 1));
  desk.send(sweep);
  const rows = () => desk.said.filter((m) => m.on === "row");
  desk.until(() => rows().length > 0);
  desk.send(open(3, BROKEN));
  desk.until(() => desk.said.some((m) => m.on === "diagnostics" && m.list.length > 0));
  const before = rows().length;
  assert.ok(before < 100, `${before} rows before a diagnosis`);
  const { status, rows: count } = desk.until(() => desk.said.find((m) => m.on === "swept"));
  assert.equal(status, "reached");
  assert.equal(count, 1000);
  assert.deepEqual(rows().map((m) => m.number), Array.from({ length: 1000 }, (_, i) => i));
  const own = rows().map(({ values, measures }) => [...values, ...measures]);
  const file = `${mkdtempSync(`${tmpdir()}/foliot-slices-`)}/v.mo`;
  writeFileSync(file, VAN_DER_POL);
  const ask = ["sweep", file, "--vary", sweep.vary[0], "--measure", sweep.measures[0], "--stop", "20"];
  const table = execFileSync(foliot, [...ask, "--quiet", "--output", "-"]).toString().trim().split("\n").slice(1);
  rmSync(dirname(file), { recursive: true });
  assert.deepEqual(own, table.map((line) => line.split(",", 2).map(Number)));
  console.log(`sweep: ${before} rows before the diagnosis`);
  desk.close();
}

// A run of short steps goes on between turns of the desk: the clock is looked at once in ten steps or less
// often. It goes by counts, and one look is a microsecond.
{
  const ROD = `model Rod
  constant Integer N = 100;
  Real T[N](each start = 300, each fixed = true);
equation
  der(T[1]) = 100*(T[2] - T[1]);
  for i in 2:N - 1 loop
    der(T[i]) = 100*(T[i - 1] - 2*T[i] + T[i + 1]);
  end for;
  der(T[N]) = 100*(T[N - 1] - T[N]) - T[N] + 400;
end Rod;
`;
  const steps = 5000;
  let looks = 0;
  const desk = await openDesk(module, { more, now: () => ++looks / 1000 });
  let done;
  desk.onmessage((message) => {
    if (message.on === "done") done = message;
  });
  desk.send(open(1, ROD));
  while (desk.work());
  looks = 0;
  desk.send({ id: 2, do: "run", doc: 1, solver: "rk4", step: 1e-3, stop: steps * 1e-3, interval: 5 });
  while (desk.work());
  assert.equal(done.status, "reached");
  assert.ok(looks < steps / 10, `${looks} looks at the clock in ${steps} steps`);
  console.log(`run: ${looks} looks at the clock in ${steps} steps`);
  desk.close();
}
