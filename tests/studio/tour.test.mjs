// The tour: it watches what one does, goes on by itself, goes back with undo, and is taken up again.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { axePath, source, untilLive } from "./browser.mjs";
import { openSite, run, settled, shootBoth, shots, skip, untilKept } from "./site.mjs";

let site;
before(async () => {
  if (!skip) site = await openSite();
});
after(() => site?.close());

const title = (page) => page.textContent(".tour h2");
const model = JSON.parse(readFileSync(join(source, "models/diagrams/second-order.json"), "utf8"));

/** The document with its first nodes and the lines between them. */
function part(count, simulation) {
  const nodes = model.nodes.slice(0, count);
  const names = new Set(nodes.map(({ name }) => name));
  const known = (end) => names.has(end.split(":")[0]);
  const lines = model.lines
    .filter(({ from }) => known(from))
    .flatMap(({ from, to, branches = [] }) =>
      [to, ...branches.map((b) => b.to)].filter(known).map((end) => ({ from, to: end })),
    );
  return { format: "foliot diagram", ...(simulation && { simulation }), nodes, lines };
}
async function write(page, document) {
  await page.click("#view-text");
  await page.click(".cm-content");
  await page.keyboard.press("Control+A");
  await page.evaluate((text) => navigator.clipboard.writeText(text), JSON.stringify(document));
  await page.keyboard.press("Control+V");
}

test("the tour from the empty sheet to a value that is read off", { skip }, () =>
  site.visit("", async (page, context) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.click("text=Take the tour");
    await page.waitForSelector(".tour");
    assert.equal(await title(page), "Two integrators");
    // with the mouse, from the palette
    await page.waitForSelector(".sheet-palette input");
    for (const x of [300, 480]) {
      await page.fill(".sheet-palette input", "Integrator");
      const item = page
        .locator(".sheet-palette .item", { has: page.getByText("Integrator", { exact: true }) })
        .first();
      const box = await item.boundingBox();
      await page.mouse.move(box.x + box.width / 2, box.y + 20);
      await page.mouse.down();
      await page.mouse.move(220 + x, 260, { steps: 4 });
      await page.mouse.up();
    }
    await page.waitForSelector(".tour h2:text-is('Their names')");
    await shootBoth(page, "tour");
    // undone, it is where it was
    await page.keyboard.press("Control+Z");
    await page.waitForSelector(".tour h2:text-is('Two integrators')");
    // and however it is done, it goes on
    for (const [count, want] of [
      [2, "Two gains"],
      [4, "The sums"],
      [6, "What drives it"],
      [11, "Something to look at"],
      [13, "How it is run"],
    ]) {
      await write(page, part(count));
      await page.waitForSelector(`.tour h2:text-is('${want}')`);
    }
    await write(page, part(13, model.simulation));
    await page.waitForSelector(".tour h2:text-is('Run')");
    // left, and taken up again where it was
    await page.click('[aria-label="Leave the tour"]');
    await page.waitForSelector(".tour", { state: "detached" });
    await untilKept(page);
    await page.click(".brand");
    await page.click("text=Take the tour");
    await page.waitForSelector(".tour h2:text-is('Run')");
    await page.click("#run:not(:disabled)");
    await page.waitForSelector(".tour h2:text-is('Read a value')");
    const box = await page.locator(".u-over").first().boundingBox();
    await page.mouse.move(box.x + box.width * 0.2, box.y + box.height / 2);
    await page.waitForSelector(".tour h2:text-is('That is all of it')");
    await page.waitForFunction(() =>
      /^0\.0?9\d+$/.test(document.querySelector('[data-signal="y"] output')?.textContent),
    );
  }),
);

test("what floats and what is new has no violation that axe finds", { skip }, () =>
  site.visit(
    "#/gallery/newton-cooling",
    async (page) => {
      const look = async (what) => {
        await page.addScriptTag({ path: axePath() }).catch(() => undefined);
        const found = await page.evaluate(async () => {
          const { violations } = await globalThis.axe.run(document, {
            resultTypes: ["violations"],
          });
          return violations.map(
            ({ id, nodes }) => `${id}: ${nodes.map((n) => n.target.join(" ")).join(", ")}`,
          );
        });
        assert.deepEqual(found, [], what);
      };
      await run(page);
      await run(page);
      await page.waitForSelector('[aria-label="Run that is shown"]');
      await look("two runs");
      await page.click("text=Versions");
      await page.waitForSelector(".versions");
      await look("versions");
      await page.keyboard.press("Escape");
      for (const view of ["flat", "classes"]) {
        await page.click(`#view-${view}`);
        await settled(page);
        await look(view);
      }
      await page.click("#view-text");
      await page.click("#live");
      await untilLive(page, 0.2);
      await look("live");
    },
    { bypassCSP: true },
  ),
);

test("a phone runs, touches, and goes from part to part", { skip }, () =>
  site.visit(
    "#/gallery/double-pendulum",
    async (page) => {
      await page.waitForSelector("#live:not(:disabled)");
      const rows = await page.$eval(".top", (top) => top.getBoundingClientRect().height);
      assert.ok(rows < 110, `a head of ${rows} pixels: more than two rows`);
      await page.tap("#live");
      await page.waitForSelector(".phone-bar >> text=tap1");
      await untilLive(page, 0.2);
      await page.tap(".phone-bar >> text=tap1");
      await page.waitForSelector(".moments td");
      await page.tap(".phone-bar >> text=Plots");
      await page.waitForFunction(() => scrollY > 200);
      const sizes = await page.$$eval(".phone-bar button", (list) =>
        list.map((b) => b.getBoundingClientRect().height),
      );
      assert.ok(Math.min(...sizes) >= 44, sizes.join());
      await page.screenshot({ path: join(shots, "phone-live.png") });
      const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      assert.ok(wide <= 0, `${wide} pixels too wide`);
    },
    {
      viewport: { width: 390, height: 844 },
      hasTouch: true,
      isMobile: true,
      deviceScaleFactor: 2,
    },
  ),
);
