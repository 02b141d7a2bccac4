// The palette: all types of nodes by sets, with a search. A click inserts, a drag brings to a place.
import { insert, boxOfNew } from "./actions.ts";
import { rank } from "./chooser.ts";
import { fedThrough, lineAt } from "./hit.ts";
import type { NodeKind } from "./kinds.ts";
import { paletteMarkup } from "./markup.ts";
import type { Sheet } from "./sheet.ts";
import { html } from "./view.ts";
import { snap } from "./geometry.ts";

export class Palette {
  private readonly element: HTMLElement;
  private readonly list: HTMLElement;
  private readonly input: HTMLInputElement;
  private readonly sheet: Sheet;
  private readonly closed = new Set<string>();

  constructor(parent: HTMLElement, sheet: Sheet) {
    this.sheet = sheet;
    this.element = html("div", { class: "sheet-palette" }, parent);
    const field = html("label", { class: "search" }, this.element);
    this.input = html(
      "input",
      {
        type: "search",
        placeholder: "Search nodes",
        "aria-label": "Search nodes",
        spellcheck: "false",
      },
      field,
    );
    this.list = html("div", { class: "sets" }, this.element);
    this.input.addEventListener("input", () => this.show());
    this.input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.list.querySelector<HTMLElement>("button.item")?.click();
      if (event.key === "Escape") this.sheet.view.element.focus();
      event.stopPropagation();
    });
    this.show();
  }
  destroy(): void {
    this.element.remove();
  }
  focus(): void {
    this.input.focus();
    this.input.select();
  }

  show(): void {
    const { kinds, level } = this.sheet;
    const query = this.input.value.trim();
    this.input.placeholder = `Search ${kinds.list.length} nodes`;
    const inside = level.length > 0;
    const sets = new Map<string, { kind: NodeKind; score: number }[]>();
    for (const kind of kinds.list) {
      const score = rank(query, kind.name, kind.about);
      const port = kind.name === "Input Port" || kind.name === "Output Port";
      if (score === undefined || (port && !inside)) continue;
      sets.set(kind.set, [...(sets.get(kind.set) ?? []), { kind, score }]);
    }
    if (query) {
      const all = [...sets.values()].flat().sort((a, b) => a.score - b.score);
      const text = all.length ? `${all.length} found` : "nothing has this name";
      this.list.replaceChildren(
        this.section(
          text,
          all.map((s) => s.kind),
          true,
        ),
      );
      return;
    }
    this.list.replaceChildren(
      ...[...sets].map(([name, list], i) =>
        this.section(
          name,
          list.map((s) => s.kind),
          !this.closed.has(name) && (i === 0 || this.closed.has(`+${name}`)),
        ),
      ),
    );
  }

  private section(name: string, kinds: readonly NodeKind[], open: boolean): HTMLElement {
    const section = html("section", { class: "set" });
    const head = html(
      "button",
      { type: "button", class: "set-name", "aria-expanded": String(open) },
      section,
    );
    html("span", {}, head).textContent = name;
    if (!this.input.value.trim())
      html("span", { class: "count" }, head).textContent = String(kinds.length);
    const grid = html("div", { class: "items" }, section);
    const fill = (): void => {
      if (!grid.childElementCount) grid.append(...kinds.map((kind) => this.item(kind)));
    };
    grid.hidden = !open;
    if (open) fill();
    head.addEventListener("click", () => {
      grid.hidden = !grid.hidden;
      fill();
      head.setAttribute("aria-expanded", String(!grid.hidden));
      this.closed.delete(grid.hidden ? `+${name}` : name);
      this.closed.add(grid.hidden ? name : `+${name}`);
    });
    return section;
  }

  private item(kind: NodeKind): HTMLElement {
    const item = html("button", { type: "button", class: "item", title: kind.about });
    item.innerHTML = paletteMarkup(kind.name, this.sheet.kinds);
    html("span", {}, item).textContent = kind.name;
    let from: { x: number; y: number } | undefined;
    let dragging = false;
    item.addEventListener("pointerdown", (event) => {
      if (event.button !== 0 || event.pointerType === "touch") return;
      from = { x: event.clientX, y: event.clientY };
      dragging = false;
      item.setPointerCapture(event.pointerId); // a quick drag leaves it at once
    });
    item.addEventListener("pointermove", (event) => {
      if (!from || this.sheet.readonly) return;
      if (!dragging && Math.hypot(event.clientX - from.x, event.clientY - from.y) < 4) return;
      dragging = true;
      this.carry(kind, event);
    });
    const end = (event: PointerEvent): void => {
      if (dragging && event.type === "pointerup") this.drop(kind, event);
      this.sheet.view.showGhost(undefined);
      this.sheet.view.mark(undefined, "target");
      from = undefined;
    };
    item.addEventListener("pointerup", end);
    item.addEventListener("pointercancel", end);
    item.addEventListener("click", (event) => {
      // the second click of a double click inserts nothing more; nor does the end of a drag
      if (dragging || event.detail > 1 || this.sheet.readonly) return void (dragging = false);
      const name = insert(this.sheet, kind.name);
      const box = name === undefined ? undefined : this.sheet.wiring.nodes.get(name)?.geometry.box;
      if (box) this.sheet.reveal(box);
      this.sheet.view.say(`${kind.name} inserted`);
    });
    return item;
  }

  private at(event: PointerEvent): readonly [number, number] | undefined {
    const rect = this.sheet.view.element.getBoundingClientRect();
    const [x, y] = [event.clientX - rect.left, event.clientY - rect.top];
    if (x < 0 || y < 0 || x > rect.width || y > rect.height) return undefined;
    return this.sheet.camera.toSheet(x, y);
  }
  private lineUnder(kind: NodeKind, at: readonly [number, number]): ReturnType<typeof lineAt> {
    return kind.inputs.length && kind.outputs.length
      ? lineAt(this.sheet.wiring, at[0], at[1], 12)
      : undefined;
  }
  private carry(kind: NodeKind, event: PointerEvent): void {
    const at = this.at(event);
    const { view } = this.sheet;
    if (!at) {
      view.showGhost(undefined);
      return;
    }
    const { w, h } = boxOfNew(this.sheet, kind.name, [0, 0]);
    view.showGhost({ x: snap(at[0] - w / 2), y: snap(at[1] - h / 2), w, h });
    view.mark(this.lineUnder(kind, at)?.wire.key, "target");
  }
  private drop(kind: NodeKind, event: PointerEvent): void {
    const at = this.at(event);
    if (!at) return;
    const line = this.lineUnder(kind, at);
    insert(this.sheet, kind.name, { at, ...(line ? { into: fedThrough(line) } : {}) });
    this.sheet.view.element.focus({ preventScroll: true });
  }
}
