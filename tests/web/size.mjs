// The module does not grow: what is added here is waited for in every page. (400,000 is where it
// should be; the engine is larger.)
//
//   node size.mjs <folder with foliot.wasm>
import { readFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const MOST = 640000;
const [folder] = process.argv.slice(2);
const module = readFileSync(`${folder}/foliot.wasm`);
const packed = gzipSync(module, { level: 9 }).length;
console.log(`foliot.wasm: ${module.length} bytes, ${packed} gzipped (at most ${MOST})`);
const { length } = WebAssembly.Module.customSections(await WebAssembly.compile(module), "name");
if (length) console.log("it has names of functions, which only a debugger needs");
if (packed > MOST || length) process.exitCode = 1;
