// Processes in the page: who waits is drawn and moves, and the statistics fill.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openSite, run, shootBoth, skip } from "./site.mjs";

let site;
before(async () => {
  if (!skip) site = await openSite({ scenes: true });
});
after(() => site?.close());

/** How many pixels of a part of the picture are not the background. */
const painted = (page, [x0, x1]) =>
  page.$eval(
    ".process-view",
    (canvas, [from, to]) => {
      const pen = canvas.getContext("2d");
      const [x, w] = [canvas.width * from, canvas.width * (to - from)];
      const { data } = pen.getImageData(x, 0, w, canvas.height);
      let count = 0;
      for (let i = 3; i < data.length; i += 4) count += data[i] > 0 ? 1 : 0;
      return count;
    },
    [x0, x1],
  );

for (const model of ["mm1", "gas-station", "machine-shop"])
  test(`${model} is drawn, and its statistics fill`, { skip }, () =>
    site.visit(`#/gallery/${model}`, async (page) => {
      await page.waitForSelector("#run:not(:disabled)");
      await run(page);
      await page.waitForSelector(".process-view");
      await page.waitForTimeout(600);
      const end = await painted(page, [0.56, 1]);
      // at the beginning nothing is counted yet
      await page.$eval(".player .slider", (input) => {
        input.value = input.min;
        input.dispatchEvent(new Event("input", { bubbles: true }));
      });
      await page.waitForTimeout(500);
      const begin = await painted(page, [0.56, 1]);
      assert.ok(end > begin + 500, `${begin} pixels at the beginning, ${end} at the end`);
      await page.$eval(".player .slider", (input) => {
        input.value = String(Number(input.max) / 2);
        input.dispatchEvent(new Event("input", { bubbles: true }));
      });
      await page.waitForTimeout(700);
      await shootBoth(page, `process-${model}`);
    }),
  );

test("a live line moves", { skip }, () =>
  site.visit("#/gallery/bank", async (page) => {
    await page.click("#live:not(:disabled)");
    await page.selectOption('[aria-label="Speed"]', "5");
    await page.waitForSelector(".process-view");
    const seen = new Set();
    for (let i = 0; i < 12 && seen.size < 3; i++) {
      await page.waitForTimeout(400);
      seen.add(await painted(page, [0, 0.5]));
    }
    assert.ok(seen.size >= 3, "nobody came or went");
  }),
);
