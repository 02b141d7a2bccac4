// Bundles the page into a folder of static files:
//
//   node build.mjs [FOLDER]                  the page, as `foliot studio` serves it
//   node build.mjs FOLDER --site ENGINE      for any web server: with the worker, the engine
//                                            (the modules of the folder ENGINE) and what keeps all
//                                            of it for use without a network
//
// The first load is main.js and main.css with what they import; CodeMirror, uPlot, three.js and the
// sheet are chunks that are loaded when they are wanted.
import { build } from "esbuild";
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { smallThree } from "./three.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const [folder = join(here, "../build/page"), site, engine] = process.argv.slice(2);
const out = resolve(folder);

rmSync(out, { recursive: true, force: true });
mkdirSync(out, { recursive: true });

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
const { metafile } = await build({
  ...common,
  entryPoints: { main: "app/main.tsx" },
  splitting: true,
  chunkNames: "chunks/[name]-[hash]",
  plugins: [smallThree],
  jsx: "automatic",
  jsxImportSource: "preact",
  metafile: true,
});

// main.css has the styles of all: those of chunks are copies that nothing asks for.
for (const path of Object.keys(metafile.outputs).filter((path) =>
  /[\\/]chunks[\\/].*\.css$/.test(path),
))
  rmSync(resolve(here, path));

// What main imports is asked for at once, not one after the other.
const main = Object.values(metafile.outputs).find((o) => o.entryPoint === "app/main.tsx");
const links = main.imports
  .filter(({ kind }) => kind === "import-statement")
  .map(({ path }) => `<link rel="modulepreload" href="${relative(out, resolve(here, path))}" />`);
const html = readFileSync(join(here, "app/index.html"), "utf8");
writeFileSync(
  join(out, "index.html"),
  html.replace("</head>", `${links.join("\n    ")}\n  </head>`),
);
cpSync(join(here, "app/icon.svg"), join(out, "icon.svg"));

// The documents of the gallery, by their paths: the engine's worker reads the same file.
execFileSync(process.execPath, [
  join(here, "../tools/wasm_models.mjs"),
  join(here, "../models"),
  join(out, "models.json"),
]);

if (site === "--site") await addSite();

async function addSite() {
  await build({ ...common, entryPoints: { worker: "engine/wasm-worker.mjs" } });
  for (const file of ["foliot.wasm", "foliot-more.wasm"])
    if (existsSync(join(engine, file))) cpSync(join(engine, file), join(out, file));
  const files = readdirSync(out, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => relative(out, join(entry.parentPath ?? entry.path, entry.name)))
    .sort();
  const hash = createHash("sha256");
  for (const file of files) hash.update(file).update(readFileSync(join(out, file)));
  const list = ["./", ...files.filter((file) => file !== "index.html")];
  const worker = readFileSync(join(here, "app/offline.js"), "utf8")
    .replace("VERSION", hash.digest("hex").slice(0, 16))
    .replace("= FILES", `= ${JSON.stringify(list)}`);
  writeFileSync(join(out, "offline.js"), worker);
}
