// Live models in the page: the time line that is dragged back, what is kept as a run, pulls with the mouse.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { untilLive } from "./browser.mjs";
import { lastCells, numberIn, openSite, shootBoth, skip, steady, whereIs } from "./site.mjs";

let site;
before(async () => {
  if (!skip) site = await openSite({ scenes: true });
});
after(() => site?.close());

const clock = (page) => numberIn(page, ".clock output");
async function goLive(page, until = 0.5) {
  await page.waitForSelector("#live:not(:disabled)");
  await page.click("#view-scene");
  await page.click("#live");
  await untilLive(page, until);
}
/** Holds the slider's value as a drag does: input while it moves, change at the end. */
const drag = (page, to, release = true) =>
  page.$eval(
    ".liveline input",
    (input, [value, end]) => {
      input.value = String(value);
      input.dispatchEvent(new Event("input", { bubbles: true }));
      if (end) input.dispatchEvent(new Event("change", { bubbles: true }));
    },
    [to, release],
  );

test("the time line is dragged back, exactly, and what is done then happens there", { skip }, () =>
  site.visit("#/gallery/double-pendulum", async (page) => {
    await page.waitForSelector("#live:not(:disabled)");
    await page.click(".signals label:has-text('energy')");
    await goLive(page, 1.2);
    // while it is held the past is seen, and the model waits
    await drag(page, 0.4, false);
    await page.waitForSelector('[aria-label="Go on from here"]');
    const held = await steady(page, () => clock(page));
    await page.waitForTimeout(300);
    assert.equal(await clock(page), held);
    await drag(page, 0.437);
    await page.waitForFunction(
      () => Math.abs(Number(document.querySelector(".clock output").textContent) - 0.437) < 6e-4,
    );
    await page.waitForSelector('[aria-label="Go on from here"]');
    // a tap there: p²/2m + p l v1, as always, at that time
    const energy = () => steady(page, () => numberIn(page, '[data-signal="energy"] output'));
    const e = await energy();
    const v1 = await numberIn(page, ".signals li:has-text('v1') output");
    await page.fill("#event-tap1", "2");
    await page.locator("#event-tap1").press("Enter");
    await page.click(".event >> text=tap1");
    await page.waitForSelector(".moments td");
    const given = (2 * 2) / (2 * 0.5) + 2 * 0.5 * v1;
    await page.waitForFunction(
      (want) =>
        Math.abs(
          Number(
            document.querySelector('[data-signal="energy"] output').textContent.replace("−", "-"),
          ) - want,
        ) <
        1e-3 * Math.abs(want),
      e + given,
    );
    assert.match(await page.textContent(".moments td"), /^0\.437/);
    await shootBoth(page, "live");
    // a step goes on by a picture and waits; going on goes on
    const before = await clock(page);
    await page.click('[aria-label="Step"]');
    await page.waitForFunction(
      (t) => Number(document.querySelector(".clock output").textContent) > t,
      before,
    );
    await page.selectOption('[aria-label="Speed"]', "5");
    await page.click('[aria-label="Go on from here"]');
    await page.waitForFunction(
      (t) => Number(document.querySelector(".clock output").textContent) > t + 1,
      before,
    );
    // how well time is kept
    const chip = await page.textContent(".clock .chip");
    assert.match(chip, /^load \d+ % · late [\d.]+ ms$/);
    assert.match(
      await page.textContent('[aria-labelledby="keeping"]'),
      /touch to picture[\d.]+ ms/,
    );
    // and all of it is a run: it ends where live was, with the tap in it
    await page.click('[aria-label="Pause here"]');
    await page.waitForSelector('[aria-label="Go on from here"]');
    const [last, end] = [await energy(), await clock(page)];
    await page.click(".transport button:has-text('Keep')");
    await page.waitForSelector(".player:not(.liveline)");
    const row = (await lastCells(page)).map(Number);
    const names = await page.$$eval(".rows th", (list) => list.map((th) => th.textContent));
    assert.ok(Math.abs(row[0] - end) < 1e-3, `${row[0]} for ${end}`);
    const kept = row[names.indexOf("energy")];
    assert.ok(Math.abs(kept - last) <= 1e-5 * Math.abs(last), `${kept} for ${last}`);
  }),
);

test("the time line reaches back to the beginning, to the same bits", { skip }, () =>
  site.visit("#/gallery/double-pendulum", async (page) => {
    await goLive(page, 0.2);
    await page.fill("#event-tap1", "1.5");
    await page.locator("#event-tap1").press("Enter");
    await page.click(".event >> text=tap1");
    await page.waitForSelector(".moments td");
    await page.selectOption('[aria-label="Speed"]', "10");
    await untilLive(page, 4);
    await page.click('[aria-label="Pause here"]');
    await page.waitForSelector('[aria-label="Go on from here"]');
    const told = () => page.$$eval(".signals output", (all) => all.map((o) => o.textContent));
    // digits change ten times a second: until they are those of the pause
    let values = await told();
    for (let same = 0; same < 4;) {
      await page.waitForTimeout(250);
      const now = await told();
      same = now.join() === values.join() && now.every((text) => text !== "") ? same + 1 : 0;
      values = now;
    }
    const t = Number(await page.$eval(".liveline input", (input) => input.value));
    await page.selectOption('[aria-label="Speed"]', "100");
    await page.click('[aria-label="Go on from here"]');
    await untilLive(page, t + 130); // farther than snapshots are kept
    await page.click('[aria-label="Pause here"]');
    await page.waitForSelector('[aria-label="Go on from here"]');
    assert.ok(Number(await page.$eval(".liveline input", (input) => input.min)) === 0);
    await drag(page, t);
    await page.waitForFunction(
      (to) => Number(document.querySelector(".liveline input").value) === to,
      t,
    );
    // two pendulums that collide: what is not the same bits is soon something else
    await page.waitForFunction(
      (want) =>
        [...document.querySelectorAll(".signals output")].map((o) => o.textContent).join() === want,
      values.join(),
    );
    assert.match(await page.textContent(".moments td"), /^0\./);
    // and it goes on from there
    await page.click('[aria-label="Go on from here"]');
    await untilLive(page, t + 1);
  }),
);

test(
  "what is done while the page lags is listed with the time at which it happened",
  { skip },
  () =>
    site.visit("#/gallery/double-pendulum", async (page) => {
      await goLive(page, 0.3);
      // the page stands still before and after each tap, so that the next picture is asked for late
      for (const wait of [400, 250, 700]) {
        await page.evaluate((ms) => {
          const rest = (until) => {
            while (performance.now() < until);
          };
          const began = performance.now();
          rest(began + ms);
          [...document.querySelectorAll(".event button")]
            .find((b) => b.textContent === "tap1")
            .click();
          rest(began + 1.2 * ms);
        }, wait);
        await page.waitForTimeout(500);
      }
      await page.click('[aria-label="Pause here"]');
      await page.waitForSelector('[aria-label="Go on from here"]');
      const times = (where) =>
        page.$$eval(where, (rows) =>
          rows
            .filter((row) => row.textContent.includes("tap1"))
            .map((row) => row.querySelector("td").textContent)
            .sort((a, b) => Number(a) - Number(b)),
        );
      const listed = await steady(page, () => times(".moments tr"));
      assert.equal(listed.length, 3);
      await page.click(".transport button:has-text('Keep')");
      await page.waitForSelector(".moments td button");
      assert.deepEqual(listed, await times(".moments tr"));
    }),
);

test("a bob is pulled with the mouse: the farther, the stronger", { skip }, () =>
  site.visit("#/gallery/double-pendulum", async (page) => {
    await goLive(page);
    await page.click('[aria-label="Pause here"]');
    await page.waitForSelector('[aria-label="Go on from here"]');
    const at = await steady(page, () => whereIs(page, "y1"));
    const strengths = [];
    for (const far of [40, 120]) {
      await page.mouse.move(...at);
      await page.mouse.down();
      await page.mouse.move(at[0] + far, at[1], { steps: 3 });
      if (far === 120) await shootBoth(page, "pull");
      await page.mouse.up();
      const acts = strengths.length + 1;
      await page.waitForFunction(
        (n) => document.querySelectorAll(".moments tr").length === n,
        acts,
      );
      const [, what] = /sent, (.*)/.exec(await page.textContent(".moments tr:first-child"));
      strengths.push(Number(what));
    }
    assert.ok(strengths[0] > 0 && strengths[1] > 2 * strengths[0], strengths.join());
  }),
);

test("a bouncing ball is kicked upward", { skip }, () =>
  site.visit("#/gallery/ball.mo", async (page) => {
    await page.waitForSelector("#live:not(:disabled)");
    await goLive(page, 0.1);
    await page.click('[aria-label="Pause here"]');
    await page.waitForSelector('[aria-label="Go on from here"]');
    const at = await steady(page, () => whereIs(page, "ball"));
    await page.mouse.move(...at);
    await page.mouse.down();
    await page.mouse.move(at[0], at[1] - 60, { steps: 3 });
    await page.mouse.up();
    await page.waitForSelector(".moments tr");
    assert.match(await page.textContent(".moments tr"), /vset to/);
  }),
);
