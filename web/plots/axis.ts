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
