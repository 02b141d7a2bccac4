// Runs a WebAssembly program of WASI: node wasi.mjs <program>
//
// It is also the host of modules that the program emits (foliot/program.h): they share memory and
// table of the program, and get places at the end of the table.
import { readFile } from "node:fs/promises";
import { WASI } from "node:wasi";

let instance;

function instantiate(at, size, count) {
    const { memory, __indirect_function_table: table } = instance.exports;
    try {
        const module = new WebAssembly.Module(new Uint8Array(memory.buffer, at, size));
        const base = table.grow(count);
        const place = new WebAssembly.Global({ value: "i32" }, base);
        new WebAssembly.Instance(module, { foliot: { memory, table, base: place } });
        return base;
    } catch (refused) {
        console.error(String(refused));
        return 0;
    }
}

const wasi = new WASI({ version: "preview1", args: [process.argv[2]], returnOnExit: true });
const program = await WebAssembly.compile(await readFile(process.argv[2]));
const imports = { ...wasi.getImportObject(), foliot: { instantiate } };
instance = await WebAssembly.instantiate(program, imports);
process.exitCode = wasi.start(instance);
