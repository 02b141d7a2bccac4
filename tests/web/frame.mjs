// How long a live frame takes (a clock 16 ms on, the answer and its bytes), and the first result of
// the ball after the module is compiled.
//
//   node frame.mjs <folder with foliot.wasm> [results]
//
// A frame of the double pendulum in at most 300 microseconds (the median; another program may be in
// the way of some), the ball in at most 10 milliseconds (the best of some: it takes so long that on a busy
// machine others are in the way of most). With `results` they are also written there.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { openDesk } from "../../web/engine/wasm.mjs";

const MOST_FRAME = 300, MOST_START = 10000; // microseconds
const FRAMES = 3000, STARTS = 15, TRIES = 3;
const [folder, results] = process.argv.slice(2);
const compiled = await WebAssembly.compile(readFileSync(`${folder}/foliot.wasm`));
const more = await WebAssembly.compile(readFileSync(`${folder}/foliot-more.wasm`));
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];

function ask(desk, message) {
  let answer;
  desk.onmessage((said) => {
    if (said.id === message.id) answer = said;
  });
  desk.send(message);
  while (desk.work(1e6));
  if (!answer?.ok) throw new Error(JSON.stringify(answer));
  return answer.ok;
}

async function frames() {
  const desk = await openDesk(compiled, { more });
  let id = 0, clock = 0;
  const { doc } = ask(desk, { id: ++id, do: "open", name: "double-pendulum" });
  const { live } = ask(desk, { id: ++id, do: "live", doc, clock });
  const times = [];
  let t;
  for (let i = 0; i < FRAMES; i++) {
    clock += 16000000;
    const begun = performance.now();
    ({ t } = ask(desk, { id: ++id, do: "frame", live, clock }));
    times.push(1000 * (performance.now() - begun));
  }
  if (Math.abs(t - 0.016 * FRAMES) > 1e-9) throw new Error(`the frames end at t = ${t}`);
  return median(times.slice(FRAMES / 10));
}

const ball = `model Ball
  Real h(start = 1, fixed = true);
  Real v;
equation
  der(h) = v;
  der(v) = -9.81;
  when h <= 0 then
    reinit(v, -0.8*pre(v));
  end when;
  annotation(experiment(StopTime = 3));
end Ball;
`;

// From a compiled module to all rows of a run of a text.
async function start() {
  const begun = performance.now();
  const desk = await openDesk(compiled);
  let rows = 0;
  desk.onmessage((said, bytes) => {
    if (said.on === "done") desk.send({ id: 3, do: "rows", run: said.run, signals: [0, 1] });
    if (said.id === 3) rows = bytes.length;
  });
  desk.send({ id: 1, do: "open", name: "ball.mo", text: ball });
  desk.send({ id: 2, do: "run", doc: 1 });
  while (desk.work(1e6));
  if (!rows) throw new Error("the ball has no rows");
  return 1000 * (performance.now() - begun);
}

async function measure() {
  const starts = [];
  for (let i = 0; i < STARTS; i++) starts.push(await start());
  const first = starts[0];
  return { frame: await frames(), start: Math.min(...starts), first };
}

let found;
for (let i = 0; i < TRIES; i++) {
  found = await measure();
  if (found.frame <= MOST_FRAME && found.start <= MOST_START) break;
}
const text = (name, value) => `${name},${value.toFixed(1)}`;
console.log(`a frame of the double pendulum ${found.frame.toFixed(1)} us (at most ${MOST_FRAME})`);
console.log(`the ball from a compiled module ${(found.start / 1000).toFixed(2)} ms (at most ${MOST_START / 1000}), the first time ${(found.first / 1000).toFixed(2)} ms`);
if (results) {
  mkdirSync(results, { recursive: true });
  writeFileSync(`${results}/web.csv`, ["what,microseconds", text("frame", found.frame), text("ball", found.start)].join("\n") + "\n");
}
if (found.frame > MOST_FRAME || found.start > MOST_START) process.exitCode = 1;
