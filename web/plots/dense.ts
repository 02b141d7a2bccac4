// A trace with more points than pixels is a row of upright strokes, one for each column of pixels. Rectangles
// are filled in a fraction of the time that a path through the same points takes to be stroked.

/** From the least to the greatest value in each column of pixels; NaN: nothing is there. */
export interface Columns {
  readonly low: Float64Array;
  readonly high: Float64Array;
  /** How far the trace goes up and down in all of them, in values. */
  readonly travel: number;
  /** Points that it has in them. */
  readonly points: number;
}

/**
 * The columns of a trace between two times. Neighbours touch: each begins where the one before it has ended,
 * unless there is a gap (null) between them. undefined: no point of this trace is at that time.
 */
export function columnsOf(
  times: ArrayLike<number>,
  values: ArrayLike<number | null | undefined>,
  [from, to]: readonly [number, number],
  width: number,
): Columns {
  const low = new Float64Array(width).fill(NaN);
  const high = new Float64Array(width).fill(NaN);
  const scale = width / (to - from);
  let before: number | undefined; // the last value, where no gap is behind it
  let points = 0;
  let travel = 0;
  for (let i = 0; i < times.length; i++) {
    const value = values[i];
    if (value === undefined) continue;
    if (value === null) {
      before = undefined;
      continue;
    }
    const time = times[i]!;
    if (time < from || time > to) {
      before = time < from ? value : undefined;
      continue;
    }
    points++;
    const x = Math.min(width - 1, Math.floor((time - from) * scale));
    if (!(low[x]! <= value)) low[x] = value;
    if (!(high[x]! >= value)) high[x] = value;
    if (before !== undefined) {
      if (before < low[x]!) low[x] = before;
      if (before > high[x]!) high[x] = before;
      travel += Math.abs(value - before);
    }
    before = value;
  }
  return { low, high, travel, points };
}

/** Points for each pixel, and heights of the plot for each hundred pixels, from which on columns are drawn. */
const CROWDED = 2;
const STEEP = 10;

/** Whether it is drawn as columns: crowded, and so steep that nobody sees a line in it. */
export function isDense({ points, travel }: Columns, width: number, span: number): boolean {
  return points > CROWDED * width && travel > (span * STEEP * width) / 100;
}

/** Fills them; `place` is where a value is on the paper, `thick` how thick a line is. */
export function fillColumns(
  pen: CanvasRenderingContext2D,
  { low, high }: Columns,
  left: number,
  thick: number,
  place: (value: number) => number,
): void {
  for (let x = 0; x < low.length; x++) {
    if (Number.isNaN(low[x]!)) continue;
    const top = place(high[x]!);
    pen.fillRect(left + x, top - thick / 2, 1, place(low[x]!) - top + thick);
  }
}
