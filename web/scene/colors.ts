// Colour scales. Both go through colours that the colour-blind can tell apart.
import type { Color } from "three";

/** From the first colour (compressed, -1) by the second (0) to the third (stretched, 1). */
export function strainColor(
  strain: number,
  colors: readonly [Color, Color, Color],
  into: Color,
): Color {
  const s = Math.min(1, Math.max(-1, Number.isFinite(strain) ? strain : 0));
  return s < 0 ? into.copy(colors[1]).lerp(colors[0], -s) : into.copy(colors[1]).lerp(colors[2], s);
}

// Points of the scale viridis (van der Walt and Smith 2015), dark to light.
const viridis = [
  [0.267, 0.005, 0.329],
  [0.283, 0.141, 0.458],
  [0.254, 0.265, 0.53],
  [0.207, 0.372, 0.553],
  [0.164, 0.471, 0.558],
  [0.128, 0.567, 0.551],
  [0.135, 0.659, 0.518],
  [0.267, 0.749, 0.441],
  [0.478, 0.821, 0.318],
  [0.741, 0.873, 0.15],
  [0.993, 0.906, 0.144],
] as const;

/** The colour of a number from 0 to 1, as red, green and blue. */
export function scaleColor(t: number): [number, number, number] {
  const at = Math.min(1, Math.max(0, Number.isFinite(t) ? t : 0)) * (viridis.length - 1);
  const i = Math.min(viridis.length - 2, Math.floor(at));
  const f = at - i;
  const [a, b] = [viridis[i]!, viridis[i + 1]!];
  return [a[0] + f * (b[0] - a[0]), a[1] + f * (b[1] - a[1]), a[2] + f * (b[2] - a[2])];
}

/** The range of what has been seen: it grows at once and never shrinks. */
export class Range {
  low = Infinity;
  high = -Infinity;
  take(value: number): void {
    if (!Number.isFinite(value)) return;
    this.low = Math.min(this.low, value);
    this.high = Math.max(this.high, value);
  }
  /** Where a value lies, from 0 to 1. */
  place(value: number): number {
    const wide = this.high - this.low;
    return wide > 0 ? (value - this.low) / wide : 0.5;
  }
  /** The largest distance from zero. */
  get reach(): number {
    const reach = Math.max(Math.abs(this.low), Math.abs(this.high));
    return Number.isFinite(reach) && reach > 0 ? reach : 1;
  }
}
