// The scene of a model: the one that it describes, or one that follows from what its signals are
// called: pendulums, balls, springs, structures, fields, queues, and else the path of its states.
import type { Json } from "../document/json.ts";
import { unfolded } from "../document/mesh.ts";
import { allNodesOf, madeParts, springsOf } from "../document/structure.ts";
import type { Description, Signal } from "../engine/protocol.ts";
import type {
  ColumnScene,
  FieldScene,
  Scene,
  Shape,
  StructureNode,
  Three,
  Value,
} from "./model.ts";

type Known = ReadonlyMap<string, Signal>;

const at = (signal: string, gain = 1, offset = 0): Value => ({ signal, gain, offset });

function number(description: Description, name: string, usual: number): number {
  const found = description.numbers.find((n) => n.name === name)?.value;
  return typeof found === "number" && Number.isFinite(found) ? found : usual;
}
function eventOf(description: Description, ...names: string[]): string | undefined {
  const events = description.events.map((e) => (typeof e === "string" ? e : e.name));
  return names.find((name) => events.includes(name));
}
const withTap = (tap: string | undefined): { tap?: string } => (tap === undefined ? {} : { tap });

// ------------------------------------------------------------------------------- described scenes

function isValue(value: unknown): value is Value {
  return (
    typeof value === "number" ||
    (typeof value === "object" &&
      value !== null &&
      typeof (value as { signal?: unknown }).signal === "string")
  );
}
function three(value: unknown, usual: Three): Three {
  if (!Array.isArray(value) || value.length !== 3) return usual;
  return value.map((part: unknown, i) => (isValue(part) ? part : usual[i]!)) as unknown as Three;
}
function point(value: unknown): readonly [number, number, number] | undefined {
  const ok =
    Array.isArray(value) && value.length === 3 && value.every((v) => typeof v === "number");
  return ok ? (value as unknown as [number, number, number]) : undefined;
}
const kinds = new Set([
  "box",
  "sphere",
  "cylinder",
  "cone",
  "plane",
  "line",
  "spring",
  "arrow",
  "trail",
  "text",
  "gltf",
]);

/** A scene that somebody has made in the page may be empty. */
const isOwn = (json: unknown) =>
  typeof json === "object" && json !== null && (json as { own?: unknown }).own === true;

/** A scene as the desk writes it; undefined where it is none. */
export function readScene(json: unknown): Scene | undefined {
  if (typeof json !== "object" || json === null) return undefined;
  const { shapes, camera, target, background } = json as Record<string, unknown>;
  if (!Array.isArray(shapes)) return undefined;
  const list = shapes.flatMap((entry: unknown): Shape[] => {
    if (typeof entry !== "object" || entry === null) return [];
    const s = entry as Record<string, unknown>;
    const kind = s.kind ?? s.shape;
    if (typeof kind !== "string" || !kinds.has(kind)) return [];
    return [
      {
        kind: kind as Shape["kind"],
        position: three(s.position, [0, 0, 0]),
        ...(s.end === undefined ? {} : { end: three(s.end, [0, 0, 0]) }),
        rotation: three(s.rotation, [0, 0, 0]),
        size: three(s.size, [1, 1, 1]),
        color: typeof s.color === "string" ? s.color : three(s.color, [0.5, 0.5, 0.5]),
        ...(typeof s.name === "string" ? { name: s.name } : {}),
        ...(typeof s.text === "string" ? { text: s.text } : {}),
        ...(typeof s.file === "string" ? { source: s.file } : {}),
        ...(typeof s.source === "string" ? { source: s.source } : {}),
        ...(s.pivot === undefined ? {} : { pivot: three(s.pivot, [0, 0, 0]) }),
        ...(typeof s.tap === "string" ? { tap: s.tap } : {}),
        ...(Array.isArray(s.pull) ? { pull: s.pull as (string | undefined)[] } : {}),
      },
    ];
  });
  const { extent, floor, flat } = json as Record<string, unknown>;
  const view = {
    camera: point(camera),
    target: point(target),
    background: point(background),
    extent: typeof extent === "number" && extent > 0 ? extent : undefined,
    floor: typeof floor === "number" ? floor : undefined,
    flat: flat === true ? true : undefined,
  };
  const given = Object.fromEntries(Object.entries(view).filter(([, v]) => v !== undefined));
  return { shapes: list, ...given };
}

// ------------------------------------------------------------------------------------- pendulums

// A bob on a rod, hanging down at angle 0. Its place is the sine and cosine of a signal, which a binding
// cannot say: it is turned about its pivot.
function pendulum(
  length: number,
  angle: string,
  color: string,
  tap: string | undefined,
  name: string,
): Shape[] {
  const turn = { rotation: [0, 0, at(angle)], pivot: [0, 0, 0] } as const;
  const width = length * 0.035;
  const bob = 0.24 * length;
  return [
    {
      kind: "cylinder",
      name: `${name} rod`,
      position: [0, 0, 0],
      end: [0, -length, 0],
      ...turn,
      size: [width, width, width],
      color: "soft",
    },
    {
      kind: "sphere",
      name,
      position: [0, -length, 0],
      ...turn,
      size: [bob, bob, bob],
      color,
      ...withTap(tap),
    },
  ];
}
function pivot(length: number): Shape {
  const size = 0.09 * length;
  return {
    kind: "sphere",
    name: "pivot",
    position: [0, 0, 0],
    size: [size, size, size],
    color: "ink",
  };
}

function pendulums(description: Description, signals: Known): Scene | undefined {
  const l = number(description, "l", number(description, "Length.Constant Value", 1));
  const named = /pendulum/i.test(description.name);
  if (named && signals.has("y1") && signals.has("y2"))
    return {
      shapes: [
        pivot(l),
        ...pendulum(l, "y1", "s1", eventOf(description, "tap1"), "y1"),
        ...pendulum(l, "y2", "s2", eventOf(description, "tap2"), "y2"),
      ],
      extent: 2.4 * l,
      floor: -1.3 * l,
      flat: true,
    };
  const angle = ["y", "theta", "phi", "angle"].find((name) => signals.has(name));
  const flatXY = signals.has("x") && signals.has("y") && signals.has("vx");
  if (named && angle !== undefined && !flatXY)
    return {
      shapes: [pivot(l), ...pendulum(l, angle, "s1", eventOf(description, "tap"), angle)],
      extent: 2.4 * l,
      floor: -1.3 * l,
      flat: true,
    };
  if (named && flatXY) {
    const rod = 0.03 * l;
    return {
      shapes: [
        pivot(l),
        {
          kind: "cylinder",
          name: "rod",
          position: [0, 0, 0],
          end: [at("x"), at("y"), 0],
          size: [rod, rod, rod],
          color: "soft",
        },
        {
          kind: "sphere",
          name: "bob",
          position: [at("x"), at("y"), 0],
          size: [0.2 * l, 0.2 * l, 0.2 * l],
          color: "s1",
        },
        { kind: "trail", name: "path", position: [at("x"), at("y"), 0], color: "s1" },
      ],
      extent: 2.4 * l,
      floor: -1.3 * l,
      flat: true,
    };
  }
  return undefined;
}

// ------------------------------------------------------------------------------ other things

function ball(description: Description, signals: Known): Scene | undefined {
  if (!/ball/i.test(description.name) || !(signals.has("y") || signals.has("h"))) return undefined;
  const height = signals.has("y") ? "y" : "h";
  const x: Value = signals.has("x") ? at("x") : 0;
  const size: Three = [0.2, 0.2, 0.2];
  const speed = (name: string) => (signals.get(name)?.kind === "state" ? name : undefined);
  const up = speed("v") ?? speed("vy");
  return {
    shapes: [
      {
        kind: "sphere",
        name: "ball",
        position: [x, at(height, 1, 0.1), 0],
        size,
        color: "s2",
        ...(up === undefined ? {} : { pull: [speed("vx"), up, undefined] }),
      },
      { kind: "trail", name: "path", position: [x, at(height, 1, 0.1), 0], color: "s2" },
    ],
    extent: 2.6,
    floor: 0,
    flat: true,
  };
}

function springMass(description: Description, signals: Known): Scene | undefined {
  if (!signals.has("x") || !signals.has("v")) return undefined;
  if (!["k", "spring"].some((n) => description.numbers.some((q) => q.name === n))) return undefined;
  return {
    shapes: [
      { kind: "box", name: "wall", position: [-2.1, 0.4, 0], size: [0.12, 0.9, 1], color: "soft" },
      {
        kind: "spring",
        name: "spring",
        position: [-2, 0.3, 0],
        end: [at("x", 1, -0.3), 0.3, 0],
        size: [0.24, 0.24, 0.24],
        color: "ink",
      },
      {
        kind: "box",
        name: "mass",
        position: [at("x"), 0.3, 0],
        size: [0.6, 0.6, 0.6],
        color: "s1",
      },
    ],
    extent: 4.4,
    floor: 0,
    flat: true,
  };
}

function quarterCar(signals: Known): Scene | undefined {
  if (!signals.has("zc") || !signals.has("zw") || !signals.has("road")) return undefined;
  return {
    shapes: [
      {
        kind: "box",
        name: "car",
        position: [0, at("zc", 4, 1.7), 0],
        size: [1.2, 0.4, 0.9],
        color: "s1",
      },
      {
        kind: "spring",
        name: "spring",
        position: [0, at("zw", 4, 0.75), 0],
        end: [0, at("zc", 4, 1.5), 0],
        size: [0.24, 0.24, 0.24],
        color: "ink",
      },
      {
        kind: "sphere",
        name: "wheel",
        position: [0, at("zw", 4, 0.6), 0],
        size: [0.6, 0.6, 0.6],
        color: "s2",
      },
      {
        kind: "box",
        name: "road",
        position: [0, at("road", 4, 0.2), 0],
        size: [1.2, 0.1, 0.9],
        color: "soft",
      },
    ],
    extent: 3.4,
    floor: 0,
  };
}

function tanks(signals: Known): Scene | undefined {
  const levels = [...signals.keys()].filter((name) => /^h\d$/.test(name));
  if (levels.length < 2) return undefined;
  const shapes = levels.flatMap((name, i): Shape[] => [
    {
      kind: "box",
      name: `tank ${i + 1}`,
      position: [1.5 * i, -0.02, 0],
      size: [1.06, 0.04, 1.06],
      color: "soft",
    },
    {
      kind: "box",
      name,
      position: [1.5 * i, at(name, 0.5), 0],
      size: [1, at(name), 1],
      color: "s1",
    },
  ]);
  return { shapes, extent: 3, floor: -0.05, target: [0.75 * (levels.length - 1), 0.6, 0] };
}

// ------------------------------------------------------------------------------------- structures

/** Springs that follow from the names of nodes: chains a.1, a.2, lattices a.1.1, blocks a.1.1.1. */
export function springsByName(names: readonly string[]): [number, number][] {
  const places = new Map(names.map((name, i) => [name, i]));
  const springs: [number, number][] = [];
  const join = (i: number, other: string): void => {
    const j = places.get(other);
    if (j !== undefined) springs.push([i, j]);
  };
  names.forEach((name, i) => {
    const match = /^(.*?)((?:^|\.)\d+(?:\.\d+)*)$/.exec(name);
    if (!match) return;
    const [, stem = "", digits = ""] = match;
    const dot = digits.startsWith(".") ? "." : "";
    const index = digits.replace(/^\./, "").split(".").map(Number);
    const step = (by: readonly number[]): string =>
      stem + dot + index.map((d, k) => d + (by[k] ?? 0)).join(".");
    if (index.length === 1) join(i, step([1]));
    else if (index.length === 2)
      for (const by of [
        [1, 0],
        [0, 1],
        [1, 1],
        [1, -1],
      ])
        join(i, step(by));
    else
      for (const by of [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
        [1, 1, 0],
        [1, -1, 0],
        [0, 1, 1],
        [0, 1, -1],
        [1, 0, 1],
        [1, 0, -1],
      ])
        join(i, step(by));
  });
  return springs;
}

function parse(text: string | undefined): Json {
  try {
    return unfolded(JSON.parse(text ?? "{}") as Json);
  } catch {
    return {};
  }
}

function structure(
  description: Description,
  signals: Known,
  text: string | undefined,
): Scene | undefined {
  const names = [...signals.keys()]
    .filter((name) => name.endsWith(".x"))
    .map((name) => name.slice(0, -2));
  const has = names.filter((name) => signals.has(`${name}.y`));
  if (description.kind !== "structure" && has.length < 2) return undefined;
  const list = description.kind === "structure" ? names : has;
  if (!list.length) return undefined;
  const json = parse(text);
  const drawn = allNodesOf(json);
  const fixed = new Set(drawn.flatMap((node) => (node.fixed ? [node.name] : [])));
  const velocity = (name: string): (string | undefined)[] =>
    ["vx", "vy", "vz"].map((v) => (signals.has(`${name}.${v}`) ? `${name}.${v}` : undefined));
  const nodes = list.map((name): StructureNode => {
    const axis = (a: string): Value => (signals.has(`${name}.${a}`) ? at(`${name}.${a}`) : 0);
    return {
      name,
      at: [axis("x"), axis("y"), axis("z")],
      velocity: velocity(name),
      fixed: fixed.has(name),
    };
  });
  const places = new Map(list.map((name, i) => [name, i]));
  // what was drawn and what a part is made of is known; the springs of a lattice, and those of a model without a
  // text, follow from the names
  const made = madeParts(json).parts;
  const known = new Set([
    ...drawn.flatMap(({ name, index }) => (index === undefined ? [] : [name])),
    ...made.flatMap(({ nodes: own }) => own.map(({ name }) => name)),
  ]);
  const loose = list.map((name) => (known.has(name) ? "" : name));
  const springs = description.kind === "structure" ? springsByName(loose) : [];
  const lengths: (number | undefined)[] = [];
  const join = ([a, b]: readonly [string, string], length?: number) => {
    const [i, j] = [places.get(a), places.get(b)];
    if (i === undefined || j === undefined) return;
    if (length !== undefined && length > 0) lengths[springs.length] = length;
    springs.push([i, j]);
  };
  for (const { ends, length } of springsOf(json)) join(ends, length);
  for (const { edges } of made) for (const pair of edges) join(pair);
  if (description.name === "balloon" && !made.length) {
    const ring = list.filter((name) => name.startsWith("air."));
    if (ring.length > 2) join([ring.at(-1)!, ring[0]!]);
  }
  const dimension = list.some((name) => signals.has(`${name}.z`)) ? 3 : 2;
  return { shapes: [], structure: { nodes, springs, lengths, dimension }, flat: dimension === 2 };
}

// ----------------------------------------------------------------------------------------- fields

/** Names of the value at a node of a field: a probe's, or that of the state. */
export function fieldSignals(
  size: readonly [number, number],
  oneDimension: boolean,
): { probe: string; state: string }[] {
  const list: { probe: string; state: string }[] = [];
  for (let j = 0; j < size[1]; j++)
    for (let i = 0; i < size[0]; i++)
      list.push({
        probe: oneDimension ? `value(${i})` : `value(${i},${j})`,
        state: `x[${i + j * size[0]}]`,
      });
  return list;
}

function field(description: Description, offered: ReadonlySet<string>): Scene | undefined {
  if (description.kind !== "field") return undefined;
  const nx = number(description, "size[1]", 0);
  const ny = number(description, "size[2]", 1);
  if (!(nx >= 2 && nx * ny <= 65_536)) return undefined;
  const size: [number, number] = [nx, ny];
  const length: [number, number] = [
    number(description, "length[1]", 1),
    number(description, "length[2]", 1),
  ];
  const signals = fieldSignals(size, ny === 1).map(({ probe, state }) =>
    offered.has(state) ? state : offered.has(probe) ? probe : undefined,
  );
  const scene: FieldScene = { size, length, signals };
  return { shapes: [], field: scene, extent: Math.max(...length), floor: 0 };
}

/** Signals that a better picture would need, if the desk gives them: all nodes of a field. */
export function wantedSignals(description: Description): readonly string[] {
  if (description.kind !== "field") return [];
  const nx = number(description, "size[1]", 0);
  const ny = number(description, "size[2]", 1);
  if (!(nx >= 2 && nx * ny <= 65_536)) return [];
  return fieldSignals([nx, ny], ny === 1).map(({ state }) => state);
}

// Numbers with indices, T[1] to T[20]: a rod.
function rod(signals: Known): Scene | undefined {
  const groups = new Map<string, number>();
  for (const name of signals.keys()) {
    const match = /^(.+)\[(\d+)\]$/.exec(name);
    if (match) groups.set(match[1]!, Math.max(groups.get(match[1]!) ?? 0, Number(match[2])));
  }
  const longest = [...groups].sort((a, b) => b[1] - a[1])[0];
  if (!longest || longest[1] < 6) return undefined;
  const [name, count] = longest;
  const list = Array.from({ length: count }, (_, i) => `${name}[${i + 1}]`);
  return {
    shapes: [],
    field: { size: [count, 1], length: [10, 1], signals: list },
    extent: 10,
    floor: 0,
  };
}

// -------------------------------------------------------------------------------------- processes

function columns(description: Description): Scene | undefined {
  const list = description.signals.filter((s) => s.kind !== "input");
  const plotted = description.plot.length
    ? list.filter((s) => description.plot.includes(s.name))
    : list;
  const world = description.kind === "world" || description.kind === "process";
  const chosen = (plotted.length > 2 && !world ? plotted : list).slice(0, 8);
  if (!chosen.length) return undefined;
  const scene: ColumnScene = {
    signals: chosen.map((s) => ({
      name: s.name,
      ...(s.unit === undefined ? {} : { unit: s.unit }),
      ...(description.totals.includes(s.name) ? { total: true } : {}),
      whole:
        s.type === "integer" ||
        /line|queue|waiting|length|count|busy|running|cars|burning|falling/i.test(s.name),
    })),
  };
  return { shapes: [], columns: scene, extent: 1.4 * chosen.length + 2, floor: 0, flat: true };
}

// ------------------------------------------------------------------------------- paths of states

function path(description: Description, signals: Known): Scene | undefined {
  // z points upward, as in books
  if (signals.has("x") && signals.has("y") && signals.has("z"))
    return {
      shapes: [
        { kind: "trail", name: "path", position: [at("x"), at("z"), at("y", -1)], color: "s1" },
        {
          kind: "sphere",
          name: "state",
          position: [at("x"), at("z"), at("y", -1)],
          size: [1, 1, 1],
          color: "s2",
        },
      ],
    };
  const states = description.signals.filter((s) => s.kind === "state").map((s) => s.name);
  const [a, b] = signals.has("x") && signals.has("y") ? ["x", "y"] : states;
  if (a === undefined || b === undefined) return undefined;
  const sun: Shape[] =
    description.name === "kepler"
      ? [{ kind: "sphere", name: "sun", position: [0, 0, 0], size: [1.6, 1.6, 1.6], color: "s6" }]
      : [];
  return {
    shapes: [
      ...sun,
      { kind: "trail", name: `${a}, ${b}`, position: [at(a), at(b), 0], color: "s1" },
      { kind: "sphere", name: "state", position: [at(a), at(b), 0], size: [1, 1, 1], color: "s2" },
    ],
    flat: true,
  };
}

/** The scene of a model; undefined: nothing to draw. `offered` are the signals whose values come. */
export function deriveScene(
  description: Description,
  offered: readonly string[],
  text?: string,
): Scene | undefined {
  const given = readScene(description.scene);
  if (given && (given.shapes.length || isOwn(description.scene))) return given;
  const signals = new Map(description.signals.map((s) => [s.name, s]));
  const world = description.kind === "world" || description.kind === "process";
  return (
    field(description, new Set(offered)) ??
    pendulums(description, signals) ??
    structure(description, signals, text) ??
    ball(description, signals) ??
    springMass(description, signals) ??
    quarterCar(signals) ??
    tanks(signals) ??
    rod(signals) ??
    (world || description.kind === "diagram" ? columns(description) : undefined) ??
    path(description, signals) ??
    columns(description)
  );
}
