// Runs in the page: any two are compared, exported as MAT, and a link opens the same figure.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { untilLive } from "./browser.mjs";
import { openSite, run, settled, shootBoth, skip, take, until } from "./site.mjs";

let site;
before(async () => {
  if (!skip) site = await openSite();
});
after(() => site?.close());

async function runWith(page, number, value) {
  await page.fill(`#number-${number}`, value);
  await page.locator(`#number-${number}`).press("Enter");
  await page.waitForSelector(".row.changed");
  const before = await page
    .$eval('[aria-label="Run that is shown"]', (s) => s.value)
    .catch(() => "");
  await page.click("#run:not(:disabled)");
  await page.waitForFunction((old) => {
    const select = document.querySelector('[aria-label="Run that is shown"]');
    return select && select.value !== old;
  }, before);
}
const apart = async (page) => {
  await page.waitForSelector(".apart");
  return Number((await page.textContent(".apart")).replace("Δ", ""));
};

test("any two runs are compared", { skip }, () =>
  site.visit("#/gallery/pendulum", async (page) => {
    await run(page);
    await runWith(page, "g", "9");
    await runWith(page, "g", "3");
    const titles = await page.$$eval('[aria-label="Run that is shown"] option', (list) =>
      list.map((o) => o.textContent),
    );
    assert.deepEqual(titles, ["run 1", "run 2 · g = 9", "run 3 · g = 3"]);
    const choose = (where, label) => page.selectOption(`[aria-label="${where}"]`, { label });
    await choose("Compare with", "with run 1");
    const far = await apart(page);
    await choose("Run that is shown", "run 2 · g = 9");
    await page.waitForFunction(
      (old) =>
        Number(document.querySelector(".apart")?.textContent.replace("Δ", "") ?? NaN) !== old &&
        document.querySelector(".apart"),
      far,
    );
    const near = await apart(page);
    assert.ok(near > 0 && near < far, `${near}, ${far}`);
    // a run and the same again are the same
    await choose("Compare with", "with run 3 · g = 3");
    await until(
      page,
      () => apart(page),
      (value) => value > 0 && value !== near,
    );
    await settled(page);
    await shootBoth(page, "runs");
  }),
);

/** The matrices of a MAT-file of level 4, by name. */
function readMat(bytes) {
  const found = new Map();
  for (let at = 0; at < bytes.length;) {
    const [kind, rows, columns, imaginary, length] = [0, 4, 8, 12, 16].map((k) =>
      bytes.readInt32LE(at + k),
    );
    assert.equal(imaginary, 0);
    const name = bytes.toString("latin1", at + 20, at + 20 + length - 1);
    at += 20 + length;
    const size = kind === 51 ? 1 : 8;
    const values = Array.from({ length: rows * columns }, (_, k) =>
      size === 1 ? bytes[at + k] : bytes.readDoubleLE(at + 8 * k),
    );
    found.set(name, { rows, columns, values });
    at += size * rows * columns;
  }
  return found;
}

test("MAT has the numbers of CSV, under names that programs take", { skip }, () =>
  site.visit("#/gallery/double-pendulum", async (page) => {
    await run(page);
    const mat = readMat(await take(page, "mat"));
    const lines = (await take(page, "csv")).toString().trim().split("\n");
    const names = lines[0].split(",");
    const rows = lines.slice(1).map((line) => line.split(",").map(Number));
    assert.ok(rows.length > 100);
    names.forEach((name, i) => {
      const column = mat.get(name.replace(/\W+/g, "_"));
      assert.deepEqual(
        column.values,
        rows.map((row) => row[i]),
        name,
      );
    });
    const { rows: count, values } = mat.get("names");
    assert.equal(count, names.length);
    const first = values.filter((_, k) => k % count === 1).map((c) => String.fromCharCode(c));
    assert.equal(first.join("").trim(), names[1]);
  }),
);

test("what is exported as a picture is what is seen", { skip }, () =>
  site.visit("#/gallery/ball.mo", async (page) => {
    await run(page);
    await page.waitForSelector(".plot[data-drawn]");
    await settled(page);
    const overTime = (await take(page, "png")).readUInt32BE(20); // as high as it is
    const drawn = await page.$$eval(".pane canvas", (list) =>
      list.reduce((sum, { height }) => sum + height, 0),
    );
    assert.ok(overTime > drawn, `${overTime} pixels: names above ${drawn} of plots`);
    for (const [tab, words] of [
      ["xy", [">y<", ">v<"]],
      ["histogram", [">y<", " %<"]],
    ]) {
      await page.click(`#tab-${tab}`);
      await page.waitForFunction(() => document.querySelector(".plane canvas")?.width > 300);
      await settled(page);
      const svg = (await take(page, "svg")).toString();
      for (const word of words) assert.ok(svg.includes(word), `${tab}: ${word}`);
      assert.match(svg, /^<svg xmlns.*<\/svg>\n$/s);
      const size = await page.$eval(".plane canvas", ({ width, height }) => [width, height]);
      const png = await take(page, "png");
      assert.deepEqual([png.readUInt32BE(16), png.readUInt32BE(20)], size, tab);
    }
    await page.click("#tab-table");
    await page.waitForSelector('.export option[value="png"][disabled]', { state: "attached" });
  }),
);

/** All rows of the run that is shown: a list of names, and one of rows. */
async function rowsOf(page) {
  const [head, ...lines] = (await take(page, "csv")).toString().trim().split("\n");
  return { names: head.split(","), rows: lines.map((line) => line.split(",").map(Number)) };
}
const near = (a, b) => Math.abs(a - b) <= 1e-5 * Math.max(Math.abs(a), Math.abs(b)) + 1e-300;
const told = async (page, where) =>
  Number((await page.textContent(where)).replaceAll("−", "-").trim() || NaN);
const reads = (page, where, wanted) =>
  until(
    page,
    () => told(page, where),
    (value) => near(value, wanted),
    `${where} for ${wanted}:`,
  );

test("values at the cursor of a long run are those of its rows, of every signal", { skip }, () =>
  site.visit("#/gallery/double-pendulum", async (page) => {
    await page.waitForSelector("#run:not(:disabled)");
    await page.fill("#run-stop", "2000");
    await page.locator("#run-stop").press("Enter");
    await run(page);
    const { names, rows } = await rowsOf(page);
    assert.ok(rows.length > 20000, `${rows.length} rows: many in each pixel`);
    const signal = (name) => `.signals li:has(label:has-text("${name}")) output`;
    // at a collision both are at the same angle
    for (const turn of [2, 21, 60]) {
      const button = page.locator(".moments td button").nth(turn);
      const time = Number(await button.textContent());
      await button.click();
      const row = rows.findLast(([t]) => Math.abs(t - time) < 1e-9);
      for (const name of ["y1", "y2"])
        await reads(page, `[data-signal="${name}"] output`, row[names.indexOf(name)]);
      for (const name of ["collisions", "energy"])
        await reads(page, signal(name), row[names.indexOf(name)]);
    }
    // and between two rows they are on the line between them
    await page.focus(".plot");
    for (const key of ["ArrowLeft", "ArrowLeft", "Shift+ArrowRight", "ArrowLeft"]) {
      const before = await page.textContent(".legend .at output");
      await page.keyboard.press(key);
      await until(
        page,
        () => page.textContent(".legend .at output"),
        (now) => now !== before,
      );
      const time = await told(page, ".legend .at output");
      const next = rows.findIndex(([t]) => t > time);
      const [a, b] = [rows[next - 1], rows[next]];
      const i = names.indexOf("y1");
      const value = await told(page, '[data-signal="y1"] output');
      const [low, high] = [Math.min(a[i], b[i]), Math.max(a[i], b[i])];
      const room = 1e-5 * Math.max(Math.abs(low), Math.abs(high));
      await until(
        page,
        () => told(page, '[data-signal="y1"] output'),
        (now) => now >= low - room && now <= high + room,
        `${time}: ${value}, not from ${low} to ${high}`,
      );
    }
  }),
);

test("without a cursor the values are those at the end, whatever part is seen", { skip }, () =>
  site.visit("#/gallery/pendulum", async (page) => {
    await run(page);
    const { names, rows } = await rowsOf(page);
    const at = (i) => `.signals li:nth-child(${i}) output`;
    const drawn = await page.waitForSelector(".plot[data-drawn]");
    const count = Number(await drawn.getAttribute("data-drawn"));
    await page.focus(".plot");
    for (const key of ["+", "+", "+"]) await page.keyboard.press(key);
    await page.waitForFunction(
      (old) => Number(document.querySelector(".plot").dataset.drawn) > old,
      count,
    );
    await reads(page, '[data-signal="y"] output', rows.at(-1)[names.indexOf("y")]);
    await reads(page, at(1), rows.at(-1)[1]);
    await reads(page, at(2), rows.at(-1)[2]);
  }),
);

test("values are of the run that is shown, whichever tab is seen, and after live", { skip }, () =>
  site.visit("#/gallery/pendulum", async (page) => {
    const first = ".signals li:nth-child(1) output";
    await page.click("#tab-histogram");
    await run(page);
    const ends = [(await rowsOf(page)).rows.at(-1)[1]];
    await reads(page, first, ends[0]);
    await runWith(page, "g", "3");
    ends.push((await rowsOf(page)).rows.at(-1)[1]);
    assert.ok(!near(ends[0], ends[1]));
    await reads(page, first, ends[1]);
    // what lives is told there, too, and nothing of it is left behind
    await page.click("#live:not(:disabled)");
    await untilLive(page, 0.3);
    const seen = new Set();
    await until(
      page,
      async () => seen.add(await page.textContent(first)).size,
      (count) => count > 3,
      "values while it lives:",
    );
    await page.click(".transport button:has-text('End')");
    await reads(page, first, ends[1]);
    await page.selectOption('[aria-label="Run that is shown"]', { index: 0 });
    await reads(page, first, ends[0]);
  }),
);

test("the run under it is in the SVG, and in XY, which fits its place", { skip }, () =>
  site.visit("#/gallery/pendulum", async (page) => {
    await run(page);
    const paths = async () => {
      const svg = (await take(page, "svg")).toString();
      assert.match(svg, /^<svg xmlns.*<\/svg>\n$/s);
      return svg.match(/<path d="M[^"]{500,}"/g)?.length ?? 0;
    };
    await page.waitForSelector(".plot[data-drawn]");
    assert.equal(await paths(), 1);
    await runWith(page, "g", "5");
    await page.selectOption('[aria-label="Compare with"]', { label: "with run 1" });
    await page.waitForSelector(".apart");
    await until(page, paths, (count) => count === 2, "paths over time:");
    await page.click("#tab-xy");
    await page.waitForSelector(".plane canvas");
    await until(page, paths, (count) => count === 2, "paths of XY:");
    for (const size of [
      { width: 1000, height: 700 },
      { width: 1300, height: 900 },
    ]) {
      await page.setViewportSize(size);
      for (const tab of ["xy", "histogram"]) {
        await page.click(`#tab-${tab}`);
        await page.waitForFunction(() => {
          const canvas = document.querySelector(".plane canvas");
          return (
            canvas &&
            canvas.width === canvas.clientWidth * devicePixelRatio &&
            canvas.height === canvas.clientHeight * devicePixelRatio
          );
        });
      }
    }
  }),
);

test("a number that nobody typed stays as it is, and what is no number is refused", { skip }, () =>
  site.visit("#/gallery/lorenz", async (page) => {
    await page.waitForSelector("#run:not(:disabled)");
    // it has more digits than the field shows
    await page.focus("#number-beta");
    await page.keyboard.press("Enter");
    await page.fill("#number-rho", "inf");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".row .refusal:has-text('no finite number')");
    await page.fill("#number-rho", "20");
    await page.keyboard.press("Enter");
    await page.waitForSelector(".row.changed #number-rho");
    assert.equal((await page.$$(".row.changed")).length, 1);
  }),
);

test("a run that ends early says when", { skip }, () =>
  site.visit("#/gallery/ball.mo", async (page) => {
    await run(page);
    await page.waitForSelector(".chip:has-text('stopped')");
    const last = Number(await page.textContent(".moments tbody tr:last-child button"));
    const end = Number(await page.textContent(".clock output"));
    assert.ok(Math.abs(end - last) < 1e-4, `${end}, and the last moment at ${last}`);
  }),
);

test("a link opens the same figure", { skip }, () =>
  site.visit("#/gallery/double-pendulum", async (page, context) => {
    await context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await run(page);
    await page.click(".signals label:has-text('energy')");
    await runWith(page, "m1", "0.6");
    await page.focus(".plot");
    for (const key of ["+", "+", "ArrowRight"]) await page.keyboard.press(key);
    await page.waitForSelector(".legend .at");
    const link = async () => {
      await page.selectOption(".export select", "link");
      await page.waitForSelector(".notice:has-text('in the clipboard')");
      return page.evaluate(() => navigator.clipboard.readText());
    };
    await settled(page); // the finer picture of the part has come
    const first = await link();
    assert.match(first, /\?y=y1&y=y2&y=energy&t=[\d.]+%2C[\d.]+&at=[\d.]+&set=m1%3D0.6$/);
    const value = await page.textContent(".legend");
    await page.goto("about:blank");
    await page.evaluate(() => undefined);
    await page.goto(first);
    await page.waitForSelector(".legend .at");
    await page.waitForFunction(
      () => document.querySelector('[data-signal="energy"] output')?.textContent.length > 3,
    );
    await settled(page);
    assert.equal(await page.textContent(".legend"), value);
    assert.equal(await link(), first);
  }),
);

test(
  "a link has the run that is shown and the one under it, and the kind of the figure",
  { skip },
  () =>
    site.visit("#/gallery/double-pendulum", async (page, context) => {
      await context.grantPermissions(["clipboard-read", "clipboard-write"]);
      await run(page);
      await runWith(page, "m1", "0.3");
      await page.fill("#run-stop", "9");
      await page.locator("#run-stop").press("Enter");
      await runWith(page, "m1", "0.8");
      // the first run, which the panel's numbers are not of any more, over the last one
      await page.selectOption('[aria-label="Run that is shown"]', { index: 0 });
      await page.selectOption('[aria-label="Compare with"]', { index: 2 });
      await page.waitForFunction(() => /Δ/.test(document.querySelector(".legend").textContent));
      const link = async () => {
        await page.selectOption(".export select", "link");
        await page.waitForSelector(".notice:has-text('in the clipboard')");
        return page.evaluate(() => navigator.clipboard.readText());
      };
      await settled(page);
      const legend = await page.textContent(".legend");
      const first = await link();
      await page.goto("about:blank");
      await page.goto(first);
      await page.waitForSelector('[aria-label="Compare with"]');
      await page.waitForFunction(() => /Δ/.test(document.querySelector(".legend")?.textContent));
      await settled(page);
      assert.equal(await page.textContent(".legend"), legend);
      assert.equal(await page.inputValue("#number-m1"), "0.5");
      // one signal against another
      await page.click("#tab-xy");
      await page.selectOption(".plane select >> nth=1", "v1");
      await page.waitForSelector('canvas[aria-label="v1 against y1"]');
      const plane = await link();
      await page.goto("about:blank");
      await page.goto(plane);
      await page.waitForSelector('canvas[aria-label="v1 against y1"]');
      assert.equal(await page.getAttribute("#tab-xy", "aria-selected"), "true");
    }),
);

test(
  "the ends of a slider are given by hand, and kept; a diagram is seen where it was",
  { skip },
  () =>
    site.visit("#/gallery/second-order", async (page) => {
      await page.waitForSelector("#run:not(:disabled)");
      await page.waitForSelector(".sheet-tools .percent");
      const slider = '[aria-label="x1.Initial Condition, slider"]';
      const end = '[aria-label="x1.Initial Condition, slider to"]';
      await page.focus(slider);
      await page.fill(end, "-5");
      await page.keyboard.press("Tab");
      await page.waitForSelector(".row .refusal");
      await page.focus(slider);
      await page.fill(end, "30");
      await page.keyboard.press("Tab");
      await page.waitForFunction((s) => document.querySelector(s).max === "30", slider);
      const place = () => page.textContent(".sheet-tools .percent");
      await page.click('.sheet-tools [aria-label="Closer (+)"]');
      await page.click('.sheet-tools [aria-label="Closer (+)"]');
      const seen = await place();
      await page.click("#view-text");
      await page.waitForSelector(".cm-content");
      await page.click("#view-diagram");
      await page.waitForSelector(`.sheet-tools .percent:text-is("${seen}")`);
      await page.reload();
      await page.waitForSelector(`${slider}[max="30"]`);
      // in the document: it goes along in a link, and the engine knows the word
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await page.waitForSelector("#run:not(:disabled)");
      await page.click("text=Share");
      await page.waitForSelector(".notice:has-text('in the clipboard')");
      const link = await page.evaluate(() => navigator.clipboard.readText());
      await page.evaluate(() => localStorage.clear());
      await page.goto("about:blank");
      await page.goto(link);
      await page.waitForSelector("#run:not(:disabled)");
      await page.waitForSelector(`${slider}[max="30"]`);
      // taken back, the word is gone
      await page.focus(slider);
      await page.fill(end, "");
      await page.keyboard.press("Tab");
      await page.waitForFunction((s) => document.querySelector(s).max !== "30", slider);
      await page.click("#view-text");
      await page.waitForSelector(".cm-content");
      assert.doesNotMatch(await page.textContent(".cm-content"), /sliders/);
    }),
);
