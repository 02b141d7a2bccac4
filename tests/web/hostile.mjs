// Documents that take long to translate, in a page: there a translation is one piece, and nobody is answered
// before its end. It ends in time, the document is told why, and the desk goes on as before.
//
//   node hostile.mjs <folder with foliot.wasm>
//
// The clock is the processor time of this process, the desk's too, so that others on the machine do not count.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { openDesk } from "../../web/engine/wasm.mjs";

const PATIENCE = 1000; // ms
const MOST = 1.5 * PATIENCE;
const [folder] = process.argv.slice(2);
const module = await WebAssembly.compile(readFileSync(`${folder}/foliot.wasm`));
const more = await WebAssembly.compile(readFileSync(`${folder}/foliot-more.wasm`));

function now() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

const dense = (n, term) =>
  `model D Real x[${n}]; equation for i in 1:${n} loop ` +
  `sum({${term} for j in 1:${n}}) + x[i] = time; end for; end D;`;
const aliases = (n) =>
  `model D Real x[${n}]; equation x[1] = time; for i in 2:${n} loop x[i] = x[i - 1]; end for; end D;`;
const LONG = "a".repeat(900);
const TEXTS = {
  "a loop of 450 unknowns, each in each equation": dense(450, "sin(x[j])*i*j"),
  "a linear one of 900": dense(900, "x[j]/(i + j)"),
  "more than may be expanded": dense(4000, "sin(x[j])*i*j"),
  "400,000 equations":
    "model D Real x[400000](each start = 0, each fixed = true); equation " +
    "for i in 1:400000 loop der(x[i]) = -i*x[i]; end for; end D;",
  "900,000 aliases": aliases(900000),
  "200,000 long names":
    `model D Real ${LONG}[200000]; equation for i in 1:200000 loop ${LONG}[i] = sin(time*i); end for; end D;`,
  "a function that goes on":
    "function f input Integer n; output Real y; algorithm y := 0; for i in 1:n loop for j in 1:n loop " +
    "y := y + sin(i*j); end for; end for; end f; " +
    "model D constant Integer k = integer(f(100000)); Real x[k]; equation x = fill(time, k); end D;",
  "constraints of 1,200 states":
    "model D Real x[1200]; Real f[1200]; Real v[1200]; equation for i in 1:1200 loop der(x[i]) = v[i]; " +
    "der(v[i]) = f[i]; end for; for i in 1:1199 loop x[i + 1]^2 + x[i]^2 = 1 + time; end for; " +
    "x[1200] = sin(time); end D;",
};
const SMALL =
  "model S Real x(start = 1, fixed = true); equation der(x) = -x; annotation(experiment(StopTime = 1)); end S;";

/** A desk that is asked in turn, and how long its longest piece of work was. */
async function begin(patience) {
  const desk = await openDesk(module, { more, now, patience });
  const all = { said: [], longest: 0, last: 0 };
  desk.onmessage((message) => all.said.push(message));
  all.work = () => {
    const begun = now(), on = desk.work(1);
    all.longest = Math.max(all.longest, now() - begun);
    return on;
  };
  all.begin = (what, members = {}) => {
    desk.send({ id: ++all.last, do: what, ...members });
    all.work();
    return all.last;
  };
  all.answer = (id) => {
    const found = () => all.said.find((m) => m.id === id);
    while (!found()) all.work();
    const { ok, error } = found();
    return { ...ok, error };
  };
  /** The answer, and all that follows from it. */
  all.ask = (what, members) => {
    const id = all.begin(what, members);
    while (all.work());
    return all.answer(id);
  };
  all.diagnoses = (doc) => all.said.findLast((m) => m.on === "diagnostics" && m.doc === doc);
  return all;
}

function isTooLarge(text) {
  return /too large to be translated in a page.*'foliot studio'/.test(text);
}

let refused = 0;
const desk = await begin(PATIENCE);
desk.ask("open", { name: "warm.mo", text: SMALL });
for (const [name, text] of Object.entries(TEXTS)) {
  desk.longest = 0;
  const { doc } = desk.ask("open", { name: "a.mo", text });
  const { runs, list } = desk.diagnoses(doc);
  const took = desk.longest;
  console.log(`${name}: ${took.toFixed(0)} ms, ${runs ? "runs" : list[0]?.text.slice(0, 60)}`);
  assert.ok(took < MOST, `${name}: ${took} ms in one piece`);
  if (!runs && isTooLarge(list[0].text)) {
    refused++;
    assert.equal(list.length, 1, "and nothing of what was not there");
    desk.longest = 0;
    for (const what of ["describe", "run", "view"]) {
      const { error } = desk.ask(what, { doc, view: "flat" });
      assert.equal(error.code, "limit", `${name}: ${what}`);
      assert.ok(isTooLarge(error.text), `${what}: ${error.text}`);
    }
    assert.ok(desk.longest < PATIENCE / 2, "it is not translated again for each request");
    // one that is made smaller runs
    desk.ask("change", { doc, text: SMALL });
    assert.equal(desk.diagnoses(doc).runs, true, name);
    assert.deepEqual(desk.diagnoses(doc).list, []);
  }
  const { run, error } = desk.ask("run", { doc: 1 });
  assert.ok(run, error?.text);
  assert.ok(desk.said.some((m) => m.on === "done" && m.run === run && m.status === "reached"));
  desk.ask("forget", { run });
  desk.ask("close", { doc });
}
assert.ok(refused >= 5, `${refused} were refused since they took too long`);

// Steps that are long, of a model without states: others are answered between them.
{
  const { doc } = desk.ask("open", { name: "a.mo", text: dense(100, "sin(x[j])*i*j") });
  assert.equal(desk.diagnoses(doc)?.runs, true);
  const { run } = desk.answer(desk.begin("run", { doc, stop: 1e4, interval: 1e3 }));
  desk.longest = 0;
  for (let i = 0; i < 10; i++) desk.work();
  const { error } = desk.answer(desk.begin("describe", { doc: 1 }));
  console.log(`beside a slow run: ${desk.longest.toFixed(0)} ms`);
  assert.equal(error, undefined);
  assert.ok(desk.longest < PATIENCE, `${desk.longest} ms before an answer`);
  assert.ok(!desk.said.some((m) => m.on === "done" && m.run === run), "it is not over");
  assert.equal(desk.answer(desk.begin("cancel", { run })).error, undefined);
}

// Who waits longer gets it.
const patient = await begin(600000);
const { doc } = patient.ask("open", { name: "a.mo", text: aliases(50000) });
assert.equal(patient.diagnoses(doc).runs, true);
console.log(`${refused} of ${Object.keys(TEXTS).length} documents ended in time`);
