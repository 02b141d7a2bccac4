// Pointers on the sheet: mouse, pen and fingers by the same events. A gesture begins where the pointer
// goes down; it shows what it would do while it lasts and makes one command at its end.
import * as commands from "../document/commands.ts";
import * as lines from "../document/lines.ts";
import { writeReference } from "../document/diagram.ts";
import * as actions from "./actions.ts";
import { boxBetween, overlaps, roundedPath, snap } from "./geometry.ts";
import type { Direction, Point } from "./geometry.ts";
import { fedThrough, hitAt, lineAt, nodesIn, noteBox, portAt } from "./hit.ts";
import type { Hit, LineHit, PortHit } from "./hit.ts";
import { plainRoute } from "./route.ts";
import type { Sheet } from "./sheet.ts";

/** Pixels of the screen that a press may wander and still be a click. */
const STILL = 3;
const MOUSE_REACH = 8;
const FINGER_REACH = 22;
const LONG_PRESS = 500;

interface Gesture {
  move(at: Point, event: PointerEvent): void;
  /** The pointer went up after it had moved. */
  drop(at: Point, event: PointerEvent): void;
  /** It went up where it had gone down. */
  click?(at: Point, event: PointerEvent): void;
  cancel(): void;
}

export interface GestureContext {
  readonly sheet: Sheet;
  /** Opens the search at a place: for a line that was dropped there, or into a line. */
  insertAt(at: Point, options: { from?: PortHit; into?: readonly string[] }): void;
  menu(hit: Hit | undefined, x: number, y: number): void;
  edit(hit: Hit): void;
  open(name: string): void;
  hover(hit: Hit | undefined, at: Point): void;
}

export class Gestures {
  private readonly context: GestureContext;
  private readonly sheet: Sheet;
  private readonly pointers = new Map<number, Point>();
  private gesture: Gesture | undefined;
  private pressed: { at: Point; hit: Hit | undefined; id: number; moved: boolean } | undefined;
  private pinch: { distance: number; middle: Point } | undefined;
  private hold: ReturnType<typeof setTimeout> | undefined;
  /** A port that waits for another one to be tapped. */
  private armed: PortHit | undefined;
  private space = false;
  private last: { time: number; at: Point } | undefined;

  constructor(context: GestureContext) {
    this.context = context;
    this.sheet = context.sheet;
    const { element } = this.sheet.view;
    element.addEventListener("pointerdown", (e) => this.down(e));
    element.addEventListener("pointermove", (e) => this.move(e));
    element.addEventListener("pointerup", (e) => this.up(e));
    element.addEventListener("pointercancel", (e) => this.cancelled(e));
    element.addEventListener("pointerleave", () => {
      if (!this.pressed) this.context.hover(undefined, [0, 0]);
    });
    element.addEventListener("wheel", (e) => this.wheel(e), { passive: false });
    element.addEventListener("contextmenu", (e) => {
      e.preventDefault();
      if (!this.pressed) this.context.menu(this.hitOf(e, MOUSE_REACH), ...this.local(e));
    });
  }

  setSpace(down: boolean): void {
    this.space = down;
    this.sheet.view.element.classList.toggle("panning", down);
  }
  get busy(): boolean {
    return this.gesture !== undefined || this.armed !== undefined;
  }
  cancel(): void {
    this.gesture?.cancel();
    this.gesture = undefined;
    this.disarm();
  }

  private rect: DOMRect | undefined;
  private local(event: { clientX: number; clientY: number }): [number, number] {
    // read once for a gesture: reading it in each move would lay the page out
    const rect = (this.rect ??= this.sheet.view.element.getBoundingClientRect());
    return [event.clientX - rect.left, event.clientY - rect.top];
  }
  forgetPlace(): void {
    this.rect = undefined;
  }
  private point(event: { clientX: number; clientY: number }): Point {
    return this.sheet.camera.toSheet(...this.local(event));
  }
  private hitOf(event: { clientX: number; clientY: number }, reach: number): Hit | undefined {
    const [x, y] = this.point(event);
    return hitAt(
      this.sheet.wiring,
      this.sheet.notes,
      x,
      y,
      reach / Math.min(this.sheet.camera.scale, 1.5),
    );
  }

  // ------------------------------------------------------------------------------------- pointers

  private down(event: PointerEvent): void {
    if (!this.pressed) this.rect = undefined;
    const { element } = this.sheet.view;
    const finger = event.pointerType === "touch";
    element.setPointerCapture(event.pointerId);
    this.pointers.set(event.pointerId, this.local(event));
    if (this.pointers.size === 2) {
      this.beginPinch();
      return;
    }
    if (this.pointers.size > 2) return;
    element.focus({ preventScroll: true });
    const hit = this.hitOf(event, finger ? FINGER_REACH * 0.6 : MOUSE_REACH);
    this.pressed = { at: this.local(event), hit, id: event.pointerId, moved: false };
    if (event.button === 2) {
      this.pressed = undefined;
      return;
    }
    const drags = event.button === 1 || this.space || (finger && !hit);
    this.gesture = drags || this.sheet.readonly ? this.panning() : this.begin(hit, event);
    clearTimeout(this.hold);
    if (finger) this.hold = setTimeout(() => this.longPress(), LONG_PRESS);
  }

  private move(event: PointerEvent): void {
    const local = this.local(event);
    if (!this.pointers.has(event.pointerId)) {
      this.pass(event);
      return;
    }
    this.pointers.set(event.pointerId, local);
    if (this.pinch) {
      this.movePinch();
      return;
    }
    const { pressed } = this;
    if (pressed?.id !== event.pointerId) return;
    const still = event.pointerType === "touch" ? 3 * STILL : STILL;
    if (!pressed.moved && Math.hypot(local[0] - pressed.at[0], local[1] - pressed.at[1]) < still)
      return;
    if (!pressed.moved) clearTimeout(this.hold);
    pressed.moved = true;
    this.gesture?.move(this.sheet.camera.toSheet(...local), event);
  }

  private up(event: PointerEvent): void {
    clearTimeout(this.hold);
    this.pointers.delete(event.pointerId);
    if (this.pinch) {
      if (this.pointers.size < 2) this.pinch = undefined;
      this.pressed = undefined;
      this.gesture = undefined;
      return;
    }
    const { pressed, gesture } = this;
    if (pressed?.id !== event.pointerId) return;
    this.pressed = undefined;
    this.gesture = undefined;
    const at = this.point(event);
    if (pressed.moved) gesture?.drop(at, event);
    else {
      gesture?.cancel();
      this.click(pressed.hit, gesture, at, event);
    }
  }
  private cancelled(event: PointerEvent): void {
    clearTimeout(this.hold);
    this.pointers.delete(event.pointerId);
    this.pinch = undefined;
    this.pressed = undefined;
    this.cancel();
  }

  // A pointer that goes over the sheet.
  private pass(event: PointerEvent): void {
    const hit = this.hitOf(event, MOUSE_REACH);
    const { view } = this.sheet;
    view.element.classList.toggle("on-port", hit?.kind === "port");
    view.element.classList.toggle("on-line", hit?.kind === "line");
    view.element.classList.toggle("on-node", hit?.kind === "node" || hit?.kind === "note");
    if (this.armed) {
      view.showDraft(
        this.draftPath(this.armed, this.point(event), hit?.kind === "port" ? hit : undefined),
      );
    } else {
      const port =
        hit?.kind === "port" && !this.sheet.readonly
          ? [{ port: hit.port, name: "near", node: hit.node.name }]
          : [];
      view.showHalos(port);
    }
    this.context.hover(hit, this.local(event));
  }

  private click(
    hit: Hit | undefined,
    gesture: Gesture | undefined,
    at: Point,
    event: PointerEvent,
  ): void {
    const now = event.timeStamp;
    const [lx, ly] = this.local(event);
    const double =
      this.last !== undefined &&
      now - this.last.time < 400 &&
      Math.hypot(lx - this.last.at[0], ly - this.last.at[1]) < 8;
    this.last = double ? undefined : { time: now, at: [lx, ly] };
    if (double && event.button === 0) {
      this.doubleClick(hit, at);
      return;
    }
    if (this.armed) {
      this.finishArmed(hit, at);
      return;
    }
    if (hit?.kind === "port" && !this.sheet.readonly) {
      this.arm(hit);
      return;
    }
    if (gesture?.click) {
      gesture.click(at, event);
      return;
    }
    this.choose(hit, event.shiftKey || event.ctrlKey || event.metaKey);
  }

  private doubleClick(hit: Hit | undefined, at: Point): void {
    this.disarm();
    if (!hit || (hit.kind === "line" && !this.sheet.readonly)) {
      if (!this.sheet.readonly) this.context.insertAt(at, hit ? { into: fedThrough(hit) } : {});
    } else if (hit.kind === "node" || hit.kind === "port") this.context.open(hit.node.name);
    else if (!this.sheet.readonly) this.context.edit(hit);
  }

  private choose(hit: Hit | undefined, more: boolean): void {
    const { sheet } = this;
    const { nodes, notes } = sheet.selection;
    if (!hit) {
      if (!more) sheet.select({});
    } else if (hit.kind === "line") sheet.select({ wire: { key: hit.wire.key, to: hit.link.to } });
    else if (hit.kind === "note")
      sheet.select({
        notes: toggled(more ? notes : new Set(), hit.note.index),
        nodes: more ? nodes : new Set(),
      });
    else
      sheet.select({
        nodes: toggled(more ? nodes : new Set(), hit.node.name),
        notes: more ? notes : new Set(),
      });
  }

  private longPress(): void {
    const { pressed } = this;
    if (!pressed || pressed.moved) return;
    this.gesture?.cancel();
    this.gesture = undefined;
    this.pressed = undefined;
    this.pointers.clear();
    this.context.menu(pressed.hit, ...(pressed.at as [number, number]));
  }

  // -------------------------------------------------------------------------------------- camera

  private wheel(event: WheelEvent): void {
    event.preventDefault();
    const { camera } = this.sheet;
    const lines = event.deltaMode === 1 ? 16 : 1;
    const [dx, dy] = [event.deltaX * lines, event.deltaY * lines];
    // a wheel turns in notches and one way; two fingers glide and wander
    const notches = event.deltaMode === 1 || (dx === 0 && Math.abs(dy) >= 50);
    if (event.ctrlKey || event.metaKey || (notches && !event.shiftKey)) {
      const factor = Math.exp(-dy * (notches ? 0.002 : 0.01));
      camera.zoomAt(...this.local(event), Math.min(2, Math.max(0.5, factor)));
    } else if (event.shiftKey && dx === 0) camera.pan(-dy, 0);
    else camera.pan(-dx, -dy);
    this.sheet.redraw();
  }

  private beginPinch(): void {
    clearTimeout(this.hold);
    this.gesture?.cancel();
    this.gesture = undefined;
    const [a, b] = [...this.pointers.values()] as [Point, Point];
    this.pinch = { distance: distance(a, b), middle: middle(a, b) };
  }
  private movePinch(): void {
    const [a, b] = [...this.pointers.values()];
    if (!this.pinch || !a || !b) return;
    const now = { distance: distance(a, b), middle: middle(a, b) };
    const { camera } = this.sheet;
    camera.pan(now.middle[0] - this.pinch.middle[0], now.middle[1] - this.pinch.middle[1]);
    camera.zoomAt(
      ...(now.middle as [number, number]),
      now.distance / Math.max(1, this.pinch.distance),
    );
    this.pinch = now;
    this.sheet.redraw();
  }

  private panning(): Gesture {
    const { sheet } = this;
    const { element } = sheet.view;
    let last: Point | undefined;
    const move = (event: PointerEvent): void => {
      const [x, y] = this.local(event);
      const from = last ?? this.pressed?.at ?? [x, y];
      element.classList.add("grabbing");
      sheet.camera.pan(x - from[0], y - from[1]);
      last = [x, y];
      sheet.redraw();
    };
    const end = (): void => element.classList.remove("grabbing");
    return { move: (_, event) => move(event), drop: end, cancel: end };
  }

  // ------------------------------------------------------------------------------------ gestures

  private begin(hit: Hit | undefined, event: PointerEvent): Gesture {
    if (hit?.kind === "port") return this.drawing(hit);
    if (hit?.kind === "line") {
      const selected = this.sheet.selection.wire?.key === hit.wire.key;
      return selected || event.altKey ? this.bending(hit) : this.branching(hit);
    }
    if (hit) return this.moving(hit, event);
    return this.lasso(event.shiftKey);
  }

  private lasso(more: boolean): Gesture {
    const { sheet } = this;
    const before = more ? sheet.selection : { nodes: new Set<string>(), notes: new Set<number>() };
    const from = sheet.camera.toSheet(
      ...(this.pressed?.at ?? this.local({ clientX: 0, clientY: 0 })),
    );
    let start: Point | undefined;
    const choose = (at: Point): void => {
      const box = boxBetween(start ?? from, at);
      const notes = sheet.notes
        .filter((note) => overlaps(noteBox(note), box))
        .map((note) => note.index);
      sheet.select({
        nodes: new Set([...before.nodes, ...nodesIn(sheet.wiring, box)]),
        notes: new Set([...before.notes, ...notes]),
      });
    };
    return {
      move: (at) => {
        start ??= sheet.camera.toSheet(...(this.pressed!.at as [number, number]));
        sheet.view.showRubber(start, at);
        choose(at);
      },
      drop: (at) => {
        choose(at);
        sheet.view.showRubber(undefined);
      },
      cancel: () => sheet.view.showRubber(undefined),
    };
  }

  // Nodes and notes follow the pointer by steps of the grid. A single node without lines can be put
  // into a line.
  private moving(hit: Exclude<Hit, PortHit | LineHit>, event: PointerEvent): Gesture {
    const { sheet } = this;
    const more = event.shiftKey || event.ctrlKey || event.metaKey;
    let start: Point | undefined;
    let last = "";
    let places = new Map<string, Point>();
    let shift: Point = [0, 0];
    let into: LineHit | undefined;
    const begin = (): void => {
      const { nodes, notes } = sheet.selection;
      const chosen = hit.kind === "note" ? notes.has(hit.note.index) : nodes.has(hit.node.name);
      if (!chosen) this.choose(hit, more);
      start = sheet.camera.toSheet(...(this.pressed!.at as [number, number]));
      sheet.view.element.classList.add("dragging");
      sheet.view.showHalos([]);
    };
    const finish = (): void => {
      sheet.view.element.classList.remove("dragging");
      sheet.view.mark(undefined, "target");
    };
    const follow = (at: Point): void => {
      shift = [snap(at[0] - start![0]), snap(at[1] - start![1])];
      if (shift.join() === last) return;
      last = shift.join();
      places = new Map();
      for (const name of sheet.selection.nodes) {
        const { data } = sheet.wiring.nodes.get(name)!;
        const [x, y] = data.position ?? nodeCorner(sheet, name);
        places.set(name, [snap(x) + shift[0], snap(y) + shift[1]]);
      }
      for (const [i, note] of sheet.notes.entries())
        if (sheet.selection.notes.has(note.index))
          sheet.view.moveNote(i, [note.position[0] + shift[0], note.position[1] + shift[1]]);
      sheet.hold(places, shift);
      into = this.lineUnder();
      sheet.view.mark(into?.wire.key, "target");
    };
    return {
      move: (at) => {
        if (!start) begin();
        follow(at);
      },
      drop: (at) => {
        if (!start) begin();
        follow(at);
        finish();
        this.put(places, shift, into);
      },
      click: () => this.choose(hit, more),
      cancel: () => {
        finish();
        if (!start) return;
        sheet.hold(undefined);
        sheet.refresh();
      },
    };
  }

  // The line on which a single node that has none of its own is held.
  private lineUnder(): LineHit | undefined {
    const [name, ...others] = this.sheet.selection.nodes;
    const node =
      name === undefined || others.length ? undefined : this.sheet.wiring.nodes.get(name);
    if (!node?.ports.inputs.length || !node.ports.outputs.length) return undefined;
    if (this.sheet.wiring.connected(node.name).size) return undefined;
    const { x, y, w, h } = node.geometry.box;
    return lineAt(this.sheet.wiring, x + w / 2, y + h / 2, 12);
  }

  private put(places: Map<string, Point>, shift: Point, into: LineHit | undefined): void {
    const { sheet } = this;
    const { notes } = sheet.selection;
    sheet.held = undefined;
    if (!shift[0] && !shift[1]) {
      sheet.refresh();
      return;
    }
    sheet.change(into ? "insert into the line" : "move", (draft) => {
      commands.moveNodes(draft, sheet.level, places);
      for (const note of sheet.notes)
        if (notes.has(note.index))
          commands.setNote(draft, sheet.level, note.index, {
            position: [note.position[0] + shift[0], note.position[1] + shift[1]],
          });
      // lines that were led by hand go along with both of their nodes
      for (const wire of sheet.wiring.wires.values())
        for (const link of wire.links)
          if (link.pins.length && places.has(wire.node) && places.has(link.node))
            lines.pinLine(
              draft,
              sheet.level,
              link.to,
              link.pins.map(([x, y]): Point => [x + shift[0], y + shift[1]]),
            );
      const [name] = places.keys();
      const node = name === undefined ? undefined : sheet.wiring.nodes.get(name);
      if (into && node) {
        const input = writeReference(node.name, 0, node.ports.inputs.length);
        const output = writeReference(node.name, 0, node.ports.outputs.length);
        lines.insertInLine(draft, sheet.level, fedThrough(into), input, output);
      }
    });
  }

  // ------------------------------------------------------------------------------- drawing lines

  private fits(from: PortHit): { port: PortHit["port"]; name: string; node: string }[] {
    const list: { port: PortHit["port"]; name: string; node: string }[] = [];
    for (const node of this.sheet.wiring.nodes.values())
      for (const port of from.port.input ? node.geometry.outputs : node.geometry.inputs)
        list.push({ port, name: "fits", node: node.name });
    return list.length > 400 ? [] : list;
  }

  private draftPath(
    from: PortHit | { port: { x: number; y: number; out: Direction; input: boolean } },
    at: Point,
    to?: PortHit,
  ): string {
    const { port } = from;
    const end = to ? to.port : { x: at[0], y: at[1], out: facing(port, at) };
    return roundedPath(plainRoute(port, end));
  }

  private drawing(from: PortHit): Gesture {
    const { sheet } = this;
    const { view } = sheet;
    // the end of a line that is there is taken off its port
    const known = from.port.input ? sheet.wiring.into(from.node.name, from.port.index) : undefined;
    const source = known && this.sourceOf(known.wire.key);
    const begin = source ?? from;
    let shown = false;
    const target = (at: Point, event: PointerEvent): PortHit | undefined => {
      const reach = (event.pointerType === "touch" ? FINGER_REACH : 16) / sheet.camera.scale;
      const hit = portAt(sheet.wiring, at[0], at[1], reach) ?? this.onlyPort(begin, at);
      return hit && hit.port.input !== begin.port.input ? hit : undefined;
    };
    const clear = (): void => {
      view.showDraft(undefined);
      view.showHalos([]);
      view.element.classList.remove("drawing");
    };
    return {
      move: (at, event) => {
        if (!shown) view.element.classList.add("drawing");
        shown = true;
        const to = target(at, event);
        view.showDraft(this.draftPath(begin, at, to));
        view.showHalos([
          ...this.fits(begin),
          ...(to ? [{ port: to.port, name: "near", node: to.node.name }] : []),
        ]);
      },
      drop: (at, event) => {
        clear();
        this.finishLine(begin, target(at, event), at, known?.link.to);
      },
      cancel: clear,
    };
  }

  // On the body of a node: the one port that fits, or the first that is free.
  private onlyPort(from: PortHit, at: Point): PortHit | undefined {
    const hit = hitAt(this.sheet.wiring, [], at[0], at[1], 1);
    if (hit?.kind !== "node" || hit.node === from.node) return undefined;
    const { geometry, name } = hit.node;
    const ports = from.port.input ? geometry.outputs : geometry.inputs;
    const free = ports.find(
      (p) => !this.sheet.wiring.connected(name).has(`${p.input ? "i" : "o"}${p.index}`),
    );
    const port = free ?? (ports.length === 1 ? ports[0] : undefined);
    return port && { kind: "port", node: hit.node, port };
  }

  private sourceOf(key: string): PortHit | undefined {
    const wire = this.sheet.wiring.wires.get(key);
    const node = wire && this.sheet.wiring.nodes.get(wire.node);
    return node && wire.source ? { kind: "port", node, port: wire.source } : undefined;
  }

  private finishLine(
    from: PortHit,
    to: PortHit | undefined,
    at: Point,
    off: string | undefined,
  ): void {
    const { sheet } = this;
    if (to) {
      if (off !== undefined && sheet.wiring.into(to.node.name, to.port.index)?.link.to === off)
        return;
      const why = actions.join(sheet, from, to, off);
      if (why !== undefined) sheet.options.onSay?.(why);
    } else if (off !== undefined)
      sheet.change("disconnect", (d) => lines.disconnect(d, sheet.level, off));
    else this.context.insertAt(at, { from });
  }

  private branching(hit: LineHit): Gesture {
    const source = this.sourceOf(hit.wire.key);
    if (!source) return this.lasso(false);
    const { view } = this.sheet;
    const inner = this.drawing(source);
    return {
      ...inner,
      move: (at, event) => {
        inner.move(at, event);
        const to = portAt(this.sheet.wiring, at[0], at[1], 16 / this.sheet.camera.scale);
        const points = this.sheet.wiring.wires.get(hit.wire.key)?.legs[
          hit.wire.links.indexOf(hit.link)
        ]?.points;
        const level = points?.[hit.segment]?.[1] === points?.[hit.segment + 1]?.[1];
        const out: Direction = level ? (at[1] > hit.at[1] ? 1 : 3) : at[0] > hit.at[0] ? 0 : 2;
        const begin = {
          port: { x: snap(hit.at[0]), y: snap(hit.at[1]), out, input: false },
        };
        view.showDraft(this.draftPath(begin, at, to?.port.input ? to : undefined));
      },
      click: () => this.choose(hit, false),
    };
  }

  // A piece of a selected line is moved sideways; where it is put it stays.
  private bending(hit: LineHit): Gesture {
    const { sheet } = this;
    const index = hit.wire.links.indexOf(hit.link);
    const points = hit.wire.legs[index]?.points ?? [];
    const [a, b] = [points[hit.segment], points[hit.segment + 1]];
    if (!a || !b) return this.lasso(false);
    const level = a[1] === b[1];
    const bent = (at: Point): Point[] => {
      const list = points.map((p): Point => p);
      const move = (p: Point): Point => (level ? [p[0], snap(at[1])] : [snap(at[0]), p[1]]);
      list[hit.segment] = move(a);
      list[hit.segment + 1] = move(b);
      if (hit.segment === 0) list.unshift(a);
      if (hit.segment + 2 >= points.length) list.push(b);
      return list;
    };
    return {
      move: (at) => sheet.view.showDraft(roundedPath(bent(at))),
      drop: (at) => {
        sheet.view.showDraft(undefined);
        const pin: Point = level
          ? [snap((a[0] + b[0]) / 2), snap(at[1])]
          : [snap(at[0]), snap((a[1] + b[1]) / 2)];
        sheet.change("lead the line", (d) => lines.pinLine(d, sheet.level, hit.link.to, [pin]));
      },
      click: () => this.choose(hit, false),
      cancel: () => sheet.view.showDraft(undefined),
    };
  }

  // ---------------------------------------------------------------------------- tap and tap

  private arm(hit: PortHit): void {
    this.armed = hit;
    this.sheet.view.element.classList.add("drawing");
    this.sheet.view.showHalos([
      { port: hit.port, name: "armed", node: hit.node.name },
      ...this.fits(hit),
    ]);
    this.sheet.options.onSay?.("now the other port");
    this.sheet.view.say(`line from ${hit.node.name}: choose the other port, Escape to give up`);
  }
  private disarm(): void {
    if (!this.armed) return;
    this.armed = undefined;
    this.sheet.view.element.classList.remove("drawing");
    this.sheet.view.showHalos([]);
    this.sheet.view.showDraft(undefined);
  }
  private finishArmed(hit: Hit | undefined, at: Point): void {
    const from = this.armed!;
    this.disarm();
    const to =
      hit?.kind === "port" ? hit : hit?.kind === "node" ? this.onlyPort(from, at) : undefined;
    if (to && to.port === from.port) return;
    if (to) this.finishLine(from, to, at, undefined);
    else this.choose(hit, false);
  }
}

function toggled<T>(set: ReadonlySet<T>, value: T): Set<T> {
  const result = new Set(set);
  if (!result.delete(value)) result.add(value);
  return result;
}
const distance = (a: Point, b: Point): number => Math.hypot(a[0] - b[0], a[1] - b[1]);
const middle = (a: Point, b: Point): Point => [(a[0] + b[0]) / 2, (a[1] + b[1]) / 2];

function nodeCorner(sheet: Sheet, name: string): Point {
  const { x, y } = sheet.wiring.nodes.get(name)!.geometry.box;
  return [x, y];
}

// The side from which a line that is being drawn comes to the pointer.
function facing(
  port: { x: number; y: number; out: Direction; input: boolean },
  at: Point,
): Direction {
  if (port.out % 2 === 0)
    return at[0] >= port.x === (port.out === 0) ? (((port.out + 2) % 4) as Direction) : port.out;
  return at[1] >= port.y === (port.out === 1) ? (((port.out + 2) % 4) as Direction) : port.out;
}
