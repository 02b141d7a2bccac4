// The whole gallery, run by the program's desk and by the module: the same solver, rows and moments,
// to the last bit. One hash of all of them is printed.
//
//   node gallery.mjs <folder with foliot.wasm> <foliot, with what runs it>...
//
// A model whose solver WebAssembly does not have (SUNDIALS) is left out, and named.
import { createHash } from "node:crypto";
import { NativeDesk, WebDesk } from "./desk.mjs";

const NUMBERS = 1000000; // in a frame
const [folder, ...command] = process.argv.slice(2);
const short = process.env.FOLIOT_SHORT; // under an emulator these take minutes
const long = /^(wave|wedge)-/;

function asker(desk) {
  let last = 0;
  return async (what, members = {}) => {
    const id = ++last;
    desk.send(JSON.stringify({ id, do: what, ...members }));
    await desk.work();
    const { message, bytes } = (await desk.until((m) => m.id === id)).at(-1);
    return { ...message, bytes };
  };
}

/** All numbers of a run, as bytes, column by column; what stands before them in a frame are handles. */
async function* columns(ask, run, rows, count) {
  const most = Math.max(1, Math.floor(NUMBERS / (rows + 1)));
  for (let from = 0; from < count; from += most) {
    const signals = Array.from({ length: Math.min(most, count - from) }, (_, i) => from + i);
    const { bytes, error } = await ask("rows", { run, signals });
    if (error) throw new Error(error.text);
    yield bytes.subarray(32);
  }
}

async function run(desk, ask, name) {
  const opened = await ask("open", { name });
  if (opened.error) return { why: opened.error.text };
  const { doc } = opened.ok;
  const started = await ask("run", { doc });
  const result = { why: started.error?.text };
  if (started.ok) {
    const { run, signals } = started.ok;
    await desk.work();
    const done = (await desk.until((m) => m.on === "done" && m.run === run)).at(-1).message;
    const hash = createHash("sha256");
    result.done = JSON.stringify({ ...done, run: 0 });
    for await (const bytes of columns(ask, run, done.rows, signals.length)) hash.update(bytes);
    const moments = await ask("moments", { run, most: 1e9 });
    hash.update(JSON.stringify(moments.ok));
    result.hash = hash.digest("hex");
    result.rows = done.rows;
    await ask("forget", { run });
  }
  await ask("close", { doc });
  return result;
}

const web = await WebDesk.open(folder), native = new NativeDesk(command);
const askWeb = asker(web), askNative = asker(native);
const { models } = (await askNative("gallery")).ok;
const listed = (await askWeb("gallery")).ok.models;
const all = createHash("sha256");
const left = [], wrong = [];
let same = 0, rows = 0;
if (JSON.stringify(models) !== JSON.stringify(listed)) wrong.push("the lists of the gallery differ");
for (const { name } of models) {
  if (short && long.test(name)) {
    left.push(name);
    continue;
  }
  const [here, there] = await Promise.all([run(web, askWeb, name), run(native, askNative, name)]);
  if (here.why && !there.why && /solver/.test(here.why)) left.push(`${name} (${here.why})`);
  else if (here.done !== there.done || here.hash !== there.hash || here.why !== there.why)
    wrong.push(`${name}: ${here.why ?? here.done} ${here.hash} in WebAssembly, ${there.why ?? there.done} ${there.hash} here`);
  else {
    same++;
    rows += here.rows ?? 0;
    all.update(here.hash ?? "");
  }
}
web.close();
native.close();
for (const text of wrong) console.log(text);
if (left.length) console.log(`left out: ${left.join(", ")}`);
console.log(`${same} models with the same bits (${rows} rows, ${all.digest("hex").slice(0, 16)}), ${wrong.length} with others, ${left.length} left out`);
if (wrong.length || same < 40) process.exitCode = 1;
