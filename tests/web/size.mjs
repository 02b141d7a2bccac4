// The module stays small enough to be sent to a page: at most 400 kB gzipped.
//
//   node size.mjs <folder with foliot.wasm>
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const MOST = 400000;
const [folder] = process.argv.slice(2);
const module = readFileSync(`${folder}/foliot.wasm`);
const packed = gzipSync(module, { level: 9 }).length;
console.log(`foliot.wasm: ${module.length} bytes, ${packed} gzipped (at most ${MOST})`);
const { length } = WebAssembly.Module.customSections(await WebAssembly.compile(module), "name");
if (length) console.log("it has names of functions, which only a debugger needs");
if (packed > MOST || length) process.exitCode = 1;
