// A scene alone, with a desk behind HTTP: for tests, and to work on it. ?model=NAME takes a model of the
// gallery, ?text=DOCUMENT a diagram, ?theme=dark the dark theme, ?live=1 carries it with the clock, so that it can be touched.
import "../app/tokens.css";
import "./demo.css";
import type { SceneHandle } from "../app/contracts.ts";
import { readFrame } from "../engine/frame.ts";
import type { Description } from "../engine/protocol.ts";
import { httpDesk } from "../sheet/demo-desk.ts";
import { deriveScene, mountScene, wantedSignals } from "./index.ts";
import type { SceneExtras } from "./index.ts";

interface Demo {
  scene: SceneHandle & SceneExtras;
  description: Description;
  names: readonly string[];
  /** Of a run: shows the moment at a time. Live: carries it there. */
  show: (time: number) => Promise<Record<string, number>>;
  /** Models of the gallery for which there is nothing to draw. */
  bare: () => Promise<string[]>;
}
declare global {
  interface Window {
    sceneDemo: Demo;
  }
}

const query = new URLSearchParams(location.search);
document.documentElement.dataset.theme = query.get("theme") ?? "light";
const desk = httpDesk();
await desk.ready;
const name = query.get("model") ?? "pendulum";
const text = query.get("text");
const opened = await desk.ask<{ doc: number }>(
  "open",
  text ? { name: "scene.json", text } : { name },
);
const { doc } = opened.ok;
const description = (await desk.ask<Description>("describe", { doc })).ok;
const place = document.getElementById("scene")!;

async function bare(): Promise<string[]> {
  const { ok } = await desk.ask<{ models: { name: string }[] }>("gallery");
  const list: string[] = [];
  for (const model of ok.models) {
    const { doc: one } = (await desk.ask<{ doc: number }>("open", { name: model.name })).ok;
    const about = (await desk.ask<Description>("describe", { doc: one })).ok;
    if (
      !deriveScene(
        about,
        about.signals.map((s) => s.name),
      )
    )
      list.push(model.name);
    await desk.ask("close", { doc: one });
  }
  return list;
}

async function replayed(): Promise<Demo> {
  const done = new Promise<void>((go) => desk.listen((said) => said.on === "done" && go()));
  const shown = description.signals.filter((s) => s.kind !== "input").map((s) => s.name);
  const signals = [...shown, ...wantedSignals(description)];
  const run = await desk.ask<{ run: number; signals: string[] }>("run", { doc, signals });
  await done;
  const names = run.ok.signals;
  const rows = await desk.ask("rows", { run: run.ok.run, signals: names.map((_, i) => i) });
  const { columns } = readFrame(rows.bytes!);
  const times = columns[0]!.values;
  const scene = mountScene(place, description, { signals: names }) as SceneHandle & SceneExtras;
  const show = (time: number): Promise<Record<string, number>> => {
    let row = 0;
    while (row + 1 < times.length && times[row + 1]! <= time) row++;
    const values = columns.slice(1).map((column) => column.values[row]!);
    scene.frame(times[row]!, values);
    return Promise.resolve(Object.fromEntries(names.map((n, i) => [n, values[i]!])));
  };
  return { scene, description, names, show, bare };
}

async function lived(): Promise<Demo> {
  const names = description.signals.filter((s) => s.kind !== "input").map((s) => s.name);
  const { ok } = await desk.ask<{ live: number }>("live", { doc, clock: 0 });
  let now = 0;
  const scene = mountScene(place, description, {
    signals: names,
    act: (verb, what, value = 1) =>
      void desk.ask("act", { live: ok.live, verb, name: what, value, stamp: now }),
  }) as SceneHandle & SceneExtras;
  const show = async (time: number): Promise<Record<string, number>> => {
    now = Math.max(now, Math.round(time * 1e9));
    const frame = await desk.ask<{ t: number }>("frame", { live: ok.live, clock: now });
    const { columns } = readFrame(frame.bytes!);
    const values = columns.slice(1).map((column) => column.values.at(-1)!);
    scene.frame(frame.ok.t, values);
    return Object.fromEntries(names.map((n, i) => [n, values[i]!]));
  };
  return { scene, description, names, show, bare };
}

window.sceneDemo = await (query.get("live") ? lived() : replayed());
await window.sceneDemo.show(0);
