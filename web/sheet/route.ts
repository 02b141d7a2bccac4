// Routes of lines: right angles on the grid, clear of nodes, of one net as a tree.
//
// Method: A* over the states (cell, direction) of the grid, with a cost for length, bends, closeness
// to nodes, crossings and runs along other nets (negotiated congestion, McMurchie and Ebeling 1995, in
// one round). The search is held in a window around its ends and its estimate is weighted by 1.5: the
// route is at most that much dearer than the best and found some ten times sooner. The second end of a
// net and those after it start from any place of the net's tree, which is how branches come about.
import { DX, DY, GRID } from "./geometry.ts";
import type { Box, Direction, Point } from "./geometry.ts";
import { Heap } from "./heap.ts";

export interface End {
  readonly x: number;
  readonly y: number;
  /** The way out of the node. */
  readonly out: Direction;
}
export interface Branch {
  readonly end: End;
  readonly pins: readonly Point[];
}
/** The way to one end: from the output, or from a place of the tree where it branches off. */
export interface Leg {
  readonly points: readonly Point[];
  readonly branches: boolean;
}

const BEND = 3;
const TIGHT = 4; // a bend beside a node, more than one elsewhere
const NEAR = 0.8;
const WORDS = 7; // through the name of a node, for each cell: more than two bends and a short way around it
const CROSS = 2;
const ALONG = 12;
const WEIGHT = 1.5;
const WINDOW = 24; // cells around the ends
const MARGIN = 30; // cells around all nodes
const MOST_CELLS = 4_000_000;

interface Obstacle {
  readonly box: Box;
  /** The room of its name, which lines may cross but rather do not. */
  readonly label: Box | undefined;
}
/** Cells of a net, two numbers each, and whether it runs there upright (1) or level (0), each once. */
interface Trace {
  readonly cells: number[];
  readonly upright: number[];
  readonly known: Set<number>;
}
interface State {
  readonly x: number;
  readonly y: number;
  readonly dir: Direction;
  readonly cost: number;
}
interface Goal {
  readonly x: number;
  readonly y: number;
  /** The direction in which it must be entered; -1: any. */
  readonly dir: number;
}
interface Window {
  readonly x: number;
  readonly y: number;
  readonly w: number;
  readonly h: number;
}

const cellOf = (value: number): number => Math.round(value / GRID);

/** Corners only, in pixels. */
function corners(cells: readonly (readonly [number, number])[]): Point[] {
  const points: Point[] = [];
  cells.forEach(([x, y], i) => {
    const before = cells[i - 1];
    const after = cells[i + 1];
    if (before && after && (before[0] === after[0] || before[1] === after[1])) return;
    points.push([x * GRID, y * GRID]);
  });
  return points;
}

/** A route without a search, for the time in which a better one is not there yet. */
export function plainRoute(from: End, to: End): Point[] {
  const stub = 2 * GRID;
  const a: Point = [from.x + DX[from.out] * stub, from.y + DY[from.out] * stub];
  const b: Point = [to.x + DX[to.out] * stub, to.y + DY[to.out] * stub];
  if (from.out % 2 !== 0) return tidy([[from.x, from.y], a, [b[0], a[1]], b, [to.x, to.y]]);
  const x = a[0] <= b[0] === (from.out === 0) ? Math.round((a[0] + b[0]) / 2 / GRID) * GRID : a[0];
  return tidy([[from.x, from.y], a, [x, a[1]], [x, b[1]], b, [to.x, to.y]]);
}

/** Without points that lie between their neighbours. */
export function tidy(points: readonly Point[]): Point[] {
  const result: Point[] = [];
  for (const point of points) {
    const [a, b] = [result.at(-2), result.at(-1)];
    if (b && b[0] === point[0] && b[1] === point[1]) continue;
    const straight =
      a && b && ((a[0] === b[0] && b[0] === point[0]) || (a[1] === b[1] && b[1] === point[1]));
    const onward =
      a && b && (b[0] - a[0]) * (point[0] - b[0]) + (b[1] - a[1]) * (point[1] - b[1]) > 0;
    if (straight && onward) result.pop();
    result.push(point);
  }
  return result;
}

export class Router {
  private readonly obstacles = new Map<string, Obstacle>();
  private readonly traces = new Map<string, Trace>();
  // the grid: its corner and size in cells, and how often each cell is taken
  private x0 = 0;
  private y0 = 0;
  private w = 0;
  private h = 0;
  private solid = new Uint8Array(0);
  private near = new Uint8Array(0);
  private words = new Uint8Array(0);
  private level = new Uint8Array(0);
  private upright = new Uint8Array(0);
  private own = new Uint32Array(0);
  private mark = 0;
  // the search
  private costs = new Float64Array(0);
  private seen = new Uint32Array(0);
  private parents = new Int32Array(0);
  private round = 0;
  private readonly heap = new Heap();
  /** States that searches have taken from the heap so far. */
  expanded = 0;
  /** How many one search may take: during a drag a plain route at once is better than a good one. */
  limit = Infinity;
  /** Whether the last net has a plain route because of that. */
  rough = false;

  // ------------------------------------------------------------------------------------ the grid

  /** Puts, moves or (undefined) takes away what lines keep clear of. */
  setObstacle(name: string, box: Box | undefined, label?: Box): void {
    const before = this.obstacles.get(name);
    if (before) {
      this.stampObstacle(before, -1);
      this.obstacles.delete(name);
    }
    if (!box) return;
    const obstacle = { box, label };
    this.obstacles.set(name, obstacle);
    if (this.covers(box)) this.stampObstacle(obstacle, 1);
    else this.rebuild();
  }
  get obstacleNames(): Iterable<string> {
    return this.obstacles.keys();
  }

  private covers(box: Box): boolean {
    const [x, y] = [cellOf(box.x), cellOf(box.y)];
    return (
      x - 4 >= this.x0 &&
      y - 4 >= this.y0 &&
      x + box.w / GRID + 4 < this.x0 + this.w &&
      y + box.h / GRID + 4 < this.y0 + this.h
    );
  }

  // Some more room than is needed, so that a node that is dragged outward rarely leads here.
  private rebuild(): void {
    let [x0, y0, x1, y1] = [Infinity, Infinity, -Infinity, -Infinity];
    for (const { box } of this.obstacles.values()) {
      x0 = Math.min(x0, cellOf(box.x));
      y0 = Math.min(y0, cellOf(box.y));
      x1 = Math.max(x1, cellOf(box.x + box.w));
      y1 = Math.max(y1, cellOf(box.y + box.h));
    }
    const [w, h] = [x1 - x0 + 2 * MARGIN + 1, y1 - y0 + 2 * MARGIN + 1];
    const fits = w * h <= MOST_CELLS;
    [this.x0, this.y0] = [x0 - MARGIN, y0 - MARGIN];
    [this.w, this.h] = fits ? [w, h] : [0, 0];
    const count = this.w * this.h;
    this.solid = new Uint8Array(count);
    this.near = new Uint8Array(count);
    this.words = new Uint8Array(count);
    this.level = new Uint8Array(count);
    this.upright = new Uint8Array(count);
    this.own = new Uint32Array(count);
    this.mark = 0;
    for (const obstacle of this.obstacles.values()) this.stampObstacle(obstacle, 1);
    for (const trace of this.traces.values()) this.stampTrace(trace, 1);
  }

  private stampBox(layer: Uint8Array, box: Box, ring: number, by: number): void {
    const xa = Math.max(Math.ceil(box.x / GRID - 1e-9) - ring, this.x0);
    const xb = Math.min(Math.floor((box.x + box.w) / GRID + 1e-9) + ring, this.x0 + this.w - 1);
    const ya = Math.max(Math.ceil(box.y / GRID - 1e-9) - ring, this.y0);
    const yb = Math.min(Math.floor((box.y + box.h) / GRID + 1e-9) + ring, this.y0 + this.h - 1);
    for (let y = ya; y <= yb; y++)
      for (let x = xa; x <= xb; x++) layer[(y - this.y0) * this.w + x - this.x0]! += by;
  }
  private stampObstacle({ box, label }: Obstacle, by: number): void {
    this.stampBox(this.solid, box, 0, by);
    this.stampBox(this.near, box, 1, by);
    if (label) this.stampBox(this.words, label, 0, by);
  }
  private stampTrace(trace: Trace, by: number): void {
    trace.upright.forEach((upright, i) => {
      const cell = this.index(trace.cells[2 * i]!, trace.cells[2 * i + 1]!);
      if (cell >= 0) (upright ? this.upright : this.level)[cell]! += by;
    });
  }
  private index(x: number, y: number): number {
    const [cx, cy] = [x - this.x0, y - this.y0];
    return cx >= 0 && cy >= 0 && cx < this.w && cy < this.h ? cy * this.w + cx : -1;
  }

  // ----------------------------------------------------------------------------------- the nets

  forget(net: string): void {
    const trace = this.traces.get(net);
    if (!trace) return;
    this.stampTrace(trace, -1);
    this.traces.delete(net);
  }

  /** Whether a net runs through a box. */
  meets(net: string, box: Box): boolean {
    const trace = this.traces.get(net);
    if (!trace) return false;
    for (let i = 0; i < trace.upright.length; i++) {
      const x = trace.cells[2 * i]! * GRID;
      const y = trace.cells[2 * i + 1]! * GRID;
      if (x > box.x && x < box.x + box.w && y > box.y && y < box.y + box.h) return true;
    }
    return false;
  }

  /** How many cells a net runs along with others. */
  conflicts(net: string): number {
    const trace = this.traces.get(net);
    let count = 0;
    trace?.upright.forEach((upright, i) => {
      const cell = this.index(trace.cells[2 * i]!, trace.cells[2 * i + 1]!);
      if (cell >= 0 && (upright ? this.upright : this.level)[cell]! > 1) count++;
    });
    return count;
  }

  /** Moves a net as it is, with the nodes at all of its ends. */
  shift(net: string, dx: number, dy: number): void {
    const trace = this.traces.get(net);
    if (!trace) return;
    this.stampTrace(trace, -1);
    const by = [dx / GRID, dy / GRID] as const;
    const cells = trace.cells.map((c, i) => c + by[(i % 2) as 0 | 1]);
    const moved = { ...trace, cells };
    this.traces.set(net, moved);
    this.stampTrace(moved, 1);
  }

  /** Finds the routes of a net to all of its ends, in their order, and keeps others off them. */
  route(net: string, source: End, ends: readonly Branch[]): Leg[] {
    this.forget(net);
    this.rough = false;
    const trace: Trace = { cells: [], upright: [], known: new Set() };
    const legs = new Array<Leg>(ends.length);
    this.mark++;
    // the straightest first: it becomes the trunk
    const order = ends
      .map((_, i) => i)
      .sort((a, b) => farness(source, ends[a]!) - farness(source, ends[b]!));
    const tree: State[] = [];
    for (const i of order) legs[i] = this.leg(source, ends[i]!, tree, trace);
    this.traces.set(net, trace);
    this.stampTrace(trace, 1);
    return legs;
  }

  private leg(source: End, branch: Branch, tree: State[], trace: Trace): Leg {
    const [sx, sy] = [cellOf(source.x), cellOf(source.y)];
    const first: State = { x: sx, y: sy, dir: source.out, cost: 0 };
    const branches = tree.length > 0;
    let cells = this.through(branches ? tree : [first], branch, !branches);
    if (!cells && branches) cells = this.through([first], branch, true);
    if (!cells) return { points: plainRoute(source, branch.end), branches: false };
    this.keep(cells, tree, trace);
    const begins = cells[0]!;
    return {
      points: corners(cells),
      branches: branches && !(begins[0] === sx && begins[1] === sy),
    };
  }

  // A search from pin to pin, then into the port.
  private through(
    starts: readonly State[],
    branch: Branch,
    forced: boolean,
  ): [number, number][] | undefined {
    const { end, pins } = branch;
    const cells: [number, number][] = [];
    let from = starts;
    const goals: Goal[] = pins.map(([x, y]) => ({ x: cellOf(x), y: cellOf(y), dir: -1 }));
    goals.push({ x: cellOf(end.x), y: cellOf(end.y), dir: (end.out + 2) % 4 });
    for (const goal of goals) {
      const leg = this.search(from, goal, forced && cells.length === 0);
      if (!leg) return undefined;
      cells.push(...(cells.length ? leg.cells.slice(1) : leg.cells));
      from = [{ x: goal.x, y: goal.y, dir: leg.dir, cost: 0 }];
    }
    return cells;
  }

  // Remembers what a leg has taken. No branch begins right at a port.
  private keep(cells: readonly (readonly [number, number])[], tree: State[], trace: Trace): void {
    cells.forEach(([x, y], i) => {
      const cell = this.index(x, y);
      if (cell >= 0) this.own[cell] = this.mark;
      for (const other of [cells[i - 1], cells[i + 1]]) {
        const upright = other?.[0] === x ? 1 : 0;
        const key = 2 * ((y - this.y0) * this.w + x - this.x0) + upright;
        if (!other || trace.known.has(key)) continue;
        trace.known.add(key);
        trace.cells.push(x, y);
        trace.upright.push(upright);
      }
      if (i < 2 && tree.length === 0) return;
      if (i > 0 && i < cells.length - 2)
        for (const dir of [0, 1, 2, 3] as const) tree.push({ x, y, dir, cost: BEND });
    });
    if (tree.length) return;
    for (const [x, y] of cells.slice(1, -1))
      for (const dir of [0, 1, 2, 3] as const) tree.push({ x, y, dir, cost: BEND });
  }

  // ---------------------------------------------------------------------------------- the search

  private search(
    starts: readonly State[],
    goal: Goal,
    forced: boolean,
  ): { cells: [number, number][]; dir: Direction } | undefined {
    if (!this.w) return undefined;
    const small = this.window(starts, goal, WINDOW);
    const until = this.expanded + this.limit;
    const found = this.searchIn(small, starts, goal, forced, until);
    if (found) return found;
    if (this.expanded >= until) {
      this.rough = true;
      return undefined;
    }
    const whole = { x: this.x0, y: this.y0, w: this.w, h: this.h };
    return small.w * small.h < whole.w * whole.h
      ? this.searchIn(whole, starts, goal, forced, until)
      : undefined;
  }

  // Around the goal and the nearest start.
  private window(starts: readonly State[], goal: Goal, margin: number): Window {
    let nearest = starts[0]!;
    for (const s of starts)
      if (
        Math.abs(s.x - goal.x) + Math.abs(s.y - goal.y) <
        Math.abs(nearest.x - goal.x) + Math.abs(nearest.y - goal.y)
      )
        nearest = s;
    const x = Math.max(this.x0, Math.min(nearest.x, goal.x) - margin);
    const y = Math.max(this.y0, Math.min(nearest.y, goal.y) - margin);
    const x1 = Math.min(this.x0 + this.w, Math.max(nearest.x, goal.x) + margin + 1);
    const y1 = Math.min(this.y0 + this.h, Math.max(nearest.y, goal.y) + margin + 1);
    return { x, y, w: Math.max(0, x1 - x), h: Math.max(0, y1 - y) };
  }

  private begin(window: Window): void {
    const count = window.w * window.h * 4;
    if (this.costs.length < count) {
      this.costs = new Float64Array(count);
      this.seen = new Uint32Array(count);
      this.parents = new Int32Array(count);
      this.round = 0;
    }
    this.round++;
    this.heap.clear();
  }

  // What it costs to enter a cell in a direction; Infinity: it cannot be.
  private price(x: number, y: number, dir: number, goal: Goal): number {
    const cell = (y - this.y0) * this.w + x - this.x0;
    const arrives = x === goal.x && y === goal.y;
    if (arrives && goal.dir >= 0 && dir !== goal.dir) return Infinity;
    if (!arrives && (this.solid[cell]! > 0 || this.own[cell] === this.mark)) return Infinity;
    const level = dir % 2 === 0;
    const along = (level ? this.level : this.upright)[cell]! > 0 ? ALONG : 0;
    const across = (level ? this.upright : this.level)[cell]! > 0 ? CROSS : 0;
    const beside = arrives ? 0 : NEAR * Math.min(2, this.near[cell]!);
    return 1 + along + across + beside + (this.words[cell]! > 0 ? WORDS : 0);
  }

  // What a bend costs more beside a node, or on another net, which would seem to join there.
  private tightness(x: number, y: number): number {
    const cell = (y - this.y0) * this.w + x - this.x0;
    const taken = this.level[cell]! + this.upright[cell]! > 0;
    return (this.near[cell]! > 0 ? TIGHT : 0) + (taken ? ALONG : 0);
  }

  private searchIn(
    window: Window,
    starts: readonly State[],
    goal: Goal,
    forced: boolean,
    until: number,
  ): { cells: [number, number][]; dir: Direction } | undefined {
    const { x: wx, y: wy, w, h } = window;
    this.begin(window);
    const { costs, seen, parents, heap, round } = this;
    const estimate = (x: number, y: number): number => {
      const dx = Math.abs(x - goal.x);
      const dy = Math.abs(y - goal.y);
      return WEIGHT * (dx + dy + (dx && dy ? BEND : 0));
    };
    const offer = (x: number, y: number, dir: number, cost: number, parent: number): void => {
      const state = ((y - wy) * w + x - wx) * 4 + dir;
      if (seen[state] === round && costs[state]! <= cost) return;
      seen[state] = round;
      costs[state] = cost;
      parents[state] = parent;
      heap.push(cost + estimate(x, y), state);
    };
    for (const { x, y, dir, cost } of starts)
      if (x >= wx && y >= wy && x < wx + w && y < wy + h) offer(x, y, dir, cost, -1);
    while (heap.size && this.expanded < until) {
      const key = heap.least;
      const state = heap.pop();
      const dir = state % 4;
      const x = wx + ((state >> 2) % w);
      const y = wy + Math.floor((state >> 2) / w);
      const cost = costs[state]!;
      if (key > cost + estimate(x, y) + 1e-9) continue; // a better way was found since
      this.expanded++;
      if (x === goal.x && y === goal.y && parents[state]! >= 0) return this.walk(state, window);
      const first = parents[state]! < 0;
      const bend = BEND + this.tightness(x, y);
      for (let turn = -1; turn <= 1; turn++) {
        if (first && turn && (forced || starts.length > 1)) continue;
        const d = (dir + turn + 4) % 4;
        const nx = x + DX[d as Direction];
        const ny = y + DY[d as Direction];
        if (nx < wx || ny < wy || nx >= wx + w || ny >= wy + h) continue;
        const price = this.price(nx, ny, d, goal);
        if (price < Infinity) offer(nx, ny, d, cost + price + (turn ? bend : 0), state);
      }
    }
    return undefined;
  }

  private walk(last: number, window: Window): { cells: [number, number][]; dir: Direction } {
    const cells: [number, number][] = [];
    for (let state = last; state >= 0; state = this.parents[state]!)
      cells.push([
        window.x + ((state >> 2) % window.w),
        window.y + Math.floor((state >> 2) / window.w),
      ]);
    return { cells: cells.reverse(), dir: (last % 4) as Direction };
  }
}

// How far an end is, and how little it lies ahead.
function farness(source: End, { end }: Branch): number {
  const [dx, dy] = [end.x - source.x, end.y - source.y];
  const ahead = dx * DX[source.out] + dy * DY[source.out];
  const aside = Math.abs(dx * DY[source.out]) + Math.abs(dy * DX[source.out]);
  return Math.abs(ahead) + 3 * aside + (ahead < 0 ? 400 : 0);
}
