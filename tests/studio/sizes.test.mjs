// What a page weighs, compressed as it is sent.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { test } from "node:test";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { source } from "./browser.mjs";

const FIRST_MOST = 60e3;
const ALL_MOST = 1e6;

const weigh = (path) => gzipSync(readFileSync(path), { level: 9 }).length;

/** A script and everything that it imports before it runs. */
function withImports(folder, file, seen = new Set()) {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(join(folder, file), "utf8");
  for (const [, path] of text.matchAll(/(?:import|from)\s*"(\.{1,2}\/[^"]+)"/g))
    withImports(folder, relative(folder, join(folder, file, "..", path)), seen);
  return seen;
}

test("what lies ready for servers is what they would make of it", async () => {
  const { pack } = await import(join(source, "web/pack.mjs"));
  const folder = mkdtempSync(join(tmpdir(), "foliot-packed-"));
  try {
    mkdirSync(join(folder, "chunks"));
    const words = Array.from({ length: 4000 }, (_, i) => `word ${(i * 7919) % 613}`).join(" ");
    const files = { "a.js": words, "chunks/b.wasm": words.slice(0, 1500), "small.svg": "<svg/>" };
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    for (let turn = 0; turn < 2; turn++) {
      // the second time nothing of the first is packed
      const packed = pack(folder).map(({ path }) => relative(folder, path));
      assert.deepEqual(packed.sort(), ["a.js", "chunks/b.wasm"]);
    }
    for (const name of ["a.js", "chunks/b.wasm"]) {
      const [br, gz] = ["br", "gz"].map((end) => readFileSync(join(folder, `${name}.${end}`)));
      assert.equal(brotliDecompressSync(br).toString(), files[name]);
      assert.equal(gunzipSync(gz).toString(), files[name]);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});

test("the first load and all of it are light", () => {
  const folder = mkdtempSync(join(tmpdir(), "foliot-page-"));
  try {
    execFileSync(process.execPath, [join(source, "web/build.mjs"), folder]);
    const first = ["index.html", "main.css", "icon.svg", ...withImports(folder, "main.js")];
    const firstBytes = first.reduce((sum, file) => sum + weigh(join(folder, file)), 0);
    const all = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((e) =>
      e.isFile(),
    );
    const allBytes = all.reduce((sum, e) => sum + weigh(join(e.parentPath ?? e.path, e.name)), 0);
    console.log(
      `first load ${firstBytes} bytes in ${first.length} files, all ${allBytes} in ${all.length}`,
    );
    assert.ok(first.length > 3, "the imports were found");
    assert.ok(firstBytes <= FIRST_MOST, `${firstBytes} bytes`);
    assert.ok(allBytes <= ALL_MOST, `${allBytes} bytes`);
    // with the engine that a visitor waits for, as servers send them
    const engine = join(source, "build/web/foliot.wasm");
    if (existsSync(engine)) {
      const paths = all.map((e) => join(e.parentPath ?? e.path, e.name));
      const sent = [...paths, engine].reduce(
        (sum, path) => sum + brotliCompressSync(readFileSync(path)).length,
        0,
      );
      console.log(`with the engine ${sent} bytes by Brotli`);
      assert.ok(sent <= ALL_MOST, `${sent} bytes`);
    }
    // every file is asked for by another: one that is not is weight alone
    const texts = all
      .filter((e) => /\.(js|html)$/.test(e.name))
      .map((e) => readFileSync(join(e.parentPath ?? e.path, e.name), "utf8"))
      .join("");
    for (const { name } of all)
      assert.ok(name === "index.html" || texts.includes(name), `nothing asks for ${name}`);
    // what is not wanted at once is not there
    const text = [...first].map((file) => readFileSync(join(folder, file), "utf8")).join("");
    for (const word of ["uPlot.paths", "cm-editor", "WebGLRenderer"])
      assert.ok(!text.includes(word), word);
    // nothing is asked of another server
    for (const { name, parentPath, path } of all.filter((e) => /\.(js|css|html)$/.test(e.name))) {
      const code = readFileSync(join(parentPath ?? path, name), "utf8");
      assert.doesNotMatch(
        code,
        /(?:src|href)=\\?"https?:|url\(["']?https?:|import\("https?:|fetch\("https?:/,
        name,
      );
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
