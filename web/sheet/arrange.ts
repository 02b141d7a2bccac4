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

const ACROSS = 70;
const DOWN = 40;

/**
 * The desk's layout has columns and an order in them; here they get room for the nodes, and every node
 * is put as far as it goes on the height of what feeds it, so that chains run straight.
 */
export function spread(rough: Readonly<Record<string, Point>>, wiring: Wiring): Map<string, Point> {
  const columns = new Map<number, SheetNode[]>();
  for (const [name, [x]] of Object.entries(rough)) {
    const node = wiring.nodes.get(name);
    if (node) columns.set(x, [...(columns.get(x) ?? []), node]);
  }
  const middles = new Map<string, number>();
  const feeders = new Map<string, { node: string; dy: number }[]>();
  for (const wire of wiring.wires.values())
    for (const link of wire.links) {
      const [a, b] = [wiring.nodes.get(wire.node), wiring.nodes.get(link.node)];
      if (!a || !b || !wire.source || !link.port) continue;
      const out = wire.source.y - (a.geometry.box.y + a.geometry.box.h / 2);
      const into = link.port.y - (b.geometry.box.y + b.geometry.box.h / 2);
      feeders.set(b.name, [...(feeders.get(b.name) ?? []), { node: a.name, dy: out - into }]);
    }
  const places = new Map<string, Point>();
  let x = 40;
  for (const key of [...columns.keys()].sort((a, b) => a - b)) {
    const nodes = columns.get(key)!.sort((a, b) => rough[a.name]![1] - rough[b.name]![1]);
    const width = Math.max(...nodes.map((n) => n.geometry.box.w));
    let free = 40;
    for (const node of nodes) {
      const { w, h } = node.geometry.box;
      const wishes = (feeders.get(node.name) ?? []).flatMap((f) => {
        const middle = middles.get(f.node);
        return middle === undefined ? [] : middle + f.dy;
      });
      const wish = wishes.length ? wishes.reduce((a, b) => a + b) / wishes.length - h / 2 : free;
      const y = snap(Math.max(free, wish));
      middles.set(node.name, y + h / 2);
      places.set(node.name, placed(node, { x: x + (width - w) / 2, y }));
      free = y + h + DOWN;
    }
    x += width + ACROSS;
  }
  return places;
}
