// Names and notes written where they stand.
import * as commands from "../document/commands.ts";
import type { Point } from "../document/places.ts";
import type { Sheet } from "./sheet.ts";
import { html } from "./view.ts";

interface EditOptions {
  readonly label: string;
  readonly value: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly rows?: number;
  /** Why a text cannot be taken. */
  readonly refuse?: (text: string) => string | undefined;
  readonly take: (text: string) => void;
}

export class Editor {
  private readonly frame: HTMLElement;
  private readonly sheet: Sheet;
  private finish: ((keep: boolean) => void) | undefined;

  constructor(frame: HTMLElement, sheet: Sheet) {
    this.frame = frame;
    this.sheet = sheet;
  }

  private open(options: EditOptions): void {
    this.finish?.(true);
    const { rows } = options;
    const box = html("div", { class: "sheet-editor" }, this.frame);
    const attributes = { "aria-label": options.label, spellcheck: rows ? "true" : "false" };
    const field = rows
      ? html("textarea", { ...attributes, rows: String(rows) }, box)
      : html("input", { ...attributes, type: "text" }, box);
    const why = html("div", { class: "why", role: "alert" }, box);
    field.value = options.value;
    box.style.left = `${options.x}px`;
    box.style.top = `${options.y}px`;
    field.style.width = `${options.width}px`;
    let ended = false;
    const finish = (keep: boolean): void => {
      if (ended) return;
      const text = field.value;
      const refused = keep && text !== options.value ? options.refuse?.(text) : undefined;
      ended = true;
      this.finish = undefined;
      box.remove();
      if (keep && refused === undefined && text !== options.value) options.take(text);
      if (refused !== undefined) this.sheet.options.onSay?.(refused);
    };
    this.finish = finish;
    field.addEventListener("input", () => {
      const refused = field.value === options.value ? undefined : options.refuse?.(field.value);
      why.textContent = refused ?? "";
      field.setAttribute("aria-invalid", String(refused !== undefined));
    });
    field.addEventListener("keydown", (event) => {
      const e = event as KeyboardEvent;
      e.stopPropagation();
      if (e.key === "Escape") finish(false);
      else if (e.key === "Enter" && (!rows || e.ctrlKey || e.metaKey)) {
        if (options.refuse?.(field.value) !== undefined && field.value !== options.value) return;
        finish(true);
      } else return;
      e.preventDefault();
      this.sheet.view.element.focus({ preventScroll: true });
    });
    field.addEventListener("blur", () => finish(true));
    field.focus();
    field.select();
  }

  rename(name: string): void {
    const node = this.sheet.wiring.nodes.get(name);
    if (!node || this.sheet.readonly) return;
    const [x, y] = this.sheet.camera.toScreen(...node.geometry.label);
    const taken = new Set(this.sheet.wiring.nodes.keys());
    this.open({
      label: `Name of ${name}`,
      value: name,
      x: x - 65,
      y: y - 13,
      width: 130,
      refuse: (text) => commands.refuseName(text, taken),
      take: (text) => {
        this.sheet.change("rename", (d) => commands.renameNode(d, this.sheet.level, name, text));
        this.sheet.selectNodes([text]);
      },
    });
  }

  note(index: number): void {
    const note = this.sheet.notes.find((n) => n.index === index);
    if (!note || this.sheet.readonly) return;
    const [x, y] = this.sheet.camera.toScreen(...note.position);
    this.open({
      label: "Note",
      value: note.text,
      x,
      y,
      width: 220,
      rows: Math.max(3, note.text.split("\n").length + 1),
      take: (text) =>
        this.sheet.change("note", (d) =>
          text.trim()
            ? commands.setNote(d, this.sheet.level, index, { text })
            : commands.removeNotes(d, this.sheet.level, [index]),
        ),
    });
  }

  newNote(at: Point): void {
    const [x, y] = this.sheet.camera.toScreen(...at);
    this.open({
      label: "Note",
      value: "",
      x,
      y,
      width: 220,
      rows: 3,
      take: (text) => {
        if (text.trim())
          this.sheet.change("note", (d) => commands.addNote(d, this.sheet.level, text, at));
      },
    });
  }
}
