// The sheet in the page: one SVG under one CSS transform. What has changed is written, nothing is read.
import type { NoteData } from "../document/diagram.ts";
import type { Camera } from "./camera.ts";
import { boxBetween } from "./geometry.ts";
import type { Box, Point, Port } from "./geometry.ts";
import type { Kinds } from "./kinds.ts";
import { nodeMarkup, noteMarkup, portKey, wireMarkup } from "./markup.ts";
import type { Changes, SheetNode, Wire, Wiring } from "./wiring.ts";

const SVG = "http://www.w3.org/2000/svg";

export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string | number>> = {},
  parent?: Element,
): SVGElementTagNameMap[K] {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  parent?.append(element);
  return element;
}
export function html<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string>> = {},
  parent?: Element,
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  parent?.append(element);
  return element;
}

interface WireElements {
  readonly group: SVGGElement;
  readonly line: SVGPathElement;
  readonly heads: SVGPathElement;
}

export class View {
  /** The focusable sheet. */
  readonly element: HTMLElement;
  readonly world: HTMLElement;
  readonly svg: SVGSVGElement;
  readonly overlay: SVGGElement;
  private readonly notes: SVGGElement;
  private readonly wires: SVGGElement;
  private readonly nodes: SVGGElement;
  private readonly status: HTMLElement;
  private readonly nodeElements = new Map<string, SVGGElement>();
  private readonly nodeMarkups = new Map<string, string>();
  private readonly wireElements = new Map<string, WireElements>();
  private noteElements: SVGGElement[] = [];
  private readonly prefix: string;
  private count = 0;
  width = 0;
  height = 0;

  constructor(frame: HTMLElement, prefix: string) {
    this.prefix = prefix;
    this.element = html(
      "div",
      {
        class: "sheet-surface",
        tabindex: "0",
        role: "application",
        "aria-roledescription": "diagram sheet",
        "aria-label":
          "Diagram. Arrows walk from node to node, Enter opens, slash inserts, question mark shows all keys.",
      },
      frame,
    );
    this.world = html("div", { class: "sheet-world" }, this.element);
    this.svg = svg("svg", { class: "sheet-svg", width: 1, height: 1 }, this.world);
    this.wires = svg("g", { class: "wires" }, this.svg);
    this.notes = svg("g", { class: "notes" }, this.svg);
    this.nodes = svg("g", { class: "nodes" }, this.svg);
    this.overlay = svg("g", { class: "overlay" }, this.svg);
    this.status = html("div", { class: "sheet-status", role: "status" }, frame);
  }

  /** Says something to who does not see the sheet. */
  say(text: string): void {
    this.status.textContent = text;
  }

  place(camera: Camera): void {
    const { x, y, scale } = camera;
    this.world.style.transform = `translate(${x}px, ${y}px) scale(${scale})`;
    const step = 20 * scale * (scale < 0.4 ? 4 : 1);
    this.element.style.backgroundSize = `${step}px ${step}px`;
    this.element.style.backgroundPosition = `${x - step / 2}px ${y - step / 2}px`;
  }
  resize(width: number, height: number): void {
    [this.width, this.height] = [width, height];
  }

  // ------------------------------------------------------------------------------------- content

  clear(): void {
    this.nodes.replaceChildren();
    this.wires.replaceChildren();
    this.notes.replaceChildren();
    this.overlay.replaceChildren();
    this.held?.remove();
    this.held = undefined;
    this.nodeElements.clear();
    this.nodeMarkups.clear();
    this.wireElements.clear();
    this.noteElements = [];
  }

  sync(wiring: Wiring, changes: Changes, kinds: Kinds): void {
    for (const name of changes.gone) this.dropNode(name);
    for (const key of changes.lost) this.dropWire(key);
    for (const key of changes.wires) {
      const wire = wiring.wires.get(key);
      if (wire) this.drawWire(wire);
      else this.dropWire(key);
    }
    // ports are open or not by the lines
    const around = new Set(changes.nodes);
    if (changes.wires.size || changes.lost.size)
      for (const node of wiring.nodes.keys())
        if (changes.wires.size > 40 || this.mayDiffer(wiring, node, changes)) around.add(node);
    for (const name of around) {
      const node = wiring.nodes.get(name);
      if (node) this.drawNode(node, wiring.connected(name), kinds);
    }
  }

  private mayDiffer(wiring: Wiring, name: string, changes: Changes): boolean {
    if (changes.lost.size) return true;
    for (const key of changes.wires) {
      const wire = wiring.wires.get(key);
      if (wire?.node === name || wire?.links.some((link) => link.node === name)) return true;
    }
    return false;
  }

  drawNode(node: SheetNode, connected: ReadonlySet<string>, kinds: Kinds, shown?: string): void {
    let element = this.nodeElements.get(node.name);
    if (!element) {
      element = svg(
        "g",
        { class: "node", role: "img", id: `${this.prefix}${this.count++}` },
        this.nodes,
      );
      this.nodeElements.set(node.name, element);
    }
    const markup = nodeMarkup(node, connected, kinds, shown);
    if (this.nodeMarkups.get(node.name) !== markup) {
      this.nodeMarkups.set(node.name, markup);
      element.innerHTML = markup;
      element.setAttribute("aria-label", `${node.name}, ${node.data.type}`);
    }
    this.moveNode(node);
  }
  moveNode(node: SheetNode): void {
    const { x, y, w, h } = node.geometry.box;
    this.nodeElements
      .get(node.name)
      ?.setAttribute("transform", `translate(${x + w / 2} ${y + h / 2})`);
  }
  private dropNode(name: string): void {
    this.nodeElements.get(name)?.remove();
    this.nodeElements.delete(name);
    this.nodeMarkups.delete(name);
  }
  nodeElement(name: string): SVGGElement | undefined {
    return this.nodeElements.get(name);
  }

  drawWire(wire: Wire): void {
    const { key } = wire;
    let elements = this.wireElements.get(key);
    if (!elements) {
      const group = svg("g", { class: "wire" }, this.wires);
      const line = svg("path", { class: "line" }, group);
      const heads = svg("path", { class: "heads" }, group);
      elements = { group, line, heads };
      this.wireElements.set(key, elements);
    }
    const { line, heads, dots } = wireMarkup(wire);
    elements.line.setAttribute("d", line);
    elements.heads.setAttribute("d", heads + dots);
    if (wire.color) {
      elements.group.style.setProperty("--wire", wireColor(wire.color));
    } else elements.group.style.removeProperty("--wire");
  }
  private dropWire(key: string): void {
    this.wireElements.get(key)?.group.remove();
    this.wireElements.delete(key);
  }

  private held: SVGGElement | undefined;
  get lifted(): boolean {
    return this.held !== undefined;
  }
  /** Takes nodes and lines together into one group. */
  lift(nodes: Iterable<string>, wires: Iterable<string>): void {
    this.held = svg("g", { class: "held" }, this.svg);
    for (const key of wires) {
      const group = this.wireElements.get(key)?.group;
      if (group) this.held.append(group);
    }
    for (const name of nodes) {
      const element = this.nodeElements.get(name);
      if (element) this.held.append(element);
    }
  }
  shift([dx, dy]: Point): void {
    this.held?.setAttribute("transform", `translate(${dx} ${dy})`);
  }
  unlift(): void {
    if (!this.held) return;
    for (const element of [...this.held.children])
      (element.classList.contains("wire") ? this.wires : this.nodes).append(element);
    this.held.remove();
    this.held = undefined;
  }

  drawNotes(notes: readonly NoteData[]): void {
    while (this.noteElements.length > notes.length) this.noteElements.pop()!.remove();
    notes.forEach((note, i) => {
      const element = (this.noteElements[i] ??= svg("g", { class: "note" }, this.notes));
      element.innerHTML = noteMarkup(note.text);
      this.moveNote(i, note.position);
    });
  }
  moveNote(i: number, [x, y]: Point): void {
    this.noteElements[i]?.setAttribute("transform", `translate(${x} ${y})`);
  }

  // --------------------------------------------------------------------------------- states

  select(
    nodes: ReadonlySet<string>,
    wire: string | undefined,
    notes: ReadonlySet<number>,
    noteList: readonly NoteData[],
  ): void {
    for (const [name, element] of this.nodeElements)
      element.classList.toggle("selected", nodes.has(name));
    for (const [key, { group }] of this.wireElements)
      group.classList.toggle("selected", key === wire);
    this.noteElements.forEach((element, i) =>
      element.classList.toggle("selected", notes.has(noteList[i]?.index ?? -1)),
    );
    const only = nodes.size === 1 ? this.nodeElements.get([...nodes][0]!) : undefined;
    if (only) this.element.setAttribute("aria-activedescendant", only.id);
    else this.element.removeAttribute("aria-activedescendant");
  }
  fault(nodes: ReadonlyMap<string, string>, wires: ReadonlySet<string>): void {
    for (const [name, element] of this.nodeElements) {
      const text = nodes.get(name);
      element.classList.toggle("wrong", text !== undefined);
      const label = element.getAttribute("aria-label")?.split(" — ")[0] ?? "";
      element.setAttribute("aria-label", text === undefined ? label : `${label} — ${text}`);
    }
    for (const [key, { group }] of this.wireElements)
      group.classList.toggle("wrong", wires.has(key));
  }
  mark(key: string | undefined, name: "target" | "hover"): void {
    for (const [wire, { group }] of this.wireElements) group.classList.toggle(name, wire === key);
  }

  // ------------------------------------------------------------------------------------- overlay

  private rubber: SVGRectElement | undefined;
  showRubber(from: Point | undefined, to?: Point): void {
    if (!from || !to) {
      this.rubber?.remove();
      this.rubber = undefined;
      return;
    }
    this.rubber ??= svg("rect", { class: "rubber" }, this.overlay);
    const { x, y, w, h } = boxBetween(from, to);
    for (const [name, value] of Object.entries({ x, y, width: w, height: h }))
      this.rubber.setAttribute(name, String(value));
  }
  private draft: SVGPathElement | undefined;
  showDraft(d: string | undefined): void {
    if (d === undefined) {
      this.draft?.remove();
      this.draft = undefined;
      return;
    }
    this.draft ??= svg("path", { class: "draft" }, this.overlay);
    this.draft.setAttribute("d", d);
  }
  private readonly halos = new Map<string, SVGCircleElement>();
  /** Rings around ports: the one that is pointed at, and those that would fit. */
  showHalos(
    list: readonly { readonly port: Port; readonly name: string; readonly node: string }[],
  ): void {
    const wanted = new Map(list.map((h) => [`${h.node}/${portKey(h.port)}/${h.name}`, h]));
    for (const [key, element] of this.halos)
      if (!wanted.has(key)) {
        element.remove();
        this.halos.delete(key);
      }
    for (const [key, { port, name }] of wanted) {
      if (this.halos.has(key)) continue;
      const { x: cx, y: cy } = port;
      this.halos.set(key, svg("circle", { class: `halo ${name}`, cx, cy, r: 9 }, this.overlay));
    }
  }
  private guides: SVGPathElement | undefined;
  showGuides(d: string): void {
    this.guides ??= svg("path", { class: "guide" }, this.overlay);
    this.guides.setAttribute("d", d);
  }
  private faults: SVGGElement | undefined;
  /** Badges at what is wrong: the corner of a node, or a port. */
  showFaults(list: readonly { readonly x: number; readonly y: number }[]): void {
    this.faults?.remove();
    this.faults = svg("g", { class: "faults" }, this.overlay);
    for (const { x, y } of list) {
      const g = svg("g", { class: "fault", transform: `translate(${x} ${y})` }, this.faults);
      svg("circle", { r: 7 }, g);
      svg("path", { d: "M0 -3.4V0.8M0 3.1V3.2" }, g);
    }
  }
  ghost: SVGGElement | undefined;
  /** A node that is being brought from the palette. */
  showGhost(box: Box | undefined): void {
    if (!box) {
      this.ghost?.remove();
      this.ghost = undefined;
      return;
    }
    if (!this.ghost) {
      this.ghost = svg("g", { class: "ghost" }, this.overlay);
      svg("rect", { rx: 6, width: box.w, height: box.h }, this.ghost);
    }
    this.ghost.setAttribute("transform", `translate(${box.x} ${box.y})`);
  }
}

const named = new Set(["s1", "s2", "s3", "s4", "s5", "s6"]);
/** Colours of lines: one of the signals' colours by name, so that it fits both themes, or any other. */
export function wireColor(color: string): string {
  if (named.has(color)) return `var(--${color})`;
  return /^#[0-9a-fA-F]{3,8}$|^[a-zA-Z]+$/.test(color) ? color : "var(--ink)";
}
