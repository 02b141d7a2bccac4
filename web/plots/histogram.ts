// How long a signal has which value: each piece of a run counts by the time that it takes.
import { showNumber } from "../engine/numbers.ts";
import { tickLabels } from "./axis.ts";
import type { Paper } from "./pen.ts";
import { ticks } from "./svg.ts";

export interface Distribution {
  readonly edges: readonly number[];
  /** The part of the time in each class; together they are 1. */
  readonly parts: Float64Array;
  readonly mean: number;
  readonly deviation: number;
}

/** The time that a line from a to b spends below x, as a part of all of it. */
const below = (a: number, b: number, x: number): number => {
  if (a === b) return x > a ? 1 : 0;
  const [low, high] = a < b ? [a, b] : [b, a];
  return Math.min(1, Math.max(0, (x - low) / (high - low)));
};

/** Between its points a signal is a line; a jump takes no time. */
export function distribution(t: Float64Array, v: Float64Array, classes: number): Distribution {
  let [low, high] = [Infinity, -Infinity];
  for (const x of v) if (Number.isFinite(x)) [low, high] = [Math.min(low, x), Math.max(high, x)];
  if (!(high > low)) [low, high] = Number.isFinite(low) ? [low - 0.5, high + 0.5] : [0, 1];
  // the largest value belongs to the last class
  const width = (high - low) / classes;
  const edges = Array.from({ length: classes + 1 }, (_, i) => low + i * width);
  const parts = new Float64Array(classes);
  let [all, first, second] = [0, 0, 0];
  for (let i = 0; i + 1 < t.length; i++) {
    const [a, b, dt] = [v[i]!, v[i + 1]!, t[i + 1]! - t[i]!];
    if (!(dt > 0) || !Number.isFinite(a) || !Number.isFinite(b)) continue;
    all += dt;
    first += (dt * (a + b)) / 2;
    second += (dt * (a * a + a * b + b * b)) / 3;
    const from = Math.min(classes - 1, Math.max(0, Math.floor((Math.min(a, b) - low) / width)));
    const to = Math.min(classes - 1, Math.max(0, Math.floor((Math.max(a, b) - low) / width)));
    let before = 0;
    for (let k = from; k <= to; k++) {
      const after = k === to ? 1 : below(a, b, edges[k + 1]!);
      parts[k]! += dt * (after - before);
      before = after;
    }
  }
  if (all > 0) for (let k = 0; k < classes; k++) parts[k]! /= all;
  const mean = first / all;
  return { edges, parts, mean, deviation: Math.sqrt(Math.max(0, second / all - mean * mean)) };
}

export function drawHistogram(
  { pen, width, height, token }: Paper,
  t: Float64Array,
  v: Float64Array,
  name: string,
): Distribution {
  const found = distribution(t, v, Math.max(10, Math.min(60, Math.round(width / 18))));
  const { edges, parts } = found;
  const most = Math.max(...parts, 1e-12);
  const [left, bottom] = [46, 24];
  const [low, high] = [edges[0]!, edges.at(-1)!];
  const x = (value: number) => left + ((value - low) / (high - low)) * (width - left - 12);
  const y = (part: number) => 8 + (1 - part / most) * (height - bottom - 8);
  pen.font = `11px ${token("--mono")}`;
  pen.strokeStyle = token("--line");
  pen.fillStyle = token("--faint");
  pen.textAlign = "right";
  pen.beginPath();
  for (const part of ticks(0, most, Math.max(2, height / 60))) {
    pen.moveTo(left, y(part));
    pen.lineTo(width - 12, y(part));
    pen.fillText(`${showNumber(100 * part, 3)} %`, left - 4, y(part) + 4);
  }
  pen.stroke();
  pen.textAlign = "center";
  const places = ticks(low, high, Math.max(2, width / 110));
  tickLabels(places).forEach((words, i) => pen.fillText(words, x(places[i]!), height - 8));
  pen.fillStyle = token("--s1");
  parts.forEach((part, k) => {
    const [from, to] = [x(edges[k]!), x(edges[k + 1]!)];
    pen.fillRect(from + 0.5, y(part), Math.max(1, to - from - 1), y(0) - y(part));
  });
  pen.fillStyle = token("--ink");
  pen.textAlign = "right";
  pen.fillText(name, width - 16, 18);
  return found;
}
