// Ways into the document that is being changed: the diagram of a level, its nodes and lists.
import { isList } from "./json.ts";
import type { Json, Path } from "./json.ts";
import { levelPath, nodesOf } from "./diagram.ts";
import type { Level, NodeData } from "./diagram.ts";
import type { Draft } from "./document.ts";

export type Point = readonly [number, number];

export function pathOf(draft: Draft, level: Level): Path {
  const path = levelPath(draft.root, level);
  if (!path) throw new Error(`there is no diagram in ${level.join(" / ")}`);
  return path;
}
export function nodesAt(draft: Draft, level: Level): readonly NodeData[] {
  return nodesOf(draft.at(pathOf(draft, level)));
}
export function nodeAt(draft: Draft, level: Level, name: string): NodeData | undefined {
  return nodesAt(draft, level).find((node) => node.name === name);
}
export function pathOfNode(draft: Draft, level: Level, name: string): Path {
  const node = nodeAt(draft, level, name);
  if (!node) throw new Error(`there is no node '${name}'`);
  return [...pathOf(draft, level), "nodes", node.index];
}
/** The path of a list of the diagram, which is made if it is not there. */
export function listAt(draft: Draft, level: Level, key: "nodes" | "lines" | "notes"): Path {
  const path = pathOf(draft, level);
  const list = draft.at([...path, key]);
  if (list === undefined) draft.set(path, key, []);
  else if (!isList(list)) throw new Error(`"${key}" is not a list`);
  return [...path, key];
}

const round = (value: number): number => Math.round(value * 100) / 100;
export const place = (point: Point): Json => [round(point[0]), round(point[1])];
