// The open document: a value of JSON, changed by commands that know how to take themselves back.
import { EMPTY } from "./diagram.ts";
import { apply, at, inverse, isObject, same } from "./json.ts";
import type { Edit, Json, JsonObject, Path } from "./json.ts";
import { print } from "./print.ts";
import type { EditedDocument } from "../app/contracts.ts";

/** What a command is written with: it sees its own edits at once. */
export class Draft {
  readonly edits: Edit[] = [];
  readonly back: Edit[] = [];
  root: Json;

  constructor(root: Json) {
    this.root = root;
  }
  at(path: Path): Json | undefined {
    return at(this.root, path);
  }
  make(edit: Edit): void {
    this.back.unshift(inverse(this.root, edit));
    this.root = apply(this.root, edit);
    this.edits.push(edit);
  }
  set(path: Path, key: string, value: Json | undefined): void {
    const place = this.at(path);
    const before = isObject(place) && Object.hasOwn(place, key) ? place[key] : undefined;
    if (!same(before, value)) this.make({ kind: "set", path, key, value });
  }
  splice(path: Path, index: number, remove: number, ...insert: Json[]): void {
    this.make({ kind: "splice", path, index, remove, insert });
  }
}

interface Step {
  readonly label: string;
  readonly gesture: string | undefined;
  readonly edits: readonly Edit[];
  readonly back: readonly Edit[];
}
export interface Change {
  readonly label: string;
  readonly edits: readonly Edit[];
  readonly by: "command" | "undo" | "redo" | "replace";
}
export interface CommandOptions {
  /** Commands with the same gesture, one after the other, are undone together. */
  readonly gesture?: string;
}

function parse(text: string): JsonObject {
  const value = JSON.parse(text.trim() ? text : EMPTY) as Json;
  if (!isObject(value)) throw new SyntaxError("a document is an object in braces");
  return value;
}

export class JsonDocument implements EditedDocument {
  readonly name: string;
  root: Json;
  private printed: { root: Json; text: string };
  private done: Step[] = [];
  private undone: Step[] = [];
  private readonly listeners = new Set<(change: Change) => void>();

  constructor(name: string, text: string) {
    this.name = name;
    this.root = parse(text);
    this.printed = { root: this.root, text: text.trim() ? text : print(this.root) };
  }

  /** The text that was opened, to the letter, until something is changed. */
  text(): string {
    if (this.printed.root !== this.root) this.printed = { root: this.root, text: print(this.root) };
    return this.printed.text;
  }

  /** Makes a change; what the recipe answers is handed on. Without edits nothing happened. */
  change<T>(label: string, recipe: (draft: Draft) => T, options: CommandOptions = {}): T {
    const draft = new Draft(this.root);
    const result = recipe(draft);
    if (draft.edits.length) this.take(label, options.gesture, draft);
    return result;
  }

  private take(label: string, gesture: string | undefined, draft: Draft): void {
    const { edits, back } = draft;
    this.root = draft.root;
    const last = this.done.at(-1);
    if (last && gesture !== undefined && last.gesture === gesture && !this.undone.length)
      this.done[this.done.length - 1] = {
        label,
        gesture,
        edits: [...last.edits, ...edits],
        back: [...back, ...last.back],
      };
    else this.done.push({ label, gesture, edits, back });
    this.undone = [];
    this.tell({ label, edits, by: "command" });
  }

  /** Ends a gesture: what follows is undone by itself. */
  seal(): void {
    const last = this.done.pop();
    if (last) this.done.push({ ...last, gesture: undefined });
  }

  undo(): boolean {
    const step = this.done.pop();
    if (!step) return false;
    this.root = step.back.reduce(apply, this.root);
    this.undone.push({ ...step, gesture: undefined });
    this.tell({ label: step.label, edits: step.back, by: "undo" });
    return true;
  }
  redo(): boolean {
    const step = this.undone.pop();
    if (!step) return false;
    this.root = step.edits.reduce(apply, this.root);
    this.done.push(step);
    this.tell({ label: step.label, edits: step.edits, by: "redo" });
    return true;
  }
  get canUndo(): boolean {
    return this.done.length > 0;
  }
  get canRedo(): boolean {
    return this.undone.length > 0;
  }
  get undoLabel(): string | undefined {
    return this.done.at(-1)?.label;
  }
  get redoLabel(): string | undefined {
    return this.undone.at(-1)?.label;
  }

  replace(text: string): void {
    const fresh = parse(text);
    const before = this.root;
    if (same(before, fresh) || !isObject(before)) return;
    const draft = new Draft(before);
    for (const key of Object.keys(before))
      if (!Object.hasOwn(fresh, key)) draft.set([], key, undefined);
    for (const [key, value] of Object.entries(fresh)) draft.set([], key, value);
    this.take("replace the document", undefined, draft);
    this.printed = { root: this.root, text };
  }

  subscribe(hear: (change: Change) => void): () => void {
    this.listeners.add(hear);
    return () => this.listeners.delete(hear);
  }
  private tell(change: Change): void {
    for (const hear of [...this.listeners]) hear(change);
  }
}
