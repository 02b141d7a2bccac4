// The site: static files, the engine in the page, and no network after the first visit.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { after, before, test } from "node:test";
import { launch, newPage, source } from "./browser.mjs";
import { program } from "./studio.mjs";

const types = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
  ".json": "application/json",
};
const engine = join(source, "build/web");
const skip = !existsSync(join(engine, "foliot.wasm")) && "no build/web/foliot.wasm (make wasm)";

let folder, server, browser, address;
before(async () => {
  if (skip) return;
  folder = mkdtempSync(join(tmpdir(), "foliot-site-"));
  execFileSync(process.execPath, [join(source, "web/build.mjs"), folder, "--site", engine]);
  // any web server will do; this one has the site below a folder
  server = createServer((request, response) => {
    const path = normalize(new URL(request.url, "http://x").pathname.replace(/^\/below\//, "/"));
    const file = join(folder, path.endsWith("/") ? `${path}index.html` : path);
    if (!request.url.startsWith("/below/") || !existsSync(file) || !statSync(file).isFile()) {
      response.writeHead(404).end();
      return;
    }
    response
      .writeHead(200, { "content-type": types[extname(file)] ?? "text/plain" })
      .end(readFileSync(file));
  });
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  address = `http://127.0.0.1:${server.address().port}/below/`;
  browser = await launch();
});
after(async () => {
  await browser?.close();
  server?.closeAllConnections();
  server?.close();
  if (folder) rmSync(folder, { recursive: true, force: true });
});

async function lastRow(page) {
  await page.click("#run:not(:disabled)");
  await page.waitForSelector(".chip");
  await page.click("#tab-table");
  await page.waitForSelector(".rows td");
  return page.$$eval(".rows tbody tr:last-child td", (list) =>
    list.map((td) => Number(td.textContent)),
  );
}

function truth(model) {
  const file = join(folder, "truth.csv");
  execFileSync(program, ["run", model, "--quiet", "--output", file]);
  const lines = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .filter((line) => !line.startsWith("#"));
  return lines.at(-1).split(",").map(Number);
}

test(
  "models run in the page, to the bits of foliot run, also without a network",
  { skip },
  async () => {
    const { page, context, faults } = await newPage(browser);
    await page.goto(address);
    await page.click('.card[href="#/gallery/pendulum"]');
    const [t, y] = await lastRow(page);
    assert.deepEqual([t, y], truth("pendulum").slice(0, 2));
    // all of it is kept
    await page.waitForFunction(() => navigator.serviceWorker.ready.then(() => true));
    await page.waitForFunction(() => navigator.serviceWorker.controller !== null);
    server.closeAllConnections();
    await context.setOffline(true);
    await page.goto(`${address}#/gallery/thermostat`);
    await page.reload();
    await page.waitForSelector(".cm-content");
    const row = await lastRow(page);
    assert.equal(row[0], truth("thermostat")[0]);
    assert.deepEqual(faults, []);
    await context.close();
  },
);
