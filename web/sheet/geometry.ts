// Boxes, ports and outlines. All lengths are pixels of the sheet at zoom 1; nodes stand on a grid of
// 10, so that every port does.
import type { NodeData } from "../document/diagram.ts";
import type { Ports } from "./kinds.ts";
import type { Shape, Symbol } from "./symbols.ts";

export const GRID = 10;
export type Point = readonly [x: number, y: number];
export interface Box {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}
/** East, south, west, north: the way out of the node. */
export type Direction = 0 | 1 | 2 | 3;
export interface Port {
  readonly input: boolean;
  readonly index: number;
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly out: Direction;
}
export interface NodeGeometry {
  /** What it covers, turned. */
  readonly box: Box;
  readonly inputs: readonly Port[];
  readonly outputs: readonly Port[];
  /** Where its name stands: in the middle below, or above where a port is below; beside it where both have one. */
  readonly label: Point;
}

export const DX = [1, 0, -1, 0] as const;
export const DY = [0, 1, 0, -1] as const;
export const snap = (value: number): number => Math.round(value / GRID) * GRID;
const even = (value: number): number => Math.ceil(value / 20) * 20;

export function sizeOf(symbol: Symbol, ports: Ports): [number, number] {
  const [w, h] = symbol.size;
  if (isRound(symbol, ports)) return [w, h];
  const most = Math.max(ports.inputs.length, ports.outputs.length);
  const longest = (names: readonly string[]): number => Math.max(0, ...names.map((n) => n.length));
  const names = symbol.marks === "names" ? longest(ports.inputs) + longest(ports.outputs) : 0;
  return [
    even(Math.min(Math.max(w, names ? names * 6 + 44 : 0), 240)),
    even(Math.max(h, 20 * most)),
  ];
}

/** A circle has room for three inputs; with more it is a box. */
export function isRound(symbol: Symbol, ports: Ports): boolean {
  return symbol.shape === "circle" && ports.inputs.length <= 3;
}
export function shapeOf(symbol: Symbol, ports: Ports): Shape {
  return symbol.shape === "circle" && !isRound(symbol, ports) ? "box" : symbol.shape;
}

interface Spot {
  readonly x: number;
  readonly y: number;
  readonly out: Direction;
}

// The ports of a node that is neither mirrored nor turned, from its middle.
function spots(count: number, input: boolean, round: boolean, w: number, h: number): Spot[] {
  const side: Direction = input ? 2 : 0;
  const x = input ? -w / 2 : w / 2;
  if (input && round && count > 1) {
    const low: Spot = { x: 0, y: h / 2, out: 1 };
    const left: Spot = { x, y: 0, out: 2 };
    return count === 2 ? [left, low] : [{ x: 0, y: -h / 2, out: 3 }, left, low];
  }
  const middle = (count - 1) / 2;
  return Array.from({ length: count }, (_, i) => ({ x, y: (i - middle) * 20, out: side }));
}

function turnSpot(spot: Spot, flip: boolean, turns: number): Spot {
  let { x, y } = spot;
  let out: number = spot.out;
  if (flip) {
    x = -x;
    if (out % 2 === 0) out = 2 - out;
  }
  for (let i = 0; i < turns; i++) [x, y] = [-y, x];
  return { x: x + 0, y: y + 0, out: ((out + turns) % 4) as Direction };
}

/** How wide a name is about, as it is shown. */
export const nameWidth = (name: string): number => Math.min(name.length * 6.2, 150);

// To the right, to the left, or at the corner where lines leave on all sides.
function beside({ x, y, w, h }: Box, width: number, taken: ReadonlySet<Direction>): Point {
  const right = x + w + 8 + width / 2;
  if (!taken.has(0)) return [right, y + h / 2 + 4];
  return taken.has(2) ? [right, y + h + 10] : [x - 8 - width / 2, y + h / 2 + 4];
}

export function geometryOf(
  node: Pick<NodeData, "turns" | "flip"> & Partial<Pick<NodeData, "name">>,
  position: Point,
  symbol: Symbol,
  ports: Ports,
): NodeGeometry {
  const [w, h] = sizeOf(symbol, ports);
  const cx = snap(position[0]) + w / 2;
  const cy = snap(position[1]) + h / 2;
  const round = isRound(symbol, ports);
  const along = (names: readonly string[], input: boolean): Port[] =>
    spots(names.length, input, round, w, h).map((spot, index) => {
      const { x, y, out } = turnSpot(spot, node.flip, node.turns);
      return { input, index, name: names[index]!, x: cx + x, y: cy + y, out };
    });
  const inputs = along(ports.inputs, true);
  const outputs = along(ports.outputs, false);
  const lying = node.turns % 2 === 0;
  const [bw, bh] = lying ? [w, h] : [h, w];
  const box = { x: cx - bw / 2, y: cy - bh / 2, w: bw, h: bh };
  const taken = new Set([...inputs, ...outputs].map((port) => port.out));
  const [below, above] = [taken.has(1), taken.has(3)];
  const label: Point =
    below && above
      ? beside(box, nameWidth(node.name ?? ""), taken)
      : [cx, below ? box.y - 9 : box.y + bh + 13];
  return { box, inputs, outputs, label };
}

// ------------------------------------------------------------------------------------------ boxes

export function contains(box: Box, x: number, y: number, slack = 0): boolean {
  return (
    x >= box.x - slack &&
    x <= box.x + box.w + slack &&
    y >= box.y - slack &&
    y <= box.y + box.h + slack
  );
}
export function overlaps(a: Box, b: Box): boolean {
  return a.x < b.x + b.w && b.x < a.x + a.w && a.y < b.y + b.h && b.y < a.y + a.h;
}
export function around(boxes: Iterable<Box>, margin = 0): Box | undefined {
  let x0 = Infinity;
  let y0 = Infinity;
  let x1 = -Infinity;
  let y1 = -Infinity;
  for (const { x, y, w, h } of boxes) {
    x0 = Math.min(x0, x);
    y0 = Math.min(y0, y);
    x1 = Math.max(x1, x + w);
    y1 = Math.max(y1, y + h);
  }
  if (x0 > x1) return undefined;
  return { x: x0 - margin, y: y0 - margin, w: x1 - x0 + 2 * margin, h: y1 - y0 + 2 * margin };
}
export function boxBetween(a: Point, b: Point): Box {
  return {
    x: Math.min(a[0], b[0]),
    y: Math.min(a[1], b[1]),
    w: Math.abs(a[0] - b[0]),
    h: Math.abs(a[1] - b[1]),
  };
}

// ------------------------------------------------------------------------------------------ lines

/** The distance from a point to a piece of a line. */
export function distanceToSegment(x: number, y: number, a: Point, b: Point): number {
  const dx = b[0] - a[0];
  const dy = b[1] - a[1];
  const length = dx * dx + dy * dy;
  const t = length ? Math.min(1, Math.max(0, ((x - a[0]) * dx + (y - a[1]) * dy) / length)) : 0;
  return Math.hypot(x - a[0] - t * dx, y - a[1] - t * dy);
}

/** A line through points as the d of a path, its corners rounded as far as its pieces are long. */
export function roundedPath(points: readonly Point[], radius = 8): string {
  const first = points[0];
  if (!first) return "";
  let d = `M${first[0]} ${first[1]}`;
  for (let i = 1; i < points.length; i++) {
    const [x, y] = points[i]!;
    const next = points[i + 1];
    if (!next) {
      d += `L${x} ${y}`;
      break;
    }
    const [px, py] = points[i - 1]!;
    const before = Math.hypot(x - px, y - py);
    const after = Math.hypot(next[0] - x, next[1] - y);
    const r = Math.min(radius, before / 2, after / 2);
    if (r === 0) {
      d += `L${x} ${y}`;
      continue;
    }
    const ax = x - ((x - px) / before) * r;
    const ay = y - ((y - py) / before) * r;
    const bx = x + ((next[0] - x) / after) * r;
    const by = y + ((next[1] - y) / after) * r;
    d += `L${ax} ${ay}Q${x} ${y} ${bx} ${by}`;
  }
  return d;
}

/** The arrow at the end of a line that goes into a port. */
export function arrowPath(port: Port): string {
  const { x, y, out } = port;
  const [ux, uy] = [DX[out], DY[out]];
  const [ax, ay] = [x + ux * 8, y + uy * 8];
  return `M${x} ${y}L${ax - uy * 4.5} ${ay + ux * 4.5}L${ax + uy * 4.5} ${ay - ux * 4.5}Z`;
}
