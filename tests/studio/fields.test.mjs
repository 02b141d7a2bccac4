// Fields in the page: a map beside the surface, the water touched, probes placed by clicking.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { untilLive } from "./browser.mjs";
import { numberIn, openSite, run, settled, shootBoth, skip, steady } from "./site.mjs";
import { program } from "./studio.mjs";

let site;
before(async () => {
  if (!skip) site = await openSite({ scenes: true });
});
after(() => site?.close());

/** Where a node is on the map. */
const nodeAt = (page, i, j) =>
  page.$eval(
    ".scene-frame",
    (frame, name) => {
      const detail = { name };
      frame.dispatchEvent(new CustomEvent("whereis", { detail }));
      return detail.at;
    },
    `node ${i},${j}`,
  );

test("a map with a scale; a click places a probe, in the document and in the plot", { skip }, () =>
  site.visit("#/gallery/wave-2d", async (page) => {
    await page.waitForSelector(".scene-canvas");
    await run(page);
    await settled(page);
    await shootBoth(page, "field-surface");
    await page.click('[aria-label="Map with a colour scale"]');
    await page.waitForSelector(".field-map:not([hidden])");
    // the map is coloured: of a run that is over, more than a few colours
    await page.waitForFunction(() => {
      const canvas = document.querySelector(".field-map");
      const { data } = canvas
        .getContext("2d")
        .getImageData(canvas.width * 0.4, canvas.height * 0.3, 100, 100);
      const seen = new Set();
      for (let i = 0; i < data.length; i += 4)
        seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
      return seen.size > 8;
    });
    await shootBoth(page, "field-map");
    await page.click('[aria-label="Place probes"]');
    await page.mouse.click(...(await nodeAt(page, 15, 14)));
    await page.waitForSelector('[data-signal="value(15,14)"]');
    await page.waitForFunction(() =>
      /\d/.test(document.querySelector('[data-signal="value(15,14)"] output')?.textContent ?? ""),
    );
    // the same document gives the same number without the page
    await page.click("#view-text");
    await page.waitForSelector(".cm-content");
    const text = await page.evaluate(() =>
      [...document.querySelector(".editor").shadowRoot.querySelectorAll(".cm-line")]
        .map((line) => line.textContent)
        .join("\n"),
    );
    assert.match(text, /\{"node": \[10, 10\]\}, \{"node": \[15, 14\]\}\]/);
    const file = join(site.folder, "probed.field.json");
    writeFileSync(file, text);
    execFileSync(program, ["run", file, "--quiet", "--output", `${file}.csv`]);
    const lines = readFileSync(`${file}.csv`, "utf8").trim().split("\n");
    const names = lines.find((line) => line.includes("value(")).match(/value\(\d+,\d+\)/g);
    const last = lines.at(-1).split(",").map(Number);
    const truth = last[1 + names.indexOf("value(15,14)")];
    await page.waitForFunction(
      (want) =>
        Math.abs(
          Number(
            document
              .querySelector('[data-signal="value(15,14)"] output')
              .textContent.replace("−", "-"),
          ) - want,
        ) <=
        1e-5 * Math.abs(want),
      truth,
    );
  }),
);

test("the water is touched: it rises there, and a wave goes out", { skip }, () =>
  site.visit("#/gallery/wave-2d-middle", async (page) => {
    await page.waitForSelector(".scene-canvas");
    await page.click("#live:not(:disabled)");
    await page.click('[aria-label="Map with a colour scale"]');
    await untilLive(page, 0.3);
    await page.click('[aria-label="Pause here"]');
    await page.waitForSelector('[aria-label="Go on from here"]');
    const value = () => numberIn(page, '[data-signal="value(3,2)"] output');
    const before = await steady(page, value);
    await page.mouse.click(...(await nodeAt(page, 3, 2)));
    await page.waitForSelector(".moments tr");
    assert.match(await page.textContent(".moments tr"), /node 3, 2touched/);
    await page.waitForFunction(
      (old) =>
        Number(
          document.querySelector('[data-signal="value(3,2)"] output').textContent.replace("−", "-"),
        ) >
        old + 1e-6,
      before,
    );
    // the same by the keyboard
    await page.focus(".field-map");
    for (const name of ["ArrowLeft", "ArrowUp", "Enter"]) await page.keyboard.press(name);
    await page.waitForFunction(() => document.querySelectorAll(".moments tr").length === 2);
    assert.match(await page.textContent(".moments tr"), /node 10, 12touched/);
    // a wave goes out: it falls there again
    const risen = await steady(page, value);
    await page.click('[aria-label="Go on from here"]');
    await page.waitForFunction(
      (top) =>
        Number(
          document.querySelector('[data-signal="value(3,2)"] output').textContent.replace("−", "-"),
        ) <
        0.7 * top,
      risen,
    );
    await shootBoth(page, "field-touched");
    // a probe while it is live is drawn as well
    await page.click('[aria-label="Place probes"]');
    await page.mouse.click(...(await nodeAt(page, 6, 6)));
    await page.waitForFunction(() =>
      /\d/.test(document.querySelector('[data-signal="value(6,6)"] output')?.textContent ?? ""),
    );
    // and one after the other
    await page.waitForSelector('[aria-label="Place probes"][aria-pressed="true"]');
    await page.mouse.click(...(await nodeAt(page, 7, 6)));
    await page.waitForSelector('[data-signal="value(7,6)"]');
    await page.mouse.click(...(await nodeAt(page, 6, 6)));
    await page.waitForSelector('[data-signal="value(6,6)"]', { state: "detached" });
  }),
);
