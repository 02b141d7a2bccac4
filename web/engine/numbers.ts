// Numbers as the page shows and reads them.

/** At most `digits` significant ones, without an exponent where that is short. */
export function showNumber(value: number, digits = 6): string {
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const short = Number(value.toPrecision(digits));
  const size = Math.abs(short);
  const text = size !== 0 && (size < 1e-4 || size >= 1e7) ? short.toExponential() : String(short);
  return text.replace("e+", "e").replace(/^-/, "−");
}

/** What a person may type; undefined: no number. */
export function readNumber(text: string): number | undefined {
  const plain = text.trim().replace("−", "-").replace(",", ".");
  if (plain === "∞" || plain === "inf") return Infinity;
  if (!/^[-+]?(\d+\.?\d*|\.\d+)(e[-+]?\d+)?$/i.test(plain)) return undefined;
  const value = Number(plain);
  return Number.isFinite(value) ? value : undefined;
}

/** The step by which a number changes: a hundredth of its size, as a power of ten. */
export function stepOf(value: number): number {
  const size = Math.abs(value);
  return size > 0 ? 10 ** (Math.floor(Math.log10(size)) - 1) : 0.1;
}

/** value + steps * step, without the digits that binary numbers add. */
export function stepBy(value: number, steps: number, step = stepOf(value)): number {
  const places = Math.max(0, Math.min(100, -Math.floor(Math.log10(step))));
  return Number((Math.round(value / step + steps) * step).toFixed(places));
}

/** A number out of so wide a range with about a thousand places in it: no more digits than that. */
export function tidy(value: number, span: number): number {
  const digits = Math.max(0, Math.min(100, 3 - Math.floor(Math.log10(span || 1))));
  return Number(value.toFixed(digits));
}

/** A time with `places` behind the point, and more where all of the time is shorter than one unit of it. */
export function showTime(time: number, span: number, places: number): string {
  const more = span > 0 ? Math.max(0, -Math.floor(Math.log10(span))) : 0;
  return time.toFixed(Math.min(100, Math.max(places, Math.min(7, places) + more)));
}
