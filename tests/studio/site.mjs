// The site, served by any web server: what tests of the page with the engine in it begin with.
import { execFileSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
} from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { extname, join, normalize } from "node:path";
import { launch, newPage, source } from "./browser.mjs";

const types = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".wasm": "application/wasm",
  ".svg": "image/svg+xml",
  ".json": "application/json",
};
const engine = join(source, "build/web");
/** Why there is no site; false where there is one. */
export const skip =
  !existsSync(join(engine, "foliot.wasm")) && "no build/web/foliot.wasm (make wasm)";
export const shots = process.env.SHOTS ?? join(source, "build/studio");

/** Serves the site below a folder, as others would: a copy of SITE, or one that it builds. */
export async function startSite() {
  const folder = mkdtempSync(join(tmpdir(), "foliot-site-"));
  const made = process.env.SITE;
  if (made && existsSync(join(made, "index.html"))) cpSync(made, folder, { recursive: true });
  else execFileSync(process.execPath, [join(source, "web/build.mjs"), folder, "--site", engine]);
  const server = createServer((request, response) => {
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
  return {
    folder,
    server,
    address: `http://127.0.0.1:${server.address().port}/below/`,
    stop() {
      server.closeAllConnections();
      server.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** A site and a browser for the tests of a file; `visit` opens a page with nothing kept from another. */
export async function openSite(options = {}) {
  mkdirSync(shots, { recursive: true });
  const site = await startSite();
  const browser = await launch(options);
  return {
    ...site,
    browser,
    async visit(path, use, more = {}) {
      const { page, context, faults } = await newPage(browser, {
        serviceWorkers: "block",
        ...more,
      });
      try {
        await page.goto(site.address + path);
        const result = await use(page, context);
        if (faults.length) throw new Error(`the page says: ${faults.join("; ")}`);
        return result;
      } finally {
        await context.close();
      }
    },
    async close() {
      await browser.close();
      site.stop();
    },
  };
}

/** A picture in both themes, to be looked at. */
export async function shootBoth(page, name) {
  for (const theme of ["light", "dark"]) {
    await page.evaluate((to) => (document.documentElement.dataset.theme = to), theme);
    await page.waitForTimeout(150);
    await page.screenshot({ path: join(shots, `${name}-${theme}.png`) });
  }
  await page.evaluate(() => (document.documentElement.dataset.theme = "light"));
}

/** Reads something until it is what is wanted; what it was instead is said in the end. */
export async function until(page, read, isWanted, what = "") {
  const give = Date.now() + 60000;
  for (;;) {
    const found = await read();
    if (isWanted(found)) return found;
    if (Date.now() > give) throw new Error(`${what} ${JSON.stringify(found)}`);
    await page.waitForTimeout(50);
  }
}

/** What is exported of the run that is shown. */
export async function take(page, kind) {
  const [file] = await Promise.all([
    page.waitForEvent("download"),
    page.selectOption(".export select", kind),
  ]);
  return readFileSync(await file.path());
}

export { lastCells, run, settled, steady, untilKept } from "./browser.mjs";
export const numberIn = async (page, where) =>
  parseFloat((await page.textContent(where)).replaceAll("−", "-"));

/** Where a thing of the scene is on the page. */
export async function whereIs(page, name) {
  await page.waitForSelector(".scene-frame");
  return page.$eval(
    ".scene-frame",
    (frame, which) => {
      const detail = { name: which };
      frame.dispatchEvent(new CustomEvent("whereis", { detail }));
      return detail.at;
    },
    name,
  );
}
