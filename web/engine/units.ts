// Units as people type them: "20 cm" where metres are asked, and a reason where that makes no sense.

/** Exponents of m, kg, s, A, K, mol, cd; angles are pure numbers. */
type Dimension = readonly [number, number, number, number, number, number, number];
interface Unit {
  readonly factor: number;
  readonly offset: number;
  readonly of: Dimension;
}

const D = (m = 0, kg = 0, s = 0, a = 0, k = 0, mol = 0, cd = 0): Dimension => [
  m,
  kg,
  s,
  a,
  k,
  mol,
  cd,
];
const unit = (factor: number, of: Dimension, offset = 0): Unit => ({ factor, of, offset });

const units: Readonly<Record<string, Unit>> = {
  m: unit(1, D(1)),
  g: unit(1e-3, D(0, 1)),
  s: unit(1, D(0, 0, 1)),
  A: unit(1, D(0, 0, 0, 1)),
  K: unit(1, D(0, 0, 0, 0, 1)),
  mol: unit(1, D(0, 0, 0, 0, 0, 1)),
  cd: unit(1, D(0, 0, 0, 0, 0, 0, 1)),
  rad: unit(1, D()),
  deg: unit(Math.PI / 180, D()),
  rev: unit(2 * Math.PI, D()),
  "%": unit(0.01, D()),
  min: unit(60, D(0, 0, 1)),
  h: unit(3600, D(0, 0, 1)),
  d: unit(86400, D(0, 0, 1)),
  Hz: unit(1, D(0, 0, -1)),
  rpm: unit((2 * Math.PI) / 60, D(0, 0, -1)),
  N: unit(1, D(1, 1, -2)),
  Pa: unit(1, D(-1, 1, -2)),
  bar: unit(1e5, D(-1, 1, -2)),
  J: unit(1, D(2, 1, -2)),
  W: unit(1, D(2, 1, -3)),
  V: unit(1, D(2, 1, -3, -1)),
  C: unit(1, D(0, 0, 1, 1)),
  F: unit(1, D(-2, -1, 4, 2)),
  Ohm: unit(1, D(2, 1, -3, -2)),
  S: unit(1, D(-2, -1, 3, 2)),
  H: unit(1, D(2, 1, -2, -2)),
  Wb: unit(1, D(2, 1, -2, -1)),
  T: unit(1, D(0, 1, -2, -1)),
  l: unit(1e-3, D(3)),
  t: unit(1000, D(0, 1)),
  degC: unit(1, D(0, 0, 0, 0, 1), 273.15),
};
const prefixes: Readonly<Record<string, number>> = {
  n: 1e-9,
  u: 1e-6,
  µ: 1e-6,
  m: 1e-3,
  c: 1e-2,
  d: 1e-1,
  k: 1e3,
  M: 1e6,
  G: 1e9,
};

function atom(name: string): Unit | undefined {
  const plain = units[name === "Ω" ? "Ohm" : name === "°C" ? "degC" : name === "°" ? "deg" : name];
  if (plain) return plain;
  const rest = units[name.slice(1)];
  const factor = prefixes[name[0] ?? ""];
  return rest && factor !== undefined && !rest.offset
    ? unit(factor * rest.factor, rest.of)
    : undefined;
}

/** "m/s^2", "kg.m2", "1/s"; undefined where a part is not known. */
export function readUnit(text: string): Unit | undefined {
  let sign = 1;
  let all: Unit = unit(1, D());
  let count = 0;
  for (const [, mark, name, power] of text
    .replace(/[()]/g, " ")
    .matchAll(/([/·*.\s]*)([A-Za-zµΩ°%]+|1)(?:\^?(-?\d+))?/g)) {
    if (mark?.includes("/")) sign = -1;
    count += 1;
    if (name === "1") continue;
    const one = atom(name!);
    if (!one) return undefined;
    if (one.offset && text.trim() === name) return one; // a temperature by itself
    const exponent = sign * Number(power ?? 1);
    all = unit(
      all.factor * one.factor ** exponent,
      all.of.map((d, i) => d + exponent * one.of[i]!) as unknown as Dimension,
    );
  }
  return count || !text.trim() ? all : undefined;
}

/** A number in the unit that is asked, or why there is none. */
export function convert(value: number, typed: string, wanted: string): number | string {
  if (typed === wanted) return value;
  const [from, to] = [readUnit(typed), readUnit(wanted)];
  if (!from) return `${typed} is no unit that is known here`;
  if (!to) return `this is in ${wanted}: type it without a unit`;
  if (from.of.some((d, i) => d !== to.of[i]))
    return wanted
      ? `${typed} is another kind of quantity than ${wanted}`
      : `this is a pure number, without ${typed}`;
  // through decimal digits, so that 20 cm is 0.2 m and not its neighbour
  return Number(((value * from.factor + from.offset - to.offset) / to.factor).toPrecision(15));
}

/** "20 cm" as a number and a unit; the unit is "" where there is none. */
export function splitQuantity(text: string): readonly [string, string] {
  const [, number = text, of = ""] =
    /^\s*([-+−]?[\d.,]+(?:[eE][-+]?\d+)?)\s*(.*?)\s*$/.exec(text) ?? [];
  return [number, of];
}
