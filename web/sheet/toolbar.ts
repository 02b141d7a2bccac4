// What floats above the sheet: the way to the open subsystem, undo, zoom, arrange, values.
import { download } from "../app/files.ts";
import { layout } from "./actions.ts";
import { exportPng, exportSvg } from "./export.ts";
import { iconMarkup } from "./icons.ts";
import type { IconName } from "./icons.ts";
import { showMenu } from "./menu.ts";
import type { Sheet } from "./sheet.ts";
import type { Values } from "./values.ts";
import { html } from "./view.ts";

function button(
  parent: Element,
  icon: IconName,
  label: string,
  run: () => void,
): HTMLButtonElement {
  const element = html("button", { type: "button", title: label, "aria-label": label }, parent);
  element.innerHTML = iconMarkup(icon);
  element.addEventListener("click", run);
  return element;
}

export function toolbar(sheet: Sheet, frame: HTMLElement, values: Values): () => void {
  const crumbs = html("nav", { class: "sheet-crumbs", "aria-label": "Subsystems" }, frame);
  const tools = html(
    "div",
    { class: "sheet-tools", role: "toolbar", "aria-label": "Sheet" },
    frame,
  );
  const undo = button(tools, "undo", "Undo (Ctrl+Z)", () => void sheet.doc.undo());
  const redo = button(tools, "redo", "Redo (Ctrl+Shift+Z)", () => void sheet.doc.redo());
  html("span", { class: "gap" }, tools);
  const zoom = (factor: number): void => {
    sheet.camera.zoomAt(sheet.view.width / 2, sheet.view.height / 2, factor);
    sheet.redraw();
  };
  button(tools, "farther", "Farther (-)", () => zoom(0.8));
  const percent = html("button", { type: "button", class: "percent", title: "To 100 %" }, tools);
  percent.addEventListener("click", () => zoom(1 / sheet.camera.scale));
  button(tools, "closer", "Closer (+)", () => zoom(1.25));
  button(tools, "fit", "Fit everything (F)", () => sheet.fit());
  html("span", { class: "gap" }, tools);
  const arrange = button(tools, "arrange", "Arrange all nodes (Shift+L)", () => void layout(sheet));
  const all = button(tools, "values", "Values on all lines", () => {
    values.all = !values.all;
    all.setAttribute("aria-pressed", String(values.all));
    sheet.redraw();
  });
  all.setAttribute("aria-pressed", "false");
  let typed = false;
  const types = button(
    tools,
    "types",
    "Types and widths of signals, and sample times (none: continuous)",
    () => {
      typed = !typed;
      types.setAttribute("aria-pressed", String(typed));
      void values.showTypes(typed).catch((error: unknown) => {
        typed = false;
        types.setAttribute("aria-pressed", "false");
        sheet.options.onSay?.(error instanceof Error ? error.message : String(error));
      });
    },
  );
  types.setAttribute("aria-pressed", "false");
  const save = button(tools, "picture", "Save the drawing (SVG, PNG)", () => {
    const name = sheet.doc.name.replace(/\.json$/, "");
    const { left, top } = frame.getBoundingClientRect();
    const { left: x, bottom: y } = save.getBoundingClientRect();
    const items = [
      {
        label: "Drawing as SVG",
        run: () => download(`${name}.svg`, exportSvg(sheet), "image/svg+xml"),
      },
      {
        label: "Drawing as PNG",
        run: () =>
          void exportPng(sheet).then(
            (picture) => download(`${name}.png`, picture, "image/png"),
            (error: unknown) =>
              sheet.options.onSay?.(error instanceof Error ? error.message : String(error)),
          ),
      },
    ];
    showMenu(frame, x - left, y - top, items, () => save.focus());
  });

  const showCrumbs = (): void => {
    const { level } = sheet;
    crumbs.hidden = level.length === 0;
    crumbs.replaceChildren();
    ["Diagram", ...level].forEach((name, i) => {
      if (i) html("span", { "aria-hidden": "true" }, crumbs).textContent = "›";
      const last = i === level.length;
      const step = html(
        "button",
        { type: "button", ...(last ? { "aria-current": "page" } : {}) },
        crumbs,
      );
      step.textContent = name;
      step.addEventListener("click", () => sheet.open(level.slice(0, i)));
    });
  };
  const update = (): void => {
    undo.disabled = !sheet.doc.canUndo || sheet.readonly;
    redo.disabled = !sheet.doc.canRedo || sheet.readonly;
    arrange.disabled = sheet.readonly || sheet.wiring.nodes.size === 0;
    undo.title =
      sheet.doc.undoLabel === undefined ? "Undo" : `Undo: ${sheet.doc.undoLabel} (Ctrl+Z)`;
    redo.title =
      sheet.doc.redoLabel === undefined ? "Redo" : `Redo: ${sheet.doc.redoLabel} (Ctrl+Shift+Z)`;
    showCrumbs();
  };
  const draw = (): void => {
    const text = `${Math.round(sheet.camera.scale * 100)} %`;
    if (percent.textContent !== text) percent.textContent = text;
  };
  const stops = [sheet.onChange(update), sheet.onDraw(draw)];
  update();
  draw();
  return () => {
    for (const stop of stops) stop();
  };
}
