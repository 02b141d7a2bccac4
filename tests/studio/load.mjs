// Imports a module of the page, which is TypeScript, into node.
import { mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { source } from "./browser.mjs";

const require = createRequire(join(source, "web/package.json"));

export async function load(module) {
  const { build } = require("esbuild");
  const folder = mkdtempSync(join(tmpdir(), "foliot-page-"));
  const outfile = join(folder, "module.mjs");
  try {
    await build({
      absWorkingDir: join(source, "web"),
      entryPoints: [module],
      outfile,
      bundle: true,
      format: "esm",
      platform: "neutral",
      mainFields: ["module", "main"],
      jsx: "automatic",
      jsxImportSource: "preact",
      logLevel: "warning",
    });
    return await import(pathToFileURL(outfile));
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
