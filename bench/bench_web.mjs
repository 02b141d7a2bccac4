// Steps of the engine as WebAssembly under node, beside the same program through cc -O2 (which
// bench_emit measured just before) and integrators written by hand in JavaScript.
//
//   node bench_web.mjs <folder with foliot.wasm> <results>
//
// Then how large the engine is. The target is at most twice what cc -O2 takes. A run through the desk takes a tenth of a millisecond beside its
// steps; as for cc -O2, that is left out: it is what a run of one step takes.
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
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
  const time = (one) => {
    const begun = performance.now();
    ask({ do: "run", doc: 1, interval: one.stop, ...one });
    const took = performance.now() - begun;
    ask({ do: "forget", run: done.run });
    return took;
  };
  let best = Infinity, least = Infinity, steps = 0;
  for (let i = 0; i < WARM + TRIES; i++) {
    least = Math.min(least, time({ ...run, stop: run.step ?? 1e-6 }));
    best = Math.min(best, time(run));
    steps = done.steps;
  }
  return (1e6 * (best - least)) / (steps - 1);
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

// What a page loads: the target is of the engine, which is in two modules because it is not to be had in that.
const LIMIT = 400, files = ["foliot.wasm", "foliot-more.wasm"].map((name) => readFileSync(`${folder}/${name}`));
const quality = { params: { [constants.BROTLI_PARAM_QUALITY]: 11 } };
const sizes = files.map((file) => ({
  gzip: gzipSync(file, { level: 9 }).length / 1000,
  brotli: brotliCompressSync(file, quality).length / 1000,
}));
const whole = { gzip: sizes[0].gzip + sizes[1].gzip, brotli: sizes[0].brotli + sizes[1].brotli };
console.log("Size of the engine [kB]: gzip, brotli");
for (const [what, { gzip, brotli }] of [["what a text needs", sizes[0]], ["the whole engine", whole]]) {
  const met = gzip <= LIMIT ? "met" : "NOT met";
  console.log(`  ${what}: ${gzip.toFixed(0)}, ${brotli.toFixed(0)}  target <= ${LIMIT} gzipped: ${met}`);
  lines.push(`${what} vs limit [kB gzipped],${gzip.toFixed(1)},${LIMIT},${(gzip / LIMIT).toFixed(3)}`);
}

if (results) {
  mkdirSync(results, { recursive: true });
  writeFileSync(`${results}/web_steps.csv`, lines.join("\n") + "\n");
}
