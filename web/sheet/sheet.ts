// The sheet's state: which diagram is open, what is selected, where the camera is; and how a change of
// the document becomes a picture.
import type { Desk, SheetOptions, SheetSight } from "../app/contracts.ts";
import { levelAt, levelOf, levelPath, nodesOf, notesOf } from "../document/diagram.ts";
import type { Level, NoteData } from "../document/diagram.ts";
import type { Change, Draft, JsonDocument } from "../document/document.ts";
import { at, isObject } from "../document/json.ts";
import type { Json } from "../document/json.ts";
import { Camera } from "./camera.ts";
import { locate } from "./diagnostics.ts";
import type { Fault } from "./diagnostics.ts";
import { around, overlaps } from "./geometry.ts";
import type { Box, Point } from "./geometry.ts";
import { noteBox } from "./hit.ts";
import { Kinds } from "./kinds.ts";
import { View } from "./view.ts";
import { Wiring } from "./wiring.ts";
import type { Changes } from "./wiring.ts";
import type { Diagnostic } from "../engine/protocol.ts";

export interface Selection {
  readonly nodes: ReadonlySet<string>;
  readonly notes: ReadonlySet<number>;
  /** A line: its output, and the input if only the way to one end is meant. */
  readonly wire: { readonly key: string; readonly to: string } | undefined;
}
export const nothing: Selection = { nodes: new Set(), notes: new Set(), wire: undefined };

/** Pixels at the bottom that the tools take. */
const TOOLS = 44;
/** Milliseconds for the first drawing of a diagram: most are whole at once. */
const FIRST = 60;
/** More nodes than this are dragged as one. */
const MANY = 40;
/** Milliseconds of a frame that the search for routes may take. */
const ROUTING = 4;
let sheets = 0;

export class Sheet {
  readonly doc: JsonDocument;
  readonly desk: Desk;
  readonly options: SheetOptions;
  readonly camera = new Camera();
  readonly view: View;
  kinds = new Kinds([]);
  wiring = new Wiring(this.kinds);
  level: Level = [];
  selection: Selection = nothing;
  notes: readonly NoteData[] = [];
  faults: readonly Fault[] = [];
  /** Nodes that a gesture holds elsewhere than the document has them. */
  held: Map<string, Point> | undefined;
  private readonly cameras: SheetSight["cameras"];
  private readonly listeners = new Set<() => void>();
  private readonly drawn = new Set<() => void>();
  private frame = 0;
  private polished = new Set<string>();
  private diagnoses: readonly Diagnostic[] = [];
  private readonly stop: () => void;
  private fitted = false;

  constructor(element: HTMLElement, doc: JsonDocument, desk: Desk, options: SheetOptions) {
    this.doc = doc;
    this.desk = desk;
    this.options = options;
    this.cameras = options.sight?.cameras ?? new Map<string, readonly [number, number, number]>();
    const level = options.sight?.level ?? [];
    if (levelPath(doc.root, level)) this.level = level;
    this.view = new View(element, `sheet${sheets++}-`);
    this.stop = doc.subscribe((change) => this.follow(change));
  }
  destroy(): void {
    const { sight } = this.options;
    if (sight && this.fitted) {
      this.cameras.set(this.level.join("\0"), this.camera.state);
      sight.level = this.level;
    }
    this.stop();
    cancelAnimationFrame(this.frame);
  }

  /** Calls `hear` when the selection, the level, the document or the faults are others. */
  onChange(hear: () => void): () => void {
    this.listeners.add(hear);
    return () => this.listeners.delete(hear);
  }
  /** Calls `hear` when nodes, lines or the camera have moved. */
  onDraw(hear: () => void): () => void {
    this.drawn.add(hear);
    return () => this.drawn.delete(hear);
  }
  private tell(): void {
    for (const hear of [...this.listeners]) hear();
  }
  redraw(): void {
    this.view.place(this.camera);
    for (const hear of [...this.drawn]) hear();
  }

  get diagram(): Json | undefined {
    return levelAt(this.doc.root, this.level);
  }
  get readonly(): boolean {
    return this.options.readonly === true;
  }

  setKinds(kinds: Kinds): void {
    this.kinds = kinds;
    this.rebuild();
    if (!this.fitted) this.look();
  }
  /** As it was looked at before, or all of it. */
  look(): void {
    const known = this.cameras.get(this.level.join("\0"));
    if (!known) {
      this.fit();
      return;
    }
    this.camera.state = known;
    this.fitted = this.view.width > 0;
    this.redraw();
  }

  // ---------------------------------------------------------------------------------- following

  /** A command on the document. */
  change<T>(label: string, recipe: (draft: Draft) => T, gesture?: string): T | undefined {
    if (this.readonly) return undefined;
    return this.doc.change(label, recipe, gesture === undefined ? {} : { gesture });
  }

  private follow(change: Change): void {
    if (change.by !== "command") this.travel(change);
    if (!levelPath(this.doc.root, this.level)) {
      this.open(this.level.slice(0, -1));
      return;
    }
    this.refresh();
  }

  // Undo goes to where it changes something.
  private travel(change: Change): void {
    const path = change.edits[0]?.path ?? [];
    if (path[0] !== "nodes" && path[0] !== "lines" && path[0] !== "notes") return;
    const level = levelOf(this.doc.root, path);
    if (level.join("/") !== this.level.join("/")) this.open(level);
  }

  /** Draws what has changed. */
  refresh(budget = ROUTING): void {
    const changes = this.wiring.update(this.diagram, this.doc.root, this.held);
    this.show(changes, budget);
    const notes = notesOf(this.diagram);
    if (notes.length || this.notes.length) this.view.drawNotes(notes);
    this.notes = notes;
    this.selection = this.cleaned(this.selection);
    this.showSelection();
    this.showFaults();
    this.tell();
    this.redraw();
  }

  /** Nodes are held elsewhere, all by the same way: only they and their lines are drawn. */
  hold(places: Map<string, Point> | undefined, shift: Point = [0, 0]): void {
    if (places && places.size > MANY) {
      this.lift(places, shift);
      return;
    }
    this.held = places;
    const changes = this.wiring.update(this.diagram, this.doc.root, places);
    for (const key of this.wiring.settle(ROUTING, true)) changes.wires.add(key);
    for (const name of changes.nodes) {
      const node = this.wiring.nodes.get(name);
      if (node) this.view.moveNode(node);
    }
    for (const key of changes.wires) {
      this.drawWire(key);
      this.polished.add(key);
    }
    if (this.wiring.pending) this.later();
    for (const hear of [...this.drawn]) hear();
  }

  private drawWire(key: string): void {
    const wire = this.wiring.wires.get(key);
    if (wire) this.view.drawWire(wire);
  }

  // Very many at once are one group that is moved as a whole.
  private lift(places: Map<string, Point>, shift: Point): void {
    if (!this.view.lifted) this.view.lift(places.keys(), this.wiring.within(places));
    this.view.shift(shift);
    for (const wire of this.wiring.stretched(places, shift)) this.view.drawWire(wire);
  }

  private show(changes: Changes, budget: number): void {
    this.view.unlift();
    for (const key of this.wiring.settle(budget)) changes.wires.add(key);
    this.view.sync(this.wiring, changes, this.kinds);
    for (const key of changes.wires) this.polished.add(key);
    if (this.wiring.pending || this.polished.size) this.later();
  }

  // Routes that had no time yet, some in each frame; at the end once more those that run along others.
  private later(): void {
    if (this.frame) return;
    this.frame = requestAnimationFrame(() => {
      this.frame = 0;
      const found = this.wiring.settle(ROUTING * 2, this.held !== undefined);
      for (const key of found) this.drawWire(key);
      if (found.size) this.redraw();
      if (!this.wiring.pending && !this.held && this.polished.size) {
        this.wiring.polish(this.polished);
        this.polished.clear();
      }
      if (this.wiring.pending) this.later();
    });
  }

  /** Everything anew: another level, other types of nodes. */
  rebuild(): void {
    this.wiring = new Wiring(this.kinds);
    this.view.clear();
    this.held = undefined;
    this.refresh(FIRST);
    this.view.place(this.camera);
  }

  // ---------------------------------------------------------------------------------- the level

  open(level: Level): void {
    if (!levelPath(this.doc.root, level)) return;
    this.cameras.set(this.level.join("\0"), this.camera.state);
    this.level = level;
    this.selection = nothing;
    this.rebuild();
    this.look();
    this.view.say(level.length ? `inside of ${level.at(-1)}` : "the whole diagram");
  }
  /** Whether a node has a diagram that can be opened. */
  opens(name: string): boolean {
    return isObject(levelAt(this.doc.root, [...this.level, name]));
  }

  // --------------------------------------------------------------------------------- the camera

  extent(): Box | undefined {
    const boxes = [...this.wiring.nodes.values()].map(({ geometry: { box } }) => ({
      ...box,
      h: box.h + 20,
    }));
    return around([...boxes, ...this.notes.map(noteBox)], 40);
  }
  fit(): void {
    const { width, height } = this.view;
    if (!this.wiring.nodes.size && !this.notes.length) {
      this.camera.state = [0, 0, 1];
    } else this.camera.fit(this.extent(), width, Math.max(height - TOOLS, height / 2));
    this.fitted = width > 0 && this.kinds.list.length > 0;
    this.redraw();
  }
  /** The part of the screen that a node takes, in the sheet's element. */
  centre(): Point {
    return this.camera.toSheet(this.view.width / 2, this.view.height / 2);
  }
  /** Brings a box into sight. */
  reveal(box: Box): void {
    const { width, height } = this.view;
    const seen = this.camera.seen(width, height);
    const inner = { x: seen.x + 20, y: seen.y + 20, w: seen.w - 40, h: seen.h - 40 };
    if (overlaps(inner, box)) return;
    const { scale } = this.camera;
    this.camera.x = width / 2 - (box.x + box.w / 2) * scale;
    this.camera.y = height / 2 - (box.y + box.h / 2) * scale;
    this.redraw();
  }

  // ------------------------------------------------------------------------------ the selection

  select(selection: Partial<Selection>): void {
    this.selection = this.cleaned({ ...nothing, ...selection });
    this.showSelection();
    this.options.onSelect?.([...this.selection.nodes]);
    this.tell();
  }
  selectNodes(names: Iterable<string>): void {
    this.select({ nodes: new Set(names) });
  }
  private cleaned(selection: Selection): Selection {
    const { nodes, notes, wire } = selection;
    const count = this.notes.length;
    return {
      nodes: new Set([...nodes].filter((name) => this.wiring.nodes.has(name))),
      notes: new Set([...notes].filter((i) => i < count)),
      wire: wire && this.wiring.wires.has(wire.key) ? wire : undefined,
    };
  }
  private showSelection(): void {
    const { nodes, notes, wire } = this.selection;
    this.view.select(nodes, wire?.key, notes, this.notes);
  }
  /** Says what is selected, for who hears it. */
  announce(): void {
    const [name] = this.selection.nodes;
    const node = name === undefined ? undefined : this.wiring.nodes.get(name);
    if (!node || this.selection.nodes.size !== 1) return;
    const fault = this.faults.find((f) => f.node === name && f.here);
    const to = [...this.wiring.wires.values()]
      .filter((wire) => wire.node === name)
      .flatMap((wire) => wire.links.map((link) => link.node));
    const from = [...this.wiring.wires.values()]
      .filter((wire) => wire.links.some((link) => link.node === name))
      .map((wire) => wire.node);
    this.view.say(
      `${node.name}, ${node.data.type}` +
        (from.length ? `, from ${from.join(", ")}` : "") +
        (to.length ? `, to ${to.join(", ")}` : "") +
        (fault ? `. ${fault.text}` : ""),
    );
  }

  // -------------------------------------------------------------------------------------- faults

  diagnose(list: readonly Diagnostic[]): void {
    this.diagnoses = list;
    this.showFaults();
    this.tell();
  }
  private showFaults(): void {
    this.faults = locate(this.diagnoses, this.doc.root, this.doc.text(), this.level);
    const empty = nodesOf(at(this.doc.root, [])).length === 0;
    const here = empty ? [] : this.faults.filter((fault) => fault.here);
    const nodes = new Map(
      here.flatMap((f) => (f.node === undefined ? [] : [[f.node, f.text] as const])),
    );
    const wires = new Set(here.flatMap((f) => f.wire ?? []));
    this.view.fault(nodes, wires);
    this.view.showFaults(
      here.flatMap((fault) => {
        const node = fault.node === undefined ? undefined : this.wiring.nodes.get(fault.node);
        if (!node) return [];
        const { box, inputs, outputs } = node.geometry;
        const port = fault.port && (fault.port.input ? inputs : outputs)[fault.port.index];
        return port ?? { x: box.x + box.w, y: box.y };
      }),
    );
  }
}
