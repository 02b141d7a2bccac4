// The sheet alone, with a desk behind HTTP: for tests, and to work on it. tests/sheet/serve.mjs serves
// it. ?model=NAME opens a diagram of the gallery, ?theme=dark the dark theme, ?nodes=500 a large sheet.
import "../app/tokens.css";
import "./demo.css";
import type { Desk, SheetHandle } from "../app/contracts.ts";
import { httpDesk } from "./demo-desk.ts";
import { openDocument } from "../document/index.ts";
import type { JsonDocument } from "../document/index.ts";
import type { Said } from "../engine/protocol.ts";
import { mountSheet } from "./index.ts";
import type { SheetExtras } from "./index.ts";

interface Demo {
  document: JsonDocument;
  sheet: SheetHandle & SheetExtras;
  desk: Desk;
  /** The diagnoses of the text as it is now. */
  settled: () => Promise<void>;
}
declare global {
  interface Window {
    demo: Demo;
  }
}

/** Many nodes in rows, each connected with the next and some with those below. */
function large(count: number): string {
  const columns = Math.ceil(Math.sqrt(count * 1.4));
  const nodes = Array.from({ length: count }, (_, i) => ({
    name: `n${i}`,
    type: i % 4 === 3 ? "Sum" : i % 5 === 2 ? "Gain" : i % 3 === 1 ? "Integrator" : "Saturation",
    position: [(i % columns) * 130, Math.floor(i / columns) * 100],
  }));
  const lines = nodes.slice(0, -1).map((node, i) => {
    const below = i + columns;
    const far = below < count && nodes[below]!.type === "Sum";
    return { from: node.name, to: [`n${i + 1}`, ...(far ? [`n${below}:2`] : [])] };
  });
  return JSON.stringify({ format: "foliot diagram", nodes, lines });
}

const query = new URLSearchParams(location.search);
document.documentElement.dataset.theme = query.get("theme") ?? "light";
const desk = httpDesk();
const text = query.get("nodes")
  ? large(Number(query.get("nodes")))
  : query.get("model")
    ? await (await fetch(`models/${query.get("model")}.json`)).text()
    : "";
const doc = openDocument("demo.json", text) as JsonDocument;
const find = (id: string): HTMLElement => document.getElementById(id)!;
let handle = -1;
let version = 0;
let heard = -1;
let waiting: (() => void)[] = [];
const mounted: { sheet?: SheetHandle & SheetExtras } = {};
const early: Said[] = [];
function hear(said: Said): void {
  const { sheet } = mounted;
  if (handle < 0 || !sheet) return void early.push(said);
  if (said.on !== "diagnostics" || said.doc !== handle) return;
  heard = said.version;
  if (said.version === version) sheet.diagnose(said.list);
  if (heard >= version) for (const go of waiting.splice(0)) go();
}
desk.listen(hear);
await desk.ready;
const { ok } = await desk.ask<{ doc: number }>("open", { name: "demo.json", text: doc.text() });
handle = ok.doc;
const sheet = mountSheet(find("sheet"), doc, desk, {
  palette: find("palette"),
  inspector: find("inspector"),
  doc: handle,
  onSay: (said) => (find("say").textContent = said),
}) as SheetHandle & SheetExtras;
mounted.sheet = sheet;
for (const said of early.splice(0)) hear(said);
doc.subscribe(() => {
  version++;
  void desk.ask("change", { doc: handle, version, text: doc.text() });
});
window.demo = {
  document: doc,
  sheet,
  desk,
  settled: () =>
    heard >= version ? Promise.resolve() : new Promise((go) => (waiting = [...waiting, go])),
};
