// What the drawing of a structure does to its document (docs/structures.md): nodes, springs, parts, and the
// matrix that is the same thing as a table.
import type { CommandOptions, Draft, JsonDocument } from "./document.ts";
import { isList, isObject, type Json, type JsonObject, type Path } from "./json.ts";
import { madeOf, unfolded, type MadeNode, type MadePart } from "./mesh.ts";

export type Point = readonly [number, number];

export interface DrawnNode {
  readonly name: string;
  readonly at: Point;
  /** In space. */
  readonly z: number;
  /** Its place in "nodes"; undefined: it belongs to a part or a lattice. */
  readonly index: number | undefined;
  readonly mass: number;
  readonly fixed: string;
}
export interface DrawnSpring {
  readonly ends: readonly [string, string];
  readonly index: number;
  readonly k: number;
  readonly length: number | undefined;
}
export interface DrawnPart {
  readonly name: string;
  readonly kind: string;
  readonly from: Point;
  readonly to: Point;
  readonly list: "parts" | "lattices";
  readonly index: number;
}

const number = (value: Json | undefined, usual: number) =>
  typeof value === "number" ? value : usual;
const text = (value: Json | undefined, usual: string) =>
  typeof value === "string" ? value : typeof value === "number" ? String(value) : usual;
const point = (value: Json | undefined): Point =>
  isList(value) ? [number(value[0], 0), number(value[1], 0)] : [0, 0];
/** 1, 2 or 3. */
export const dimensionOf = (root: Json) => {
  const given = isObject(root) ? root["dimension"] : undefined;
  return given === 1 || given === 3 ? given : 2;
};
const padded = (list: readonly Json[], dimension: number): Json[] =>
  [...list, 0, 0].slice(0, dimension);
const heightOf = (value: Json | undefined) => (isList(value) ? number(value[2], 0) : 0);
export const listOf = (root: Json, key: string): readonly JsonObject[] => {
  const whole = unfolded(root); // with what a matrix has
  const list = isObject(whole) ? whole[key] : undefined;
  return isList(list) ? list.filter(isObject) : [];
};

/** A change of the drawing; a matrix becomes the nodes and springs that it stands for. */
export function edit<T>(
  document: JsonDocument,
  label: string,
  recipe: (draft: Draft) => T,
  options?: CommandOptions,
): T {
  return document.change(
    label,
    (draft) => {
      const whole = unfolded(draft.root);
      if (whole !== draft.root && isObject(whole)) {
        for (const key of ["nodes", "springs"]) draft.set([], key, whole[key]);
        draft.set([], "matrix", undefined);
      }
      return recipe(draft);
    },
    options,
  );
}
const fixedOf = (value: Json | undefined) =>
  value === true ? "all" : typeof value === "string" ? value : "";

/** How many nodes of a lattice are drawn. */
const LATTICE_MOST = 4000;

function latticeNodes(lattice: JsonObject): DrawnNode[] {
  const [columns, rows] = [number(lattice["columns"], 1), number(lattice["rows"], 1)];
  if (!(Math.max(columns, 1) * Math.max(rows, 1) <= LATTICE_MOST)) return [];
  const origin = point(lattice["origin"]);
  const spacing = number(lattice["spacing"], 1);
  const upward = lattice["axis"] === "y";
  const nodes: DrawnNode[] = [];
  for (let i = 1; i <= columns; i++)
    for (let j = 1; j <= rows; j++) {
      const [along, across] = [(i - 1) * spacing, (j - 1) * spacing];
      const at: Point = upward
        ? [origin[0] + across, origin[1] + along]
        : [origin[0] + along, origin[1] + across];
      const name = `${text(lattice["name"], "lattice")}.${i}.${j}`;
      const mass = number(lattice["mass"], 1);
      nodes.push({ name, at, z: heightOf(lattice["origin"]), index: undefined, mass, fixed: "" });
    }
  return nodes;
}

/** Nodes that were drawn one by one, and those of lattices. */
export function nodesOf(root: Json): DrawnNode[] {
  const own = listOf(root, "nodes").map((node, index) => ({
    name: text(node["name"], String(index + 1)),
    at: point(node["at"]),
    z: heightOf(node["at"]),
    index,
    mass: number(node["mass"], 1),
    fixed: fixedOf(node["fixed"]),
  }));
  const lattices = listOf(root, "lattices").flatMap(latticeNodes);
  const all = [...own, ...lattices];
  const changed = new Map(listOf(root, "change").map((c) => [called(c["node"], all), c]));
  return all.map((node) =>
    node.index === undefined
      ? { ...node, fixed: fixedOf(changed.get(node.name)?.["fixed"]) }
      : node,
  );
}

interface Made {
  readonly nodes: readonly DrawnNode[];
  readonly parts: readonly MadePart[];
}
const made = new WeakMap<JsonObject, Made>();

/** What the premade parts are made of, one after the other. */
export function madeParts(root: Json): Made {
  if (!isObject(root)) return { nodes: [], parts: [] };
  const known = made.get(root);
  if (known) return known;
  const dimension = dimensionOf(root);
  const given = listOf(root, "nodes");
  const before = nodesOf(root).map(({ name, at, z, index }): MadeNode => {
    const start = index === undefined ? undefined : given[index]?.["start"];
    return { name, at: isList(start) ? [...point(start), heightOf(start)] : [...at, z] };
  });
  const parts = listOf(root, "parts").map((part) => {
    const one = madeOf(part, dimension, before);
    before.push(...one.nodes);
    return one;
  });
  const held = new Set(parts.flatMap((part) => part.held));
  const changed = new Map(listOf(root, "change").map((c) => [c["node"], c]));
  const nodes = parts.flatMap((part) =>
    part.nodes.map(({ name, at: [x, y, z] }): DrawnNode => {
      const change = changed.get(name);
      const fixed = fixedOf(change?.["fixed"]) || (held.has(name) ? "all" : "");
      return { name, at: [x, y], z, index: undefined, mass: number(change?.["mass"], NaN), fixed };
    }),
  );
  const result = { nodes, parts };
  made.set(root, result);
  return result;
}

/** All of them, in the order of the engine. */
export const allNodesOf = (root: Json): DrawnNode[] => [...nodesOf(root), ...madeParts(root).nodes];

/** The nodes that a part or a lattice has brought. */
export function nodesOfPart(root: Json, part: DrawnPart): readonly DrawnNode[] {
  if (part.list === "lattices") {
    const names = latticeNodes(listOf(root, "lattices")[part.index] ?? {}).map(({ name }) => name);
    return nodesOf(root).filter(({ index, name }) => index === undefined && names.includes(name));
  }
  const names = new Set(madeParts(root).parts[part.index]?.nodes.map(({ name }) => name));
  return madeParts(root).nodes.filter(({ name }) => names.has(name));
}

/** The part or the lattice that has brought a node. */
export function partOfNode(root: Json, node: DrawnNode): DrawnPart | undefined {
  if (node.index !== undefined) return undefined;
  return partsOf(root).find((part) =>
    part.list === "lattices"
      ? node.name.startsWith(`${part.name}.`)
      : madeParts(root).parts[part.index]?.nodes.some(({ name }) => name === node.name),
  );
}

/** What becomes of a node of a part or a lattice: whether it is fixed, its mass; undefined: as it is made. */
export function changeNode(draft: Draft, name: string, key: string, value: Json | undefined): void {
  const list = listOf(draft.root, "change");
  const index = list.findIndex((change) => change["node"] === name);
  if (index < 0) {
    if (value !== undefined) append(draft, "change", { node: name, [key]: value });
    return;
  }
  const { [key]: old, ...rest } = list[index]!;
  if (value === undefined && Object.keys(rest).length < 2) draft.splice(["change"], index, 1);
  else if (old !== value) draft.set(["change", index], key, value);
}

/** The sides of a part: the axis, and whether it is the one where it is largest. */
export const SIDES: Readonly<Record<string, readonly [0 | 1 | 2, boolean]>> = {
  left: [0, false],
  right: [0, true],
  bottom: [1, false],
  top: [1, true],
  back: [2, false],
  front: [2, true],
};

const spaceOf = ({ at, z }: DrawnNode): [number, number, number] => [at[0], at[1], z];

/** The nodes at a side of a part; none where it has no extent that way. */
export function nodesAtSide(root: Json, part: DrawnPart, side: string): readonly DrawnNode[] {
  const nodes = nodesOfPart(root, part);
  const [axis, high] = SIDES[side] ?? [0, false];
  const all = nodes.map((node) => spaceOf(node)[axis]);
  const [low, top] = [Math.min(...all), Math.max(...all)];
  if (!(top > low)) return [];
  const end = high ? top : low;
  return nodes.filter((_, i) => Math.abs(all[i]! - end) <= 1e-9 * (top - low));
}

/** Holds all nodes at a side of a part, or lets them go. */
export function holdSide(draft: Draft, part: DrawnPart, side: string, hold: boolean): void {
  for (const { name } of nodesAtSide(draft.root, part, side))
    changeNode(draft, name, "fixed", hold ? true : undefined);
}
export function isSideHeld(root: Json, part: DrawnPart, side: string): boolean {
  const nodes = nodesAtSide(root, part, side);
  return nodes.length > 0 && nodes.every(({ fixed }) => fixed === "all");
}

/** Changes a number of a part. Where it has other nodes then, what refers to one refers to the nearest. */
export function setOfPart(draft: Draft, part: DrawnPart, key: string, value: Json): void {
  const before = nodesOfPart(draft.root, part);
  const held = Object.keys(SIDES).filter((side) => isSideHeld(draft.root, part, side));
  callByName(draft);
  if (/^(cells|columns|rows)$/.test(key))
    for (const side of held) holdSide(draft, part, side, false);
  draft.set([part.list, part.index], key, value);
  const after = nodesOfPart(draft.root, part);
  if (before.length === after.length || !before.length || !after.length) return;
  const [from, to] = [within(before), within(after)];
  const near = new Map<Json, string>(
    before.map(({ name }, i) => {
      const far = to.map((at) => Math.hypot(...at.map((x, a) => x - from[i]![a]!)));
      return [name, after[far.indexOf(Math.min(...far))]!.name];
    }),
  );
  changeReferences(draft, (node) => near.get(node) ?? node);
  for (const side of held) holdSide(draft, part, side, true);
}
/** Places in a box, from 0 to 1 along each axis. */
function within(nodes: readonly DrawnNode[]): number[][] {
  const all = nodes.map(spaceOf);
  const ends = ([0, 1, 2] as const).map((axis) => {
    const list = all.map((at) => at[axis]);
    return [Math.min(...list), Math.max(...list)] as const;
  });
  return all.map((at) =>
    at.map((x, axis) => {
      const [low, high] = ends[axis]!;
      return high > low ? (x - low) / (high - low) : 0;
    }),
  );
}

/** The name of the node that is meant: by its name, or by its number among all, from 1. */
const called = (value: Json | undefined, nodes: readonly DrawnNode[]) =>
  (typeof value === "number" ? nodes[value - 1]?.name : undefined) ?? text(value, "");

export function springsOf(root: Json): DrawnSpring[] {
  const list = listOf(root, "springs");
  const pairs = list.map(({ between }) => (isList(between) ? between : []));
  const byNumber = pairs.some((pair) => pair.some((end) => typeof end === "number"));
  const nodes = byNumber ? allNodesOf(root) : [];
  return list.map((spring, index) => ({
    ends: [called(pairs[index]![0], nodes), called(pairs[index]![1], nodes)],
    index,
    k: number(spring["k"], 1),
    length: typeof spring["length"] === "number" ? spring["length"] : undefined,
  }));
}

/** Premade parts and lattices, with the rectangles that they take. */
export const partsOf = (root: Json): DrawnPart[] => [
  ...listOf(root, "parts").map((part, index): DrawnPart => {
    const centre = point(part["centre"]);
    const radius = number(part["radius"], 1);
    const round = part["kind"] === "balloon";
    return {
      name: text(part["name"], `part ${index + 1}`),
      kind: text(part["kind"], "part"),
      from: round ? [centre[0] - radius, centre[1] - radius] : point(part["from"]),
      to: round ? [centre[0] + radius, centre[1] + radius] : point(part["to"]),
      list: "parts",
      index,
    };
  }),
  ...listOf(root, "lattices").map((lattice, index): DrawnPart => {
    const from = point(lattice["origin"]);
    const spacing = number(lattice["spacing"], 1);
    const along = (number(lattice["columns"], 1) - 1) * spacing;
    const across = (number(lattice["rows"], 1) - 1) * spacing;
    const [w, h] = lattice["axis"] === "y" ? [across, along] : [along, across];
    return {
      name: text(lattice["name"], `lattice ${index + 1}`),
      kind: "lattice",
      from,
      to: [from[0] + w, from[1] + h],
      list: "lattices",
      index,
    };
  }),
];

/** Without the digits that adding has made: twelve of what is as large as the scale. */
function tidy(value: number, ...scale: readonly number[]): number {
  const largest = Math.max(Math.abs(value), ...scale.map(Math.abs));
  if (!(largest > 0 && largest < Infinity)) return value;
  const digits = 11 - Math.floor(Math.log10(largest));
  if (digits < 0 || digits > 100) return Number(value.toPrecision(12));
  return Number(value.toFixed(digits)) + 0; // no -0
}
const sum = (a: number, b: number) => tidy(a + b, a, b);

/** Moves a part or a lattice. */
export function movePart(draft: Draft, part: DrawnPart, [dx, dy]: Point): void {
  const path = [part.list, part.index];
  for (const key of ["from", "to", "centre", "origin"]) {
    const old = draft.at([...path, key]);
    if (isList(old))
      draft.set(path, key, [
        sum(number(old[0], 0), dx),
        ...(old.length > 1 ? [sum(number(old[1], 0), dy)] : []),
        ...old.slice(2),
      ]);
    else if (key === "origin" && part.list === "lattices")
      draft.set(path, key, [tidy(dx), tidy(dy)]);
  }
}

/** Lines of a part for the eye. */
export function meshOf(root: Json, part: DrawnPart): readonly (readonly [Point, Point])[] {
  if (part.list === "parts") {
    const places = new Map(allNodesOf(root).map(({ name, at }) => [name, at]));
    const edges = madeParts(root).parts[part.index]?.edges ?? [];
    return edges.map(([a, b]) => [places.get(a) ?? part.from, places.get(b) ?? part.to]);
  }
  const given = listOf(root, "lattices")[part.index] ?? {};
  const [x0, y0] = part.from;
  const [x1, y1] = part.to;
  const upright = given["axis"] === "y";
  const [columns, rows] = [number(given["columns"], 1) - 1, number(given["rows"], 1) - 1];
  const [nx, ny] = upright ? [rows, columns] : [columns, rows];
  if (!(Math.max(nx, 1) * Math.max(ny, 1) <= MESH_MOST)) return [];
  const at = (i: number, j: number): Point => [
    nx ? x0 + ((x1 - x0) * i) / nx : x0,
    ny ? y0 + ((y1 - y0) * j) / ny : y0,
  ];
  const lines: (readonly [Point, Point])[] = [];
  for (let i = 0; i <= nx; i++)
    for (let j = 0; j <= ny; j++) {
      if (i < nx) lines.push([at(i, j), at(i + 1, j)]);
      if (j < ny) lines.push([at(i, j), at(i, j + 1)]);
      if (i < nx && j < ny) lines.push([at(i, j), at(i + 1, j + 1)], [at(i + 1, j), at(i, j + 1)]);
    }
  return lines;
}
const MESH_MOST = 2000;

/** How many nodes a part may be given by hand: more of them are for the text. */
export const PART_MOST = 10_000;

/** Whether a part or a lattice can have this number at a place: its counts are whole, and not too many. */
export function isCountFit(given: JsonObject, key: string, value: Json): boolean {
  const cells = key === "cells";
  if (!cells && key !== "columns" && key !== "rows") return true;
  const other = key === "columns" ? "rows" : "columns";
  const counts = cells ? (isList(value) ? value : [value]) : [value, number(given[other], 1)];
  const nodes = counts.map((n) => (Number.isInteger(n) && number(n, 0) >= 1 ? number(n, 0) : NaN));
  return nodes.reduce((all, n) => all * (cells ? n + 1 : n), 1) <= PART_MOST;
}

const freeName = (root: Json, stem: string) => {
  const taken = new Set([
    ...nodesOf(root).map(({ name }) => name),
    ...[...listOf(root, "parts"), ...listOf(root, "lattices"), ...listOf(root, "ports")].map((p) =>
      text(p["name"], ""),
    ),
  ]);
  let k = 1;
  while (taken.has(`${stem}${k}`)) k++;
  return `${stem}${k}`;
};

const append = (draft: Draft, key: string, value: Json) => {
  if (!isList(draft.at([key]))) draft.set([], key, []);
  draft.splice([key], (draft.at([key]) as readonly Json[]).length, 0, value);
};

export function addNode(draft: Draft, [x, y]: Point): string {
  const name = freeName(draft.root, "n");
  append(draft, "nodes", { name, at: padded([x, y], dimensionOf(draft.root)), mass: 1 });
  return name;
}
export function addSpring(draft: Draft, a: string, b: string, k = 100): boolean {
  const there = springsOf(draft.root).some(({ ends }) => ends.includes(a) && ends.includes(b));
  if (a === b || there) return false;
  append(draft, "springs", { between: [a, b], k });
  return true;
}

/** Premade things with numbers that run as they are. */
export const PREMADE: Readonly<Record<string, (at: Point, size: number) => JsonObject>> = {
  chain: ([x, y], s) => ({ material: "steel", cells: 8, area: 1e-4, from: [x, y], to: [x + s, y] }),
  rope: ([x, y], s) => ({ material: "rubber", cells: 8, area: 1e-4, from: [x, y], to: [x + s, y] }),
  bar: ([x, y], s) => ({
    material: "steel",
    cells: 8,
    area: 1e-4,
    inertia: 1e-9,
    from: [x, y],
    to: [x + s, y],
  }),
  girder: ([x, y], s) => ({
    material: "rubber",
    cells: [8, 2],
    thickness: 0.1,
    from: [x, y],
    to: [x + s, y + s / 4],
  }),
  plate: ([x, y], s) => ({
    material: "rubber",
    cells: [4, 4],
    thickness: 0.01,
    from: [x, y],
    to: [x + s, y + s],
  }),
  block: ([x, y], s) => ({
    material: "rubber",
    cells: [4, 2, 2],
    from: [x, y, 0],
    to: [x + s, y + s / 2, s / 2],
  }),
};
/** The dimensions that a part needs at least; others are in any. */
const NEEDS: Readonly<Record<string, number>> = { plate: 3, block: 3, girder: 2, lattice: 2 };
/** A girder is in the plane; in space a plate is the same, which also bends. */
const kindIn = (kind: string, dimension: number) =>
  kind === "girder" && dimension === 3 ? "plate" : kind;

/** Adds a premade part or a lattice; the structure gets the dimensions that it needs. The result says why not. */
export function addPart(draft: Draft, kind: string, at: Point, size: number): string | undefined {
  const why = raise(draft, NEEDS[kind] ?? 1);
  if (why) return why;
  if (kind === "lattice") {
    const name = freeName(draft.root, "lattice");
    const spacing = size / 4;
    const springs = { along: 100, across: 100, diagonal: 100 };
    append(draft, "lattices", {
      name,
      columns: 5,
      rows: 2,
      spacing,
      mass: 0.2,
      origin: at.map((x) => tidy(x, size)),
      ...springs,
    });
    holdNewest(draft, "lattices");
    return undefined;
  }
  const make = PREMADE[kind];
  if (!make) return undefined;
  const dimension = dimensionOf(draft.root);
  const made = make(at, size);
  for (const key of ["from", "to"])
    if (isList(made[key]))
      (made as Record<string, Json>)[key] = padded(
        made[key].map((x) => tidy(x as number, size)),
        dimension,
      );
  const name = freeName(draft.root, kind);
  append(draft, "parts", { kind: kindIn(kind, dimension), name, ...made });
  holdNewest(draft, "parts");
  return undefined;
}
/** Held at its left side it does not fall out of the picture. */
function holdNewest(draft: Draft, list: "parts" | "lattices"): void {
  const part = partsOf(draft.root)
    .filter((one) => one.list === list)
    .at(-1);
  if (part) holdSide(draft, part, "left", true);
}

/** What was drawn on a line or in a plane stays there, with zeros for the dimensions that are new. */
function raise(draft: Draft, to: number): string | undefined {
  const from = dimensionOf(draft.root);
  if (from >= to) return undefined;
  for (const key of ["volumes", "skins"])
    if (listOf(draft.root, key).length)
      return `The ${key} here have edges in a plane: what is in space needs triangles.`;
  draft.set([], "dimension", to);
  const pad = (path: Path, ...keys: readonly string[]) => {
    for (const key of keys) {
      const list = draft.at([...path, key]);
      if (isList(list) && list.length < to) draft.set(path, key, padded(list, to));
    }
  };
  const all = ["x", "y", "z"].slice(0, from);
  const stay = (path: Path) => {
    const fixed = draft.at([...path, "fixed"]);
    if (typeof fixed === "string" && all.every((axis) => fixed.includes(axis)))
      draft.set(path, "fixed", true);
  };
  listOf(draft.root, "nodes").forEach((_, i) => {
    pad(["nodes", i], "at", "start", "velocity");
    stay(["nodes", i]);
  });
  listOf(draft.root, "change").forEach((_, i) => stay(["change", i]));
  listOf(draft.root, "parts").forEach(({ kind }, i) => {
    pad(["parts", i], "from", "to", "centre");
    draft.set(["parts", i], "kind", kindIn(text(kind, ""), to));
  });
  listOf(draft.root, "ports").forEach((_, i) => pad(["ports", i], "direction"));
  const places = draft.at(["matrix", "at"]);
  if (isList(places))
    draft.set(
      ["matrix"],
      "at",
      places.map((place) => (isList(place) ? padded(place, to) : place)),
    );
  // what falls along a line falls along it still
  if (from === 1 && draft.at(["gravity"]) === true) draft.set([], "gravity", [-9.81]);
  pad([], "gravity");
  return undefined;
}

/** Where a document refers to nodes. */
const REFERENCES = [
  ["springs", "between"],
  ["bends", "nodes"],
  ["volumes", "facets"],
  ["skins", "facets"],
  ["change", "node"],
  ["ports", "node"],
] as const;
/** What a signal is of: the node of "n1.x", the port of "push.flow". */
const ownerOf = (signal: string) => signal.slice(0, Math.max(0, signal.lastIndexOf(".")));

/** Puts something else in the place of each reference to a node. */
function changeReferences(draft: Draft, to: (node: Json) => Json): void {
  const changed = (value: Json): Json => (isList(value) ? value.map(changed) : to(value));
  for (const [key, member] of REFERENCES)
    listOf(draft.root, key).forEach((one, i) => {
      const old = one[member];
      if (old === undefined) return;
      const now = changed(old);
      if (JSON.stringify(now) !== JSON.stringify(old)) draft.set([key, i], member, now);
    });
}
/** Numbers of nodes become names: when one goes, the numbers of others change. */
function callByName(draft: Draft): void {
  const nodes = allNodesOf(draft.root);
  changeReferences(draft, (node) => (typeof node === "number" ? called(node, nodes) : node));
}

/** Takes away what refers to nodes: springs, bends, surfaces, changes, ports, and what is plotted of them. */
function removeReferences(draft: Draft, isGone: (node: string) => boolean): void {
  const refers = (value: Json | undefined): boolean =>
    isList(value) ? value.some(refers) : isGone(text(value, ""));
  const gone: string[] = [];
  for (const [key, member] of REFERENCES) {
    const list = listOf(draft.root, key);
    for (let i = list.length - 1; i >= 0; i--) {
      if (!refers(list[i]![member])) continue;
      if (key === "ports") gone.push(text(list[i]!["name"], ""));
      draft.splice([key], i, 1);
    }
  }
  const plot = draft.at(["run", "plot"]);
  if (!isList(plot)) return;
  const isShown = (signal: Json) => {
    const name = text(signal, "");
    const of = ownerOf(name);
    return !gone.includes(name) && !gone.includes(of) && !isGone(of);
  };
  const left = plot.filter(isShown);
  if (left.length < plot.length) draft.set(["run"], "plot", left);
}

/** Takes a node away, and what refers to it. */
export function removeNode(draft: Draft, index: number): void {
  const name = nodesOf(draft.root).find((node) => node.index === index)?.name ?? "";
  callByName(draft);
  removeReferences(draft, (node) => node === name);
  // those behind it that are called by their numbers keep them
  listOf(draft.root, "nodes").forEach((node, i) => {
    if (i > index && text(node["name"], "") === "") draft.set(["nodes", i], "name", String(i + 1));
  });
  draft.splice(["nodes"], index, 1);
}

/** Takes a part or a lattice away, and what refers to its nodes. */
export function removePart(draft: Draft, part: DrawnPart): void {
  const own = new Set(listOf(draft.root, "nodes").map((node) => text(node["name"], "")));
  callByName(draft);
  removeReferences(draft, (node) => node.startsWith(`${part.name}.`) && !own.has(node));
  draft.splice([part.list], part.index, 1);
}

/** Gives a node another name, also where something refers to it; false: another thing has that name. */
export function renameNode(draft: Draft, index: number, to: string): boolean {
  const from = nodesOf(draft.root).find((node) => node.index === index)?.name;
  if (!from || from === to) return true;
  if (!to || allNodesOf(draft.root).some(({ name }) => name === to)) return false;
  draft.set(["nodes", index], "name", to);
  changeReferences(draft, (node) => (node === from ? to : node));
  const plot = draft.at(["run", "plot"]);
  const shown = (signal: Json): Json =>
    typeof signal === "string" && ownerOf(signal) === from
      ? to + signal.slice(from.length)
      : signal;
  if (isList(plot) && plot.some((signal) => shown(signal) !== signal))
    draft.set(["run"], "plot", plot.map(shown));
  return true;
}

export function addPort(draft: Draft, node: string, direction: string): void {
  append(draft, "ports", { name: freeName(draft.root, "push"), node, direction });
}

// ------------------------------------------------------------------------------------- the matrix

const distance = (a: DrawnNode, b: DrawnNode) =>
  Math.hypot(a.at[0] - b.at[0], a.at[1] - b.at[1], a.z - b.z);

/** The cell of the matrix: masses on the diagonal, stiffnesses below, lengths above; undefined: no spring. */
export function cell(root: Json, row: number, column: number): number | undefined {
  const nodes = nodesOf(root).filter(({ index }) => index !== undefined);
  const [a, b] = [nodes[row], nodes[column]];
  if (!a || !b) return undefined;
  if (row === column) {
    // what is fixed needs none
    const given = typeof listOf(root, "nodes")[a.index!]?.["mass"] === "number";
    return given || a.fixed !== "all" ? a.mass : undefined;
  }
  const spring = springsOf(root).find(({ ends }) => ends.includes(a.name) && ends.includes(b.name));
  if (!spring) return undefined;
  return row > column ? spring.k : (spring.length ?? distance(a, b));
}

/** Writes a cell; undefined takes the spring away, or its own length. */
export function setCell(
  draft: Draft,
  row: number,
  column: number,
  value: number | undefined,
): void {
  const nodes = nodesOf(draft.root).filter(({ index }) => index !== undefined);
  const [a, b] = [nodes[row], nodes[column]];
  if (!a || !b) return;
  if (row === column) {
    if (value !== undefined) draft.set(["nodes", a.index!], "mass", value);
    return;
  }
  const find = () =>
    springsOf(draft.root).find(({ ends }) => ends.includes(a.name) && ends.includes(b.name));
  const spring = find();
  if (row > column) {
    if (value === undefined) {
      if (spring) draft.splice(["springs"], spring.index, 1);
    } else if (spring) draft.set(["springs", spring.index], "k", value);
    else addSpring(draft, b.name, a.name, value);
  } else if (spring) draft.set(["springs", spring.index], "length", value);
}

// ---------------------------------------------------------------------------------- the Hamiltonian

const sub = (name: string) => name.replace(/[^\w.]/g, "_");

/** The energy of what was drawn by hand, term by term. */
export function hamiltonian(root: Json): string {
  const nodes = nodesOf(root);
  const lines = nodes
    .filter(({ fixed }) => fixed !== "all")
    .map(({ name, mass }) => `|p_${sub(name)}|²/(2·${mass})`);
  const gravity = isObject(root) ? root["gravity"] : undefined;
  if (gravity)
    for (const { name, mass, fixed } of nodes)
      if (fixed !== "all") lines.push(`− ${mass} g·x_${sub(name)}`);
  const all = listOf(root, "springs");
  for (const { ends, k, length, index } of springsOf(root)) {
    const [a, b] = ends;
    const [from, to] = ends.map((end) => nodes.find(({ name }) => name === end));
    const d = length ?? (from && to ? distance(from, to) : 0);
    const l = `|x_${sub(a)} − x_${sub(b)}|`;
    const rest = Number(d.toPrecision(6));
    lines.push(
      all[index]?.["energy"] === "lengths"
        ? `½·${k} (${l} − ${rest})²`
        : `½·${k} (${l}² − ${rest}²)²`,
    );
  }
  if (listOf(root, "parts").length || listOf(root, "lattices").length)
    lines.push("the energies of parts and lattices");
  return `H = ${lines.join("\n  + ").replaceAll("+ − ", "− ")}`;
}
