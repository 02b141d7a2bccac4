// Steps of the engine as WebAssembly under node, beside the same program through cc -O2 (which
// bench_emit measured just before) and integrators written by hand in JavaScript.
//
//   node bench_web.mjs <folder with foliot.wasm> <results>
//
// The target is at most twice what cc -O2 takes.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { openDesk } from "../web/engine/wasm.mjs";
import { dp45, models, rk4 } from "./peer_integrators.mjs";

const MOST = 2, TRIES = 40, WARM = 20;
const [folder, results] = process.argv.slice(2);
const module = await WebAssembly.compile(readFileSync(`${folder}/foliot.wasm`));

// The texts are those of the other benchmarks.
const header = readFileSync(new URL("texts.h", import.meta.url), "utf8");
function textOf(name) {
  const [, literals] = new RegExp(`${name}_text\\[\\] =([^;]*(?:;\\\\n"[^;]*)*);`).exec(header);
  return literals.match(/"(?:[^"\\]|\\.)*"/g).map((literal) => JSON.parse(literal)).join("");
}

// What cc -O2 takes, as bench_emit wrote it: "rk4 pendulum vs cc -O2 [ns/step],ours,peer,ratio".
function compiled(what) {
  try {
    const lines = readFileSync(`${results}/emit.csv`, "utf8").split("\n");
    const line = lines.find((one) => one.startsWith(`${what} vs cc -O2`));
    return line ? Number(line.split(",")[2]) : NaN;
  } catch {
    return NaN;
  }
}

/** Nanoseconds per step, the best of many short runs: others may be at work on this machine. */
async function engine(text, run) {
  const desk = await openDesk(module);
  let done, last = 0;
  desk.onmessage((said) => {
    if (said.error) throw new Error(said.error.text);
    if (said.on === "done") done = said;
  });
  const ask = (message) => {
    desk.send({ id: ++last, ...message });
    while (desk.work(1e6));
  };
  ask({ do: "open", name: "bench.mo", text });
  let best = Infinity;
  for (let i = 0; i < WARM + TRIES; i++) {
    const begun = performance.now();
    ask({ do: "run", doc: 1, interval: run.stop, ...run });
    const took = performance.now() - begun;
    best = Math.min(best, (1e6 * took) / done.steps);
    ask({ do: "forget", run: done.run });
  }
  return best;
}

// Of shorter runs: it has no messages to spread over many steps.
function byHand(integrate, model, run) {
  let best = Infinity;
  for (let i = 0; i < WARM + TRIES; i++) {
    const begun = performance.now();
    const steps = integrate(model, { ...run, stop: run.stop / 8 });
    best = Math.min(best, (1e6 * (performance.now() - begun)) / steps);
  }
  return best;
}

const runs = [
  ["pendulum", "pendulum", { solver: "rk4", step: 1e-3, stop: 20 }],
  ["Lorenz", "lorenz", { solver: "rk4", step: 1e-3, stop: 20 }],
  ["rod of 100", "rod", { solver: "rk4", step: 1e-4, stop: 0.5 }],
  ["pendulum", "pendulum", { solver: "dp45", rtol: 1e-8, atol: 1e-8, stop: 200 }],
  ["Lorenz", "lorenz", { solver: "dp45", rtol: 1e-8, atol: 1e-8, stop: 40 }],
  ["rod of 100", "rod", { solver: "dp45", rtol: 1e-8, atol: 1e-8, stop: 0.5 }],
];
const lines = ["benchmark,ours,peer,ratio"];
console.log("Time per step in WebAssembly [ns]: ours, cc -O2, by hand in JavaScript");
for (const [name, text, run] of runs) {
  const what = `${run.solver} ${name}`;
  const ours = await engine(textOf(text), run), native = compiled(what);
  const hand = byHand(run.solver === "rk4" ? rk4 : dp45, models[text], run);
  const tell = (value) => (Number.isNaN(value) ? "-" : value.toFixed(value < 10 ? 2 : 1));
  const met = Number.isNaN(native) ? "" : `  target <= ${MOST}: ${ours <= MOST * native ? "met" : "NOT met"}`;
  console.log(`  ${what}: ${tell(ours)}, ${tell(native)} (${tell(ours / native)}), ${tell(hand)} (${tell(ours / hand)})${met}`);
  if (native) lines.push(`${what} in WebAssembly vs cc -O2 [ns/step],${ours.toFixed(1)},${native},${(ours / native).toFixed(2)}`);
  lines.push(`${what} in WebAssembly vs JavaScript by hand [ns/step],${ours.toFixed(1)},${hand.toFixed(1)},${(ours / hand).toFixed(2)}`);
}
if (results) {
  mkdirSync(results, { recursive: true });
  writeFileSync(`${results}/web_steps.csv`, lines.join("\n") + "\n");
}
