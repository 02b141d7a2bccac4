// Changes of one diagram of a document: nodes, notes, parameters. Lines are in lines.ts.
import { at, isList, isObject } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";
import { freshName, notesOf } from "./diagram.ts";
import type { Level } from "./diagram.ts";
import type { Draft } from "./document.ts";
import { renameEnds, disconnectNode } from "./lines.ts";
import { listAt, nodeAt, nodesAt, pathOf, pathOfNode, place } from "./places.ts";
import type { Point } from "./places.ts";

export interface NewNode {
  readonly type: string;
  readonly name?: string;
  readonly position: Point;
  readonly parameters?: JsonObject;
  readonly turns?: number;
  readonly flip?: boolean;
}

/** Inserts a node and answers its name, which is a fresh one. */
export function addNode(draft: Draft, level: Level, node: NewNode): string {
  const list = listAt(draft, level, "nodes");
  const names = new Set(nodesAt(draft, level).map((n) => n.name));
  const name = freshName(node.name ?? node.type.toLowerCase(), names);
  const { type, parameters } = node;
  const inside = type === "Subsystem" && !parameters?.Definition;
  draft.splice(list, (draft.at(list) as Json[]).length, 0, {
    name,
    type,
    ...(parameters && Object.keys(parameters).length ? { parameters } : {}),
    position: place(node.position),
    ...(node.turns ? { rotation: 90 * node.turns } : {}),
    ...(node.flip ? { flip: true } : {}),
    ...(inside ? { diagram: { nodes: [], lines: [] } } : {}),
  });
  return name;
}

/** Removes nodes with their lines; with `reconnect`, what led to a node goes on to where it led. */
export function removeNodes(
  draft: Draft,
  level: Level,
  names: Iterable<string>,
  reconnect = false,
): void {
  for (const name of names) {
    const node = nodeAt(draft, level, name);
    if (!node) continue;
    disconnectNode(draft, level, name, reconnect);
    draft.splice([...pathOf(draft, level), "nodes"], node.index, 1);
  }
}

export function moveNodes(draft: Draft, level: Level, places: ReadonlyMap<string, Point>): void {
  const path = pathOf(draft, level);
  for (const node of nodesAt(draft, level)) {
    const to = places.get(node.name);
    if (to) draft.set([...path, "nodes", node.index], "position", place(to));
  }
}

// A node is mirrored (or not), then turned. Turning what is mirrored: M R(a) = R(-a) M.
export type Turn = "rotate" | "flip-x" | "flip-y";
export function orient(draft: Draft, level: Level, names: Iterable<string>, turn: Turn): void {
  for (const name of names) {
    const node = nodeAt(draft, level, name);
    if (!node) continue;
    const half = turn === "flip-y" ? 2 : 0;
    const turns = turn === "rotate" ? (node.turns + 1) % 4 : (half + 4 - node.turns) % 4;
    const flip = turn === "rotate" ? node.flip : !node.flip;
    const path = pathOfNode(draft, level, name);
    draft.set(path, "rotation", turns ? 90 * turns : undefined);
    draft.set(path, "flip", flip ? true : undefined);
  }
}

/** A scene is bound to outputs by name: "theta", "mux[2]", "queue:2", "car.wheel". */
function renameSignal(value: Json, from: string, to: string): Json {
  if (typeof value === "string") {
    const rest = value.slice(from.length);
    return value.startsWith(from) && (rest === "" || /^[[:.]/.test(rest)) ? to + rest : value;
  }
  if (isList(value)) return value.map((part) => renameSignal(part, from, to));
  if (isObject(value) && typeof value.signal === "string")
    return { ...value, signal: renameSignal(value.signal, from, to) };
  return value;
}
export function renameInScene(draft: Draft, from: string, to: string): void {
  const shapes = draft.at(["scene", "shapes"]);
  if (!isList(shapes)) return;
  shapes.forEach((shape, i) => {
    if (!isObject(shape)) return;
    for (const key of ["position", "end", "rotation", "size"])
      if (shape[key] !== undefined)
        draft.set(["scene", "shapes", i], key, renameSignal(shape[key], from, to));
    if (isList(shape.color))
      draft.set(["scene", "shapes", i], "color", renameSignal(shape.color, from, to));
  });
}

/** Why a node cannot be called so; undefined: it can. */
export function refuseName(name: string, taken: ReadonlySet<string>): string | undefined {
  if (!name.trim()) return "a node needs a name";
  if (name.includes(":")) return "a name has no ':', which leads to ports";
  if (name.length > 200) return "a name has at most 200 letters";
  return taken.has(name) ? `there is a node '${name}' already` : undefined;
}

export function renameNode(draft: Draft, level: Level, from: string, to: string): void {
  const taken = new Set(nodesAt(draft, level).map((node) => node.name));
  if (from === to || refuseName(to, taken) !== undefined) return;
  draft.set(pathOfNode(draft, level, from), "name", to);
  renameEnds(draft, level, from, to);
  renameInScene(draft, [...level, from].join("."), [...level, to].join("."));
}

/** Sets a parameter of a node; undefined: as the node's type has it. */
export function setParameter(
  draft: Draft,
  level: Level,
  name: string,
  parameter: string,
  value: Json | undefined,
): void {
  const path = pathOfNode(draft, level, name);
  const all = draft.at([...path, "parameters"]);
  if (isObject(all)) {
    draft.set([...path, "parameters"], parameter, value);
    if (!Object.keys(draft.at([...path, "parameters"]) as JsonObject).length)
      draft.set(path, "parameters", undefined);
  } else if (value !== undefined) {
    const node = draft.at(path) as JsonObject;
    const order = Object.keys(node).indexOf("type") + 1;
    const parameters = { [parameter]: value };
    draft.make({ kind: "set", path, key: "parameters", value: parameters, order });
  }
}

/** Sets a named number of the sheet; undefined takes it away. */
export function setSheetParameter(draft: Draft, name: string, value: Json | undefined): void {
  if (!isObject(draft.at(["parameters"]))) {
    if (value === undefined) return;
    const order = Math.max(0, Object.keys(draft.root as JsonObject).indexOf("nodes"));
    draft.make({ kind: "set", path: [], key: "parameters", value: {}, order });
  }
  draft.set(["parameters"], name, value);
  if (!Object.keys(draft.at(["parameters"]) as JsonObject).length)
    draft.set([], "parameters", undefined);
}

export function setSimulation(draft: Draft, key: string, value: Json | undefined): void {
  if (!isObject(draft.at(["simulation"]))) draft.set([], "simulation", {});
  draft.set(["simulation"], key, value);
}

// ----------------------------------------------------------------------------------------- notes

export function addNote(draft: Draft, level: Level, text: string, position: Point): number {
  const list = listAt(draft, level, "notes");
  const index = (draft.at(list) as Json[]).length;
  draft.splice(list, index, 0, { text, position: place(position) });
  return index;
}
export function setNote(
  draft: Draft,
  level: Level,
  index: number,
  change: { readonly text?: string; readonly position?: Point },
): void {
  const path = [...pathOf(draft, level), "notes", index];
  if (!isObject(at(draft.root, path))) return;
  if (change.text !== undefined) draft.set(path, "text", change.text);
  if (change.position) draft.set(path, "position", place(change.position));
}
export function removeNotes(draft: Draft, level: Level, indices: Iterable<number>): void {
  const path = pathOf(draft, level);
  const present = new Set(notesOf(draft.at(path)).map((note) => note.index));
  for (const index of [...indices].sort((a, b) => b - a))
    if (present.has(index)) draft.splice([...path, "notes"], index, 1);
  if (present.size && !(draft.at([...path, "notes"]) as Json[]).length)
    draft.set(path, "notes", undefined);
}
