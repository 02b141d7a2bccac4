// The diagram sheet, put into an element of the page.
import "./sheet.css";
import type { MountSheet, SheetHandle } from "../app/contracts.ts";
import { JsonDocument } from "../document/document.ts";
import * as actions from "./actions.ts";
import { Chooser } from "./chooser.ts";
import type { Choice } from "./chooser.ts";
import { Editor } from "./editor.ts";
import { exportPng, exportSvg } from "./export.ts";
import type { Point } from "./geometry.ts";
import { Gestures } from "./gestures.ts";
import { fedThrough } from "./hit.ts";
import type { Hit, PortHit } from "./hit.ts";
import { offers } from "./inserter.ts";
import { mountInspector } from "./inspector.tsx";
import { press } from "./keys.ts";
import type { KeyContext } from "./keys.ts";
import { Kinds } from "./kinds.ts";
import type { Topic } from "./kinds.ts";
import { itemsFor, showMenu } from "./menu.ts";
import { Minimap } from "./minimap.ts";
import { Palette } from "./palette.ts";
import { Sheet } from "./sheet.ts";
import { toolbar } from "./toolbar.ts";
import { Values } from "./values.ts";
import { html } from "./view.ts";

export { bindings } from "./keys.ts";
export { paletteMarkup } from "./markup.ts";

/** What the sheet can besides what the app asks of it. */
export interface SheetExtras {
  png(scale?: number): Promise<Blob>;
  /** Opens the search for a node, as `/` does. */
  insert(): void;
  focus(): void;
  select(names: readonly string[]): void;
  /** Where on the screen a node is, or one of its ports. */
  whereIs(
    node: string,
    port?: { readonly input: boolean; readonly index: number },
  ): Point | undefined;
}

export const mountSheet: MountSheet = (
  element,
  document,
  desk,
  options,
): SheetHandle & SheetExtras => {
  if (!(document instanceof JsonDocument))
    throw new Error("the sheet shows documents of web/document");
  const frame = html("div", { class: "sheet-frame" }, element);
  const sheet = new Sheet(frame, document, desk, options);
  const values = new Values(sheet, frame);
  const unbar = toolbar(sheet, frame, values);
  const map = new Minimap(sheet, frame);
  const chooser = new Chooser(frame);
  const editor = new Editor(frame, sheet);
  const tip = html("div", { class: "sheet-tip", role: "tooltip", hidden: "" }, frame);
  const empty = html("div", { class: "sheet-empty" }, frame);
  empty.innerHTML =
    "<b>An empty sheet</b><span>Double click to insert a node, or drag one from the palette.</span>" +
    "<span>Draw lines from port to port.</span>";
  const palette = options.palette && new Palette(options.palette, sheet);
  const inspector = options.inspector && mountInspector(options.inspector, sheet);
  const back = (): void => sheet.view.element.focus({ preventScroll: true });

  const insertAt = (at: Point, more: { from?: PortHit; into?: readonly string[] } = {}): void => {
    const [x, y] = sheet.camera.toScreen(...at);
    const wanted = more.from ? (more.from.port.input ? "output" : "input") : undefined;
    const search = (text: string): Choice[] =>
      offers(sheet.kinds, text, wanted, sheet.level.length > 0, (kind, parameters) => {
        const place: Point = more.from && !more.from.port.input ? [at[0] + 30, at[1]] : at;
        const name = actions.insert(sheet, kind.name, { at: place, parameters, ...more });
        if (name !== undefined && kind.parameters.length && !Object.keys(parameters).length)
          inspector?.focus();
      });
    chooser.open(x, y, "Insert a node: type its name", search, back);
  };
  const insert = (): void => {
    const [node] = actions.chosen(sheet);
    const box = node?.geometry.box;
    const centre = sheet.centre();
    const near: Point = box ? [box.x + box.w + 60, box.y] : [centre[0] - 30, centre[1] - 20];
    const [x, y] = actions.freePlace(sheet, "Gain", near);
    insertAt([x + 30, y + 20]);
  };
  // The first free output of the selected node to a port that is chosen by name.
  const connectByName = (): void => {
    const [node] = actions.chosen(sheet);
    if (!node?.geometry.outputs.length) return;
    const connected = sheet.wiring.connected(node.name);
    const port =
      node.geometry.outputs.find((p) => !connected.has(`o${p.index}`)) ?? node.geometry.outputs[0]!;
    const from: PortHit = { kind: "port", node, port };
    const search = (text: string): Choice[] =>
      [...sheet.wiring.nodes.values()].flatMap((other) =>
        other.geometry.inputs
          .filter((input) =>
            `${other.name}:${input.index + 1} ${input.name}`
              .toLowerCase()
              .includes(text.toLowerCase()),
          )
          .map((input): Choice => {
            const known = sheet.wiring.into(other.name, input.index);
            return {
              label:
                other.ports.inputs.length > 1 ? `${other.name}:${input.index + 1}` : other.name,
              detail: known ? `now from ${known.wire.node}` : input.name,
              pick: () =>
                actions.join(sheet, from, {
                  kind: "port",
                  node: other,
                  port: input,
                }),
            };
          }),
      );
    const { box } = node.geometry;
    const [x, y] = sheet.camera.toScreen(box.x + box.w + 10, box.y);
    chooser.open(x, y, `Line from ${node.name} to`, search, back);
  };
  const open = (name: string): void => {
    if (sheet.opens(name)) sheet.open([...sheet.level, name]);
    else {
      sheet.selectNodes([name]);
      inspector?.focus();
    }
  };
  const toClipboard = async (cut: boolean): Promise<void> => {
    const text = actions.copyText(sheet);
    if (text === undefined) return;
    try {
      await navigator.clipboard.writeText(text);
      if (cut) actions.remove(sheet);
    } catch {
      options.onSay?.("the browser does not take anything into the clipboard here; Ctrl+C does");
    }
  };
  const clipboard = async (at: Point): Promise<void> => {
    try {
      const text = await navigator.clipboard.readText();
      if (!actions.pasteText(sheet, text, at))
        options.onSay?.("the clipboard holds no part of a diagram");
    } catch {
      options.onSay?.("the browser does not hand out the clipboard here; Ctrl+V does");
    }
  };
  let fault = -1;
  const nextFault = (backward: boolean): void => {
    const list = sheet.faults.filter((f) => f.node !== undefined);
    if (!list.length) {
      sheet.view.say("there is no mistake");
      return;
    }
    fault = (fault + (backward ? -1 : 1) + list.length) % list.length;
    const { node, level } = list[fault]!;
    if (level.join("/") !== sheet.level.join("/")) sheet.open(level);
    sheet.selectNodes([node!]);
    const box = sheet.wiring.nodes.get(node!)?.geometry.box;
    if (box) sheet.reveal(box);
    sheet.announce();
  };

  const gestures = new Gestures({
    sheet,
    insertAt,
    open,
    edit: (hit) => {
      if (hit.kind === "note") editor.note(hit.note.index);
      if (hit.kind === "label") editor.rename(hit.node.name);
    },
    menu: (hit, x, y) => {
      if (hit?.kind === "line") sheet.select({ wire: { key: hit.wire.key, to: hit.link.to } });
      if (hit?.kind === "note" && !sheet.selection.notes.has(hit.note.index))
        sheet.select({ notes: new Set([hit.note.index]) });
      if (hit && "node" in hit && !sheet.selection.nodes.has(hit.node.name))
        sheet.selectNodes([hit.node.name]);
      if (sheet.readonly) return;
      const at = sheet.camera.toSheet(x, y);
      const items = itemsFor(
        {
          sheet,
          open,
          rename: (name) => editor.rename(name),
          note: (index) => editor.note(index),
          newNote: () => editor.newNote(at),
          insert: () => insertAt(at, hit?.kind === "line" ? { into: fedThrough(hit) } : {}),
          paste: () => void clipboard(at),
          copy: (cut) => void toClipboard(cut),
          pin: (key) => values.pin(key),
          isPinned: (key) => values.pinned.has(key),
        },
        hit,
      );
      showMenu(frame, x, y, items, back);
    },
    hover: (hit, at) => hover(hit, at),
  });

  // A tip for ports and mistakes; the value of a line comes from the canvas.
  function hover(hit: Hit | undefined, [x, y]: Point): void {
    values.hover(
      hit?.kind === "line"
        ? hit.wire.key
        : hit?.kind === "port" && !hit.port.input
          ? wireOf(hit)
          : undefined,
    );
    const name = hit && "node" in hit ? hit.node.name : undefined;
    const wrong = sheet.faults
      .filter((f) => f.here && name !== undefined && f.node === name)
      .map((f) => f.text);
    const port =
      hit?.kind === "port"
        ? `${hit.port.input ? "input" : "output"} ${hit.port.index + 1}: ${hit.port.name}`
        : "";
    const text = [...wrong, port].filter(Boolean).join("\n");
    tip.hidden = !text;
    tip.classList.toggle("wrong", wrong.length > 0);
    if (!text) return;
    if (tip.textContent !== text) tip.textContent = text;
    tip.style.transform = `translate(${Math.round(x + 14)}px, ${Math.round(y + 14)}px)`;
  }
  const wireOf = (hit: PortHit): string | undefined =>
    [...sheet.wiring.wires.values()].find(
      (w) => w.node === hit.node.name && w.source?.index === hit.port.index,
    )?.key;

  const keys: KeyContext = {
    sheet,
    insert,
    connect: connectByName,
    rename: () => {
      const [name] = sheet.selection.nodes;
      if (name !== undefined) editor.rename(name);
    },
    open: () => {
      const [name] = sheet.selection.nodes;
      if (name !== undefined) open(name);
    },
    note: () => editor.newNote(sheet.centre()),
    nextFault,
    cancel: () => {
      const { nodes, notes, wire } = sheet.selection;
      if (gestures.busy) gestures.cancel();
      else if (nodes.size || notes.size || wire) sheet.select({});
      else if (sheet.level.length) sheet.open(sheet.level.slice(0, -1));
    },
    zoom: (factor) => {
      sheet.camera.zoomAt(sheet.view.width / 2, sheet.view.height / 2, factor);
      sheet.redraw();
    },
  };
  const surface = sheet.view.element;
  surface.addEventListener("keydown", (event) => {
    if (event.target !== surface) return;
    if (event.key === " ") {
      gestures.setSpace(true);
      event.preventDefault();
    } else if (press(event, keys)) {
      event.preventDefault();
      event.stopPropagation();
    }
  });
  surface.addEventListener("keyup", (event) => {
    if (event.key === " ") gestures.setSpace(false);
  });
  surface.addEventListener("blur", () => gestures.setSpace(false));
  surface.addEventListener("copy", (event) => carry(event, false));
  surface.addEventListener("cut", (event) => carry(event, true));
  surface.addEventListener("paste", (event) => {
    const text = event.clipboardData?.getData("text/plain") ?? "";
    if (actions.pasteText(sheet, text)) event.preventDefault();
    else if (text) options.onSay?.("the clipboard holds no part of a diagram");
  });
  function carry(event: ClipboardEvent, cut: boolean): void {
    const text = actions.copyText(sheet);
    if (text === undefined) return;
    event.clipboardData?.setData("text/plain", text);
    event.preventDefault();
    if (cut) actions.remove(sheet);
  }

  const showEmpty = (): void => {
    empty.hidden = sheet.wiring.nodes.size > 0 || sheet.notes.length > 0;
  };
  const unempty = sheet.onChange(showEmpty);
  let level = "";
  const unlevel = sheet.onChange(() => {
    const now = String(sheet.level.length > 0);
    if (now === level) return;
    level = now;
    palette?.show();
  });
  let sized = false;
  const observer = new ResizeObserver(() => {
    const { clientWidth, clientHeight } = frame;
    sheet.view.resize(clientWidth, clientHeight);
    values.resize(clientWidth, clientHeight);
    gestures.forgetPlace();
    if (!sized && clientWidth > 0) {
      sized = true;
      sheet.look();
    } else sheet.redraw();
  });
  observer.observe(frame);
  sheet.rebuild();
  showEmpty();
  void desk.ask<{ topics: Topic[] }>("help").then(
    ({ ok }) => {
      sheet.setKinds(new Kinds(ok.topics));
      palette?.show();
    },
    (error: unknown) => options.onSay?.(error instanceof Error ? error.message : String(error)),
  );

  return {
    diagnose: (list) => sheet.diagnose(list),
    values: (names, list) => values.set(names, list),
    fit: () => sheet.fit(),
    svg: () => exportSvg(sheet),
    png: (scale) => exportPng(sheet, scale),
    insert,
    focus: back,
    select: (names) => sheet.selectNodes(names),
    whereIs: (name, port) => {
      const geometry = sheet.wiring.nodes.get(name)?.geometry;
      if (!geometry) return undefined;
      const { box, inputs, outputs } = geometry;
      const middle = { x: box.x + box.w / 2, y: box.y + box.h / 2 };
      const place = port ? (port.input ? inputs : outputs)[port.index] : middle;
      if (!place) return undefined;
      const [x, y] = sheet.camera.toScreen(place.x, place.y);
      const { left, top } = frame.getBoundingClientRect();
      return [left + x, top + y];
    },
    destroy: () => {
      observer.disconnect();
      unbar();
      unempty();
      unlevel();
      map.destroy();
      values.destroy();
      palette?.destroy();
      inspector?.destroy();
      sheet.destroy();
      frame.remove();
    },
  };
};
