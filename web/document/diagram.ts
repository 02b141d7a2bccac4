// A diagram's members by name, and ways to its parts. Documents come from files that anybody wrote:
// what has not the expected form is passed over here; the desk says what is wrong with it.
import { at, isList, isObject } from "./json.ts";
import type { Json, JsonObject, Key, Path } from "./json.ts";

export interface NodeData {
  readonly name: string;
  readonly type: string;
  readonly parameters: JsonObject;
  /** Where it is drawn; undefined: nowhere yet. */
  readonly position: readonly [number, number] | undefined;
  /** Clockwise, in quarters of a turn. */
  readonly turns: number;
  /** Left and right exchanged, before it is turned. */
  readonly flip: boolean;
  readonly index: number;
  readonly json: JsonObject;
}
export interface NoteData {
  readonly text: string;
  readonly position: readonly [number, number];
  readonly index: number;
  readonly json: JsonObject;
}
/** One end of a line: the text after `to`, and what belongs to this end only. */
export interface TargetData {
  readonly to: string;
  readonly color: string | undefined;
  /** Points that the line is led through. */
  readonly pins: readonly (readonly [number, number])[];
  /** Of the line or branch that has it. */
  readonly path: Path;
}
/** All lines from one output. */
export interface NetData {
  readonly from: string;
  readonly color: string | undefined;
  readonly targets: readonly TargetData[];
}
/** A diagram of the document: its own, or one of a subsystem, by the names that lead to it. */
export type Level = readonly string[];

export const EMPTY = `{
    "format": "foliot diagram",
    "version": 1,
    "simulation": {"start": 0, "stop": 10, "integrator": "RK_DP", "step": 0.2},
    "nodes": [],
    "lines": []
}
`;

export function isPoint(value: Json | undefined): value is readonly [number, number] {
  return (
    isList(value) &&
    value.length === 2 &&
    value.every((part) => typeof part === "number" && Math.abs(part) < 1e6)
  );
}

const nodeOf = new WeakMap<JsonObject, NodeData>();

function readNode(json: JsonObject, index: number): NodeData | undefined {
  const known = nodeOf.get(json);
  if (known?.index === index) return known;
  const { name, type, parameters, position, rotation, flip } = json;
  if (typeof name !== "string" || typeof type !== "string") return undefined;
  const quarters = typeof rotation === "number" ? Math.round(rotation / 90) : 0;
  const node: NodeData = {
    name,
    type,
    parameters: isObject(parameters) ? parameters : {},
    position: isPoint(position) ? position : undefined,
    turns: ((quarters % 4) + 4) % 4,
    flip: flip === true,
    index,
    json,
  };
  nodeOf.set(json, node);
  return node;
}

export function nodesOf(diagram: Json | undefined): readonly NodeData[] {
  const list = isObject(diagram) ? diagram.nodes : undefined;
  if (!isList(list)) return [];
  return list.flatMap((json, i) => (isObject(json) ? (readNode(json, i) ?? []) : []));
}

export function notesOf(diagram: Json | undefined): readonly NoteData[] {
  const list = isObject(diagram) ? diagram.notes : undefined;
  if (!isList(list)) return [];
  return list.flatMap((json, index) => {
    if (!isObject(json) || typeof json.text !== "string" || !isPoint(json.position)) return [];
    return { text: json.text, position: json.position, index, json };
  });
}

/** "sum:2" as node and port; "sum" is its first port. Names of nodes have no colon. */
export function parseReference(reference: string): { node: string; port: string } {
  const colon = reference.indexOf(":");
  if (colon < 0) return { node: reference, port: "1" };
  return { node: reference.slice(0, colon), port: reference.slice(colon + 1) };
}
export function writeReference(node: string, port: number, count: number): string {
  return count > 1 || port > 0 ? `${node}:${port + 1}` : node;
}
/** One text for all ways to write the same end. */
export function referenceKey(reference: string): string {
  const { node, port } = parseReference(reference);
  return `${node}:${port}`;
}

function collect(
  json: JsonObject,
  path: Path,
  color: string | undefined,
  list: TargetData[],
): void {
  const own = typeof json.color === "string" ? json.color : color;
  const ends = isList(json.to) ? json.to : [json.to];
  const pins = isList(json.points) ? json.points.filter(isPoint) : [];
  ends.forEach((to, i) => {
    if (typeof to === "string") list.push({ to, color: own, pins: i ? [] : pins, path });
  });
  if (!isList(json.branches) || path.length > 64) return;
  json.branches.forEach((branch, i) => {
    if (isObject(branch)) collect(branch, [...path, "branches", i], own, list);
  });
}

/** The lines of a diagram by their outputs; paths begin at the diagram. */
export function netsOf(diagram: Json | undefined): readonly NetData[] {
  const list = isObject(diagram) ? diagram.lines : undefined;
  const nets = new Map<
    string,
    { from: string; color: string | undefined; targets: TargetData[] }
  >();
  if (!isList(list)) return [];
  list.forEach((line, i) => {
    if (!isObject(line) || typeof line.from !== "string") return;
    const key = referenceKey(line.from);
    const color = typeof line.color === "string" ? line.color : undefined;
    const net = nets.get(key) ?? { from: line.from, color, targets: [] };
    collect(line, ["lines", i], color, net.targets);
    nets.set(key, net);
  });
  return [...nets.values()];
}

/** The path of a level's diagram; undefined when there is none (any more). */
export function levelPath(root: Json, level: Level): Path | undefined {
  let path: Key[] = [];
  for (const name of level) {
    const node = nodesOf(at(root, path)).find((n) => n.name === name);
    if (!node) return undefined;
    if (isObject(node.json.diagram)) {
      path = [...path, "nodes", node.index, "diagram"];
      continue;
    }
    const definition = node.parameters.Definition;
    if (typeof definition !== "string" || !isObject(at(root, ["subsystems", definition])))
      return undefined;
    path = ["subsystems", definition];
  }
  return path;
}
export function levelAt(root: Json, level: Level): Json | undefined {
  const path = levelPath(root, level);
  return path && at(root, path);
}

/** The level to which a path in the document belongs, for diagrams inside of their nodes. */
export function levelOf(root: Json, path: Path): Level {
  const level: string[] = [];
  for (let i = 0; i + 2 < path.length; i += 3) {
    if (path[i] !== "nodes" || path[i + 2] !== "diagram") break;
    const node = at(root, path.slice(0, i + 2));
    if (!isObject(node) || typeof node.name !== "string") break;
    level.push(node.name);
  }
  return level;
}

/** A name that no node of the list has: "gain", "gain 2", "gain 3". */
export function freshName(wanted: string, taken: ReadonlySet<string>): string {
  const clean = wanted.replaceAll(":", " ").trim().slice(0, 190) || "node";
  if (!taken.has(clean)) return clean;
  const stem = clean.replace(/ \d+$/, "");
  for (let i = 2; ; i++) if (!taken.has(`${stem} ${i}`)) return `${stem} ${i}`;
}
