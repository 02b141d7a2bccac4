// A small line without axes: how a quantity has gone.
import type { Trace } from "../app/work.ts";

/** The path of a trace in a box, each column of pixels by its extremes. */
export function sparkline(
  { t, v }: Trace,
  from: number,
  to: number,
  width: number,
  height: number,
): string {
  const low: number[] = [];
  const high: number[] = [];
  let [least, most] = [Infinity, -Infinity];
  for (let i = 0; i < t.length; i++) {
    const value = v[i]!;
    const x = Math.floor(((t[i]! - from) / (to - from)) * width);
    if (x < 0 || x > width || !Number.isFinite(value)) continue;
    low[x] = Math.min(low[x] ?? value, value);
    high[x] = Math.max(high[x] ?? value, value);
    least = Math.min(least, value);
    most = Math.max(most, value);
  }
  if (!(least <= most)) return "";
  // what is constant but for rounding is a straight line
  const span = Math.max(most - least, 1e-6 * Math.max(Math.abs(most), Math.abs(least)), 1e-300);
  const middle = (most + least) / 2;
  const y = (value: number) => (height / 2 - (0.9 * height * (value - middle)) / span).toFixed(1);
  let path = "";
  low.forEach((value, x) => {
    path += `${path ? "L" : "M"}${x} ${y(value)}`;
    if (high[x] !== value) path += `L${x} ${y(high[x]!)}`;
  });
  return path;
}
