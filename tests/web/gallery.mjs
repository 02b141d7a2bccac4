// The whole gallery, run by the program's desk and by the module: the same solver, rows and moments,
// to the last bit. One hash of all of them is printed.
//
//   node gallery.mjs <folder with foliot.wasm> <foliot, with what runs it>...
//
// A model whose solver WebAssembly does not have (SUNDIALS) is left out, and named.
import { createHash } from "node:crypto";
import { NativeDesk, WebDesk } from "./desk.mjs";
import { asker, runDocument } from "./run_desk.mjs";

const [folder, ...command] = process.argv.slice(2);
const short = process.env.FOLIOT_SHORT; // under an emulator these take minutes
const long = /^(wave|wedge)-/;

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
  const [[here], [there]] = await Promise.all([
    runDocument(web, askWeb, { name }),
    runDocument(native, askNative, { name }),
  ]);
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
