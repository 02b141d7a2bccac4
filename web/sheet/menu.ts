// The menu of what is under the pointer.
import * as actions from "./actions.ts";
import type { Hit } from "./hit.ts";
import type { Sheet } from "./sheet.ts";
import { html } from "./view.ts";

export interface MenuItem {
  readonly label: string;
  readonly key?: string;
  readonly run: () => void;
  /** A line above it. */
  readonly apart?: boolean;
}
export interface MenuContext {
  readonly sheet: Sheet;
  rename(name: string): void;
  note(index: number): void;
  newNote(): void;
  insert(): void;
  open(name: string): void;
  paste(): void;
  copy(cut: boolean): void;
  pin(key: string): void;
  isPinned(key: string): boolean;
}

/** The colours that a line can have; they fit both themes. */
export const colors: readonly [string, string | undefined][] = [
  ["ink", undefined],
  ["blue", "s1"],
  ["orange", "s2"],
  ["green", "s3"],
  ["pink", "s4"],
  ["violet", "s5"],
  ["olive", "s6"],
];

export function itemsFor(context: MenuContext, hit: Hit | undefined): MenuItem[] {
  const { sheet } = context;
  if (hit?.kind === "line") {
    const { key } = hit.wire;
    return [
      {
        label: context.isPinned(key) ? "Hide value" : "Show value",
        run: () => context.pin(key),
      },
      { label: "Insert a node here…", run: () => context.insert() },
      ...(hit.wire.links.some((l) => l.pins.length)
        ? [{ label: "Reset route", run: () => actions.resetRoute(sheet) }]
        : []),
      ...colors.map(([label, color], i): MenuItem => ({
        label: `Colour: ${label}`,
        apart: i === 0,
        run: () => actions.color(sheet, color),
      })),
      {
        label: "Delete to this end",
        key: "Del",
        apart: true,
        run: () => actions.remove(sheet),
      },
      ...(hit.wire.links.length > 1
        ? [{ label: "Delete the whole line", run: () => actions.removeWholeLine(sheet) }]
        : []),
    ];
  }
  if (hit?.kind === "note")
    return [
      { label: "Edit", run: () => context.note(hit.note.index) },
      { label: "Delete", key: "Del", run: () => actions.remove(sheet) },
    ];
  if (hit) return nodeItems(context, hit.node.name);
  return [
    { label: "Insert a node…", key: "/", run: () => context.insert() },
    { label: "Write a note", key: "N", run: () => context.newNote() },
    { label: "Paste", key: "Ctrl+V", run: () => context.paste() },
    {
      label: "Arrange all nodes",
      key: "Shift+L",
      apart: true,
      run: () => void actions.layout(sheet),
    },
    { label: "Fit everything", key: "F", run: () => sheet.fit() },
  ];
}

function nodeItems(context: MenuContext, name: string): MenuItem[] {
  const { sheet } = context;
  const many = sheet.selection.nodes.size > 1;
  const subsystem = sheet.wiring.nodes.get(name)?.data.type === "Subsystem";
  return [
    ...(subsystem && sheet.opens(name)
      ? [{ label: "Open", key: "Enter", run: () => context.open(name) }]
      : []),
    ...(many ? [] : [{ label: "Rename", key: "F2", run: () => context.rename(name) }]),
    { label: "Rotate", key: "R", run: () => actions.turn(sheet, "rotate") },
    { label: "Flip left and right", key: "X", run: () => actions.turn(sheet, "flip-x") },
    { label: "Flip up and down", key: "Y", run: () => actions.turn(sheet, "flip-y") },
    { label: "Cut", key: "Ctrl+X", apart: true, run: () => context.copy(true) },
    { label: "Copy", key: "Ctrl+C", run: () => context.copy(false) },
    { label: "Duplicate", key: "Ctrl+D", run: () => actions.duplicate(sheet) },
    ...(many
      ? [
          { label: "Align left", apart: true, run: () => actions.alignTo(sheet, "left") },
          { label: "Align centres", run: () => actions.alignTo(sheet, "centre") },
          { label: "Align right", run: () => actions.alignTo(sheet, "right") },
          { label: "Align top", run: () => actions.alignTo(sheet, "top") },
          { label: "Align middles", run: () => actions.alignTo(sheet, "middle") },
          { label: "Align bottom", run: () => actions.alignTo(sheet, "bottom") },
          { label: "Distribute across", run: () => actions.distributeAlong(sheet, true) },
          { label: "Distribute down", run: () => actions.distributeAlong(sheet, false) },
        ]
      : []),
    {
      label: "Make a subsystem",
      key: "Ctrl+G",
      apart: true,
      run: () => actions.makeSubsystem(sheet),
    },
    ...(subsystem && !many
      ? [{ label: "Take apart", key: "Ctrl+Shift+G", run: () => actions.takeApart(sheet) }]
      : []),
    {
      label: "Select what leads to it",
      key: "U",
      run: () => actions.selectAlong(sheet, "upstream"),
    },
    {
      label: "Select what it leads to",
      key: "D",
      run: () => actions.selectAlong(sheet, "downstream"),
    },
    { label: "Delete", key: "Del", apart: true, run: () => actions.remove(sheet) },
    { label: "Delete and reconnect", key: "Ctrl+Del", run: () => actions.remove(sheet, true) },
  ];
}

export function showMenu(
  frame: HTMLElement,
  x: number,
  y: number,
  items: readonly MenuItem[],
  done: () => void,
): void {
  frame.querySelector(".sheet-menu")?.remove();
  const menu = html("div", { class: "sheet-menu", role: "menu" }, frame);
  const close = (): void => {
    if (!menu.isConnected) return;
    menu.remove();
    removeEventListener("pointerdown", outside, true);
    done();
  };
  const outside = (event: Event): void => {
    if (!menu.contains(event.target as Node)) close();
  };
  const buttons = items.map((item) => {
    const button = html(
      "button",
      {
        type: "button",
        role: "menuitem",
        tabindex: "-1",
        ...(item.apart ? { class: "apart" } : {}),
      },
      menu,
    );
    html("span", {}, button).textContent = item.label;
    if (item.key) html("kbd", {}, button).textContent = item.key;
    button.addEventListener("click", () => {
      close();
      item.run();
    });
    return button;
  });
  menu.addEventListener("keydown", (event) => {
    event.stopPropagation();
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    if (event.key === "Escape") close();
    else if (event.key === "ArrowDown") buttons[(at + 1) % buttons.length]?.focus();
    else if (event.key === "ArrowUp") buttons[(at + buttons.length - 1) % buttons.length]?.focus();
    else return;
    event.preventDefault();
  });
  menu.style.left = `${Math.max(4, Math.min(x, frame.clientWidth - menu.offsetWidth - 4))}px`;
  menu.style.top = `${Math.max(4, Math.min(y, frame.clientHeight - menu.offsetHeight - 4))}px`;
  addEventListener("pointerdown", outside, true);
  buttons[0]?.focus();
}
