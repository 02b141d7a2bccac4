// The site: static files, the engine in the page, and no network after the first visit.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { newPage } from "./browser.mjs";
import { lastCells, openSite, run, skip } from "./site.mjs";
import { program } from "./studio.mjs";

let site, folder, server, browser, address;
before(async () => {
  if (skip) return;
  site = await openSite();
  ({ folder, server, browser, address } = site);
});
after(() => site?.close());

async function lastRow(page) {
  await run(page);
  return (await lastCells(page)).map(Number);
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
