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
  page.setDefaultTimeout(20000);
  const faults = [];
  page.on("pageerror", (error) => faults.push(String(error)));
  page.on("console", (message) => {
    if (message.type() === "error") faults.push(message.text());
  });
  return { page, context, faults };
}

/** Waits until a live model is past a time; before it lives the clock shows where a run would stop. */
export const untilLive = (page, time) =>
  page.waitForFunction(
    (t) =>
      document.querySelector(".liveline") &&
      Number(document.querySelector(".clock output")?.textContent) > t,
    time,
  );
