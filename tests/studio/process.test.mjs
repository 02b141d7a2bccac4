// Processes in the page: who waits is drawn and moves, and the statistics fill.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { untilLive } from "./browser.mjs";
import { openSite, run, settled, shootBoth, skip, steady, until } from "./site.mjs";
import { program } from "./studio.mjs";

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

/** The mean of the first signal over time, of the rows of foliot run. */
function meanOf(model) {
  const file = join(site.folder, `${model}.csv`);
  // often enough to see nearly every jump, which the page knows exactly
  const interval = model === "mm1" ? "0.05" : "0.5";
  execFileSync(program, ["run", model, "--quiet", "--interval", interval, "--output", file]);
  const [names, ...rows] = readFileSync(file, "utf8")
    .trim()
    .split("\n")
    .filter((line) => !line.startsWith("#"))
    .map((line) => line.split(","));
  let [sum, all] = [0, 0];
  for (let i = 0; i + 1 < rows.length; i++) {
    const dt = Number(rows[i + 1][0]) - Number(rows[i][0]);
    sum += Number(rows[i][1]) * dt;
    all += dt;
  }
  return { name: names[1].replace(/ \[.*|"/g, ""), mean: sum / all };
}

for (const model of ["mm1", "gas-station", "machine-shop"])
  test(`${model} is drawn, and its statistics fill`, { skip }, () =>
    site.visit(`#/gallery/${model}`, async (page) => {
      await page.waitForSelector("#run:not(:disabled)");
      await run(page);
      await page.waitForSelector(".process-view");
      const { name, mean } = meanOf(model);
      const words = () => page.getAttribute(".process-view", "aria-label");
      const pattern = new RegExp(`${name} [^,]*, mean ([\\d.]+)`);
      await until(
        page,
        words,
        (told) => Math.abs(Number(pattern.exec(told)?.[1]) - mean) < 2e-3 * mean,
        `the mean is ${mean}:`,
      );
      await settled(page);
      const end = await painted(page, [0.56, 1]);
      // at the beginning nothing is counted yet
      await page.$eval(".player .slider", (input) => {
        input.value = input.min;
        input.dispatchEvent(new Event("input", { bubbles: true }));
      });
      await until(
        page,
        () => painted(page, [0.56, 1]),
        (begin) => end > begin + 500,
        `${end} pixels at the end, at the beginning`,
      );
      await page.$eval(".player .slider", (input) => {
        input.value = String(Number(input.max) / 2);
        input.dispatchEvent(new Event("input", { bubbles: true }));
      });
      await until(page, words, (told) => pattern.test(told), "in the middle:");
      await settled(page);
      await shootBoth(page, `process-${model}`);
      // people are told, as many as the signals say
      const where = await steady(page, words);
      const said = /(\w+): (?:(\d+) stored, )?(\d+) waiting, (\d+) served/.exec(where);
      assert.ok(said, where);
      const [, place, stored, waiting, served] = said;
      const count = (name) => Number(new RegExp(`; ${name} (\\d+),`).exec(where)[1]);
      if (model === "mm1") assert.equal(Number(stored), count("waiting"), where);
      if (model === "gas-station") {
        assert.equal(place, "pumps");
        assert.deepEqual([Number(waiting), Number(served)], [count("waiting"), count("busy")]);
      }
    }),
  );

test("a live line moves", { skip }, () =>
  site.visit("#/gallery/bank", async (page) => {
    await page.click("#live:not(:disabled)");
    await page.selectOption('[aria-label="Speed"]', "5");
    await page.waitForSelector(".process-view");
    // who waits is told, too, for those who do not see it
    const seen = new Set();
    for (let i = 0; i < 80 && seen.size < 3; i++) {
      await page.waitForTimeout(200);
      const told = await page.getAttribute(".process-view", "aria-label");
      seen.add(/line ([\d–]+),/.exec(told)?.[1]);
    }
    assert.ok(seen.size >= 3, "nobody came or went");
    // a world cannot be kept: it goes back by being computed again, with its statistics
    await untilLive(page, 5);
    const told = async (time) => {
      await page.$eval(
        ".liveline input",
        (input, to) => {
          input.value = String(to);
          for (const type of ["input", "change"])
            input.dispatchEvent(new Event(type, { bubbles: true }));
        },
        time,
      );
      // at the desk stand as many as are counted
      await page.waitForFunction((to) => {
        const words = document.querySelector(".process-view").getAttribute("aria-label");
        const [, waiting, counted] = /: (\d+) waiting.*; line (\d+), mean [\d.]+/.exec(words) ?? [];
        return (
          Number(document.querySelector(".liveline input").value) === to &&
          document.querySelector('[aria-label="Go on from here"]') &&
          waiting !== undefined &&
          waiting === counted
        );
      }, time);
    };
    await told(4.5);
    await told(2.25);
    await page.click('[aria-label="Go on from here"]');
    await untilLive(page, 3);
  }),
);

test(
  "a world is seen as it begins, and lives at a speed at which something happens",
  { skip },
  () =>
    site.visit("#/gallery/gas-station", async (page) => {
      await page.waitForSelector("#run:not(:disabled)");
      // a full tank, before anything ran
      await page.waitForFunction(() =>
        /fuel 2000/.test(document.querySelector(".process-view")?.getAttribute("aria-label")),
      );
      await page.click("#live");
      await page.waitForSelector(".liveline");
      const speed = Number(await page.inputValue(".transport select"));
      assert.ok(speed >= 10 && speed <= 1000, `${speed}`);
      await page.waitForFunction(
        () => !/cars 0,/.test(document.querySelector(".process-view").getAttribute("aria-label")),
      );
    }),
);
