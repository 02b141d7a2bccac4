// Every key of the studio, once: the bindings and the page of keys are made of this table.

export type Area = "everywhere" | "text" | "plots" | "sheet" | "draw" | "live";
export interface Key {
  readonly keys: readonly string[];
  readonly area: Area;
  readonly about: string;
  /** What it does, for those that the shell handles. */
  readonly command?: Command;
}
export type Command =
  "run" | "live" | "save" | "search" | "keys" | "back" | "theme" | "help" | "pause";

export const keys: readonly Key[] = [
  { keys: ["Ctrl+Enter"], area: "everywhere", about: "run the model", command: "run" },
  { keys: ["Alt+L"], area: "everywhere", about: "begin or end live", command: "live" },
  { keys: ["Ctrl+S"], area: "everywhere", about: "save", command: "save" },
  { keys: ["/"], area: "everywhere", about: "search", command: "search" },
  { keys: ["?"], area: "everywhere", about: "this page", command: "keys" },
  { keys: ["F1"], area: "everywhere", about: "help", command: "help" },
  { keys: ["Alt+T"], area: "everywhere", about: "light or dark", command: "theme" },
  {
    keys: ["Escape"],
    area: "everywhere",
    about: "close what floats, end a gesture",
    command: "back",
  },
  { keys: ["Ctrl+Space"], area: "text", about: "complete the word" },
  { keys: ["F8"], area: "text", about: "go to the next problem" },
  { keys: ["F2"], area: "text", about: "rename" },
  { keys: ["F12"], area: "text", about: "go to the definition" },
  { keys: ["Ctrl+F"], area: "text", about: "find" },
  { keys: ["Ctrl+Z"], area: "text", about: "undo" },
  { keys: ["Ctrl+Shift+Z"], area: "text", about: "redo" },
  { keys: ["ArrowLeft", "ArrowRight"], area: "plots", about: "move the cursor" },
  { keys: ["+", "-"], area: "plots", about: "zoom" },
  { keys: ["0"], area: "plots", about: "show all of the run" },
  { keys: ["Alt+P"], area: "live", about: "pause, go on", command: "pause" },
  { keys: ["ArrowLeft", "ArrowRight"], area: "live", about: "on the time line: back, forward" },
  {
    keys: ["ArrowUp", "ArrowDown", "Enter"],
    area: "live",
    about: "on a map: choose a node, touch it or place a probe",
  },
  { keys: ["Space"], area: "sheet", about: "pan while it is held" },
  { keys: ["F"], area: "sheet", about: "fit" },
  { keys: ["R"], area: "sheet", about: "rotate" },
  { keys: ["X", "Y"], area: "sheet", about: "flip" },
  { keys: ["Ctrl+Z"], area: "sheet", about: "undo" },
  { keys: ["Ctrl+Shift+Z"], area: "sheet", about: "redo" },
  { keys: ["Enter"], area: "sheet", about: "open the node" },
  { keys: ["Delete"], area: "sheet", about: "delete" },
  { keys: ["Tab"], area: "draw", about: "go to the next part, spring or node" },
  {
    keys: ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"],
    area: "draw",
    about: "move a node or a part by a step of the grid",
  },
  { keys: ["Enter", "Space"], area: "draw", about: "choose a node; with Spring: join two" },
  {
    keys: ["PageUp", "PageDown"],
    area: "draw",
    about: "from node to node of a part, after Enter on it",
  },
  { keys: ["Delete", "Backspace"], area: "draw", about: "delete what is chosen" },
  { keys: ["Ctrl+Z"], area: "draw", about: "undo" },
  { keys: ["Ctrl+Shift+Z", "Ctrl+Y"], area: "draw", about: "redo" },
];

/** "Ctrl+Shift+Z" of an event; the Command key of a Mac counts as Ctrl. */
export function nameOf(event: KeyboardEvent): string {
  const name =
    event.key.length === 1 && event.key !== "?" && event.key !== "+"
      ? event.key.toUpperCase()
      : event.key;
  const shift = event.shiftKey && (event.key.length > 1 || /[a-z]/i.test(event.key));
  return [
    event.ctrlKey || event.metaKey ? "Ctrl" : "",
    event.altKey ? "Alt" : "",
    shift ? "Shift" : "",
    name === " " ? "Space" : name,
  ]
    .filter(Boolean)
    .join("+");
}

/** The shell's command for an event. Single letters mean nothing while one types. */
export function commandOf(event: KeyboardEvent): Command | undefined {
  const name = nameOf(event);
  const [target] = event.composedPath(); // inside of a shadow root, too
  const typing =
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
  if (typing && name.length === 1) return undefined;
  return keys.find((key) => key.command && key.keys.includes(name))?.command;
}
