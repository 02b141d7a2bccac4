// The editor of scenes in the page, and films of a run.
import assert from "node:assert/strict";
import { readFileSync, statSync } from "node:fs";
import { after, before, test } from "node:test";
import { openSite, run, settled, shootBoth, skip, until, untilKept, whereIs } from "./site.mjs";

let site;
before(async () => {
  if (!skip) site = await openSite({ scenes: true });
});
after(() => site?.close());

const small = { viewport: { width: 1100, height: 760 } };

// One triangle, as a file of another program has it.
function triangle() {
  const places = Buffer.from(new Float32Array([0, 0, 0, 1, 0, 0, 0, 1, 0]).buffer);
  return JSON.stringify({
    asset: { version: "2.0" },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0, name: "three" }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0 } }] }],
    accessors: [
      {
        bufferView: 0,
        componentType: 5126,
        count: 3,
        type: "VEC3",
        min: [0, 0, 0],
        max: [1, 1, 0],
      },
    ],
    bufferViews: [{ buffer: 0, byteLength: places.length }],
    buffers: [
      {
        byteLength: places.length,
        uri: `data:application/octet-stream;base64,${places.toString("base64")}`,
      },
    ],
  });
}

test(
  "a shape is added, bound to a signal, moves with it, and is there after a reload",
  { skip },
  () =>
    site.visit(
      "#/gallery/newton-cooling",
      async (page) => {
        await page.waitForSelector("#run:not(:disabled)");
        const signal = await page.textContent(".signals .name");
        await page.click("#view-scene");
        await run(page);
        await page.click("text=Edit the scene");
        await page.selectOption('[aria-label="Add a shape"]', "sphere");
        await page.waitForSelector('.shapes [aria-pressed="true"]:has-text("sphere 1")');
        await page.selectOption('[aria-label="position y, signal"]', signal);
        await page.fill('[aria-label="position y, times"]', "0.02");
        await page.locator('[aria-label="position y, times"]').press("Tab");
        await settled(page);
        const look = async () => {
          const found = [];
          for (const part of [0, 1]) {
            await page.$eval(
              ".player .slider",
              (input, to) => {
                const [low, high] = [Number(input.min), Number(input.max)];
                input.value = String(low + to * (high - low));
                input.dispatchEvent(new Event("input", { bubbles: true }));
              },
              part,
            );
            await page.waitForTimeout(250);
            found.push((await whereIs(page, "sphere 1"))[1]);
          }
          return found;
        };
        // on a busy machine the picture comes later
        let heights = await look();
        for (let i = 0; i < 20 && !(heights[1] > heights[0] + 20); i++) heights = await look();
        // it cools: the ball sinks, which is downward on the screen
        assert.ok(heights[1] > heights[0] + 20, heights.join());
        await page.setInputFiles('[aria-label="A glTF file"]', {
          name: "three.gltf",
          mimeType: "model/gltf+json",
          buffer: Buffer.from(triangle()),
        });
        await page.waitForSelector('.shapes :text("three")');
        await until(page, () => whereIs(page, "three"), Boolean, "three");
        await shootBoth(page, "scene-editor");
        await untilKept(page);
        await page.reload();
        await page.waitForSelector("#run:not(:disabled)");
        await page.click("#view-scene");
        await run(page);
        await until(page, () => whereIs(page, "sphere 1"), Boolean, "sphere 1");
        await page.click("text=Edit the scene");
        await page.click('.shapes button:has-text("sphere 1")');
        await page.click("text=Remove");
        const listed = (name, is) =>
          page.waitForFunction(
            ([n, there]) => document.querySelector(".shapes").textContent.includes(n) === there,
            [name, is],
          );
        await listed("sphere 1", false);
        await page.click('.scene-editor button:text-is("Undo")');
        await listed("sphere 1", true);
        await page.click('.scene-editor button:text-is("Redo")');
        await listed("sphere 1", false);
        await page.click(".scene-editor >> text=Reset");
        await page.waitForSelector("text=Edit the scene");
      },
      small,
    ),
);

test("a scene shows how the model begins, before it has run", { skip }, () =>
  site.visit("#/gallery/double-pendulum", async (page) => {
    await page.waitForSelector(".scene-frame canvas");
    // at -2 and 2 rad from straight down: apart, on one height, above their nail
    let places = [];
    for (let i = 0; i < 100; i++) {
      places = [];
      for (const name of ["y1", "y2", "pivot"]) places.push((await whereIs(page, name)) ?? [0, 0]);
      if (Math.abs(places[0][0] - places[1][0]) > 40) break;
      await page.waitForTimeout(100);
    }
    const [[x1, y1], [x2, y2], [, nail]] = places;
    assert.ok(Math.abs(x1 - x2) > 40 && Math.abs(y1 - y2) < 10, String(places));
    assert.ok(Math.max(y1, y2) < nail, String(places));
    assert.equal(await page.$(".chip"), null, "nothing has run");
  }),
);

// Where the picture has colour, without its bars: width and height of it, and how many pixels.
async function coloured(page) {
  const { x, y, width, height } = await page.locator(".scene-frame canvas").first().boundingBox();
  const clip = { x: x + 10, y: y + 60, width: width - 20, height: height - 140 };
  const picture = (await page.screenshot({ clip })).toString("base64");
  return page.evaluate(async (data) => {
    const image = new Image();
    image.src = `data:image/png;base64,${data}`;
    await image.decode();
    const canvas = new OffscreenCanvas(image.width, image.height);
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const { data: bytes } = context.getImageData(0, 0, image.width, image.height);
    const xs = [];
    const ys = [];
    for (let i = 0; i < bytes.length; i += 4) {
      const rgb = bytes.slice(i, i + 3);
      if (Math.max(...rgb) - Math.min(...rgb) < 80) continue;
      xs.push((i / 4) % image.width);
      ys.push(Math.floor(i / 4 / image.width));
    }
    const reach = (list) => list.reduce((m, v) => Math.max(m, v), 0) - Math.min(...list);
    return { count: xs.length, width: xs.length && reach(xs), height: ys.length && reach(ys) };
  }, picture);
}

for (const model of ["lorenz", "quartic", "rocket-stages"])
  test(`the path of ${model} is as long as the way that it went`, { skip }, () =>
    site.visit(
      `#/gallery/${model}`,
      async (page) => {
        await page.waitForSelector("#run:not(:disabled)");
        await page.click("#view-scene");
        await page.waitForSelector(".scene-frame canvas");
        const look = () => coloured(page);
        const wide = ({ width = 0, height = 0 }) => Math.max(width, height);
        await until(page, look, ({ count }) => count > 50, "where it begins:");
        await run(page);
        await page.waitForSelector(".player");
        // at the end all of the way is seen, and is in the picture
        await until(page, look, (seen) => wide(seen) > 100, "all of it:");
        // at the beginning only where it is
        await page.$eval(".player input", (input) => {
          input.value = input.min;
          input.dispatchEvent(new Event("input", { bubbles: true }));
        });
        await until(
          page,
          look,
          (seen) => seen.count > 10 && wide(seen) < 60,
          "only where it begins:",
        );
      },
      small,
    ),
  );

test("the scene of a diagram is a part of its document", { skip }, () =>
  site.visit(
    "#/gallery/pendulum.json",
    async (page) => {
      await page.waitForSelector("#run:not(:disabled)");
      await page.click("#view-scene");
      await page.click("text=Edit the scene");
      await page.selectOption('[aria-label="Add a shape"]', "box");
      await page.waitForSelector('.shapes [aria-pressed="true"]:has-text("box 1")');
      // one history: what was done here can be undone here and on the sheet
      await page.click('.scene-editor button:text-is("Undo")');
      await page.waitForFunction(
        () => !document.querySelector(".shapes").textContent.includes("box 1"),
      );
      await page.click('.scene-editor button:text-is("Redo")');
      await page.waitForSelector('.shapes :text("box 1")');
      await page.click("#view-diagram");
      await page.waitForSelector('.sheet-tools [title^="Undo: edit the scene"]');
      for (const kind of ["SVG", "PNG"]) {
        const [file] = await Promise.all([
          page.waitForEvent("download"),
          page
            .click('[aria-label^="Save the drawing"]')
            .then(() => page.click(`.sheet-menu button:has-text("Drawing as ${kind}")`)),
        ]);
        assert.equal(file.suggestedFilename(), `pendulum.${kind.toLowerCase()}`);
        assert.ok(statSync(await file.path()).size > 3000);
      }
      await page.click("#view-text");
      await page.click("text=Text");
      await page.waitForSelector(".cm-content");
      await page.waitForFunction(() => document.querySelector("#run:not(:disabled)"));
      await page.click(".cm-content");
      await page.keyboard.press("Control+End");
      await page.waitForSelector(".cm-line:has-text('box 1')");
    },
    small,
  ),
);

test("a run becomes a film, and frames", { skip }, () =>
  site.visit(
    "#/gallery/pendulum",
    async (page) => {
      await page.waitForSelector("#run:not(:disabled)");
      await page.fill("#run-stop", "1");
      await page.locator("#run-stop").press("Enter");
      await page.click("#view-scene");
      await run(page);
      await page.waitForSelector('[aria-label="Film"]');
      await settled(page);
      const take = async (kind) => {
        const [file] = await Promise.all([
          page.waitForEvent("download", { timeout: 60000 }),
          page.selectOption('[aria-label="Film"]', kind),
        ]);
        return readFileSync(await file.path());
      };
      const zip = await take("png");
      const names = zip.toString("latin1").match(/frame-\d{4}\.png/g);
      assert.equal(new Set(names).size, 30);
      assert.equal(names.length, 60); // before each file, and in the directory
      assert.ok(zip.indexOf(Buffer.from("\x89PNG\r\n", "latin1")) > 0);
      const film = await take("webm");
      // a page without the studio's policy plays it
      await page.goto("about:blank");
      const seen = await page.evaluate(
        (data) =>
          new Promise((resolve) => {
            const video = document.createElement("video");
            const bytes = Uint8Array.from(atob(data), (c) => c.charCodeAt(0));
            video.onloadeddata = () =>
              resolve({ duration: video.duration, width: video.videoWidth });
            video.onerror = () => resolve({ error: video.error?.message });
            video.src = URL.createObjectURL(new Blob([bytes], { type: "video/webm" }));
          }),
        film.toString("base64"),
      );
      assert.ok(Math.abs(seen.duration - 1) < 0.05, JSON.stringify(seen));
      assert.ok(seen.width > 300);
    },
    { viewport: { width: 800, height: 600 } },
  ),
);
