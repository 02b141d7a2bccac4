// A picture of a model that moves. three.js comes with this file: the app imports it when a scene is
// wanted.
import "./scene.css";
import { Box3, Color, Vector3 } from "three";
import type { MountScene, SceneHandle } from "../app/contracts.ts";
import type { Description } from "../engine/protocol.ts";
import { makeColumns } from "./columns.ts";
import { deriveScene } from "./derive.ts";
import { Range } from "./colors.ts";
import { makeMap } from "./map.ts";
import { Bindings } from "./model.ts";
import type { Scene } from "./model.ts";
import { makeProcess } from "./process.ts";
import { makeShape } from "./shapes.ts";
import type { Actor } from "./shapes.ts";
import { Stage } from "./stage.ts";
import { StructureActor } from "./structure.ts";
import { makeField } from "./surface.ts";
import { touch } from "./touch.ts";
import { touchWater } from "./water.ts";

export { deriveScene, wantedSignals } from "./derive.ts";
export { editableScene, sceneJson } from "./edit.ts";
export { canFilm, filmFrames, filmWebm } from "./film.ts";

/** A field was last seen as a map. */
let asMap = false;
/** The model that probes are placed in: each of them makes another picture, and one goes on placing. */
let probed = "";

/** What a scene can besides what the app asks of it. */
export interface SceneExtras {
  png(): Promise<Blob>;
  /** Begins a film (WebM); the result ends it and gives it. */
  record(): () => Promise<Blob>;
  /** Back to where the camera began. */
  home(): void;
  /** Where something is on the screen, by its name. */
  whereIs(name: string): readonly [number, number] | undefined;
}

function actorsOf(scene: Scene, stage: Stage): Actor[] {
  return [
    ...scene.shapes.map((shape) => makeShape(shape, stage)),
    ...(scene.structure ? [new StructureActor(scene.structure, stage)] : []),
    ...(scene.field ? [makeField(scene.field, stage)] : []),
    ...(scene.columns ? [makeColumns(scene.columns, stage)] : []),
  ];
}

/** The smallest scale at which a path of states is drawn with balls that can be seen. */
function grows(scene: Scene): boolean {
  return !scene.camera && scene.extent === undefined && !scene.structure;
}

export const mountScene: MountScene = (
  element,
  description,
  options,
): SceneHandle & SceneExtras => {
  const scene = deriveScene(description, options.signals, options.text);
  if (!scene || !hasWebGL())
    return {
      draws: false,
      frame: () => undefined,
      destroy: () => undefined,
      png: () => Promise.reject(new Error("there is no picture")),
      record: () => () => Promise.reject(new Error("there is no picture")),
      home: () => undefined,
      whereIs: () => undefined,
    };
  const frame = document.createElement("div");
  frame.className = "scene-frame";
  element.append(frame);
  const stage = new Stage(frame);
  stage.canvas.setAttribute("aria-label", `Picture of ${description.name}`);
  const bindings = new Bindings(options.signals);
  const actors = actorsOf(scene, stage);
  for (const actor of actors) stage.content.add(actor.object);
  if (scene.background) stage.setBackground(new Color().setRGB(...scene.background, "srgb"));
  if (scene.shapes.some((shape) => shape.kind === "plane")) stage.hideFloor();
  const seen = new Box3();
  let now = 0;
  let placed = false;
  let alone = false; // only one place of a path has been seen
  let extent = scene.extent ?? 1;

  if (options.camera) {
    const [from, to] = options.camera.map((p) => new Vector3().fromArray([...p]));
    stage.look(from!, to!);
    stage.turned = true;
  }

  // The camera: as the scene has it, or so that all that is drawn is seen.
  function place(): void {
    stage.content.updateMatrixWorld(true);
    const box = boxOf(actors, scene!);
    if (box.isEmpty()) return;
    seen.union(box);
    const size = seen.getSize(new Vector3());
    extent = scene!.extent ?? Math.max(size.x, size.y, size.z, 1e-6);
    stage.setFloor(
      scene!.floor ?? (scene!.camera ? seen.min.y - 0.3 * extent : seen.min.y - 0.06 * extent),
      extent,
    );
    if (stage.turned) {
      placed = true;
      return;
    }
    if (scene!.camera)
      stage.look(new Vector3(...scene!.camera), new Vector3(...(scene!.target ?? [0, 0, 0])));
    else stage.lookAt(framed(seen, scene!), scene!.flat === true);
    placed = true;
  }
  // A path of states is as large as it becomes: the camera goes back when it leaves the picture, and
  // its ball stays as large as it is on the screen.
  function widen(): void {
    for (const actor of actors) {
      if (actor.shape?.kind !== "sphere" || !actor.body) continue;
      seen.expandByPoint(actor.body.position);
    }
    const size = seen.getSize(new Vector3());
    const spread = Math.max(size.x, size.y, size.z);
    // one place alone has no size: any picture of it will do, until it moves
    const now = spread || 0.1 * seen.getCenter(new Vector3()).length() || 1;
    const grown = (alone && spread > 0) || (!alone && now > extent * 1.02);
    for (const actor of actors)
      if (actor.shape?.kind === "sphere" && actor.body) actor.body.scale.multiplyScalar(now * 0.03);
    if ((grown && !stage.turned) || !placed) {
      extent = now * 1.15;
      stage.setFloor(seen.min.y - 0.08 * extent, extent);
      stage.lookAt(seen.clone().expandByScalar(0.08 * extent), scene!.flat === true);
      placed = true;
      alone = !spread;
    }
  }

  // A structure that moves out of the picture; unless somebody has chosen where to look from.
  function outgrown(): boolean {
    if (stage.turned) return false;
    const box = boxOf(actors, scene!);
    const size = seen.getSize(new Vector3()).length();
    return !seen
      .clone()
      .expandByScalar(0.02 * size)
      .containsBox(box);
  }

  let telling: (text: string) => void = () => undefined;
  const touched = options.act
    ? touch({
        stage,
        actors,
        act: options.act,
        pull: options.pull,
        extent: scene.extent ?? 1,
        read: (name) => bindings.signal(name),
        tell: (text) => telling(text),
      })
    : undefined;
  const bar = document.createElement("div");
  bar.className = "scene-bar";
  bar.setAttribute("role", "toolbar");
  bar.setAttribute("aria-label", "Picture");
  frame.append(bar);
  const button = (label: string, path: string, run: (b: HTMLButtonElement) => void): void => {
    const b = document.createElement("button");
    b.type = "button";
    b.title = label;
    b.setAttribute("aria-label", label);
    b.innerHTML = `<svg viewBox="0 0 16 16" width="16" height="16" aria-hidden="true"><path d="${path}"/></svg>`;
    b.addEventListener("click", () => run(b));
    bar.append(b);
  };
  button("Camera as at the beginning", "M2.5 7.5L8 3L13.5 7.5M4 6.5V13H12V6.5", () =>
    stage.goHome(),
  );
  button(
    "Save a picture (PNG)",
    "M2.5 4.5H5L6 3H10L11 4.5H13.5V12.5H2.5ZM8 6A2.2 2.2 0 1 0 8 10.4A2.2 2.2 0 1 0 8 6",
    () => void picture().then((blob) => save(blob, `${description.name}.png`)),
  );
  const picture = (): Promise<Blob> => {
    const flat = process?.canvas ?? (asMap ? water?.map.canvas : undefined);
    if (!flat) return stage.png();
    return new Promise((take, refuse) =>
      flat.toBlob((blob) => (blob ? take(blob) : refuse(new Error("no picture"))), "image/png"),
    );
  };
  let film: (() => Promise<Blob>) | undefined;
  button("Record what is seen (WebM)", "M8 4.5A3.5 3.5 0 1 0 8 11.5A3.5 3.5 0 1 0 8 4.5", (b) => {
    b.classList.add("recording");
    if (film) void film().then((blob) => save(blob, `${description.name}.webm`));
    film = film ? undefined : stage.record();
    b.setAttribute("aria-pressed", String(film !== undefined));
  });
  const water = scene.field && floodField();
  // a process is seen from above; the other pictures are of things
  const process =
    scene.columns && description.kind === "world" ? makeProcess(frame, scene.columns) : undefined;
  if (process) {
    frame.insertBefore(process.canvas, bar);
    for (const b of bar.querySelectorAll("button:not(:nth-child(2))")) b.remove();
  }
  if (scene.field && options.touch)
    telling = hint(frame, "touch the water · drag the void to turn");
  else if (scene.structure?.nodes.length && options.act)
    hint(frame, "drag a node to pull it · drag the void to turn");
  else if (scene.shapes.some((s) => s.tap ?? s.pull) && options.act)
    telling = hint(frame, "pull a ball and let go: it is tapped · drag the void to turn");

  // A field: as a surface or as a map, to be touched, and with probes.
  function floodField() {
    const field = scene!.field!;
    const isProbing = () => probed === description.name;
    const tellProbing = () =>
      telling(isProbing() ? "click a node: its value is drawn over time" : "");
    const range = new Range();
    const map = makeMap(frame, field, () => probesOf(description));
    const show = (on: boolean) => {
      asMap = on;
      map.canvas.hidden = !on;
      if (on) map.update(bindings);
    };
    frame.insertBefore(map.canvas, bar);
    button("Map with a colour scale", "M2.5 3.5H13.5V12.5H2.5ZM2.5 8H13.5M8 3.5V12.5", (b) => {
      show(!asMap);
      if (!asMap) refresh();
      b.setAttribute("aria-pressed", String(asMap));
    });
    bar.lastElementChild!.setAttribute("aria-pressed", String(asMap));
    if (options.probe)
      button("Place probes", "M8 14V7.5M8 7.5A2.5 2.5 0 1 0 8 2.5A2.5 2.5 0 1 0 8 7.5", (b) => {
        probed = isProbing() ? "" : description.name;
        b.setAttribute("aria-pressed", String(isProbing()));
        tellProbing();
      });
    if (options.probe && isProbing()) {
      bar.lastElementChild!.setAttribute("aria-pressed", "true");
      tellProbing();
    }
    const untouch = touchWater({
      stage,
      map,
      scene: field,
      actor: actors.find(({ object }) => object.name === "surface"),
      reach: () => (Number.isFinite(range.low) ? Math.max(range.reach, 1e-12) : 1),
      read: (name) => bindings.signal(name),
      probing: isProbing,
      onProbe: options.probe,
      onTouch: options.touch,
    });
    show(asMap);
    return {
      map,
      update() {
        for (const name of field.signals) if (name) range.take(bindings.signal(name));
        if (asMap) map.update(bindings);
      },
      destroy() {
        untouch();
        map.destroy();
      },
    };
  }

  const whereIs = (name: string): readonly [number, number] | undefined => {
    const object = stage.content.getObjectByName(name);
    const node = actors.flatMap((actor) =>
      actor instanceof StructureActor ? (actor.placeOf(name) ?? []) : [],
    )[0];
    if (!object && !node) return undefined;
    stage.camera.updateMatrixWorld();
    stage.content.updateMatrixWorld(true);
    const p = (node?.clone() ?? object!.getWorldPosition(new Vector3())).project(stage.camera);
    const rect = stage.canvas.getBoundingClientRect();
    return [rect.left + ((p.x + 1) / 2) * rect.width, rect.top + ((1 - p.y) / 2) * rect.height];
  };
  // for those who point without eyes: tests, and the tour
  frame.addEventListener("whereis", (event) => {
    const { detail } = event as CustomEvent<{ name: string; at?: unknown }>;
    const node = /^node (\d+),(\d+)$/.exec(detail.name);
    detail.at = node ? water?.map.placeOf(Number(node[1]), Number(node[2])) : whereIs(detail.name);
  });

  // the room again, after the map was seen
  function refresh(): void {
    for (const actor of actors) actor.update(bindings, now);
    if (!placed) place();
    stage.draw();
  }
  const scale = scene.structure?.springs.length ? strainScale(frame) : undefined;
  const isFlat = () => process !== undefined || (water !== undefined && asMap);
  const show = (time: number, values: ArrayLike<number>) => {
    bindings.values = values;
    water?.update();
    process?.update(bindings, time);
    if (isFlat()) return; // the room behind it is not seen
    for (const actor of actors) {
      actor.update(bindings, time);
      if (actor instanceof StructureActor) scale?.(actor.strained);
    }
    if (grows(scene)) widen();
    else if (!placed || (scene.structure && outgrown())) place();
    touched?.frame();
  };
  return {
    draws: true,
    frame(time, values) {
      show(time, values);
      now = time;
      if (!isFlat()) stage.draw();
    },
    still(time, values) {
      show(time, values);
      if (water && asMap) return water.map.canvas;
      if (process) return process.canvas;
      stage.drawNow();
      return stage.canvas;
    },
    drawn(values) {
      const before = bindings.values;
      bindings.values = values;
      for (const actor of actors) if (actor instanceof StructureActor) actor.drawn(bindings);
      bindings.values = before;
      if (before.length) refresh();
    },
    forget(past) {
      for (const actor of actors) actor.forget?.(past);
      // all of a path is seen at once
      for (const actor of grows(scene) ? actors : []) seen.union(actor.reach?.() ?? new Box3());
    },
    history: (past) => process?.history(past),
    acts: (acts, over) => process?.acts(acts, over),
    camera: () => [stage.camera.position.toArray(), stage.controls.target.toArray()],
    png: () => stage.png(),
    record: () => stage.record(),
    home: () => stage.goHome(),
    whereIs,
    destroy() {
      touched?.destroy();
      water?.destroy();
      process?.destroy();
      stage.destroy();
      frame.remove();
    },
  };
};

/** The nodes whose values are signals of the model. */
function probesOf(description: Description): [number, number][] {
  return description.signals.flatMap(({ name }): [number, number][] => {
    const match = /^value\((\d+)(?:,(\d+))?\)$/.exec(name);
    return match ? [[Number(match[1]), Number(match[2] ?? 0)]] : [];
  });
}

function boxOf(actors: readonly Actor[], scene: Scene): Box3 {
  const box = new Box3();
  for (const actor of actors) {
    if (actor instanceof StructureActor) for (const p of actor.places) box.expandByPoint(p);
    else if (actor.shape?.kind !== "trail") box.expandByObject(actor.object);
  }
  if (scene.structure) box.expandByScalar(0.12 * box.getSize(new Vector3()).length());
  return box;
}

// Room for what will move, around where it begins.
function framed(box: Box3, scene: Scene): Box3 {
  const half = (scene.extent ?? 0) / 2;
  if (!half) return box;
  if (scene.field) {
    const [lx, ly] = scene.field.length;
    const deep = scene.field.size[1] > 1 ? ly / 2 : 0.05 * lx;
    return new Box3(new Vector3(-lx / 2, -0.1 * lx, -deep), new Vector3(lx / 2, 0.16 * lx, deep));
  }
  if (scene.columns) return new Box3(new Vector3(-half, -0.4, -0.5), new Vector3(half, 2.6, 0.5));
  // what stands on the floor is seen from there upward, what hangs about its middle
  const low = scene.floor ?? -half;
  const high = low >= 0 ? low + 1.5 * half : half;
  const bottom = low >= 0 ? low : Math.min(low, -0.9 * half);
  const wide = low >= 0 ? 0.7 * half : half;
  return new Box3(new Vector3(-wide, bottom, -0.1), new Vector3(wide, high, 0.1)).union(box);
}

function hasWebGL(): boolean {
  try {
    return document.createElement("canvas").getContext("webgl2") !== null;
  } catch {
    return false;
  }
}

/** What the colours of springs mean; the result is told the largest strain. */
function strainScale(frame: HTMLElement): (strain: number) => void {
  const element = document.createElement("p");
  element.className = "strain-scale";
  element.innerHTML = "<span></span><i></i><span></span>";
  element.title = "Strain of the springs: compressed, as drawn, stretched";
  frame.append(element);
  const [low, high] = element.querySelectorAll("span");
  let told = "";
  return (strain) => {
    const percent = 100 * strain;
    const text = `${percent < 0.01 ? percent.toExponential(0) : Number(percent.toPrecision(2))} %`;
    if (text === told) return;
    told = text;
    low!.textContent = `−${text}`;
    high!.textContent = `+${text}`;
  };
}

/** A line at the bottom; the result puts something else there, or the line again. */
function hint(frame: HTMLElement, text: string): (other: string) => void {
  const element = document.createElement("p");
  element.className = "scene-hint";
  element.textContent = text;
  frame.append(element);
  return (other) => (element.textContent = other || text);
}

function save(blob: Blob, name: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000);
}
