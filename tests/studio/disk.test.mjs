// Files on the user's disk: opened, saved in place, and never overwritten unseen. The chooser, which no test can
// click, gives handles of the origin's own file system, which are those of the disk in all but their place.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { openSite, skip } from "./site.mjs";

let site;
before(async () => {
  if (!skip) site = await openSite();
});
after(() => site?.close());

const decay = (k) =>
  `model Decay\n  parameter Real k = ${k};\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = -k*x;\nend Decay;\n`;

/** The next file that is chosen has this name; without one the question is closed. */
const choose = (page, name) =>
  page.evaluate((file) => {
    const pick = async (create) => {
      if (!file) throw new DOMException("closed", "AbortError");
      const root = await navigator.storage.getDirectory();
      return root.getFileHandle(file, { create });
    };
    window.showOpenFilePicker = async () => [await pick(false)];
    window.showSaveFilePicker = async (options) => {
      window.suggested = options.suggestedName;
      return pick(true);
    };
  }, name);
const write = (page, name, text) =>
  page.evaluate(
    async ([file, content]) => {
      const root = await navigator.storage.getDirectory();
      const stream = await (await root.getFileHandle(file, { create: true })).createWritable();
      await stream.write(content);
      await stream.close();
    },
    [name, text],
  );
const read = (page, name) =>
  page.evaluate(async (file) => {
    const root = await navigator.storage.getDirectory();
    return (await (await root.getFileHandle(file)).getFile()).text();
  }, name);
const save = (page) => page.click("header >> text=Save");
/** Waits until a file has what is wanted in it. */
async function untilIn(page, name, wanted) {
  const give = Date.now() + 60000;
  for (;;) {
    const text = await read(page, name).catch(() => "");
    if (wanted.test(text)) return;
    if (Date.now() > give) assert.match(text, wanted);
    await page.waitForTimeout(50);
  }
}
const comment = async (page, text) => {
  await page.click(".cm-line >> nth=0");
  await page.keyboard.press("End");
  await page.keyboard.type(text);
};
const said = (page, text) => page.waitForSelector(`text=${text}`);

test("a file is opened, changed and saved in place, also after a reload", { skip }, () =>
  site.visit("", async (page) => {
    await page.waitForSelector(".card path");
    await write(page, "decay.mo", decay("0.5"));
    await choose(page, "decay.mo");
    await page.click("text=Open a file…");
    await page.waitForSelector(".cm-line:has-text('k = 0.5')");
    await comment(page, " // one");
    await save(page);
    await untilIn(page, "decay.mo", /^model Decay \/\/ one\n/);
    await said(page, "decay.mo is saved.");
    await page.reload();
    await page.waitForSelector(".cm-line:has-text('// one')");
    await choose(page, undefined); // it is known where it belongs: nobody is asked
    await comment(page, ", two");
    await save(page);
    await untilIn(page, "decay.mo", /^model Decay \/\/ one, two\n/);
  }),
);

test("what somebody else writes is read again, and not overwritten unseen", { skip }, () =>
  site.visit("", async (page) => {
    await page.waitForSelector(".card path");
    await write(page, "shared.mo", decay("0.5"));
    await choose(page, "shared.mo");
    await page.click("text=Open a file…");
    await page.waitForSelector(".cm-line:has-text('k = 0.5')");
    await write(page, "shared.mo", decay("0.75"));
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await page.waitForSelector(".cm-line:has-text('k = 0.75')");
    // now both change it
    await comment(page, " // mine");
    await write(page, "shared.mo", decay("0.125"));
    await page.evaluate(() => dispatchEvent(new Event("focus")));
    await said(page, "saving will ask");
    await save(page);
    await page.waitForSelector("dialog input");
    await page.keyboard.press("Escape");
    assert.equal(await read(page, "shared.mo"), decay("0.125"));
    await save(page);
    await page.fill("dialog input", "shared.mo");
    await page.keyboard.press("Enter");
    await untilIn(page, "shared.mo", /\/\/ mine\n[^]*k = 0\.75/);
  }),
);

test("a model of the gallery is saved where the user says, or nowhere", { skip }, () =>
  site.visit("#/gallery/newton-cooling", async (page) => {
    await page.waitForSelector(".cm-content");
    await choose(page, undefined);
    await save(page);
    await choose(page, "mine.mo");
    await save(page);
    await untilIn(page, "mine.mo", /^model /m);
    assert.equal(await page.evaluate(() => window.suggested), "newton-cooling.mo");
  }),
);
