// The documents of the gallery in one file, for a host to give to the desk:
//
//   node wasm_models.mjs <models> <models.json>     { "gallery/ball/ball.mo": "model Ball ..." }
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

const [folder, target] = process.argv.slice(2);
const files = {};
function visit(path, name) {
  for (const entry of readdirSync(path, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1)))
    if (entry.isDirectory()) visit(join(path, entry.name), `${name}/${entry.name}`);
    else if (/\.(mo|json)$/.test(entry.name))
      files[`${name}/${entry.name}`] = readFileSync(join(path, entry.name), "utf8");
}
visit(folder, "gallery");
writeFileSync(target, JSON.stringify(files));
