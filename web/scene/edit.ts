// Scenes as they are edited and kept: the JSON of shapes, which readScene reads again.
import type { JsonObject } from "../document/json.ts";
import type { Description } from "../engine/protocol.ts";
import { deriveScene } from "./derive.ts";
import type { Scene, Shape, ShapeKind, Three, Value } from "./model.ts";

/** What can be put into a scene, and with which numbers it begins. */
export const kinds: readonly ShapeKind[] = [
  "box",
  "sphere",
  "cylinder",
  "cone",
  "plane",
  "spring",
  "arrow",
  "line",
  "trail",
  "text",
];

/** Those that go from one place to another. */
export const hasEnd = (kind: ShapeKind) => ["spring", "arrow", "line"].includes(kind);

export function freshShape(kind: ShapeKind, names: ReadonlySet<string>, extent: number): Shape {
  let number = 1;
  while (names.has(`${kind} ${number}`)) number++;
  const part = Number((extent / 5).toPrecision(2));
  const thin = Number((extent / 25).toPrecision(2));
  const size: Three = hasEnd(kind)
    ? [thin, thin, thin]
    : kind === "plane"
      ? [extent, 1, extent]
      : [part, part, part];
  return {
    kind,
    name: `${kind} ${number}`,
    position: [0, 0, 0],
    ...(hasEnd(kind) ? { end: [part, part, 0] as Three } : {}),
    rotation: [0, 0, 0],
    size,
    color: [0.85, 0.45, 0.1],
    ...(kind === "text" ? { text: "text" } : {}),
  };
}

function without<T extends object, K extends keyof T>(of: T, ...keys: readonly K[]): Omit<T, K> {
  const list = Object.entries(of).filter(([key]) => !keys.includes(key as K));
  return Object.fromEntries(list) as Omit<T, K>;
}

/** The scene of a model as one to be edited: its own, or the one that follows from its signals. */
export function editableScene(
  description: Description,
  signals: readonly string[],
  text?: string,
): Scene {
  const scene = deriveScene(description, signals, text);
  if (!scene) return { shapes: [], extent: 2, floor: 0 };
  return without(scene, "structure", "field", "columns");
}

/** A copy with one number of a shape replaced. */
export function withValue(
  shape: Shape,
  part: "position" | "end" | "rotation" | "size" | "color",
  axis: number,
  value: Value,
): Shape {
  const old = shape[part];
  const three: Three = typeof old === "object" ? old : [0.5, 0.5, 0.5];
  const next = three.map((v, i) => (i === axis ? value : v)) as unknown as Three;
  return { ...shape, [part]: next };
}

export function hexOf(color: Shape["color"]): string {
  if (typeof color !== "object") return "#d9731a";
  const two = (v: Value) =>
    Math.round(255 * Math.min(1, Math.max(0, typeof v === "number" ? v : 0.5)))
      .toString(16)
      .padStart(2, "0");
  return `#${color.map(two).join("")}`;
}
export function colorOf(hex: string): Three {
  const part = (from: number) => Number((parseInt(hex.slice(from, from + 2), 16) / 255).toFixed(3));
  return [part(1), part(3), part(5)];
}

/** A scene as a diagram's document has it. */
export function sceneJson({ shapes, camera, target, background }: Scene): JsonObject {
  const json = {
    ...(camera && { camera }),
    ...(target && { target }),
    ...(background && { background }),
    shapes: shapes.map((shape) => ({
      shape: shape.kind,
      ...without(shape, "kind", "source", "pivot", "tap", "pull"),
      ...(shape.source !== undefined && { file: shape.source }),
    })),
  };
  return JSON.parse(JSON.stringify(json)) as JsonObject; // without what is undefined
}
