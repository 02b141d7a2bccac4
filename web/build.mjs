// Bundles the page into a folder of static files:
//
//   node build.mjs [FOLDER] [--site]
//
// The first load is main.js and main.css; CodeMirror, uPlot, three.js and the sheet are chunks that
// are loaded when they are wanted. --site adds the worker in which the engine runs, for servers that
// are not `foliot studio`.
import { build } from "esbuild";
import { cpSync, mkdirSync, readdirSync, rmSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const site = process.argv.includes("--site");
const [folder = join(here, "../build/page")] = process.argv.slice(2).filter((a) => a !== "--site");
const out = resolve(folder);

rmSync(out, { recursive: true, force: true });
mkdirSync(join(out, "models"), { recursive: true });

const common = {
  absWorkingDir: here,
  outdir: out,
  bundle: true,
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "none",
  logLevel: "warning",
};
await build({
  ...common,
  entryPoints: { main: "app/main.tsx" },
  splitting: true,
  chunkNames: "chunks/[name]-[hash]",
  jsx: "automatic",
  jsxImportSource: "preact",
});
if (site) await build({ ...common, entryPoints: { worker: "engine/wasm-worker.mjs" } });
for (const file of ["index.html", "icon.svg"]) cpSync(join(here, "app", file), join(out, file));

// The documents of the gallery, each under its own name.
const models = join(here, "../models");
for (const entry of readdirSync(models, { withFileTypes: true }))
  for (const file of entry.isDirectory() ? readdirSync(join(models, entry.name)) : [])
    if (/\.(mo|json)$/.test(file))
      cpSync(join(models, entry.name, file), join(out, "models", file));
