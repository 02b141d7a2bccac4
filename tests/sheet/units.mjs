// Runs the unit tests of the sheet, the document and the scene: node units.mjs. They are bundled by
// the esbuild of web/ into a folder that is taken away afterwards, and run by node's own runner.
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const web = join(here, "../../web");
if (!existsSync(join(web, "node_modules/esbuild"))) {
  console.log("skipped: web/node_modules is not there (npm ci in web/)");
  process.exit(77);
}
const { buildSync } = createRequire(join(web, "package.json"))("esbuild");
const out = mkdtempSync(join(tmpdir(), "sheet-units-"));
const chosen = process.argv.slice(2);
const entries = readdirSync(here).filter(
  (file) => file.endsWith(".test.ts") && (!chosen.length || chosen.some((c) => file.includes(c))),
);
let status = 1;
try {
  buildSync({
    entryPoints: entries.map((file) => join(here, file)),
    outdir: out,
    outExtension: { ".js": ".mjs" },
    bundle: true,
    platform: "node",
    format: "esm",
    nodePaths: [join(web, "node_modules")],
    loader: { ".css": "empty" },
    logLevel: "warning",
  });
  const files = entries.map((file) => join(out, file.replace(/\.ts$/, ".mjs")));
  status = spawnSync(process.execPath, ["--test", ...files], { stdio: "inherit" }).status ?? 1;
} finally {
  rmSync(out, { recursive: true, force: true });
}
process.exit(status);
