// Copies of parts of a diagram. A fragment is itself a diagram that can be saved and opened: nodes,
// the lines between them, and the named numbers and subsystems that they use.
import { isList, isObject } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";
import { freshName, levelAt, netsOf, nodesOf, notesOf, parseReference } from "./diagram.ts";
import type { Level, NodeData } from "./diagram.ts";
import type { Draft } from "./document.ts";
import { listAt, nodesAt, place } from "./places.ts";
import type { Point } from "./places.ts";
import { colorNet, connect, pinLine } from "./lines.ts";
import { print } from "./print.ts";

function words(value: Json, found: Set<string>): void {
  if (typeof value === "string")
    for (const word of value.match(/[A-Za-z_]\w*/g) ?? []) found.add(word);
  else if (isList(value)) for (const part of value) words(part, found);
  else if (isObject(value)) for (const part of Object.values(value)) words(part, found);
}

// Parameters may use those before them.
function usedParameters(root: Json, nodes: readonly NodeData[]): JsonObject {
  const all = isObject(root) && isObject(root.parameters) ? root.parameters : {};
  const found = new Set<string>();
  for (const node of nodes) words(node.parameters, found);
  const used = Object.entries(all)
    .reverse()
    .filter(([name, value]) => {
      if (found.has(name)) words(isObject(value) ? (value.value ?? null) : value, found);
      return found.has(name);
    });
  return Object.fromEntries(used.reverse());
}

function usedSubsystems(root: Json, nodes: readonly NodeData[], found: Record<string, Json>): void {
  const all = isObject(root) && isObject(root.subsystems) ? root.subsystems : {};
  for (const node of nodes) {
    const name = node.parameters.Definition;
    if (typeof name === "string" && isObject(all[name]) && !Object.hasOwn(found, name)) {
      found[name] = all[name];
      usedSubsystems(root, nodesOf(all[name]), found);
    }
    usedSubsystems(root, nodesOf(node.json.diagram), found);
  }
}

/** The selected nodes and notes as a document of their own. */
export function copy(
  root: Json,
  level: Level,
  names: ReadonlySet<string>,
  notes: ReadonlySet<number> = new Set(),
): string {
  const diagram = levelAt(root, level);
  const nodes = nodesOf(diagram).filter((node) => names.has(node.name));
  const inside = (end: string): boolean => names.has(parseReference(end).node);
  const lines = netsOf(diagram)
    .filter((net) => inside(net.from))
    .flatMap((net) => {
      const branches = net.targets
        .filter((target) => inside(target.to))
        .map(({ to, pins }): Json => ({ to, ...(pins.length ? { points: pins } : {}) }));
      const color = net.color === undefined ? {} : { color: net.color };
      return branches.length ? { from: net.from, branches, ...color } : [];
    });
  const texts = notesOf(diagram).filter((note) => notes.has(note.index));
  const parameters = usedParameters(root, nodes);
  const subsystems: Record<string, Json> = {};
  usedSubsystems(root, nodes, subsystems);
  return print({
    format: "foliot diagram",
    version: 1,
    ...(Object.keys(parameters).length ? { parameters } : {}),
    ...(Object.keys(subsystems).length ? { subsystems } : {}),
    nodes: nodes.map((node) => node.json),
    lines,
    ...(texts.length ? { notes: texts.map((note) => note.json) } : {}),
  });
}

/** A fragment from a text; undefined when the text is something else. */
export function readFragment(text: string): JsonObject | undefined {
  if (!text.includes("foliot diagram")) return undefined;
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) && value.format === "foliot diagram" ? value : undefined;
  } catch {
    return undefined;
  }
}

function addMissing(draft: Draft, key: "parameters" | "subsystems", from: Json | undefined): void {
  if (!isObject(from)) return;
  for (const [name, value] of Object.entries(from)) {
    if (!isObject(draft.at([key]))) draft.set([], key, {});
    if (draft.at([key, name]) === undefined) draft.set([key], name, value);
  }
}

/** Puts a fragment in, moved by an offset, and answers the names that its nodes have got. */
export function paste(draft: Draft, level: Level, fragment: JsonObject, offset: Point): string[] {
  const list = listAt(draft, level, "nodes");
  const taken = new Set(nodesAt(draft, level).map((node) => node.name));
  const names = new Map<string, string>();
  const moved = (p: Point): Json => place([p[0] + offset[0], p[1] + offset[1]]);
  for (const node of nodesOf(fragment)) {
    const name = freshName(node.name, taken);
    taken.add(name);
    names.set(node.name, name);
    const position = moved(node.position ?? [0, 0]);
    const end = (draft.at(list) as readonly Json[]).length;
    draft.splice(list, end, 0, { ...node.json, name, position });
  }
  const end = (reference: string): string | undefined => {
    const { node } = parseReference(reference);
    const name = names.get(node);
    return name === undefined ? undefined : name + reference.slice(node.length);
  };
  for (const net of netsOf(fragment)) {
    const from = end(net.from);
    for (const target of net.targets) {
      const to = end(target.to);
      if (from === undefined || to === undefined) continue;
      connect(draft, level, from, to);
      if (target.pins.length)
        pinLine(
          draft,
          level,
          to,
          target.pins.map((p) => moved(p) as unknown as Point),
        );
    }
    if (from !== undefined && net.color !== undefined) colorNet(draft, level, from, net.color);
  }
  for (const note of notesOf(fragment)) {
    const notes = listAt(draft, level, "notes");
    const count = (draft.at(notes) as readonly Json[]).length;
    draft.splice(notes, count, 0, { ...note.json, position: moved(note.position) });
  }
  addMissing(draft, "parameters", fragment.parameters);
  addMissing(draft, "subsystems", fragment.subsystems);
  return [...names.values()];
}
