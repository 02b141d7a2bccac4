// Bundles the page into a folder of static files: node build.mjs [FOLDER] (default ../build/page).
//
// The first load is main.js and main.css; CodeMirror, uPlot, three.js and the sheet are chunks that
// are loaded when they are wanted.
import { build } from "esbuild";
import { cp, mkdir, rm } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const out = resolve(process.argv[2] ?? join(here, "../build/page"));

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
await build({
  absWorkingDir: here,
  entryPoints: { main: "app/main.tsx" },
  outdir: out,
  bundle: true,
  splitting: true,
  format: "esm",
  target: "es2022",
  minify: true,
  legalComments: "none",
  chunkNames: "chunks/[name]-[hash]",
  assetNames: "chunks/[name]-[hash]",
  define: { "process.env.NODE_ENV": '"production"' },
  jsx: "automatic",
  jsxImportSource: "preact",
  logLevel: "warning",
});
await cp(join(here, "app/index.html"), join(out, "index.html"));
