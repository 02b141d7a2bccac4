// What premade parts and the matrix of a structure are made of (docs/structures.md): the nodes, as the engine calls
// them, where they are, and which of them are joined.
import { isList, isObject, type Json, type JsonObject } from "./json.ts";

export type Place = readonly [number, number, number];
export interface MadeNode {
  readonly name: string;
  readonly at: Place;
}
export interface MadePart {
  /** Those that it has added: one that lies where a node is already is that node. */
  readonly nodes: readonly MadeNode[];
  /** Pairs of names, for the eye: edges of its cells, and their diagonals. */
  readonly edges: readonly (readonly [string, string])[];
  /** Names of all of its nodes that are held at an end. */
  readonly held: readonly string[];
}

/** How many nodes of one part are drawn. */
const MOST = 2500;
/** Nodes that are nearer than this part of its length are one (src/structure/parts.c). */
const NEAR = 1e-9;

const number = (value: Json | undefined) => (typeof value === "number" ? value : 0);
const place = (value: Json | undefined): Place =>
  isList(value) ? [number(value[0]), number(value[1]), number(value[2])] : [0, 0, 0];
const textOf = (value: Json | undefined) => (typeof value === "string" ? value : "");

interface Net {
  readonly places: readonly Place[];
  readonly pairs: readonly (readonly [number, number])[];
  readonly size: number;
}

const DIAGONALS: readonly Place[] = [
  [1, 1, 0],
  [1, -1, 0],
  [0, 1, 1],
  [0, 1, -1],
  [1, 0, 1],
  [1, 0, -1],
];

const EMPTY: Net = { places: [], pairs: [], size: 0 };
const AXES: Readonly<Record<string, number>> = {
  bar: 1,
  chain: 1,
  rope: 1,
  girder: 2,
  plate: 2,
  block: 3,
};

function cellsOf(part: JsonObject, axes: number): number[] {
  const given = part["cells"];
  const list = isList(given) ? given : [given ?? 0];
  return Array.from({ length: axes }, (_, i) => number(list[i]));
}

/** A line, a sheet or a block of cells, the nodes in the order of the engine: x first. */
function gridOf(part: JsonObject, axes: number): Net {
  const [nx = 0, ny = 0, nz = 0] = cellsOf(part, axes);
  if (!([nx, ny, nz].every(Number.isInteger) && (nx + 1) * (ny + 1) * (nz + 1) <= MOST))
    return EMPTY;
  const [from, to] = [place(part["from"]), place(part["to"])];
  const cells = [nx, ny, nz];
  const places: Place[] = [];
  for (let k = 0; k <= nz; k++)
    for (let j = 0; j <= ny; j++)
      for (let i = 0; i <= nx; i++) {
        const at = [i, j, k].map((n, a) => {
          // a line goes from one end to the other, in any direction; a sheet has its own plane
          const [step, count] = axes === 1 ? [i, nx] : [n, cells[a]!];
          return count ? from[a]! + (step * (to[a]! - from[a]!)) / count : from[a]!;
        });
        places.push(at as unknown as Place);
      }
  const index = (i: number, j: number, k: number) => i + (nx + 1) * (j + (ny + 1) * k);
  const ways: readonly Place[] = [[1, 0, 0], [0, 1, 0], [0, 0, 1], ...DIAGONALS];
  const pairs: [number, number][] = [];
  for (let k = 0; k <= nz; k++)
    for (let j = 0; j <= ny; j++)
      for (let i = 0; i <= nx; i++)
        for (const [a, b, c] of ways) {
          const [x, y, z] = [i + a, j + b, k + c];
          if (x <= nx && y >= 0 && y <= ny && z >= 0 && z <= nz)
            pairs.push([index(i, j, k), index(x, y, z)]);
        }
  return { places, pairs, size: Math.hypot(...to.map((x, a) => x - from[a]!)) };
}

/** A ring in the plane, in space the whole points |i| + |j| + |k| = cells, pushed out. */
function roundOf(part: JsonObject, dimension: number): Net {
  const [n = 0] = cellsOf(part, 1);
  const [centre, radius] = [place(part["centre"]), number(part["radius"])];
  if (!Number.isInteger(n) || n < 1 || (dimension === 3 ? 4 * n * n : n) > MOST) return EMPTY;
  if (dimension !== 3) {
    const all = Array.from({ length: n }, (_, i) => i);
    const at = (i: number): Place => {
      const turn = (2 * Math.PI * i) / n;
      return [centre[0] + radius * Math.cos(turn), centre[1] + radius * Math.sin(turn), 0];
    };
    return { places: all.map(at), pairs: all.map((i) => [i, (i + 1) % n]), size: radius };
  }
  const points: Place[] = [];
  for (let k = -n; k <= n; k++)
    for (let j = -n; j <= n; j++)
      for (let i = -n; i <= n; i++)
        if (Math.abs(i) + Math.abs(j) + Math.abs(k) === n) points.push([i, j, k]);
  const places = points.map((p): Place => {
    const out = radius / Math.hypot(...p);
    return [centre[0] + out * p[0], centre[1] + out * p[1], centre[2] + out * p[2]];
  });
  const known = new Map(points.map((p, i) => [p.join(), i]));
  const pairs: [number, number][] = [];
  points.forEach(([i, j, k], a) => {
    for (const [x, y, z] of DIAGONALS) {
      const b = known.get([i + x, j + y, k + z].join());
      if (b !== undefined) pairs.push([a, b]);
    }
  });
  return { places, pairs, size: radius };
}

const isNear = (a: Place, b: Place, reach: number) =>
  Math.abs(a[0] - b[0]) <= reach &&
  Math.abs(a[1] - b[1]) <= reach &&
  Math.abs(a[2] - b[2]) <= reach;

/** The nodes and edges of a part, behind nodes that are there already. */
export function madeOf(part: JsonObject, dimension: number, before: readonly MadeNode[]): MadePart {
  const kind = textOf(part["kind"]);
  const axes = AXES[kind];
  const net = axes ? gridOf(part, axes) : kind === "balloon" ? roundOf(part, dimension) : EMPTY;
  const { places, pairs, size } = net;
  const joins = part["join"] !== false;
  const nodes: MadeNode[] = [];
  const names = places.map((at, i) => {
    const there = joins ? before.find((other) => isNear(other.at, at, NEAR * size)) : undefined;
    const name = there?.name ?? `${textOf(part["name"])}.${i + 1}`;
    if (!there) nodes.push({ name, at });
    return name;
  });
  const held: string[] = [];
  const ends = [
    ["from", 0, 1],
    ["to", -1, -2],
  ] as const;
  for (const [end, last, next] of axes === 1 && places.length > 1 ? ends : []) {
    if (part["clamp"] !== end && part["clamp"] !== "both") continue;
    // behind it is a node of the wall
    const [a, b] = [places.at(last)!, places.at(next)!];
    const wall = `${textOf(part["name"])}.${end}`;
    nodes.push({ name: wall, at: [2 * a[0] - b[0], 2 * a[1] - b[1], 2 * a[2] - b[2]] });
    held.push(names.at(last)!, wall);
  }
  return { nodes, edges: pairs.map(([a, b]) => [names[a]!, names[b]!]), held };
}

// ------------------------------------------------------------------------------------- the matrix

const unfoldings = new WeakMap<JsonObject, JsonObject>();

/** The same structure without a matrix: its nodes, which are called by their numbers, and its springs. */
export function unfolded(root: Json): Json {
  if (!isObject(root) || !isObject(root["matrix"])) return root;
  const known = unfoldings.get(root);
  if (known) return known;
  const { matrix, ...others } = root;
  const { values, at } = matrix;
  if (!isList(values) || !isList(at) || values.length !== at.length) return root;
  const rows = values.filter(isList);
  if (rows.length < at.length || rows.some((row) => row.length !== rows.length)) return root;
  const nodes = isList(root["nodes"]) ? root["nodes"] : [];
  const springs: Json[] = [];
  rows.forEach((row, i) => {
    for (let j = 0; j < i; j++) {
      const [k, length] = [number(row[j]), number(rows[j]![i])];
      const between = [nodes.length + j + 1, nodes.length + i + 1];
      if (k || length) springs.push({ between, k, ...(length && { length }) });
    }
  });
  const result: JsonObject = {
    ...others,
    nodes: [...nodes, ...rows.map((row, i): Json => ({ at: at[i]!, mass: row[i]! }))],
    springs: [...springs, ...(isList(root["springs"]) ? root["springs"] : [])],
  };
  unfoldings.set(root, result);
  return result;
}
