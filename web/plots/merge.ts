// Traces with times of their own become the columns of one table, which is what uPlot draws.
import type { Trace } from "../app/work.ts";

export type Cell = number | null | undefined;
export type Table = [times: number[], ...columns: Cell[][]];

/**
 * One row for each time that occurs, and as many rows as the trace has that has most of them there: at
 * a jump both sides are kept. undefined: the trace has no point there, and its line goes on; null: it
 * has a gap.
 */
export function merge(traces: readonly Trace[]): Table {
  const at = traces.map(() => 0);
  const times: number[] = [];
  const columns: Cell[][] = traces.map(() => []);
  for (;;) {
    let next = Infinity;
    traces.forEach(({ t }, i) => {
      const time = t[at[i]!];
      if (time !== undefined && time < next) next = time;
    });
    if (next === Infinity) return [times, ...columns];
    let rows = 1;
    traces.forEach(({ t, v }, i) => {
      const column = columns[i]!;
      let count = 0;
      for (let k = at[i]!; t[k] === next; k++, count++) {
        const value = v[k]!;
        column[times.length + count] = Number.isFinite(value) ? value : null;
      }
      at[i]! += count;
      rows = Math.max(rows, count);
    });
    for (let k = 0; k < rows; k++) times.push(next);
    for (const column of columns) column.length = times.length;
  }
}

/** The index of the last time that is not after t; -1: all are. */
export function indexBefore(t: ArrayLike<number>, time: number): number {
  let [low, high] = [0, t.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (t[middle]! <= time) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

/** The value at a time: on the line between two points, or the last one where it holds its value. */
export function valueAt({ t, v }: Trace, time: number, holds: boolean): number {
  const i = indexBefore(t, time);
  if (i < 0) return NaN;
  if (holds || i + 1 >= t.length || t[i] === time) return v[i]!;
  const part = (time - t[i]!) / (t[i + 1]! - t[i]!);
  return v[i]! + part * (v[i + 1]! - v[i]!);
}

/** A count that was looked at now and then: it stays as it is until it is another one. */
export function holdCounts({ t, v }: { t: Float64Array; v: Float64Array }): {
  t: Float64Array;
  v: Float64Array;
} {
  if (!v.every(Number.isInteger)) return { t, v };
  const [times, values]: [number[], number[]] = [[], []];
  t.forEach((time, i) => {
    if (i && v[i] !== v[i - 1]) {
      times.push(time);
      values.push(v[i - 1]!);
    }
    times.push(time);
    values.push(v[i]!);
  });
  return { t: Float64Array.from(times), v: Float64Array.from(values) };
}
