// Debian's Chromium through playwright-core, for the tests of the page.
import { createRequire } from "node:module";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

export const source = fileURLToPath(new URL("../..", import.meta.url));
const require = createRequire(join(source, "web/package.json"));
const paths = [
  process.env.CHROMIUM,
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
];
export const chromium = paths.find((path) => path && existsSync(path));

/** `scenes`: with WebGL, which is slow without a graphics card. */
export async function launch({ scenes = false } = {}) {
  const { chromium: engine } = require("playwright-core");
  return engine.launch({
    executablePath: chromium,
    timeout: 120000,
    args: [
      "--no-sandbox",
      ...(scenes
        ? ["--use-gl=angle", "--use-angle=swiftshader", "--enable-unsafe-swiftshader"]
        : ["--disable-gpu"]),
    ],
  });
}

export const axePath = () => require.resolve("axe-core/axe.min.js");

/** A page that remembers what went wrong in it. */
export async function newPage(browser, options = {}) {
  const context = await browser.newContext({
    viewport: { width: 1440, height: 900 },
    ...options,
  });
  const page = await context.newPage();
  page.setDefaultTimeout(60000);
  const faults = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  return { page, context, faults };
}

/** Waits until the page has asked the desk for all that it wants, and has drawn what came. */
export const settled = (page) =>
  page.evaluate(async () => {
    for (let calm = 0; calm < 5;) {
      const detail = { count: 0 };
      document.dispatchEvent(new CustomEvent("waits", { detail }));
      calm = detail.count ? 0 : calm + 1;
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 20)));
    }
  });

/** Reads something until it stays the same for a while. */
export async function steady(page, read) {
  const give = Date.now() + 60000;
  let before = await read();
  for (let same = 0; same < 4 && Date.now() < give;) {
    await page.waitForTimeout(80);
    const now = await read();
    same = JSON.stringify(now) === JSON.stringify(before) ? same + 1 : 0;
    before = now;
  }
  return before;
}

/** Waits until what was changed is kept in the browser. */
export const untilKept = (page) =>
  page.waitForSelector('.doc[data-saved="kept"]', { state: "attached" });

/** Runs the model that is open; the chip of a run before it is none of this one. */
export async function run(page) {
  await page.waitForSelector("#run:not(:disabled)");
  const chip = () => document.querySelector(".clock .chip")?.dataset.run ?? "";
  const before = await page.evaluate(chip);
  await page.click("#run:not(:disabled)");
  await page.waitForFunction((old) => {
    const now = document.querySelector(".clock .chip")?.dataset.run ?? "";
    return now !== "" && now !== old;
  }, before);
}

/** The last row of the table of the run that is shown. */
export async function lastCells(page) {
  await page.click("#tab-table");
  await page.waitForFunction(() => {
    const chip = document.querySelector(".clock .chip")?.dataset.run;
    return chip && document.querySelector(".rows")?.dataset.run === chip;
  });
  return page.$$eval(".rows tbody tr:last-child td", (list) => list.map((td) => td.textContent));
}

/** Waits until a live model is past a time; before it lives the clock shows where a run would stop. */
export const untilLive = (page, time) =>
  page.waitForFunction(
    (t) =>
      document.querySelector(".liveline") &&
      Number(document.querySelector(".clock output")?.textContent) > t,
    time,
  );
