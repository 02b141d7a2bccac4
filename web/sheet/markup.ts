// Nodes, lines and notes as SVG text: the same for the sheet, the palette, help and exported drawings.
// Everything is styled by classes (sheet.css), so that no style is written into the page.
import { arrowPath, DX, DY, roundedPath, shapeOf, sizeOf } from "./geometry.ts";
import type { Port } from "./geometry.ts";
import { signsOf } from "./kinds.ts";
import type { Kinds, Ports } from "./kinds.ts";
import { shortNames, symbolOf } from "./symbols.ts";
import type { Shape, Symbol } from "./symbols.ts";
import type { SheetNode, Wire } from "./wiring.ts";
import type { NodeData } from "../document/diagram.ts";

export const escape = (text: string): string =>
  text.replaceAll(/[&<>"']/g, (c) => `&#${c.charCodeAt(0)};`);

const round = (value: number): string => String(Math.round(value * 100) / 100);

/** How wide a text is about, in pixels at a size of 1. */
export function roughWidth(text: string): number {
  let width = 0;
  for (const c of text) width += /[il.,;:|'!1 ]/.test(c) ? 0.34 : /[mwMW@%]/.test(c) ? 0.86 : 0.57;
  return width;
}

// In the middle, smaller where it must be, cut where that is not enough.
function fitted(text: string, x: number, y: number, room: number, most: number, more = ""): string {
  let size = Math.min(most, room / Math.max(roughWidth(text), 0.1));
  let shown = text;
  if (size < 9) {
    size = 9;
    while (shown.length > 1 && roughWidth(`${shown}…`) * size > room) shown = shown.slice(0, -1);
    shown += "…";
  }
  const small = size < most - 0.01 ? ` font-size="${round(size)}"` : "";
  return `<text class="text${more}" x="${round(x)}" y="${round(y)}"${small}>${escape(shown)}</text>`;
}

// ------------------------------------------------------------------------------------------ bodies

// The outline around the middle of a node, before it is turned.
function outline(shape: Shape, w: number, h: number): string {
  const [x, y] = [w / 2, h / 2];
  switch (shape) {
    case "circle":
      return `<circle class="body" r="${y}"/>`;
    case "triangle":
      return `<path class="body" d="M${-x} ${-y}L${x} 0L${-x} ${y}Z"/>`;
    case "bar":
      return `<rect class="body solid" x="${-x + 6}" y="${-y}" width="${w - 12}" height="${h}" rx="2"/>`;
    case "tag":
      return `<path class="body" d="M${-x} ${-y + 6}H${x - 12}L${x} 0L${x - 12} ${y - 6}H${-x}Z"/>`;
    case "pill":
      return `<rect class="body" x="${-x}" y="${-y + 6}" width="${w}" height="${h - 12}" rx="${y - 6}"/>`;
    default:
      return `<rect class="body" x="${-x}" y="${-y}" width="${w}" height="${h}" rx="6"/>`;
  }
}

/** Text with {parameters} of the node in it. */
export function fill(text: string, node: NodeData, kinds: Kinds): string {
  const filled = text.replaceAll(/\{([^}]*)\}/g, (_, name: string) => {
    const value = kinds.text(node, name);
    return shortNames[value] ?? value;
  });
  return filled.trim() || (text === "{value}" ? "–" : node.type);
}

const powers = ["", "", "²", "³", "⁴", "⁵", "⁶"];

// Coefficients as a polynomial, if that is short: "1 2 5" is s² + 2s + 5.
function polynomial(coefficients: string, letter: string): string | undefined {
  const list = coefficients.trim().split(/\s+/).map(Number);
  if (coefficients.includes(",") || list.length > 5 || list.some((c) => !Number.isFinite(c)))
    return undefined;
  let text = "";
  list.forEach((c, i) => {
    const power = list.length - 1 - i;
    if (c === 0) return;
    const size = Math.abs(c) === 1 && power > 0 ? "" : String(Math.abs(c));
    const term = `${size}${power > 0 ? letter : ""}${powers[power] ?? ""}`;
    text += text ? ` ${c < 0 ? "−" : "+"} ${term}` : `${c < 0 ? "−" : ""}${term}`;
  });
  return text.length <= 14 ? text || "0" : undefined;
}

function fractionOf(symbol: Symbol, node: NodeData, kinds: Kinds): readonly [string, string] {
  const [top, bottom] = symbol.fraction!;
  if (!/Transfer Function$/.test(kinds.typeOf(node))) return [top, bottom];
  const letter = top.includes("z") ? "z" : "s";
  const above = polynomial(kinds.text(node, "Numerator"), letter);
  const below = polynomial(kinds.text(node, "Denominator"), letter);
  return above !== undefined && below !== undefined ? [above, below] : [top, bottom];
}

function content(symbol: Symbol, shape: Shape, node: NodeData, kinds: Kinds, w: number): string {
  let inside = "";
  const places: [string | undefined, string][] = [
    [symbol.faint, "faint"],
    [symbol.path, "mark"],
    [symbol.curve, "curve"],
  ];
  for (const [d, name] of places)
    if (d) inside += `<path class="${name}" transform="translate(-20 -12)" d="${d}"/>`;
  const italic = symbol.italic ? " italic" : "";
  if (symbol.fraction) {
    const [top, bottom] = fractionOf(symbol, node, kinds);
    const long = Math.max(roughWidth(top), roughWidth(bottom)) * 13;
    const bar = Math.min(w - 12, Math.max(18, long + 6)) / 2;
    inside += fitted(top, 0, -9, w - 10, 14, italic) + fitted(bottom, 0, 10, w - 10, 14, italic);
    inside += `<path class="mark" d="M${round(-bar)} 0H${round(bar)}"/>`;
  }
  if (symbol.text) {
    const left = shape === "triangle" ? (node.flip !== (node.turns === 2) ? 9 : -9) : 0;
    const room = shape === "triangle" ? w - 26 : shape === "tag" ? w - 20 : w - 10;
    const offset = node.turns % 2 === 0 ? left : 0;
    inside += fitted(
      fill(symbol.text, node, kinds),
      offset,
      1,
      room,
      symbol.italic ? 15 : 13,
      italic,
    );
  }
  return inside;
}

// Signs beside the inputs of sums, names beside those of subsystems; ports are from the middle.
function marks(
  symbol: Symbol,
  node: NodeData,
  kinds: Kinds,
  ports: readonly Port[],
  cx: number,
  cy: number,
): string {
  if (!symbol.marks || !ports.length) return "";
  const signs = symbol.marks === "signs" ? signsOf(node, kinds) : [];
  return ports
    .map((port) => {
      const far = symbol.marks === "signs" ? 10 : 6;
      const x = port.x - cx - DX[port.out] * far;
      const y = port.y - cy - DY[port.out] * far;
      if (symbol.marks === "signs")
        return port.input
          ? `<text class="sign" x="${round(x)}" y="${round(y + 1)}">${signs[port.index] ?? ""}</text>`
          : "";
      const side = port.out === 0 ? " right" : port.out === 2 ? " left" : "";
      return `<text class="port-name${side}" x="${round(x)}" y="${round(y + 0.5)}">${escape(port.name)}</text>`;
    })
    .join("");
}

// A bar is thinner than its box: its ports are joined to it.
function stubs(ports: readonly Port[], cx: number, cy: number): string {
  const d = ports.map(({ x, y, out }) => `M${x - cx} ${y - cy}l${-6 * DX[out]} ${-6 * DY[out]}`);
  return `<path class="mark" d="${d.join("")}"/>`;
}

// Ports that nothing is connected to are open arrows.
function openPorts(
  ports: readonly Port[],
  connected: ReadonlySet<string>,
  cx: number,
  cy: number,
): string {
  return ports
    .filter((port) => !connected.has(portKey(port)))
    .map((port) => {
      const [x, y] = [port.x - cx, port.y - cy];
      const [ux, uy] = [DX[port.out], DY[port.out]];
      const tip = port.input ? 0 : 7;
      const back = port.input ? 7 : 0;
      const p = (along: number, side: number): string =>
        `${round(x + ux * along - uy * side)} ${round(y + uy * along + ux * side)}`;
      return `<path class="port" d="M${p(back, 4)}L${p(tip, 0)}L${p(back, -4)}"/>`;
    })
    .join("");
}
export const portKey = (port: Pick<Port, "input" | "index">): string =>
  `${port.input ? "i" : "o"}${port.index}`;

/** What stands inside of the group of a node, around its middle. */
export function nodeMarkup(
  node: SheetNode,
  connected: ReadonlySet<string>,
  kinds: Kinds,
  shown?: string,
): string {
  const { data, symbol, ports, geometry } = node;
  const [w, h] = sizeOf(symbol, ports);
  const shape = shapeOf(symbol, ports);
  const { box } = geometry;
  const [cx, cy] = [box.x + box.w / 2, box.y + box.h / 2];
  const turn = `${data.turns ? `rotate(${90 * data.turns})` : ""}${data.flip ? "scale(-1 1)" : ""}`;
  const body = outline(shape, w, h);
  const all = [...geometry.inputs, ...geometry.outputs];
  const text = shown === undefined ? symbol : { ...symbol, text: shown };
  const [lx, ly] = geometry.label;
  const label =
    shape === "bar" && !data.name
      ? ""
      : `<text class="name" x="${lx - cx}" y="${round(ly - cy)}">${escape(clip(data.name, 26))}</text>`;
  return (
    (turn ? `<g transform="${turn}">${body}</g>` : body) +
    content(text, shape, data, kinds, box.w) +
    (shape === "bar" ? stubs(all, cx, cy) : "") +
    marks(symbol, data, kinds, all, cx, cy) +
    openPorts(all, connected, cx, cy) +
    label
  );
}

export function clip(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

/** A node of a type for the palette: its symbol alone, in a box of its own. */
export function paletteMarkup(type: string, kinds: Kinds): string {
  const symbol = symbolOf(type);
  const kind = kinds.find(type);
  const data: NodeData = {
    name: "",
    type,
    parameters: {},
    position: [0, 0],
    turns: 0,
    flip: false,
    index: 0,
    json: {},
  };
  const ports: Ports = { inputs: kind?.inputs.slice(0, 2) ?? [], outputs: [] };
  const [w, h] = symbol.size;
  const shape = shapeOf(symbol, ports);
  const text =
    symbol.text === "{value}"
      ? { ...symbol, text: "0.00" }
      : symbol.text === "{Class}"
        ? { ...symbol, text: "model" }
        : symbol;
  const signs =
    symbol.marks === "signs"
      ? `<text class="sign" x="0" y="1">${type === "Sum" ? "Σ" : "×"}</text>`
      : "";
  const scale = Math.min(1, 64 / w, 40 / h);
  return (
    `<svg class="symbol" viewBox="-36 -22 72 44" width="72" height="44" aria-hidden="true">` +
    `<g class="node" transform="scale(${round(scale)})">${outline(shape, w, h)}${content(text, shape, data, kinds, w)}${signs}</g></svg>`
  );
}

// ------------------------------------------------------------------------------------------- lines

export interface WireMarkup {
  readonly line: string;
  readonly heads: string;
  readonly dots: string;
}

export function wireMarkup(wire: Wire): WireMarkup {
  let line = "";
  let heads = "";
  let dots = "";
  wire.links.forEach((link, i) => {
    const leg = wire.legs[i];
    if (!leg || !link.port) return;
    line += roundedPath(leg.points);
    heads += arrowPath(link.port);
    const [x, y] = leg.points[0] ?? [0, 0];
    if (leg.branches) dots += `M${x - 3} ${y}a3 3 0 1 0 6 0a3 3 0 1 0 -6 0Z`;
  });
  return { line, heads, dots };
}

const LINE_HEIGHT = 17;
/** A note: its lines one under the other. */
export function noteMarkup(text: string): string {
  const lines = text.split("\n");
  const width = Math.max(...lines.map((l) => roughWidth(l) * 13), 20) + 16;
  const rows = lines
    .map((l, i) => `<tspan x="8" y="${16 + i * LINE_HEIGHT}">${escape(l) || "&#8203;"}</tspan>`)
    .join("");
  const height = lines.length * LINE_HEIGHT + 8;
  return (
    `<rect class="paper" width="${round(width)}" height="${height}" rx="4"/>` +
    `<text class="note-text">${rows}</text>`
  );
}
export function noteSize(text: string): [number, number] {
  const lines = text.split("\n");
  const width = Math.max(...lines.map((l) => roughWidth(l) * 13), 20) + 16;
  return [width, lines.length * LINE_HEIGHT + 8];
}
