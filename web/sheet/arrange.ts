// Where nodes go: in line with each other, at equal distances, and the whole sheet anew.
import type { Point } from "../document/places.ts";
import { snap } from "./geometry.ts";
import type { Box } from "./geometry.ts";
import type { SheetNode, Wiring } from "./wiring.ts";

export type Edge = "left" | "centre" | "right" | "top" | "middle" | "bottom";

// The document has the place of a node before it is turned.
function placed(node: SheetNode, box: { x: number; y: number }): Point {
  const at = node.data.position ?? [node.geometry.box.x, node.geometry.box.y];
  const { x, y } = node.geometry.box;
  return [snap(snap(at[0]) + box.x - x), snap(snap(at[1]) + box.y - y)];
}

export function align(nodes: readonly SheetNode[], edge: Edge): Map<string, Point> {
  const boxes = nodes.map((n) => n.geometry.box);
  const low = (f: (b: Box) => number): number => Math.min(...boxes.map(f));
  const high = (f: (b: Box) => number): number => Math.max(...boxes.map(f));
  const x0 = low((b) => b.x);
  const x1 = high((b) => b.x + b.w);
  const y0 = low((b) => b.y);
  const y1 = high((b) => b.y + b.h);
  return new Map(
    nodes.map((node) => {
      const { x, y, w, h } = node.geometry.box;
      const to: Record<Edge, { x: number; y: number }> = {
        left: { x: x0, y },
        centre: { x: (x0 + x1 - w) / 2, y },
        right: { x: x1 - w, y },
        top: { x, y: y0 },
        middle: { x, y: (y0 + y1 - h) / 2 },
        bottom: { x, y: y1 - h },
      };
      return [node.name, placed(node, to[edge])];
    }),
  );
}

/** Equal gaps between the first and the last. */
export function distribute(nodes: readonly SheetNode[], across: boolean): Map<string, Point> {
  const start = (b: Box): number => (across ? b.x : b.y);
  const size = (b: Box): number => (across ? b.w : b.h);
  const sorted = [...nodes].sort((a, b) => start(a.geometry.box) - start(b.geometry.box));
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (!first || !last || sorted.length < 3) return new Map();
  const from = start(first.geometry.box);
  const to = start(last.geometry.box) + size(last.geometry.box);
  const taken = sorted.reduce((sum, n) => sum + size(n.geometry.box), 0);
  const gap = (to - from - taken) / (sorted.length - 1);
  let at = from;
  return new Map(
    sorted.map((node) => {
      const { x, y } = node.geometry.box;
      const place = placed(node, across ? { x: at, y } : { x, y: at });
      at += size(node.geometry.box) + gap;
      return [node.name, place];
    }),
  );
}

const MARGIN = 40;
const ACROSS = 70;
const DOWN = 40;
const SWEEPS = 3;

interface Wish {
  readonly node: string;
  /** How much lower than the middle of that node it would stand. */
  readonly dy: number;
}

/**
 * Middles of nodes that stand below each other in this order, as near to where they wish to be as their heights
 * allow: neighbours that would meet become one block, which stands where its wishes are in the mean.
 */
export function stack(
  wishes: readonly number[],
  heights: readonly number[],
  gap: number,
): number[] {
  const below = [0];
  for (let i = 1; i < wishes.length; i++)
    below.push(below[i - 1]! + (heights[i - 1]! + heights[i]!) / 2 + gap);
  const blocks: { at: number; count: number }[] = [];
  wishes.forEach((wish, i) => {
    let block = { at: wish - below[i]!, count: 1 };
    for (let last = blocks.at(-1); last && last.at > block.at; last = blocks.at(-1)) {
      const count = last.count + block.count;
      block = { at: (last.at * last.count + block.at * block.count) / count, count };
      blocks.pop();
    }
    blocks.push(block);
  });
  return blocks
    .flatMap(({ at, count }) => Array.from({ length: count }, () => at))
    .map((at, i) => at + below[i]!);
}

/**
 * The desk's layout has columns and an order in them; here they get room for the nodes, and every node
 * is put as far as it goes on the height of what feeds it and what it feeds, so that chains run straight.
 */
export function spread(rough: Readonly<Record<string, Point>>, wiring: Wiring): Map<string, Point> {
  const byX = new Map<number, SheetNode[]>();
  for (const [name, [x]] of Object.entries(rough)) {
    const node = wiring.nodes.get(name);
    if (node) byX.set(x, [...(byX.get(x) ?? []), node]);
  }
  const columns = [...byX.keys()]
    .sort((a, b) => a - b)
    .map((x) => byX.get(x)!.sort((a, b) => rough[a.name]![1] - rough[b.name]![1]));
  const before = new Map<string, Wish[]>();
  const behind = new Map<string, Wish[]>();
  for (const wire of wiring.wires.values())
    for (const link of wire.links) {
      const [a, b] = [wiring.nodes.get(wire.node), wiring.nodes.get(link.node)];
      if (!a || !b || !wire.source || !link.port) continue;
      if (!(rough[a.name]![0] < rough[b.name]![0])) continue; // a line that leads back
      const out = wire.source.y - (a.geometry.box.y + a.geometry.box.h / 2);
      const into = link.port.y - (b.geometry.box.y + b.geometry.box.h / 2);
      before.set(b.name, [...(before.get(b.name) ?? []), { node: a.name, dy: out - into }]);
      behind.set(a.name, [...(behind.get(a.name) ?? []), { node: b.name, dy: into - out }]);
    }
  const middles = new Map<string, number>();
  const settle = (column: readonly SheetNode[], sides: readonly Map<string, Wish[]>[]): void => {
    let free = 0;
    const wishes = column.map((node) => {
      const list = sides.flatMap((side) =>
        (side.get(node.name) ?? []).flatMap(({ node: other, dy }) => {
          const middle = middles.get(other);
          return middle === undefined ? [] : middle + dy;
        }),
      );
      const own = middles.get(node.name) ?? free + node.geometry.box.h / 2;
      free = own + node.geometry.box.h / 2 + DOWN;
      return list.length ? list.reduce((a, b) => a + b) / list.length : own;
    });
    const heights = column.map((node) => node.geometry.box.h);
    stack(wishes, heights, DOWN).forEach((y, i) => middles.set(column[i]!.name, y));
  };
  for (const column of columns) settle(column, [before]);
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    for (const column of [...columns].reverse()) settle(column, [behind]);
    for (const column of columns) settle(column, [before]);
  }
  const top = Math.min(
    ...columns.flat().map((node) => middles.get(node.name)! - node.geometry.box.h / 2),
  );
  const places = new Map<string, Point>();
  let x = MARGIN;
  for (const column of columns) {
    const width = Math.max(...column.map((n) => n.geometry.box.w));
    for (const node of column) {
      const { w, h } = node.geometry.box;
      const y = middles.get(node.name)! - h / 2 - top + MARGIN;
      places.set(node.name, placed(node, { x: x + (width - w) / 2, y: snap(y) }));
    }
    x += width + ACROSS;
  }
  return places;
}
