// Subsystems made from a selection, and taken apart again.
import { isObject } from "./json.ts";
import type { Json, JsonObject } from "./json.ts";
import { freshName, netsOf, nodesOf, parseReference } from "./diagram.ts";
import type { Level, NodeData } from "./diagram.ts";
import type { Draft } from "./document.ts";
import { addNode, removeNodes, renameInScene } from "./commands.ts";
import { nodeAt, nodesAt, pathOfNode, place } from "./places.ts";
import type { Point } from "./places.ts";
import { colorNet, connect, netsAt, pinLine } from "./lines.ts";

const STEP = 140;

interface Crossing {
  readonly from: string;
  readonly to: readonly string[];
  readonly color: string | undefined;
}

// Lines that lead into the selection, or out of it: each output once, with its ends on the other side.
function crossings(
  draft: Draft,
  level: Level,
  inside: ReadonlySet<string>,
  inward: boolean,
): Crossing[] {
  const within = (end: string): boolean => inside.has(parseReference(end).node);
  return netsAt(draft, level)
    .filter((net) => within(net.from) !== inward)
    .map(({ from, targets, color }) => ({
      from,
      color,
      to: targets.map((t) => t.to).filter((to) => within(to) === inward),
    }))
    .filter(({ to }) => to.length > 0);
}

function middle(nodes: readonly NodeData[]): { centre: Point; from: Point; to: Point } {
  const xs = nodes.map((n) => n.position?.[0] ?? 0);
  const ys = nodes.map((n) => n.position?.[1] ?? 0);
  const from: Point = [Math.min(...xs), Math.min(...ys)];
  const to: Point = [Math.max(...xs), Math.max(...ys)];
  const snap = (v: number): number => Math.round(v / 10) * 10;
  return { centre: [snap((from[0] + to[0]) / 2), snap((from[1] + to[1]) / 2)], from, to };
}

/** Puts nodes into a subsystem, with a port for each line that is cut, and answers its name. */
export function group(draft: Draft, level: Level, names: ReadonlySet<string>): string | undefined {
  const chosen = nodesAt(draft, level).filter((node) => names.has(node.name));
  if (!chosen.length) return undefined;
  const { centre, from: low, to: high } = middle(chosen);
  const inner = netsAt(draft, level).filter((net) => names.has(parseReference(net.from).node));
  const comes = crossings(draft, level, names, true);
  const goes = crossings(draft, level, names, false);
  const taken = new Set(names);
  const port = (type: string, end: string, x: number, i: number): JsonObject => {
    const name = freshName(parseReference(end).node, taken);
    taken.add(name);
    return { name, type, position: place([x, low[1] + 80 * i]) };
  };
  const inputs = comes.map((c, i) => port("Input Port", c.from, low[0] - STEP, i));
  const outputs = goes.map((c, i) => port("Output Port", c.to[0]!, high[0] + STEP, i));

  const name = addNode(draft, level, { type: "Subsystem", name: "subsystem", position: centre });
  const inside: Level = [...level, name];
  draft.set(pathOfNode(draft, level, name), "diagram", {
    nodes: [...inputs, ...chosen.map((node) => node.json), ...outputs],
    lines: [],
  });
  const paint = (at: Level, from: string, color: string | undefined): void => {
    if (color !== undefined) colorNet(draft, at, from, color);
  };
  comes.forEach((c, i) => {
    const port = inputs[i]!.name as string;
    for (const to of c.to) connect(draft, inside, port, to);
    paint(inside, port, c.color);
  });
  for (const net of inner)
    for (const { to, pins } of net.targets)
      if (names.has(parseReference(to).node)) {
        connect(draft, inside, net.from, to);
        if (pins.length) pinLine(draft, inside, to, pins);
      }
  goes.forEach((c, i) => connect(draft, inside, c.from, outputs[i]!.name as string));
  for (const net of inner) paint(inside, net.from, net.color);

  removeNodes(draft, level, names);
  comes.forEach((c, i) => {
    connect(draft, level, c.from, `${name}:${i + 1}`);
    paint(level, c.from, c.color);
  });
  goes.forEach((c, i) => {
    for (const to of c.to) connect(draft, level, `${name}:${i + 1}`, to);
    paint(level, `${name}:${i + 1}`, c.color);
  });
  const prefix = level.map((part) => `${part}.`).join("");
  for (const node of names) renameInScene(draft, prefix + node, `${prefix}${name}.${node}`);
  return name;
}

/** The index of a port of a subsystem that is written as a number or as a name. */
function portIndex(text: string, ports: readonly NodeData[]): number {
  const named = ports.findIndex((port) => port.name === text);
  return named >= 0 ? named : Number(text) - 1;
}

/** Takes a subsystem apart: its nodes stand in its place. Answers their names. */
export function ungroup(draft: Draft, level: Level, name: string): string[] {
  const node = nodeAt(draft, level, name);
  const diagram: Json | undefined = node?.json.diagram;
  if (!node || !isObject(diagram)) return [];
  const all = nodesOf(diagram);
  const inputs = all.filter((n) => n.type === "Input Port");
  const outputs = all.filter((n) => n.type === "Output Port");
  const body = all.filter((n) => !inputs.includes(n) && !outputs.includes(n));
  const outer = netsAt(draft, level);
  removeNodes(draft, level, [name]);

  const { centre } = middle(body.length ? body : [node]);
  const at = node.position ?? [0, 0];
  const names = new Map<string, string>();
  for (const n of body) {
    const p = n.position ?? [0, 0];
    const position: Point = [p[0] - centre[0] + at[0], p[1] - centre[1] + at[1]];
    const { diagram: inside, ...rest } = n.json;
    const fresh = addNode(draft, level, { type: n.type, name: n.name, position });
    const path = pathOfNode(draft, level, fresh);
    for (const [key, value] of Object.entries(rest))
      if (key !== "name" && key !== "position") draft.set(path, key, value);
    if (inside !== undefined) draft.set(path, "diagram", inside);
    names.set(n.name, fresh);
  }
  // What a line inside comes from: an output of the body, or what feeds the port from outside,
  // which may be an output of the subsystem itself.
  const source = (end: string, depth = 0): string | undefined => {
    if (depth > inputs.length + 1) return undefined;
    const { node: from } = parseReference(end);
    const i = inputs.findIndex((port) => port.name === from);
    if (i < 0) return names.has(from) ? names.get(from)! + end.slice(from.length) : undefined;
    const feeder = outer.find((net) =>
      net.targets.some(({ to }) => {
        const ref = parseReference(to);
        return ref.node === name && portIndex(ref.port, inputs) === i;
      }),
    )?.from;
    const own = feeder === undefined ? undefined : parseReference(feeder);
    if (own?.node !== name) return feeder;
    const port = outputs[portIndex(own.port, outputs)];
    const within = netsOf(diagram).find((net) =>
      net.targets.some(({ to }) => parseReference(to).node === port?.name),
    );
    return within && source(within.from, depth + 1);
  };
  for (const net of netsOf(diagram)) {
    const from = source(net.from);
    if (from === undefined) continue;
    for (const { to } of net.targets) {
      const { node: end } = parseReference(to);
      const i = outputs.findIndex((port) => port.name === end);
      if (i < 0) {
        if (names.has(end)) connect(draft, level, from, names.get(end)! + to.slice(end.length));
        continue;
      }
      for (const away of outer) {
        const ref = parseReference(away.from);
        if (ref.node !== name || portIndex(ref.port, outputs) !== i) continue;
        for (const target of away.targets)
          if (parseReference(target.to).node !== name) connect(draft, level, from, target.to);
      }
    }
    if (net.color !== undefined) colorNet(draft, level, from, net.color);
  }
  const prefix = level.map((part) => `${part}.`).join("");
  for (const [old, fresh] of names) renameInScene(draft, `${prefix}${name}.${old}`, prefix + fresh);
  return [...names.values()];
}
