// What is kept: versions that are compared and restored, files that are dropped, nothing overwritten.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { untilLive } from "./browser.mjs";
import { openSite, run, settled, shootBoth, skip } from "./site.mjs";

let site;
before(async () => {
  if (!skip) site = await openSite();
});
after(() => site?.close());

async function type(page, line, text) {
  await page.click(`.cm-line >> nth=${line}`);
  await page.keyboard.press("End");
  await page.keyboard.type(text);
}
const drop = (page, files) =>
  page.evaluate((list) => {
    const data = new DataTransfer();
    for (const [name, text] of list) data.items.add(new File([text], name));
    document.body.dispatchEvent(
      new DragEvent("drop", { bubbles: true, cancelable: true, dataTransfer: data }),
    );
  }, files);
const decay = (k) =>
  `model Decay\n  parameter Real k = ${k};\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = -k*x;\nend Decay;\n`;

test("a version is kept with each run, compared, and restored", { skip }, () =>
  site.visit("#/gallery/newton-cooling", async (page) => {
    await page.waitForSelector(".cm-content");
    await run(page);
    await type(page, 0, " // a change");
    await settled(page);
    await run(page);
    await page.click("text=Versions");
    await page.waitForSelector(".versions li >> nth=1");
    assert.equal((await page.$$(".versions li")).length, 2);
    await page.waitForSelector("text=This is what is open.");
    await page.click(".versions li >> nth=1 >> button");
    await page.waitForSelector(".diff .put");
    assert.match(await page.textContent(".diff .put"), /\+ .*\/\/ a change/);
    assert.doesNotMatch(await page.textContent(".diff .taken"), /a change/);
    await shootBoth(page, "versions");
    await page.click("text=Restore this version");
    await page.waitForFunction(
      () =>
        !document
          .querySelector(".editor")
          .shadowRoot.querySelector(".cm-content")
          .textContent.includes("a change"),
    );
    // what was open is not lost
    await page.click("text=Versions");
    await page.waitForSelector(".versions li >> nth=1");
    const texts = await page.$$eval(".versions li", (list) => list.length);
    assert.ok(texts >= 2);
  }),
);

test(
  "what is changed while the browser is slow to keep what was before is not lost",
  { skip },
  () =>
    site.visit("#/gallery/newton-cooling", async (page) => {
      await page.waitForSelector("#run:not(:disabled)");
      // what is written is held until it is let go
      await page.evaluate(() => {
        const put = IDBObjectStore.prototype.put;
        globalThis.held = 0;
        IDBObjectStore.prototype.put = function (...more) {
          const hold = () => {
            this.count().onsuccess = () => globalThis.letGo || hold();
          };
          if (!globalThis.held++) hold();
          return put.apply(this, more);
        };
      });
      await type(page, 0, " // one");
      await page.waitForFunction(() => globalThis.held > 0);
      await page.click(".cm-line >> nth=0");
      await page.keyboard.press("End");
      await page.evaluate(async () => {
        document.execCommand("insertText", false, ", two");
        globalThis.letGo = true;
        await new Promise((resolve) => setTimeout(resolve, 120));
        document.querySelector(".brand").click();
      });
      await page.click(".mine a:has-text('newton-cooling')");
      await page.waitForSelector(".cm-line:has-text('// one, two')");
    }),
);

test("dropped files are opened, and none overwrites another of its name", { skip }, () =>
  site.visit("", async (page) => {
    await page.waitForSelector(".card path");
    await drop(page, [["decay.mo", decay("0.5")]]);
    await page.waitForSelector(".cm-line:has-text('k = 0.5')");
    await drop(page, [["decay.mo", decay("0.25")]]);
    await page.waitForSelector(".cm-line:has-text('k = 0.25')");
    assert.match(page.url(), /#\/mine\/decay%202\.mo$/);
    await page.click(".brand");
    await page.waitForSelector(".mine >> nth=1");
    const names = await page.$$eval(".mine a", (list) => list.map((a) => a.textContent.trim()));
    assert.deepEqual(names.sort(), ["decay 2.mo", "decay.mo"]);
    // and out again: what is dragged is a file
    const dragged = await page.$eval(".mine a", (a) => {
      const data = new DataTransfer();
      a.dispatchEvent(new DragEvent("dragstart", { bubbles: true, dataTransfer: data }));
      return data.getData("DownloadURL");
    });
    const [, name, base] = /^text\/plain:(decay.*\.mo):data:text\/plain;base64,(.*)$/.exec(dragged);
    const text = Buffer.from(base, "base64").toString();
    assert.equal(text, decay(name === "decay.mo" ? "0.5" : "0.25"));
  }),
);

test("a recording is dropped on its model, and replayed", { skip }, () =>
  site.visit("#/gallery/double-pendulum", async (page) => {
    await page.click("#live:not(:disabled)");
    await untilLive(page, 0.3);
    await page.click(".event >> text=tap2");
    await page.waitForSelector(".moments td");
    await page.click(".transport button:has-text('Keep')");
    await page.waitForSelector(".chip:has-text('live')");
    await settled(page);
    const [file] = await Promise.all([
      page.waitForEvent("download"),
      page.selectOption(".export select", "recording"),
    ]);
    const { readFileSync } = await import("node:fs");
    const text = readFileSync(await file.path(), "utf8");
    assert.match(text, /^foliot live recording 1\n/);
    assert.match(text, /\S+ event\+? tap2 1\n/);
    const first = await page.textContent(".legend");
    await drop(page, [["again.live", text]]);
    await page.waitForSelector('[aria-label="Run that is shown"] option >> nth=1', {
      state: "attached",
    });
    await page.waitForFunction(
      (want) => document.querySelector(".legend")?.textContent.slice(0, 12) === want,
      first.slice(0, 12),
    );
    await drop(page, [["wrong.live", "something else"]]);
    await page.waitForSelector(".notice:has-text('no recording')");
  }),
);

test("texts are seen flat and sorted, their classes listed, and units may be typed", { skip }, () =>
  site.visit("#/gallery/dc-motor", async (page) => {
    await page.waitForSelector("#run:not(:disabled)");
    await page.click("#view-flat");
    await page.waitForSelector(".equations:has-text('der(')");
    await page.click("#view-sorted");
    await page.waitForFunction(() => document.querySelector(".equations")?.textContent.length > 40);
    await shootBoth(page, "sorted");
    await page.click("#view-classes");
    await page.waitForSelector(".classes .classes button");
    await page.click(".classes .classes button");
    await page.waitForSelector(".cm-content");
    const unit = page.locator(".row:has(.unit) .num").first();
    const label = await page.locator(".row:has(.unit) label .unit").first().textContent();
    await unit.fill("3 furlong");
    await unit.press("Enter");
    assert.match(await page.textContent(".row .refusal"), /furlong is no unit/);
    await unit.fill(`3 k${label.split(/[/. ]/)[0]}${label.slice(label.split(/[/. ]/)[0].length)}`);
    await unit.press("Enter");
    await page.waitForFunction(
      () => document.querySelector(".row.changed .num")?.value.replace(/\s/g, "") === "3000",
    );
  }),
);

test("a switch is a switch, and what is sent while it lives is no number", { skip }, () =>
  site.visit("#/gallery/tapped-pendulum", async (page) => {
    await page.waitForSelector("#number-p");
    assert.equal(await page.$("#number-tap"), null);
    await page.click(".cm-line:nth-child(5)");
    await page.keyboard.press("End");
    await page.keyboard.press("Enter");
    await page.keyboard.type("parameter Boolean wet = false;");
    await page.waitForSelector("#number-wet[type=checkbox]:not(:checked)");
    await page.check("#number-wet");
    await page.waitForSelector(".row.changed #number-wet:checked");
    await page.waitForSelector("text=Reset 1");
  }),
);
