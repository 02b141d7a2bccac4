// What is at a point of the sheet: found from the geometry, so that no gesture asks the page.
import type { NoteData } from "../document/diagram.ts";
import { contains, distanceToSegment, overlaps } from "./geometry.ts";
import type { Box, Point, Port } from "./geometry.ts";
import { noteSize } from "./markup.ts";
import type { Link, SheetNode, Wire, Wiring } from "./wiring.ts";

export interface PortHit {
  readonly kind: "port";
  readonly node: SheetNode;
  readonly port: Port;
}
export interface LineHit {
  readonly kind: "line";
  readonly wire: Wire;
  readonly link: Link;
  /** The piece of the way to this end, from its point `segment` to the next. */
  readonly segment: number;
  readonly at: Point;
}
export type Hit =
  | PortHit
  | LineHit
  | { readonly kind: "node"; readonly node: SheetNode }
  | { readonly kind: "label"; readonly node: SheetNode }
  | { readonly kind: "note"; readonly note: NoteData };

export function portAt(wiring: Wiring, x: number, y: number, reach: number): PortHit | undefined {
  let best: PortHit | undefined;
  let least = reach;
  for (const node of wiring.nodes.values()) {
    if (!contains(node.geometry.box, x, y, reach)) continue;
    for (const port of [...node.geometry.inputs, ...node.geometry.outputs]) {
      // what lies outside of the node counts more than what lies in it
      const inside = contains(node.geometry.box, x, y, -1);
      const distance = Math.hypot(port.x - x, port.y - y) * (inside ? 1.6 : 1);
      if (distance < least) [least, best] = [distance, { kind: "port", node, port }];
    }
  }
  return best;
}

export function nodeAt(wiring: Wiring, x: number, y: number): SheetNode | undefined {
  let found: SheetNode | undefined;
  for (const node of wiring.nodes.values()) if (contains(node.geometry.box, x, y, 1)) found = node;
  return found;
}

function labelAt(wiring: Wiring, x: number, y: number): SheetNode | undefined {
  for (const node of wiring.nodes.values()) {
    const [lx, ly] = node.geometry.label;
    const half = Math.min(Math.max(node.name.length * 3.3, 12), 90);
    if (Math.abs(x - lx) <= half && Math.abs(y - ly) <= 9) return node;
  }
  return undefined;
}

export function lineAt(wiring: Wiring, x: number, y: number, reach: number): LineHit | undefined {
  let best: LineHit | undefined;
  let least = reach;
  for (const wire of wiring.wires.values())
    wire.links.forEach((link, i) => {
      const points = wire.legs[i]?.points ?? [];
      for (let segment = 0; segment + 1 < points.length; segment++) {
        const [a, b] = [points[segment]!, points[segment + 1]!];
        const distance = distanceToSegment(x, y, a, b);
        if (distance >= least) continue;
        const at: Point = a[0] === b[0] ? [a[0], y] : [x, a[1]];
        [least, best] = [distance, { kind: "line", wire, link, segment, at }];
      }
    });
  return best;
}

// How far along a way a point of it lies; undefined: it is beside it.
function along(points: readonly Point[], [x, y]: Point): number | undefined {
  let way = 0;
  for (let i = 0; i + 1 < points.length; i++) {
    const [a, b] = [points[i]!, points[i + 1]!];
    if (distanceToSegment(x, y, a, b) < 1) return way + Math.hypot(x - a[0], y - a[1]);
    way += Math.hypot(b[0] - a[0], b[1] - a[1]);
  }
  return undefined;
}

/** The inputs that are fed through this place of a line: its own end, and what branches off behind it. */
export function fedThrough({ wire, link, at }: LineHit): string[] {
  const found: string[] = [];
  const follow = (i: number, from: number): void => {
    found.push(wire.links[i]!.to);
    const points = wire.legs[i]?.points ?? [];
    wire.legs.forEach((leg, j) => {
      const begin = leg.branches && !found.includes(wire.links[j]!.to) ? leg.points[0] : undefined;
      const place = begin && along(points, begin);
      if (place !== undefined && place >= from) follow(j, 0);
    });
  };
  const own = wire.links.indexOf(link);
  follow(own, along(wire.legs[own]?.points ?? [], at) ?? 0);
  return found;
}

export function noteBox(note: NoteData): Box {
  const [w, h] = noteSize(note.text);
  return { x: note.position[0], y: note.position[1], w, h };
}

export function hitAt(
  wiring: Wiring,
  notes: readonly NoteData[],
  x: number,
  y: number,
  reach: number,
): Hit | undefined {
  const port = portAt(wiring, x, y, reach * 1.4);
  if (port) return port;
  const node = nodeAt(wiring, x, y);
  if (node) return { kind: "node", node };
  const line = lineAt(wiring, x, y, reach);
  if (line) return line;
  const label = labelAt(wiring, x, y);
  if (label) return { kind: "label", node: label };
  const note = [...notes].reverse().find((n) => contains(noteBox(n), x, y));
  return note && { kind: "note", note };
}

/** Nodes that a rectangle touches. */
export function nodesIn(wiring: Wiring, box: Box): string[] {
  return [...wiring.nodes.values()].filter((n) => overlaps(n.geometry.box, box)).map((n) => n.name);
}
