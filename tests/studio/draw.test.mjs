// Structures that are drawn, their matrix, and documents as forms.
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { axePath, untilLive } from "./browser.mjs";
import { numberIn, openSite, run, shootBoth, skip, whereIs } from "./site.mjs";

let site;
before(async () => {
  if (!skip) site = await openSite({ scenes: true });
});
after(() => site?.close());

const options = { bypassCSP: true, viewport: { width: 1280, height: 800 } };
async function axe(page, what) {
  await page.addScriptTag({ path: axePath() });
  const found = await page.evaluate(async () => {
    const { violations } = await globalThis.axe.run(document, { resultTypes: ["violations"] });
    return violations.map(({ id, nodes }) => `${id}: ${nodes.map((n) => n.target.join(" "))}`);
  });
  assert.deepEqual(found, [], what);
}
/** The document as its text is in the editor: all of it, also what is out of sight. */
async function textOf(page) {
  await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
  await page.click("#view-text");
  await page.click(".cm-content");
  for (const key of ["Control+A", "Control+C"]) await page.keyboard.press(key);
  const text = await page.evaluate(() => navigator.clipboard.readText());
  await page.click("#view-draw");
  await page.waitForSelector(".draw-paper");
  return JSON.parse(text);
}
const count = (page, what, many) =>
  page.waitForFunction(([w, n]) => document.querySelectorAll(w).length === n, [what, many]);

test(
  "a structure is drawn with the mouse, is a matrix, is undone and redone, and runs",
  { skip },
  () =>
    site.visit(
      "",
      async (page) => {
        await page.click("text=New structure");
        await page.click("#view-draw");
        await page.waitForSelector(".draw-paper");
        const empty = await textOf(page);
        const paper = await page.locator(".draw-paper").boundingBox();
        await page.click(".draw-tools >> text=Node");
        await page.mouse.click(paper.x + 0.7 * paper.width, paper.y + 0.7 * paper.height);
        await page.waitForSelector('[data-node="n2"]');
        await page.click(".draw-tools >> text=Spring");
        await page.click('[data-node="n1"] .body');
        await page.click('[data-node="n2"] .body');
        await count(page, ".draw-paper .spring", 2);
        await page.click(".draw-tools >> text=Move");
        const body = await page.locator('[data-node="n2"] .body').boundingBox();
        const was = (await textOf(page)).nodes[2].at;
        await page.mouse.move(body.x + body.width / 2, body.y + body.height / 2);
        await page.mouse.down();
        await page.mouse.move(body.x + 60, body.y - 40, { steps: 6 });
        await page.mouse.up();
        const drawn = await textOf(page);
        assert.notDeepEqual(drawn.nodes[2].at, was, "it was dragged");
        await page.click('[data-node="n2"] .body');
        await page.fill('.draw-side [aria-label="mass"]', "2.5");
        await page.keyboard.press("Tab");
        // the table is the same document
        await page.click(".draw-tools >> text=Matrix");
        await page.waitForSelector('[aria-label="mass of n2"]');
        assert.equal(await page.inputValue('[aria-label="mass of n2"]'), "2.5");
        await page.fill('[aria-label="stiffness n2 top"]', "50");
        await page.keyboard.press("Tab");
        await axe(page, "matrix");
        await shootBoth(page, "draw-matrix");
        await page.click(".draw-tools >> text=Matrix");
        await count(page, ".draw-paper .spring", 3);
        await axe(page, "drawing");
        await shootBoth(page, "draw");
        const whole = await textOf(page);
        assert.deepEqual(whole.springs.at(-1), { between: ["top", "n2"], k: 50 });
        // undo to the beginning and redo to the end
        const [undo, redo] = ["Undo", "Redo"].map(
          (name) => `.draw-tools button:text-is("${name}")`,
        );
        while (await page.isEnabled(undo)) await page.click(undo);
        await count(page, ".draw-paper .spring", 1);
        while (await page.isEnabled(redo)) await page.click(redo);
        await count(page, ".draw-paper .spring", 3);
        assert.deepEqual(await textOf(page), whole);
        while (await page.isEnabled(undo)) await page.click(undo);
        assert.deepEqual(await textOf(page), empty);
        await run(page);
      },
      options,
    ),
);

const energyOf = (page, name) => numberIn(page, `[data-energy="${name}"] dd`);

test(
  "a structure that was drawn shows its static solution and modes, and is pulled",
  { skip },
  () =>
    site.visit(
      "",
      async (page) => {
        await page.click("text=New structure");
        await page.click("#view-draw");
        const paper = await page.locator(".draw-paper").boundingBox();
        await page.click(".draw-tools >> text=Node");
        await page.mouse.click(paper.x + 0.7 * paper.width, paper.y + 0.7 * paper.height);
        await page.waitForSelector('[data-node="n2"]');
        await page.click(".draw-tools >> text=Spring");
        await page.click('[data-node="n1"] .body');
        await page.click('[data-node="n2"] .body');
        await count(page, ".draw-paper .spring", 2);
        await page.waitForSelector("#run:not(:disabled)");
        await page.click("#view-scene");
        await page.click("text=Static and modes");
        // two nodes in a plane: four modes, which swing in the picture
        await count(page, ".modes .shapes li", 5);
        await page.click('.modes button:has-text("Mode 1")');
        const beginning = await whereIs(page, "n2");
        await page.waitForFunction(
          ([x]) => {
            const detail = { name: "n2" };
            document
              .querySelector(".scene-frame")
              .dispatchEvent(new CustomEvent("whereis", { detail }));
            return Math.abs(detail.at[0] - x) > 5;
          },
          beginning,
          { polling: 50 },
        );
        await axe(page, "modes");
        await shootBoth(page, "modes");
        await page.click('[aria-label="Close the modes"]');
        // pulled while it stands still, then carried along
        await page.click("#live");
        await untilLive(page, 0.1);
        await page.click('[aria-label="Pause here"]');
        await page.waitForSelector('[aria-label="Go on from here"]');
        await page.waitForFunction(() => document.querySelector('[data-energy="balance"] dd'));
        assert.ok(Math.abs(await energyOf(page, "energy_ports")) < 1e-12);
        const [x, y] = await whereIs(page, "n2");
        await page.mouse.move(x, y);
        await page.mouse.down();
        await page.mouse.move(x + 60, y + 40, { steps: 4 });
        await page.waitForSelector('.moments td:text-is("pulled")');
        await page.keyboard.press("Alt+p");
        // given or taken, with whichever sign
        await page.waitForFunction(() =>
          /[1-9]/.test(document.querySelector('[data-energy="energy_ports"] dd').textContent),
        );
        await page.mouse.up();
        await page.keyboard.press("Alt+p");
        await page.waitForSelector('[aria-label="Go on from here"]');
        await shootBoth(page, "structure-live");
        // what the hand gave is in the balance
        const [all, given, balance] = [
          await energyOf(page, "energy"),
          await energyOf(page, "energy_ports"),
          await energyOf(page, "balance"),
        ];
        assert.ok(given !== 0);
        assert.ok(
          Math.abs(balance) < 1e-3 * Math.max(Math.abs(all), Math.abs(given)),
          `${balance}`,
        );
      },
      options,
    ),
);

test("a girder is dropped, and a node of a structure is moved by the keys", { skip }, () =>
  site.visit(
    "",
    async (page) => {
      await page.click("text=New structure"); // which is drawn before it is looked at
      await page.waitForSelector(".draw-paper");
      await page.focus('[data-node="n1"]');
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowDown");
      const { nodes } = await textOf(page);
      assert.ok(nodes[1].at[1] < 0);
      await page.selectOption('[aria-label="Add a part"]', "girder");
      await page.waitForSelector('[data-part="girder1"]');
      // it is dragged whole, beside a lattice, which is taken away by a key
      await page.selectOption('[aria-label="Add a part"]', "lattice");
      await page.waitForSelector('[data-part="lattice1"]');
      const old = (await textOf(page)).parts[0];
      const box = await page.locator('[data-part="girder1"] path').boundingBox();
      const [x, y] = [box.x + box.width / 2, box.y + box.height / 2];
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x + 60, y, { steps: 4 });
      await page.mouse.up();
      const { parts, lattices } = await textOf(page);
      const [dx, dy] = [0, 1].map((i) => parts[0].from[i] - old.from[i]);
      assert.ok(dx > 0 && dy === 0, `${dx}, ${dy}`);
      assert.ok(Math.abs(parts[0].to[0] - old.to[0] - dx) < 1e-9);
      assert.ok(lattices[0].origin[1] + 0.25 < parts[0].from[1], "one beside the other");
      await page.click('[data-node="lattice1.1.1"] .body');
      await page.waitForSelector(".draw-side >> text=Delete the lattice");
      // held at its left side, and then a corner of it in one direction only, which is pushed
      assert.equal((await textOf(page)).change.length, 5);
      await page.click('[data-node="girder1.1"] .body');
      await page.selectOption('.draw-side [aria-label="fixed"]', "y");
      await page.check('.draw-held label:has-text("right") input');
      await page.click('[data-node="girder1.14"] .body');
      await page.selectOption('.draw-side [aria-label="Add a port"]', "-y");
      const { change, ports } = await textOf(page);
      assert.deepEqual(change[0], { node: "girder1.1", fixed: "y" });
      assert.equal(change.filter(({ fixed }) => fixed === true).length, 7);
      assert.equal(ports[0].node, "girder1.14");
      for (let i = 0; i < 3; i++) await page.keyboard.press("Control+Z");
      await page.keyboard.press("Control+Z");
      assert.deepEqual((await textOf(page)).parts[0].from, old.from);
      await page.focus('[data-part="lattice1"]');
      await page.keyboard.press("Delete");
      await page.waitForSelector('[data-part="lattice1"]', { state: "detached" });
      await run(page);
    },
    options,
  ),
);

test("a girder that is held sags, swings, and is drawn as a lattice", { skip }, () =>
  site.visit(
    "",
    async (page) => {
      await page.click("text=New structure");
      // nothing is in it yet, so that it cannot run
      await write(
        page,
        '{"structure": "beam", "gravity": true, "run": {"stop": 1}}',
        "#run:disabled",
      );
      await page.selectOption('[aria-label="Add a part"]', "girder");
      await page.waitForSelector('[data-node="girder1.27"]');
      // from the part to its nodes by the keyboard
      await page.focus('[data-part="girder1"]');
      for (const key of ["Enter", "PageDown", "PageDown"]) await page.keyboard.press(key);
      await page.waitForSelector('[data-node="girder1.3"].chosen');
      await page.waitForSelector("#run:not(:disabled)");
      await page.click("#view-scene");
      await page.click("text=Static and modes");
      await page.waitForSelector('.modes button:has-text("Mode 3")');
      await shootBoth(page, "girder");
      await page.click('[aria-label="Close the modes"]');
      await run(page);
    },
    options,
  ),
);

test(
  "a structure that is given as a matrix is drawn, changed in its table, and pulled",
  { skip },
  () =>
    site.visit(
      "",
      async (page) => {
        await page.click("text=New structure");
        await write(
          page,
          `{"structure": "m", "run": {"stop": 1}, "matrix": {
          "values": [[2, 1, 1], [30, 3, 1], [40, 50, 4]], "at": [[0, 0], [1, 0], [0.5, 0.8]]}}`,
        );
        await count(page, ".draw-paper .spring", 3);
        await count(page, ".draw-paper .node", 3);
        await page.click("#view-scene");
        await page.waitForSelector(".scene-frame canvas");
        await page.waitForFunction(() => {
          const detail = { name: "3" };
          document
            .querySelector(".scene-frame")
            .dispatchEvent(new CustomEvent("whereis", { detail }));
          return detail.at;
        });
        await shootBoth(page, "matrix-scene");
        await page.click("#view-draw");
        await page.click(".draw-tools >> text=Matrix");
        assert.equal(await page.inputValue('[aria-label="stiffness 3 1"]'), "40");
        await page.fill('[aria-label="stiffness 3 1"]', "45");
        await page.keyboard.press("Tab");
        await page.click(".draw-tools >> text=Matrix");
        await count(page, ".draw-paper .spring", 3);
        const { matrix, nodes, springs } = await textOf(page);
        assert.equal(matrix, undefined);
        assert.deepEqual(nodes[2], { at: [0.5, 0.8], mass: 4 });
        assert.deepEqual(springs[1], { between: [1, 3], k: 45, length: 1 });
        await run(page);
      },
      options,
    ),
);

/** Puts a whole text into the editor, and waits for what the page makes of it. */
async function write(page, text, then = "#run:not(:disabled)") {
  await page.click("#view-text");
  await page.click(".cm-content");
  await page.keyboard.press("Control+A");
  await page.keyboard.insertText(text);
  await page.waitForSelector(then);
  await page.click("#view-draw");
  await page.waitForSelector(".draw-paper");
}

test(
  "on a line a node has one direction, is renamed everywhere, and springs go by a key",
  { skip },
  () =>
    site.visit(
      "",
      async (page) => {
        await page.click("text=New structure");
        await write(
          page,
          `{"structure": "line", "dimension": 1, "run": {"stop": 0.1, "plot": ["b.x"]},
          "nodes": [{"name": "a", "at": [0], "fixed": true}, {"name": "b", "at": [1], "mass": 1},
                    {"name": "c", "at": [2], "mass": 1}],
          "springs": [{"between": [1, 2], "k": 10}, {"between": ["b", "c"], "k": 10}],
          "bends": [{"nodes": ["a", "b", "c"], "coefficients": [1, -2, 1], "k": 1}]}`,
        );
        await count(page, ".draw-paper .spring", 2); // also the one that calls its nodes by numbers
        await page.click('[data-node="b"] .body');
        await page.waitForSelector('.draw-side [aria-label="speed x"]');
        for (const label of ["y", "z", "begins at y", "speed y"])
          assert.equal(await page.locator(`.draw-side [aria-label="${label}"]`).count(), 0, label);
        assert.deepEqual(
          await page.locator('.draw-side [aria-label="fixed"] option').allTextContents(),
          ["no", "all"],
        );
        await page.fill('.draw-side [aria-label="begins at x"]', "1.25");
        await page.keyboard.press("Tab");
        await page.fill('.draw-side [aria-label="name"]', "middle");
        await page.keyboard.press("Tab");
        // it is still what is chosen
        await page.waitForSelector('[data-node="middle"].chosen');
        // what was fixed and now moves has a mass
        await page.click('[data-node="a"] .body');
        await page.selectOption('.draw-side [aria-label="fixed"]', "");
        const now = await textOf(page);
        assert.deepEqual(now.nodes[1].start, [1.25]);
        assert.deepEqual(now.bends[0].nodes, ["a", "middle", "c"]);
        assert.deepEqual(now.run.plot, ["middle.x"]);
        assert.equal(now.nodes[0].mass, 1);
        await run(page);
        await page.click("#view-draw");
        await page.focus('[aria-label^="spring from middle to c"]');
        await page.keyboard.press("Delete");
        await count(page, ".draw-paper .spring", 1);
        await page.waitForSelector(".draw-side >> text=gravity");
        // a panel's button leaves nothing chosen
        await page.click('[data-node="c"] .body');
        await page.click("text=Delete the node");
        await page.waitForSelector(".draw-side >> text=gravity");
        assert.equal((await textOf(page)).bends.length, 0);
        await run(page);
      },
      options,
    ),
);

test(
  "in space parts are dropped, joined, filled in and deleted, and what is left runs",
  { skip },
  () =>
    site.visit(
      "",
      async (page) => {
        await page.click("text=New structure");
        await page.waitForSelector(".draw-paper");
        for (const kind of ["plate", "block", "chain", "lattice"]) {
          await page.selectOption('[aria-label="Add a part"]', kind);
          await page.waitForSelector(`[data-part="${kind}1"]`);
        }
        assert.equal((await textOf(page)).dimension, 3);
        await page.click('[data-node="n1"] .body');
        await page.fill('.draw-side [aria-label="z"]', "0.5");
        await page.keyboard.press("Tab");
        await page.selectOption('.draw-side [aria-label="fixed"]', "yz");
        await page.selectOption('.draw-side [aria-label="Add a port"]', "-z");
        await page.click(".draw-tools >> text=Spring");
        await page.click('[data-node="n1"] .body');
        await page.click('[data-node="lattice1.1.1"] .body');
        await page.click(".draw-tools >> text=Move");
        // counts are whole and bounded
        await page.focus('[data-part="block1"]');
        for (const wrong of ["0", "2.5", "100000"]) {
          await page.fill('.draw-side [aria-label="cells 1"]', wrong);
          await page.keyboard.press("Tab");
          assert.equal(await page.inputValue('.draw-side [aria-label="cells 1"]'), "4", wrong);
        }
        const whole = await textOf(page);
        assert.deepEqual([whole.nodes[1].at[2], whole.nodes[1].fixed], [0.5, "yz"]);
        assert.equal(whole.ports[0].direction, "-z");
        await shootBoth(page, "draw-space");
        await page.focus('[data-part="lattice1"]');
        await page.keyboard.press("Delete");
        await page.waitForSelector('[data-part="lattice1"]', { state: "detached" });
        for (const kind of ["plate", "block", "chain"]) {
          await page.focus(`[data-part="${kind}1"]`);
          await page.click(`text=Delete the ${kind}`);
          await page.waitForSelector(`[data-part="${kind}1"]`, { state: "detached" });
          await page.waitForSelector(".draw-side >> text=gravity");
        }
        const left = await textOf(page);
        assert.equal(left.springs.length, 1);
        await page.waitForSelector("#run:not(:disabled)");
        await run(page);
      },
      { ...options, viewport: { width: 1280, height: 3000 } }, // the editor has the lines that are seen
    ),
);

test("a field is made in a form, and runs", { skip }, () =>
  site.visit(
    "",
    async (page) => {
      await page.click("text=New field");
      await page.click("#view-form");
      await page.selectOption('[aria-label="Add a member"]', "sides");
      await page.selectOption('[aria-label="sides left"]', "free");
      await page.fill('[aria-label="size 0"]', "0");
      await page.keyboard.press("Tab");
      await page.waitForSelector(".form .refusal");
      await page.fill('[aria-label="size 0"]', "24");
      await page.keyboard.press("Tab");
      await page.waitForSelector(".form .refusal", { state: "detached" });
      await axe(page, "form");
      await shootBoth(page, "form");
      await run(page);
    },
    options,
  ),
);
