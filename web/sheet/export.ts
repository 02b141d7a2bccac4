// Drawings of the sheet that stand alone: SVG with its styles in it, and PNG made of that.
import { wireColor } from "./view.ts";
import { nodeMarkup, noteMarkup, wireMarkup, escape } from "./markup.ts";
import type { Sheet } from "./sheet.ts";

const tokens = [
  "paper",
  "panel",
  "ink",
  "soft",
  "faint",
  "line",
  "edge",
  "accent",
  "tint",
  "s1",
  "s2",
  "s3",
  "s4",
  "s5",
  "s6",
];

// The same rules as sheet.css has for what is drawn.
const rules = `
.body{fill:var(--panel);stroke:var(--ink);stroke-width:1.5;stroke-linejoin:round}.body.solid{fill:var(--ink)}
.mark,.curve,.faint{fill:none;stroke:var(--ink);stroke-width:1.4;stroke-linecap:round;stroke-linejoin:round}
.curve{stroke:var(--s1);stroke-width:1.6}.faint{stroke:var(--faint);stroke-width:1;opacity:.7}
svg{font-size:13px}text{font-family:Inter,system-ui,"DejaVu Sans",sans-serif;fill:var(--ink);text-anchor:middle;dominant-baseline:central}
.italic{font-family:"STIX Two Text",Georgia,serif;font-style:italic}
.name{font-size:11.5px;fill:var(--soft)}.sign{font-size:14px}.port-name{font-size:10px;fill:var(--soft)}
.port-name.left{text-anchor:start}.port-name.right{text-anchor:end}
.port{fill:none;stroke:var(--edge);stroke-width:1.2}
.line{fill:none;stroke-width:1.5}
.paper{fill:var(--tint)}.note-text{text-anchor:start;dominant-baseline:auto}`;

function resolve(css: string, element: Element): string {
  const style = getComputedStyle(element);
  return tokens.reduce((text, name) => {
    const value = style.getPropertyValue(`--${name}`).trim() || "#000";
    return text.replaceAll(`var(--${name})`, value);
  }, css);
}

/** The open diagram as one SVG that refers to nothing; the document is in its metadata. */
export function exportSvg(sheet: Sheet): string {
  const box = sheet.extent() ?? { x: 0, y: 0, w: 400, h: 300 };
  const wires = [...sheet.wiring.wires.values()].map((wire) => {
    const { line, heads, dots } = wireMarkup(wire);
    const color = resolve(wire.color ? wireColor(wire.color) : "var(--ink)", sheet.view.element);
    const ink = escape(color);
    return `<path class="line" stroke="${ink}" d="${line}"/><path fill="${ink}" d="${heads}${dots}"/>`;
  });
  const nodes = [...sheet.wiring.nodes.values()].map((node) => {
    const { x, y, w, h } = node.geometry.box;
    const inside = nodeMarkup(node, sheet.wiring.connected(node.name), sheet.kinds);
    return `<g transform="translate(${x + w / 2} ${y + h / 2})">${inside}</g>`;
  });
  const notes = sheet.notes.map(
    (note) => `<g transform="translate(${note.position.join(" ")})">${noteMarkup(note.text)}</g>`,
  );
  const style = resolve(rules, sheet.view.element);
  const paper = resolve("var(--paper)", sheet.view.element);
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="${box.x} ${box.y} ${box.w} ${box.h}" width="${box.w}" height="${box.h}">` +
    `<metadata>${escape(sheet.doc.text())}</metadata><style>${style}</style>` +
    `<rect x="${box.x}" y="${box.y}" width="${box.w}" height="${box.h}" fill="${paper}"/>` +
    `${notes.join("")}${wires.join("")}${nodes.join("")}</svg>`
  );
}

/** The drawing as a picture, `scale` pixels for one of the sheet. */
export async function exportPng(sheet: Sheet, scale = 2): Promise<Blob> {
  const text = exportSvg(sheet);
  const url = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = Math.ceil(image.width * scale);
    canvas.height = Math.ceil(image.height * scale);
    canvas.getContext("2d")?.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((take, refuse) =>
      canvas.toBlob(
        (blob) => (blob ? take(blob) : refuse(new Error("the picture is too large"))),
        "image/png",
      ),
    );
  } finally {
    URL.revokeObjectURL(url);
  }
}
