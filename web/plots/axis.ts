// The numbers beside an axis: no longer than there is room for.

/** Letters that there is room for. */
const LETTERS = 7;

/** Words for the places of an axis that are `step` apart, all in one form. */
export function axisLabels(places: readonly number[], step: number): string[] {
  const lead = Math.floor(Math.log10(step) + 1e-9);
  const last = Number.isInteger(Number((step / 10 ** lead).toPrecision(9))) ? lead : lead - 1; // digit that differs
  const digits = Math.min(20, Math.max(0, -last));
  const grouped = { minimumFractionDigits: digits, maximumFractionDigits: digits };
  const plain = places.map((v) => v.toLocaleString("en-US", grouped));
  const longest = (list: readonly string[]) => Math.max(0, ...list.map(({ length }) => length));
  if (longest(plain) <= LETTERS) return plain;
  const largest = Math.max(...places.map(Math.abs));
  const power = Math.floor(Math.log10(largest) + 1e-9);
  const left = Math.min(20, Math.max(0, power - last));
  // one power for all, so that they can be compared
  const short = places.map((v) => {
    const part = (v / 10 ** power).toFixed(left);
    return Number(part) === 0 ? "0" : `${part}e${power}`;
  });
  return longest(short) < longest(plain) ? short : plain;
}

/** Words for places that are equally far apart. */
export const tickLabels = (places: readonly number[]): string[] =>
  axisLabels(places, places[1]! - places[0]! || Math.abs(places[0] ?? 0) || 1);

const LETTER = 6.7; // its width in pixels
const APART = 40; // pixels between places, at least

/** How far apart places of a time axis are at least, so that their words have room beside each other. */
export function timeSpace(from: number, to: number, width: number): number {
  const step = ((to - from) * APART) / Math.max(width, APART);
  if (!(step > 0)) return APART;
  const words = axisLabels([from, to], 10 ** Math.floor(Math.log10(step)));
  return Math.max(APART, LETTER * Math.max(...words.map(({ length }) => length)) + 14);
}
