// Plots as one SVG of its own: no style sheet, no font, no reference.
import type { Trace } from "../app/work.ts";
import { tickLabels, timeSpace } from "./axis.ts";
import type { Pane, Series, Traces } from "./index.ts";

const WIDTH = 900;
const HEIGHT = 220;
const LEFT = 64;
const RIGHT = 16;
const TOP = 26;
const BOTTOM = 24;
const MARKS_MOST = 400;

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

/** What a picture of plots is made of. */
export interface Drawn {
  readonly panes: readonly Pane[];
  readonly traces: Traces;
  /** Another run, which is drawn dashed. */
  readonly ghosts: Traces;
  readonly range: readonly [number, number];
  readonly marks: readonly number[];
  readonly colors: readonly string[];
  readonly timeUnit: string;
}

function paneSvg(pane: Pane, at: number, drawn: Drawn): string {
  const { traces, ghosts, colors, timeUnit } = drawn;
  const [from, to] = drawn.range;
  const lists = pane.series.map(({ name }) => traces.get(name));
  let [low, high] = [Infinity, -Infinity];
  for (const list of [...lists, ...pane.series.map(({ name }) => ghosts.get(name))])
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
  const up = ticks(low, high, 5);
  tickLabels(up).forEach((words, i) => {
    const py = y(up[i]!);
    parts.push(`<path d="M${LEFT} ${py.toFixed(1)}H${WIDTH - RIGHT}" stroke="#e3e0d8"/>`);
    text(LEFT - 6, py + 4, "end", words);
  });
  const wide = WIDTH - LEFT - RIGHT;
  const along = ticks(from, to, Math.min(10, wide / timeSpace(from, to, wide)));
  tickLabels(along).forEach((words, i) => text(x(along[i]!), at + HEIGHT - 8, "middle", words));
  text(WIDTH - RIGHT, at + HEIGHT - 8, "end", timeUnit);
  const marks = drawn.marks.filter((t) => t >= from && t <= to);
  const d = marks.map((t) => `M${x(t).toFixed(1)} ${at + TOP}V${at + HEIGHT - BOTTOM}`).join("");
  if (d && marks.length <= MARKS_MOST)
    parts.push(`<path d="${d}" stroke="#9c8f78" stroke-dasharray="1 3" stroke-width="0.75"/>`);
  // what is beyond the window at its sides is cut off
  const id = `pane${at}`;
  parts.push(
    `<clipPath id="${id}"><rect x="${LEFT}" y="${at}" width="${WIDTH - LEFT - RIGHT}" height="${HEIGHT}"/></clipPath>`,
    `<g clip-path="url(#${id})" fill="none" stroke-linejoin="round">`,
  );
  const line = ({ color, holds }: Series, trace: Trace | undefined, look: string) => {
    const path = trace && pathOf(trace, holds, x, y);
    const ink = colors[color % colors.length]!;
    if (path) parts.push(`<path d="${path}" stroke="${ink}" ${look}/>`);
  };
  for (const series of pane.series)
    line(series, ghosts.get(series.name), 'stroke-width="1" stroke-dasharray="5 4"');
  pane.series.forEach((series, i) => line(series, lists[i], 'stroke-width="1.5"'));
  parts.push("</g>");
  let left = LEFT;
  for (const { name, color } of pane.series) {
    const words = pane.unit ? `${name} [${pane.unit}]` : name;
    text(left, at + 16, "start", words, colors[color % colors.length]);
    left += 7 * words.length + 20; // about as wide as its letters
  }
  return parts.join("");
}

/** A line through the points of a trace, with gaps where it is no number. */
function pathOf(
  { t, v }: Trace,
  holds: boolean,
  x: (t: number) => number,
  y: (v: number) => number,
): string {
  let d = "";
  let drawing = false;
  for (let k = 0; k < t.length; k++) {
    const known = Number.isFinite(v[k]);
    const [px, py] = [x(t[k]!).toFixed(1), known ? y(v[k]!).toFixed(1) : ""];
    if (known && drawing) d += `${holds ? `H${px}` : ""}L${px} ${py}`;
    else if (known) d += `M${px} ${py}`;
    drawing = known;
  }
  return d;
}

export function plotSvg(drawn: Drawn): string {
  const { panes } = drawn;
  const height = HEIGHT * Math.max(1, panes.length);
  const body = panes.map((pane, i) => paneSvg(pane, i * HEIGHT, drawn));
  return (
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${height}" width="${WIDTH}" ` +
    `height="${height}" font-family="sans-serif" font-size="12"><rect width="100%" height="100%" ` +
    `fill="#fff"/>${body.join("")}</svg>\n`
  );
}
