// Routes: right angles, clear of nodes, joined where they should be, and found in time.
import assert from "node:assert/strict";
import { test } from "node:test";
import { GRID, roundedPath } from "../../web/sheet/geometry.ts";
import type { Box, Direction, Point } from "../../web/sheet/geometry.ts";
import { Heap } from "../../web/sheet/heap.ts";
import { plainRoute, Router, tidy } from "../../web/sheet/route.ts";
import type { End, Leg } from "../../web/sheet/route.ts";
import { random } from "./helpers.ts";

test("a line goes around the name of a node where there is room", () => {
  const router = new Router();
  router.setObstacle("a", { x: 0, y: 0, w: 60, h: 80 });
  router.setObstacle("abc", { x: 160, y: 0, w: 40, h: 40 }, { x: 165, y: 45, w: 30, h: 12 });
  router.setObstacle("b", { x: 300, y: 0, w: 60, h: 80 });
  const [leg] = router.route("net", { x: 60, y: 50, out: 0 }, [
    { end: { x: 300, y: 50, out: 2 }, pins: [] },
  ]);
  const points = leg?.points ?? [];
  const through = points.slice(1).some(([x, y], i) => {
    const [fx, fy] = points[i]!;
    return y === 50 && fy === 50 && Math.min(x, fx) < 180 && Math.max(x, fx) > 180;
  });
  assert.ok(points.length > 1 && !through, JSON.stringify(points));
});

test("a heap gives what is least", () => {
  const pick = random(3);
  const heap = new Heap();
  const keys = Array.from({ length: 5000 }, () => pick(1000));
  keys.forEach((key, i) => heap.push(key, i));
  const sorted = [...keys].sort((a, b) => a - b);
  for (const key of sorted) {
    assert.equal(heap.least, key);
    assert.equal(keys[heap.pop()], key);
  }
  assert.equal(heap.size, 0);
});

const inside = (box: Box, [x, y]: Point): boolean =>
  x > box.x && x < box.x + box.w && y > box.y && y < box.y + box.h;

function* cells(points: readonly Point[]): Iterable<Point> {
  for (let i = 1; i < points.length; i++) {
    const [ax, ay] = points[i - 1]!;
    const [bx, by] = points[i]!;
    const steps = (Math.abs(bx - ax) + Math.abs(by - ay)) / GRID;
    for (let k = 0; k <= steps; k++)
      yield [ax + ((bx - ax) * k) / steps, ay + ((by - ay) * k) / steps];
  }
}

interface Sheet {
  router: Router;
  boxes: Box[];
  source(i: number): End;
  target(i: number): End;
}
function sheet(count: number, seed: number): Sheet {
  const pick = random(seed);
  const columns = Math.ceil(Math.sqrt(count * 1.3));
  const boxes = Array.from({ length: count }, (_, i) => ({
    x: (i % columns) * 120 + 10 * pick(3),
    y: Math.floor(i / columns) * 90 + 10 * pick(3),
    w: 60,
    h: 40,
  }));
  const router = new Router();
  boxes.forEach((box, i) => router.setObstacle(`${i}`, box));
  const source = (i: number): End => ({
    x: boxes[i]!.x + 60,
    y: boxes[i]!.y + 20,
    out: 0,
  });
  const target = (i: number): End => ({
    x: boxes[i]!.x,
    y: boxes[i]!.y + 20,
    out: 2,
  });
  return { router, boxes, source, target };
}

function checkLeg(leg: Leg, from: End, to: End, boxes: readonly Box[]): void {
  const { points } = leg;
  for (let i = 1; i < points.length; i++) {
    const [a, b] = [points[i - 1]!, points[i]!];
    assert.ok((a[0] === b[0]) !== (a[1] === b[1]), "right angles");
  }
  assert.deepEqual(points.at(-1), [to.x, to.y]);
  if (!leg.branches) assert.deepEqual(points[0], [from.x, from.y]);
  for (const cell of cells(points))
    for (const box of boxes) assert.ok(!inside(box, cell), `through a node at ${cell}`);
}

test("routes keep clear of nodes and end at their ports", () => {
  for (let seed = 1; seed <= 12; seed++) {
    const { router, boxes, source, target } = sheet(40, seed);
    const pick = random(seed + 50);
    const free = boxes.map((_, i) => i);
    for (let net = 0; net < 25; net++) {
      const from = pick(40);
      const ends = Array.from({ length: 1 + pick(3) }, () => free.splice(pick(free.length), 1)[0])
        .filter((i) => i !== undefined)
        .map((i) => ({ end: target(i), pins: [] }));
      const legs = router.route(`${net}`, source(from), ends);
      legs.forEach((leg, i) => checkLeg(leg, source(from), ends[i]!.end, boxes));
    }
  }
});

test("a straight line stays straight, and is the shortest", () => {
  const router = new Router();
  router.setObstacle("a", { x: 0, y: 0, w: 60, h: 40 });
  router.setObstacle("b", { x: 200, y: 0, w: 60, h: 40 });
  const [leg] = router.route("n", { x: 60, y: 20, out: 0 }, [
    { end: { x: 200, y: 20, out: 2 }, pins: [] },
  ]);
  assert.deepEqual(leg!.points, [
    [60, 20],
    [200, 20],
  ]);
});

test("a second end branches off the line to the first, at a dot", () => {
  const router = new Router();
  router.setObstacle("a", { x: 0, y: 0, w: 60, h: 40 });
  router.setObstacle("b", { x: 300, y: 0, w: 60, h: 40 });
  router.setObstacle("c", { x: 300, y: 100, w: 60, h: 40 });
  const ends = [
    { end: { x: 300, y: 120, out: 2 as Direction }, pins: [] },
    { end: { x: 300, y: 20, out: 2 as Direction }, pins: [] },
  ];
  const [down, straight] = router.route("n", { x: 60, y: 20, out: 0 }, ends);
  assert.deepEqual(straight!.points, [
    [60, 20],
    [300, 20],
  ]);
  assert.equal(straight!.branches, false);
  assert.equal(down!.branches, true);
  const [x, y] = down!.points[0]!;
  assert.ok(y === 20 && x > 60 && x < 300);
  assert.equal(down!.points.length, 3);
});

test("a pinned line goes through its pin", () => {
  const router = new Router();
  router.setObstacle("a", { x: 0, y: 0, w: 60, h: 40 });
  router.setObstacle("b", { x: 300, y: 0, w: 60, h: 40 });
  const [leg] = router.route("n", { x: 60, y: 20, out: 0 }, [
    { end: { x: 300, y: 20, out: 2 }, pins: [[180, 150]] },
  ]);
  assert.ok([...cells(leg!.points)].some(([x, y]) => x === 180 && y === 150));
});

test("two nets do not run along each other where there is room", () => {
  const router = new Router();
  const box = (x: number, y: number): Box => ({ x, y, w: 60, h: 40 });
  [box(0, 0), box(0, 100), box(300, 0), box(300, 100)].forEach((b, i) =>
    router.setObstacle(`${i}`, b),
  );
  router.route("p", { x: 60, y: 20, out: 0 }, [{ end: { x: 300, y: 120, out: 2 }, pins: [] }]);
  router.route("q", { x: 60, y: 120, out: 0 }, [{ end: { x: 300, y: 20, out: 2 }, pins: [] }]);
  assert.equal(router.conflicts("p"), 0);
  assert.equal(router.conflicts("q"), 0);
});

// Dijkstra's algorithm over the same grid without weights, windows and congestion: no route of ours
// may be shorter, and few are much longer.
test("lengths against a search of everything", () => {
  for (let seed = 1; seed <= 6; seed++) {
    const { boxes, source, target } = sheet(20, seed);
    const pick = random(seed + 9);
    for (let trial = 0; trial < 6; trial++) {
      const router = new Router();
      boxes.forEach((b, i) => router.setObstacle(`${i}`, b));
      const [a, b] = [pick(20), pick(20)];
      const [leg] = router.route("n", source(a), [{ end: target(b), pins: [] }]);
      const ours = [...cells(leg!.points)].length - leg!.points.length + 1;
      const best = shortest(boxes, source(a), target(b));
      assert.ok(ours >= best, `${ours} < ${best}`);
      assert.ok(ours <= 1.5 * best + 6, `${ours} for ${best}`);
    }
  }
});
function shortest(boxes: readonly Box[], from: End, to: End): number {
  const key = (x: number, y: number): string => `${x} ${y}`;
  const solid = (x: number, y: number): boolean =>
    boxes.some((b) => x >= b.x && x <= b.x + b.w && y >= b.y && y <= b.y + b.h);
  let front: Point[] = [[from.x + GRID, from.y]];
  const seen = new Set([key(from.x + GRID, from.y)]);
  for (let steps = 1; front.length; steps++) {
    const next: Point[] = [];
    for (const [x, y] of front) {
      if (x === to.x - GRID && y === to.y) return steps + 1;
      for (const [dx, dy] of [
        [10, 0],
        [-10, 0],
        [0, 10],
        [0, -10],
      ] as const) {
        const [nx, ny] = [x + dx, y + dy];
        if (Math.abs(nx) > 2000 || Math.abs(ny) > 2000 || solid(nx, ny) || seen.has(key(nx, ny)))
          continue;
        seen.add(key(nx, ny));
        next.push([nx, ny]);
      }
    }
    front = next;
  }
  return Infinity;
}

test("taking away and moving leaves no traces behind", () => {
  const { router, source, target } = sheet(30, 4);
  for (let i = 0; i < 10; i++) router.route(`${i}`, source(i), [{ end: target(i + 10), pins: [] }]);
  for (let i = 0; i < 10; i++) router.shift(`${i}`, 20, -30);
  for (let i = 0; i < 10; i++) router.forget(`${i}`);
  for (let i = 0; i < 30; i++) router.setObstacle(`${i}`, undefined);
  const layers = router as unknown as Record<string, Uint8Array>;
  for (const layer of ["solid", "near", "level", "upright"])
    assert.ok(
      layers[layer]!.every((count) => count === 0),
      layer,
    );
});

// Milliseconds of the processor: what others do at the same time does not count.
const busy = (): number => {
  const used = process.cpuUsage();
  return (used.user + used.system) / 1000;
};

test("500 nodes and 700 lines: all in time, a step of a drag in less", () => {
  const { router, boxes, source, target } = sheet(500, 7);
  const pick = random(8);
  const ends = (i: number): { end: End; pins: [] }[] =>
    Array.from({ length: 1 + (i % 5 === 0 ? 2 : 0) }, (_, k) => ({
      end: target(Math.min(499, Math.max(0, i + 1 + k * 27 - pick(2)))),
      pins: [],
    }));
  const all = boxes.map((_, i) => ends(i));
  const begun = busy();
  all.forEach((list, i) => router.route(`${i}`, source(i), list));
  const whole = busy() - begun;
  console.log(`# ${router.expanded} states`);
  const steps: number[] = [];
  for (let step = 0; step < 40; step++) {
    const i = 100 + pick(300);
    const start = busy();
    router.setObstacle(`${i}`, { ...boxes[i]!, x: boxes[i]!.x + 10 });
    for (const n of [i, i - 1]) router.route(`${n}`, source(n), all[n]!);
    steps.push(busy() - start);
  }
  steps.sort((a, b) => a - b);
  console.log(
    `# ${whole.toFixed(0)} ms for all, ${steps[20]!.toFixed(2)} ms a step, worst ${steps[39]!.toFixed(1)}`,
  );
  assert.ok(whole < 5000 && steps[20]! < 30);
});

test("plain routes have right angles whatever the ports' directions", () => {
  for (const a of [0, 1, 2, 3] as const)
    for (const b of [0, 1, 2, 3] as const)
      for (const [x, y] of [
        [100, 50],
        [-100, 50],
        [0, -80],
        [30, 0],
      ] as const) {
        const points = plainRoute({ x: 0, y: 0, out: a }, { x, y, out: b });
        assert.deepEqual(points[0], [0, 0]);
        assert.deepEqual(points.at(-1), [x, y]);
        for (let i = 1; i < points.length; i++)
          assert.ok(points[i]![0] === points[i - 1]![0] || points[i]![1] === points[i - 1]![1]);
      }
  assert.deepEqual(
    tidy([
      [0, 0],
      [0, 0],
      [10, 0],
      [20, 0],
      [20, 10],
    ]),
    [
      [0, 0],
      [20, 0],
      [20, 10],
    ],
  );
  assert.equal(
    roundedPath([
      [0, 0],
      [20, 0],
      [20, 20],
    ]),
    "M0 0L12 0Q20 0 20 8L20 20",
  );
});
