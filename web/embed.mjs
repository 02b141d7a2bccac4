// Puts a bundled page into a C file: node embed.mjs FOLDER FILE. Each file is compressed; the server
// sends it as it is.
import { readFileSync, readdirSync, writeFileSync } from "node:fs";
import { extname, join } from "node:path";
import { gzipSync } from "node:zlib";

const [folder, target] = process.argv.slice(2);
const types = {
  ".html": "text/html; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".svg": "image/svg+xml",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
  ".mo": "text/plain; charset=utf-8",
  ".txt": "text/plain; charset=utf-8",
};

const files = readdirSync(folder, { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => join(entry.parentPath ?? entry.path, entry.name).slice(folder.length + 1))
  .sort();
const parts = ['#include "studio/page.h"\n'];
const table = [];
files.forEach((file, index) => {
  const type = types[extname(file)];
  if (!type) throw new Error(`embed: what is ${file}?`);
  const bytes = gzipSync(readFileSync(join(folder, file)), { level: 9 });
  parts.push(
    `static const unsigned char file${index}[] = {\n${bytes.join(",").replace(/(.{1,110}),/g, "$1,\n")}};\n`,
  );
  const path = file === "index.html" ? "" : file;
  table.push(`    {"${path}", "${type}", file${index}, sizeof file${index}},`);
});
parts.push(`const page_file page_files[] = {\n${table.join("\n")}\n    {0, 0, 0, 0},\n};\n`);
writeFileSync(target, parts.join("\n"));
