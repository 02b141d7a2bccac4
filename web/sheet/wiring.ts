// The drawing of one diagram: where its nodes and ports are and how its lines run. It follows the
// document (and, during a drag, where nodes are held) and says what has become different.
import { netsOf, nodesOf, parseReference, referenceKey } from "../document/diagram.ts";
import type { NetData, NodeData } from "../document/diagram.ts";
import type { Json } from "../document/json.ts";
import { geometryOf, nameWidth } from "./geometry.ts";
import type { Box, NodeGeometry, Point, Port } from "./geometry.ts";
import { portIndex, portsOf } from "./kinds.ts";
import type { Kinds, Ports } from "./kinds.ts";
import { plainRoute, Router } from "./route.ts";
import type { Leg } from "./route.ts";
import { symbolOf } from "./symbols.ts";
import type { Symbol } from "./symbols.ts";

export interface SheetNode {
  readonly name: string;
  readonly data: NodeData;
  readonly symbol: Symbol;
  readonly ports: Ports;
  readonly geometry: NodeGeometry;
}
export interface Link {
  /** As the document writes it. */
  readonly to: string;
  readonly node: string;
  readonly port: Port | undefined;
  readonly pins: readonly Point[];
}
export interface Wire {
  /** The output, in one way of writing. */
  readonly key: string;
  readonly from: string;
  readonly node: string;
  readonly source: Port | undefined;
  readonly color: string | undefined;
  readonly links: readonly Link[];
  readonly signature: string;
  legs: readonly Leg[];
}
export interface Changes {
  readonly nodes: Set<string>;
  readonly gone: Set<string>;
  readonly wires: Set<string>;
  readonly lost: Set<string>;
}

const samePorts = (a: Ports, b: Ports): boolean =>
  a === b ||
  (a.inputs.join("|") === b.inputs.join("|") && a.outputs.join("|") === b.outputs.join("|"));

/** States of one search during a drag: about half a millisecond. */
const DRAG_LIMIT = 1500;

function labelBox(node: SheetNode): Box {
  const width = nameWidth(node.name);
  const [x, y] = node.geometry.label;
  return { x: x - width / 2, y: y - 8, w: width, h: 12 };
}

export class Wiring {
  readonly nodes = new Map<string, SheetNode>();
  readonly wires = new Map<string, Wire>();
  private readonly router = new Router();
  private readonly waiting = new Set<string>();
  /** Lines with a plain route, because a drag had no time for more. */
  private readonly rough = new Set<string>();
  /** Nodes that are carried over lines, which do not make way for them. */
  private readonly floating = new Set<string>();
  private readonly kinds: Kinds;
  private root: Json | undefined;
  private diagram: Json | undefined;
  private held: ReadonlyMap<string, Point> | undefined;
  private nets: readonly NetData[] = [];

  constructor(kinds: Kinds) {
    this.kinds = kinds;
  }

  /** Follows the document; `held` are nodes that stand elsewhere for now. */
  update(diagram: Json | undefined, root: Json, held?: ReadonlyMap<string, Point>): Changes {
    const changes: Changes = {
      nodes: new Set(),
      gone: new Set(),
      wires: new Set(),
      lost: new Set(),
    };
    const same = diagram === this.diagram;
    this.updateNodes(nodesOf(diagram), root, held, changes);
    if (!same) this.nets = netsOf(diagram);
    this.updateWires(same, changes);
    [this.root, this.diagram, this.held] = [root, diagram, held];
    return changes;
  }

  /** Another diagram: nothing of this one is left. */
  clear(): void {
    this.update(undefined, null);
    this.diagram = undefined;
  }

  private updateNodes(
    list: readonly NodeData[],
    root: Json,
    held: ReadonlyMap<string, Point> | undefined,
    changes: Changes,
  ): void {
    const present = new Set<string>();
    for (const data of list) {
      if (present.has(data.name)) continue; // the desk says that there are two
      present.add(data.name);
      const before = this.nodes.get(data.name);
      const still = samePoint(held?.get(data.name), this.held?.get(data.name));
      if (before?.data === data && root === this.root && still) continue;
      const ports = portsOf(data, this.kinds, root);
      const position = held?.get(data.name) ?? data.position ?? unplaced(data.index);
      const geometry = geometryOf(data, position, symbolOf(data.type), ports);
      // a node without lines that is carried goes over lines: it may be put into one
      const floats = held?.size === 1 && held.has(data.name) && !this.connected(data.name).size;
      if (
        before?.data === data &&
        floats === this.floating.has(data.name) &&
        sameGeometry(before.geometry, geometry) &&
        samePorts(before.ports, ports)
      )
        continue;
      const node: SheetNode = {
        name: data.name,
        data,
        symbol: symbolOf(data.type),
        ports,
        geometry,
      };
      this.nodes.set(data.name, node);
      changes.nodes.add(data.name);
      if (floats) {
        this.floating.add(data.name);
        this.router.setObstacle(data.name, undefined);
      } else {
        this.floating.delete(data.name);
        this.router.setObstacle(data.name, geometry.box, labelBox(node));
      }
    }
    for (const name of this.nodes.keys()) {
      if (present.has(name)) continue;
      this.nodes.delete(name);
      this.floating.delete(name);
      this.router.setObstacle(name, undefined);
      changes.gone.add(name);
    }
  }

  private updateWires(same: boolean, changes: Changes): void {
    const present = new Set<string>();
    for (const net of this.nets) {
      const key = referenceKey(net.from);
      const known = this.wires.get(key);
      if (same && known && !touches(known, changes.nodes)) {
        present.add(key);
        continue;
      }
      const wire = this.resolve(key, net);
      present.add(key);
      const before = this.wires.get(key);
      if (before?.signature === wire.signature) {
        if (
          before.color !== wire.color ||
          before.links.some((l, i) => l.to !== wire.links[i]?.to)
        ) {
          this.wires.set(key, { ...wire, legs: before.legs });
          changes.wires.add(key);
        }
        continue;
      }
      this.wires.set(key, wire);
      changes.wires.add(key);
      if (!this.carry(before, wire)) {
        wire.legs = plainLegs(wire);
        this.waiting.add(key);
        this.router.forget(key); // others are found anew, too, and need not keep clear of where it was
      }
    }
    for (const key of this.wires.keys()) {
      if (present.has(key)) continue;
      this.wires.delete(key);
      this.waiting.delete(key);
      this.router.forget(key);
      changes.lost.add(key);
    }
    // lines through which a node has been put
    for (const name of changes.nodes) {
      const box = this.nodes.get(name)?.geometry.box;
      if (!box || this.floating.has(name)) continue;
      for (const key of this.wires.keys()) if (this.router.meets(key, box)) this.waiting.add(key);
    }
  }

  private resolve(key: string, net: NetData): Wire {
    const { node, port } = parseReference(net.from);
    const from = this.nodes.get(node);
    const source = from?.geometry.outputs[portIndex(port, from.ports.outputs)];
    const links = net.targets.map(({ to, pins }): Link => {
      const end = parseReference(to);
      const target = this.nodes.get(end.node);
      const place = target ? portIndex(end.port, target.ports.inputs) : -1;
      return { to, node: end.node, port: target?.geometry.inputs[place], pins };
    });
    const write = (p: Port | undefined): string => (p ? `${p.x},${p.y},${p.out}` : "-");
    const signature = [
      write(source),
      ...links.map((l) => `${write(l.port)};${l.pins.join(";")}`),
    ].join("|");
    return { key, from: net.from, node, source, color: net.color, links, signature, legs: [] };
  }

  // A line all of whose ends have moved by the same way moves as it is.
  private carry(before: Wire | undefined, wire: Wire): boolean {
    if (!before?.source || !wire.source || this.waiting.has(wire.key)) return false;
    if (before.links.length !== wire.links.length) return false;
    const [dx, dy] = [wire.source.x - before.source.x, wire.source.y - before.source.y];
    if (wire.source.out !== before.source.out) return false;
    const together = wire.links.every((link, i) => {
      const old = before.links[i]?.port;
      const now = link.port;
      if (!old || !now || link.pins.length) return false;
      return now.x - old.x === dx && now.y - old.y === dy && now.out === old.out;
    });
    if (!together) return false;
    this.router.shift(wire.key, dx, dy);
    wire.legs = before.legs.map((leg) => ({
      ...leg,
      points: leg.points.map(([x, y]): Point => [x + dx, y + dy]),
    }));
    return true;
  }

  get pending(): number {
    return this.waiting.size;
  }

  /** Lines with one end among nodes that are carried away, as they would run for now. */
  stretched(names: ReadonlyMap<string, Point>, [dx, dy]: Point): Wire[] {
    const moved = (node: string, port: Port | undefined): Port | undefined =>
      port && names.has(node) ? { ...port, x: port.x + dx, y: port.y + dy } : port;
    const list: Wire[] = [];
    for (const wire of this.wires.values()) {
      const ends = [wire.node, ...wire.links.map((link) => link.node)];
      const inside = ends.filter((node) => names.has(node)).length;
      if (inside === 0 || inside === ends.length) continue;
      const links = wire.links.map((l) => ({ ...l, port: moved(l.node, l.port) }));
      const next = { ...wire, source: moved(wire.node, wire.source), links };
      list.push({ ...next, legs: plainLegs(next) });
    }
    return list;
  }
  /** Lines all of whose ends are among these nodes. */
  within(names: ReadonlyMap<string, Point>): string[] {
    return [...this.wires.values()]
      .filter((w) => names.has(w.node) && w.links.every((link) => names.has(link.node)))
      .map((w) => w.key);
  }

  /** Finds routes that are waiting, for so many milliseconds; answers the lines that it has found. */
  settle(budget: number, dragging = false): Set<string> {
    const done = new Set<string>();
    this.router.limit = dragging ? DRAG_LIMIT : Infinity;
    if (!dragging) {
      for (const key of this.rough) this.waiting.add(key);
      this.rough.clear();
    }
    const until = performance.now() + budget;
    for (const key of [...this.waiting].sort((a, b) => this.extent(a) - this.extent(b))) {
      if (done.size && performance.now() > until) break;
      this.waiting.delete(key);
      if (this.reroute(key)) done.add(key);
    }
    return done;
  }

  /** Once more for lines that run along others. */
  polish(keys: Iterable<string>): void {
    for (const key of keys) if (this.router.conflicts(key) > 0) this.waiting.add(key);
  }

  private reroute(key: string): boolean {
    const wire = this.wires.get(key);
    if (!wire?.source) return false;
    const ends = wire.links.flatMap(({ port, pins }) => (port ? { end: port, pins } : []));
    const legs = this.router.route(key, wire.source, ends);
    if (this.router.rough) this.rough.add(key);
    let next = 0;
    wire.legs = wire.links.map((link) =>
      link.port ? legs[next++]! : { points: [], branches: false },
    );
    return true;
  }

  private extent(key: string): number {
    const wire = this.wires.get(key);
    if (!wire?.source) return 0;
    const { x, y } = wire.source;
    return Math.max(
      0,
      ...wire.links.map(({ port }) => (port ? Math.abs(port.x - x) + Math.abs(port.y - y) : 0)),
    );
  }

  /** The ports of a node that lines lead to or from. */
  connected(name: string): Set<string> {
    const ports = new Set<string>();
    for (const wire of this.wires.values()) {
      if (wire.node === name && wire.source && wire.links.length)
        ports.add(`o${wire.source.index}`);
      for (const link of wire.links)
        if (link.node === name && link.port && wire.source) ports.add(`i${link.port.index}`);
    }
    return ports;
  }

  /** The line into an input, if there is one. */
  into(node: string, index: number): { wire: Wire; link: Link } | undefined {
    for (const wire of this.wires.values())
      for (const link of wire.links)
        if (link.node === node && link.port?.index === index) return { wire, link };
    return undefined;
  }
}

// Nodes that have no place yet, in rows.
function unplaced(index: number): Point {
  return [40 + (index % 6) * 140, 40 + Math.floor(index / 6) * 100];
}

function samePoint(a: Point | undefined, b: Point | undefined): boolean {
  return a === b || (!!a && !!b && a[0] === b[0] && a[1] === b[1]);
}
function touches(wire: Wire, names: ReadonlySet<string>): boolean {
  return names.has(wire.node) || wire.links.some((link) => names.has(link.node));
}

function sameGeometry(a: NodeGeometry, b: NodeGeometry): boolean {
  return a.box.x === b.box.x && a.box.y === b.box.y && a.box.w === b.box.w && a.box.h === b.box.h;
}

function plainLegs(wire: Wire): Leg[] {
  return wire.links.map(({ port }) => ({
    points: wire.source && port ? plainRoute(wire.source, port) : [],
    branches: false,
  }));
}
