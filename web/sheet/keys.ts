// The keys of the sheet: one table makes the bindings and the page that shows them.
import * as actions from "./actions.ts";
import type { Sheet } from "./sheet.ts";

export interface KeyContext {
  readonly sheet: Sheet;
  /** Opens the search for a node to insert. */
  insert(): void;
  rename(): void;
  /** Opens a subsystem, or the parameters of a node. */
  open(): void;
  connect(): void;
  note(): void;
  nextFault(back: boolean): void;
  cancel(): void;
  zoom(factor: number): void;
}
export interface KeyBinding {
  /** Modifiers in the order Ctrl, Alt, Shift; Ctrl is also the command key. */
  readonly keys: readonly string[];
  readonly about: string;
  readonly group: "Insert" | "Edit" | "Select" | "View";
  /** Also where the sheet may only be looked at. */
  readonly looks?: boolean;
  readonly run: (context: KeyContext) => void;
}

const arrows: readonly [string, number, number, string][] = [
  ["ArrowLeft", -1, 0, "left"],
  ["ArrowRight", 1, 0, "right"],
  ["ArrowUp", 0, -1, "up"],
  ["ArrowDown", 0, 1, "down"],
];

export const bindings: readonly KeyBinding[] = [
  {
    keys: ["/", "Insert"],
    about: "search a node and insert it",
    group: "Insert",
    run: (c) => c.insert(),
  },
  { keys: ["N"], about: "write a note", group: "Insert", run: (c) => c.note() },
  {
    keys: ["C"],
    about: "connect the selected node, by name",
    group: "Insert",
    run: (c) => c.connect(),
  },
  {
    keys: ["R"],
    about: "rotate",
    group: "Edit",
    run: ({ sheet }) => actions.turn(sheet, "rotate"),
  },
  {
    keys: ["X"],
    about: "flip left and right",
    group: "Edit",
    run: ({ sheet }) => actions.turn(sheet, "flip-x"),
  },
  {
    keys: ["Y"],
    about: "flip up and down",
    group: "Edit",
    run: ({ sheet }) => actions.turn(sheet, "flip-y"),
  },
  { keys: ["F2"], about: "rename", group: "Edit", run: (c) => c.rename() },
  {
    keys: ["Enter"],
    about: "open the subsystem or the parameters",
    group: "Edit",
    looks: true,
    run: (c) => c.open(),
  },
  {
    keys: ["Delete", "Backspace"],
    about: "delete",
    group: "Edit",
    run: ({ sheet }) => actions.remove(sheet),
  },
  {
    keys: ["Ctrl+Delete", "Ctrl+Backspace"],
    about: "delete and connect what it was between",
    group: "Edit",
    run: ({ sheet }) => actions.remove(sheet, true),
  },
  { keys: ["Ctrl+Z"], about: "undo", group: "Edit", run: ({ sheet }) => void sheet.doc.undo() },
  {
    keys: ["Ctrl+Shift+Z", "Ctrl+Y"],
    about: "redo",
    group: "Edit",
    run: ({ sheet }) => void sheet.doc.redo(),
  },
  {
    keys: ["Ctrl+D"],
    about: "duplicate",
    group: "Edit",
    run: ({ sheet }) => actions.duplicate(sheet),
  },
  {
    keys: ["Ctrl+G"],
    about: "make a subsystem of the selection",
    group: "Edit",
    run: ({ sheet }) => actions.makeSubsystem(sheet),
  },
  {
    keys: ["Ctrl+Shift+G"],
    about: "take a subsystem apart",
    group: "Edit",
    run: ({ sheet }) => actions.takeApart(sheet),
  },
  ...arrows.map(([key, dx, dy, word]): KeyBinding => ({
    keys: [`Ctrl+${key}`],
    about: `move ${word}`,
    group: "Edit",
    run: ({ sheet }) => actions.nudge(sheet, dx, dy),
  })),
  ...arrows.map(([key, dx, dy, word]): KeyBinding => ({
    keys: [key],
    about: `to the next node ${word}`,
    group: "Select",
    looks: true,
    run: ({ sheet }) => actions.walk(sheet, dx, dy),
  })),
  {
    keys: ["Ctrl+A"],
    about: "select all",
    group: "Select",
    looks: true,
    run: ({ sheet }) =>
      sheet.select({
        nodes: new Set(sheet.wiring.nodes.keys()),
        notes: new Set(sheet.notes.map((n) => n.index)),
      }),
  },
  {
    keys: ["U"],
    about: "select what leads to it",
    group: "Select",
    looks: true,
    run: ({ sheet }) => actions.selectAlong(sheet, "upstream"),
  },
  {
    keys: ["D"],
    about: "select what it leads to",
    group: "Select",
    looks: true,
    run: ({ sheet }) => actions.selectAlong(sheet, "downstream"),
  },
  {
    keys: ["A"],
    about: "select all that is connected",
    group: "Select",
    looks: true,
    run: ({ sheet }) => actions.selectAlong(sheet, "connected"),
  },
  {
    keys: ["Escape"],
    about: "nothing selected; out of the subsystem",
    group: "Select",
    looks: true,
    run: (c) => c.cancel(),
  },
  {
    keys: ["F8"],
    about: "to the next mistake",
    group: "View",
    looks: true,
    run: (c) => c.nextFault(false),
  },
  {
    keys: ["Shift+F8"],
    about: "to the mistake before",
    group: "View",
    looks: true,
    run: (c) => c.nextFault(true),
  },
  {
    keys: ["F"],
    about: "fit everything",
    group: "View",
    looks: true,
    run: ({ sheet }) => sheet.fit(),
  },
  {
    keys: ["H"],
    about: "to the whole diagram",
    group: "View",
    looks: true,
    run: ({ sheet }) => sheet.open([]),
  },
  { keys: ["+", "="], about: "closer", group: "View", looks: true, run: (c) => c.zoom(1.25) },
  { keys: ["-"], about: "farther", group: "View", looks: true, run: (c) => c.zoom(0.8) },
  {
    keys: ["Shift+L"],
    about: "arrange all nodes",
    group: "Edit",
    run: ({ sheet }) => void actions.layout(sheet),
  },
];

/** A pressed key as the table writes it: "Ctrl+Shift+Z". */
export function keyName(
  event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "shiftKey">,
): string {
  const { key } = event;
  const letter = key.length === 1 ? key.toUpperCase() : key;
  const plain = key.length === 1 && !/[a-z]/i.test(key); // Shift is in the sign already
  return (
    (event.ctrlKey || event.metaKey ? "Ctrl+" : "") +
    (event.altKey ? "Alt+" : "") +
    (event.shiftKey && !plain ? "Shift+" : "") +
    letter
  );
}

const byKey = new Map(
  bindings.flatMap((binding) => binding.keys.map((key) => [key, binding] as const)),
);

/** Does what a key means on the sheet; answers whether it means something. */
export function press(event: KeyboardEvent, context: KeyContext): boolean {
  const binding = byKey.get(keyName(event));
  if (!binding || (context.sheet.readonly && !binding.looks)) return false;
  binding.run(context);
  return true;
}
