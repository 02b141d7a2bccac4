// What can be done on the sheet, by name: keys, menus and buttons are made from this table.
import * as commands from "../document/commands.ts";
import { levelAt, nodesOf, writeReference } from "../document/diagram.ts";
import { copy, paste, readFragment } from "../document/fragment.ts";
import * as lines from "../document/lines.ts";
import type { Point } from "../document/places.ts";
import { group, ungroup } from "../document/subsystem.ts";
import { isList, isObject } from "../document/json.ts";
import type { Json, JsonObject } from "../document/json.ts";
import { align, distribute, spread } from "./arrange.ts";
import type { Edge } from "./arrange.ts";
import { GRID, geometryOf, overlaps, snap } from "./geometry.ts";
import { portsOf } from "./kinds.ts";
import { symbolOf } from "./symbols.ts";
import type { PortHit } from "./hit.ts";
import type { Sheet } from "./sheet.ts";
import type { SheetNode } from "./wiring.ts";

export const chosen = (sheet: Sheet): SheetNode[] =>
  [...sheet.selection.nodes].flatMap((name) => sheet.wiring.nodes.get(name) ?? []);

// -------------------------------------------------------------------------------------- inserting

/** A place for a node of a type near a point, where it covers no other. */
export function freePlace(sheet: Sheet, type: string, near: Point): Point {
  const [x, y] = near;
  for (let ring = 0; ring < 30; ring++)
    for (const [dx, dy] of [
      [0, 0],
      [0, 1],
      [1, 0],
      [0, -1],
      [-1, 0],
    ] as const) {
      const at: Point = [snap(x + dx * ring * 100), snap(y + dy * ring * 80)];
      const box = boxOfNew(sheet, type, at);
      const room = { x: box.x - 20, y: box.y - 20, w: box.w + 40, h: box.h + 40 };
      if (![...sheet.wiring.nodes.values()].some((n) => overlaps(n.geometry.box, room))) return at;
    }
  return [snap(x), snap(y)];
}

const blank = { parameters: {}, position: undefined, turns: 0, flip: false, index: 0, json: {} };
export function boxOfNew(
  sheet: Sheet,
  type: string,
  at: Point,
): { x: number; y: number; w: number; h: number } {
  const data = { ...blank, name: type, type };
  return geometryOf(data, at, symbolOf(type), portsOf(data, sheet.kinds, sheet.doc.root)).box;
}

export interface InsertOptions {
  /** The middle of the node; without it beside what is selected, or in the middle of what is seen. */
  readonly at?: Point;
  readonly name?: string;
  readonly parameters?: JsonObject;
  /** A port that it is connected to. */
  readonly from?: PortHit;
  /** Inputs whose line it is put into. */
  readonly into?: readonly string[];
}

/** Inserts a node and selects it; answers its name. */
export function insert(
  sheet: Sheet,
  type: string,
  options: InsertOptions = {},
): string | undefined {
  const { w, h } = boxOfNew(sheet, type, [0, 0]);
  const beside = chosen(sheet)[0]?.geometry.box;
  const near: Point = options.at
    ? [options.at[0] - w / 2, options.at[1] - h / 2]
    : beside
      ? [beside.x + beside.w + 60, beside.y + beside.h / 2 - h / 2]
      : [sheet.centre()[0] - w / 2, sheet.centre()[1] - h / 2];
  const position: Point = options.at
    ? [snap(near[0]), snap(near[1])]
    : freePlace(sheet, type, near);
  const name = sheet.change(`insert ${type}`, (draft) => {
    const added = commands.addNode(draft, sheet.level, {
      type,
      position,
      ...(options.name === undefined ? {} : { name: options.name }),
      ...(options.parameters ? { parameters: options.parameters } : {}),
    });
    const data = commandsNode(sheet, draft.root, added);
    const ports = data ? portsOf(data, sheet.kinds, draft.root) : { inputs: [], outputs: [] };
    const input = writeReference(added, 0, ports.inputs.length);
    const output = writeReference(added, 0, ports.outputs.length);
    if (options.into !== undefined && ports.inputs.length && ports.outputs.length)
      lines.insertInLine(draft, sheet.level, options.into, input, output);
    if (options.from) {
      const { port } = options.from;
      if (!port.input && ports.inputs.length)
        lines.connect(draft, sheet.level, reference(options.from), input);
      if (port.input && ports.outputs.length)
        lines.connect(draft, sheet.level, output, reference(options.from));
    }
    return added;
  });
  if (name !== undefined) sheet.selectNodes([name]);
  return name;
}

function commandsNode(sheet: Sheet, root: unknown, name: string) {
  const diagram = levelAt(root as never, sheet.level) as
    { nodes?: { name?: string }[] } | undefined;
  const json = diagram?.nodes?.find((n) => n.name === name) as JsonObject | undefined;
  if (!json) return undefined;
  const parameters = (json.parameters ?? {}) as JsonObject;
  return { ...blank, name, type: typeof json.type === "string" ? json.type : "", parameters, json };
}

/** How the document writes a port. */
export function reference(hit: PortHit): string {
  const { node, port } = hit;
  const count = (port.input ? node.ports.inputs : node.ports.outputs).length;
  return writeReference(node.name, port.index, count);
}

/**
 * Connects two ports, of which one is an output; answers why it cannot be. `off` is an input that
 * loses its line thereby.
 */
export function join(sheet: Sheet, a: PortHit, b: PortHit, off?: string): string | undefined {
  if (a.port.input === b.port.input)
    return a.port.input ? "two inputs cannot be connected" : "two outputs cannot be connected";
  const [from, to] = a.port.input ? [b, a] : [a, b];
  const known = sheet.wiring.into(to.node.name, to.port.index);
  sheet.change("connect", (draft) => {
    if (off !== undefined) lines.disconnect(draft, sheet.level, off);
    // the same input may be written in another way
    if (known) lines.disconnect(draft, sheet.level, known.link.to);
    const wire = sheet.wiring.wires.get(`${from.node.name}:${from.port.index + 1}`);
    const named = [...sheet.wiring.wires.values()].find(
      (w) => w.node === from.node.name && w.source?.index === from.port.index,
    );
    lines.connect(draft, sheet.level, (wire ?? named)?.from ?? reference(from), reference(to));
  });
  sheet.view.say(`${from.node.name} leads to ${to.node.name}`);
  return undefined;
}

// ---------------------------------------------------------------------------------------- editing

export function remove(sheet: Sheet, reconnect = false): void {
  const { nodes, notes, wire } = sheet.selection;
  if (!nodes.size && !notes.size && !wire) return;
  sheet.change(nodes.size ? "delete" : wire ? "delete line" : "delete note", (draft) => {
    commands.removeNodes(draft, sheet.level, nodes, reconnect);
    commands.removeNotes(draft, sheet.level, notes);
    if (wire && !nodes.size) lines.disconnect(draft, sheet.level, wire.to);
  });
  sheet.select({});
}

export function removeWholeLine(sheet: Sheet): void {
  const { wire } = sheet.selection;
  const from = wire && sheet.wiring.wires.get(wire.key)?.from;
  if (from !== undefined)
    sheet.change("delete line", (draft) => lines.removeNet(draft, sheet.level, from));
}

export function turn(sheet: Sheet, way: commands.Turn): void {
  const { nodes } = sheet.selection;
  if (nodes.size)
    sheet.change(way === "rotate" ? "rotate" : "flip", (d) =>
      commands.orient(d, sheet.level, nodes, way),
    );
}

export function nudge(sheet: Sheet, dx: number, dy: number): void {
  const places = new Map<string, Point>();
  for (const { name, data, geometry } of chosen(sheet)) {
    const [x, y] = data.position ?? [geometry.box.x, geometry.box.y];
    places.set(name, [snap(x) + dx * GRID, snap(y) + dy * GRID]);
  }
  const { notes } = sheet.selection;
  if (!places.size && !notes.size) return;
  sheet.change(
    "move",
    (draft) => {
      commands.moveNodes(draft, sheet.level, places);
      for (const note of sheet.notes)
        if (notes.has(note.index))
          commands.setNote(draft, sheet.level, note.index, {
            position: [note.position[0] + dx * GRID, note.position[1] + dy * GRID],
          });
    },
    `nudge ${[...places.keys()].join("\0")}`,
  );
}

export function color(sheet: Sheet, value: string | undefined): void {
  const keys = new Set(sheet.selection.wire ? [sheet.selection.wire.key] : []);
  for (const wire of sheet.wiring.wires.values())
    if (sheet.selection.nodes.has(wire.node)) keys.add(wire.key);
  sheet.change("colour", (draft) => {
    for (const key of keys) {
      const wire = sheet.wiring.wires.get(key);
      if (wire) lines.colorNet(draft, sheet.level, wire.from, value);
    }
  });
}

export function resetRoute(sheet: Sheet): void {
  const { wire } = sheet.selection;
  const links = (wire && sheet.wiring.wires.get(wire.key)?.links) ?? [];
  sheet.change("reset route", (draft) => {
    for (const { to } of links) lines.pinLine(draft, sheet.level, to, undefined);
  });
}

export function alignTo(sheet: Sheet, edge: Edge): void {
  const nodes = chosen(sheet);
  if (nodes.length > 1)
    sheet.change("align", (d) => commands.moveNodes(d, sheet.level, align(nodes, edge)));
}
export function distributeAlong(sheet: Sheet, across: boolean): void {
  const places = distribute(chosen(sheet), across);
  if (places.size) sheet.change("distribute", (d) => commands.moveNodes(d, sheet.level, places));
}

/** All nodes anew, by the desk's layout. */
export async function layout(sheet: Sheet): Promise<void> {
  const diagram = sheet.diagram as JsonObject | undefined;
  const text = JSON.stringify({
    format: "foliot diagram",
    nodes: diagram?.nodes ?? [],
    lines: diagram?.lines ?? [],
  });
  const { ok } = await sheet.desk.ask<{ doc: number }>("open", { name: "layout.json", text });
  try {
    const answer = await sheet.desk.ask<{ nodes: Record<string, Point> }>("layout", {
      doc: ok.doc,
    });
    sheet.change("arrange", (draft) => {
      // lines that were led by hand are found anew too
      for (const wire of sheet.wiring.wires.values())
        for (const { to, pins } of wire.links)
          if (pins.length) lines.pinLine(draft, sheet.level, to, undefined);
      commands.moveNodes(draft, sheet.level, spread(answer.ok.nodes, sheet.wiring));
    });
    sheet.fit();
  } finally {
    await sheet.desk.ask("close", { doc: ok.doc });
  }
}

// --------------------------------------------------------------------------------- copies

export function copyText(sheet: Sheet): string | undefined {
  const { nodes, notes } = sheet.selection;
  return nodes.size || notes.size ? copy(sheet.doc.root, sheet.level, nodes, notes) : undefined;
}

const parts = (list: Json | undefined): { position?: Point }[] =>
  isList(list) ? list.filter(isObject) : [];

/** Puts a fragment in; answers whether the text was one. */
export function pasteText(sheet: Sheet, text: string, at?: Point): boolean {
  const fragment = readFragment(text);
  if (!fragment) return false;
  let offset: Point = [20, 20];
  if (at) {
    const list = [...parts(fragment.nodes), ...parts(fragment.notes)];
    const xs = list.map((n) => n.position?.[0] ?? 0);
    const ys = list.map((n) => n.position?.[1] ?? 0);
    offset = [snap(at[0] - Math.min(...xs)), snap(at[1] - Math.min(...ys))];
  } else {
    // the same once more is not put exactly upon what was put before
    const places = new Set(nodesOf(sheet.diagram).map((n) => String(n.position)));
    const list = parts(fragment.nodes);
    const covers = ([dx, dy]: Point): boolean =>
      list.some(({ position: p }) => p && places.has(String([p[0] + dx, p[1] + dy])));
    for (let i = 1; i < 100 && covers(offset); i++) offset = [20 * (i + 1), 20 * (i + 1)];
  }
  const names = sheet.change("paste", (draft) => paste(draft, sheet.level, fragment, offset));
  if (names) sheet.selectNodes(names);
  return true;
}

export function duplicate(sheet: Sheet): void {
  const text = copyText(sheet);
  if (text !== undefined) pasteText(sheet, text);
}

// ------------------------------------------------------------------------------------- subsystems

export function makeSubsystem(sheet: Sheet): void {
  const { nodes } = sheet.selection;
  if (!nodes.size) return;
  const name = sheet.change("make a subsystem", (draft) => group(draft, sheet.level, nodes));
  if (name !== undefined) sheet.selectNodes([name]);
}
export function takeApart(sheet: Sheet): void {
  const [node] = chosen(sheet);
  if (node?.data.type !== "Subsystem") return;
  const names = sheet.change("take the subsystem apart", (draft) =>
    ungroup(draft, sheet.level, node.name),
  );
  if (names) sheet.selectNodes(names);
}

// --------------------------------------------------------------------------------------- choosing

/** What leads to the selected nodes, what they lead to, or all that is connected with them. */
export function selectAlong(sheet: Sheet, way: "upstream" | "downstream" | "connected"): void {
  const found = new Set(sheet.selection.nodes);
  for (let grown = true; grown;) {
    const before = found.size;
    for (const wire of sheet.wiring.wires.values()) {
      const ends = wire.links.map((link) => link.node);
      if (way !== "downstream" && ends.some((end) => found.has(end))) found.add(wire.node);
      if (way !== "upstream" && found.has(wire.node)) for (const end of ends) found.add(end);
    }
    grown = found.size > before;
  }
  sheet.selectNodes(found);
}

/** The nearest node in a direction; with none selected the first. */
export function walk(sheet: Sheet, dx: number, dy: number): void {
  const nodes = [...sheet.wiring.nodes.values()];
  const [from] = chosen(sheet);
  let best: SheetNode | undefined;
  let least = Infinity;
  for (const node of nodes) {
    if (node === from) continue;
    const a = from?.geometry.box;
    const b = node.geometry.box;
    const x = b.x + b.w / 2 - (a ? a.x + a.w / 2 : 0);
    const y = b.y + b.h / 2 - (a ? a.y + a.h / 2 : 0);
    const ahead = from ? x * dx + y * dy : x + y;
    const aside = from ? Math.abs(x * dy) + Math.abs(y * dx) : 0;
    if (from && ahead <= 5) continue;
    const far = ahead + 2.5 * aside;
    if (far < least) [least, best] = [far, node];
  }
  if (!best) return;
  sheet.selectNodes([best.name]);
  sheet.reveal(best.geometry.box);
  sheet.announce();
}
