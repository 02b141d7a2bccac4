// Plots as one SVG of its own: no style sheet, no font, no reference.
import { showNumber } from "../engine/numbers.ts";
import type { Pane, Traces } from "./index.ts";

const WIDTH = 900;
const HEIGHT = 220;
const LEFT = 64;
const RIGHT = 16;
const TOP = 26;
const BOTTOM = 24;

export const escape = (text: string) =>
  text.replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

/** Round numbers in a range, about `count` of them. */
export function ticks(low: number, high: number, count: number): number[] {
  const rough = (high - low) / count;
  if (!(rough > 0) || !Number.isFinite(rough)) return [low];
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((m) => m * power).find((s) => s >= rough * 0.999) ?? rough;
  const list: number[] = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; i++)
    list.push(Number((i * step).toPrecision(12)));
  return list;
}

function paneSvg(
  pane: Pane,
  traces: Traces,
  [from, to]: readonly [number, number],
  at: number,
  colors: readonly string[],
  timeUnit: string,
): string {
  const lists = pane.series.map(({ name }) => traces.get(name));
  let [low, high] = [Infinity, -Infinity];
  for (const list of lists)
    for (const value of list?.v ?? [])
      if (Number.isFinite(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
  if (!(high > low)) [low, high] = Number.isFinite(low) ? [low - 1, high + 1] : [0, 1];
  const x = (t: number) => LEFT + ((t - from) / (to - from)) * (WIDTH - LEFT - RIGHT);
  const y = (v: number) => at + TOP + (1 - (v - low) / (high - low)) * (HEIGHT - TOP - BOTTOM);
  const parts: string[] = [];
  const text = (px: number, py: number, anchor: string, words: string, fill = "#596273") =>
    parts.push(
      `<text x="${px.toFixed(1)}" y="${py.toFixed(1)}" text-anchor="${anchor}" fill="${fill}">${escape(words)}</text>`,
    );
  for (const v of ticks(low, high, 5)) {
    parts.push(`<path d="M${LEFT} ${y(v).toFixed(1)}H${WIDTH - RIGHT}" stroke="#e3e0d8"/>`);
    text(LEFT - 6, y(v) + 4, "end", showNumber(v));
  }
  for (const t of ticks(from, to, 10)) text(x(t), at + HEIGHT - 8, "middle", showNumber(t));
  text(WIDTH - RIGHT, at + HEIGHT - 8, "end", timeUnit);
  lists.forEach((trace, i) => {
    const { name, color, holds } = pane.series[i]!;
    const ink = colors[color % colors.length]!;
    text(LEFT + 130 * i, at + 16, "start", pane.unit ? `${name} [${pane.unit}]` : name, ink);
    if (!trace) return;
    let d = "";
    for (let k = 0; k < trace.t.length; k++) {
      const [t, v] = [trace.t[k]!, trace.v[k]!];
      if (!Number.isFinite(v)) d += d.endsWith("M") || !d ? "" : "M";
      else if (!d || d.endsWith("M")) d = `${d || "M"}${x(t).toFixed(1)} ${y(v).toFixed(1)}`;
      else d += `${holds ? `H${x(t).toFixed(1)}` : ""}L${x(t).toFixed(1)} ${y(v).toFixed(1)}`;
    }
    parts.push(
      `<path d="${d.replace(/M$/, "")}" fill="none" stroke="${ink}" stroke-width="1.5" stroke-linejoin="round"/>`,
    );
  });
  return parts.join("");
}

export function plotSvg(
  panes: readonly Pane[],
  traces: Traces,
  range: readonly [number, number],
  colors: readonly string[],
  timeUnit: string,
): string {
  const height = HEIGHT * Math.max(1, panes.length);
  const body = panes.map((pane, i) => paneSvg(pane, traces, range, i * HEIGHT, colors, timeUnit));
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" ` +
    `height="${height}" font-family="sans-serif" font-size="12"><rect width="100%" height="100%" ` +
    `fill="#fff"/>${body.join("")}</svg>\n`
  );
}
