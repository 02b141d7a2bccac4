// The modules do not grow: what is added to the first is waited for in every page, and nothing else
// is before a text has run.
//
//   node size.mjs <folder with foliot.wasm>
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const MOST = { "foliot.wasm": 400000, "foliot-more.wasm": 556000 };
const [folder] = process.argv.slice(2);
for (const [name, most] of Object.entries(MOST)) {
  const module = readFileSync(`${folder}/${name}`);
  const packed = gzipSync(module, { level: 9 }).length;
  console.log(`${name}: ${module.length} bytes, ${packed} gzipped (at most ${most})`);
  const { length } = WebAssembly.Module.customSections(await WebAssembly.compile(module), "name");
  if (length) console.log("it has names of functions, which only a debugger needs");
  if (packed > most || length) process.exitCode = 1;
}
