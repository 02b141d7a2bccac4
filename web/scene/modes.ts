// The static solution of a structure and its modes, from what the desk says of it. The desk linearizes
//
//     q' = v,   v' = -B q - D v,   B = M^-1 K
//
// at the static solution; M is a positive diagonal and K is symmetric. With s = M^(1/2) q the matrix is
//
//     S = M^(1/2) B M^(-1/2) = S',   S_ij = sign(B_ij) sqrt(B_ij B_ji)
//
// for m_i B_ij = m_j B_ji. S is made tridiagonal by Householder's reflections and its eigenvalues are found by the
// QL method with implicit shifts (Martin, Reinsch and Wilkinson 1968; Dubrulle, Martin and Wilkinson 1968).

export interface Mode {
  /** [Hz]; 0: it moves as a whole, negative: it grows, e-fold in 1/(2 pi |f|) s. */
  readonly frequency: number;
  /** How far each position moves, the largest by 1. */
  readonly shape: readonly number[];
}

/** Eigenvalues, ascending, and eigenvectors (as rows) of a symmetric matrix. */
export function symmetricEigen(matrix: readonly (readonly number[])[]): {
  values: number[];
  vectors: number[][];
} {
  const n = matrix.length;
  const z = matrix.map((row) => [...row]);
  const d = new Array<number>(n).fill(0);
  const e = new Array<number>(n).fill(0);
  tridiagonalize(z, d, e);
  diagonalize(z, d, e);
  const order = d.map((_, i) => i).sort((a, b) => d[a]! - d[b]!);
  return {
    values: order.map((k) => d[k]!),
    vectors: order.map((k) => z.map((row) => row[k]!)),
  };
}

// z becomes the product of the reflections, d the diagonal, e what is beside it, from 1 on.
function tridiagonalize(z: number[][], d: number[], e: number[]): void {
  const n = z.length;
  for (let i = n - 1; i > 0; i--) {
    const row = z[i]!;
    let h = 0;
    let scale = 0;
    for (let k = 0; k < i; k++) scale += Math.abs(row[k]!);
    if (i === 1 || scale === 0) e[i] = row[i - 1]!;
    else {
      for (let k = 0; k < i; k++) {
        row[k]! /= scale;
        h += row[k]! * row[k]!;
      }
      const f = row[i - 1]!;
      const g = f >= 0 ? -Math.sqrt(h) : Math.sqrt(h);
      e[i] = scale * g;
      h -= f * g;
      row[i - 1] = f - g;
      reflect(z, e, i, h);
    }
    d[i] = h;
  }
  d[0] = e[0] = 0;
  for (let i = 0; i < n; i++) {
    const row = z[i]!;
    if (d[i] !== 0)
      for (let j = 0; j < i; j++) {
        let g = 0;
        for (let k = 0; k < i; k++) g += row[k]! * z[k]![j]!;
        for (let k = 0; k < i; k++) z[k]![j]! -= g * z[k]![i]!;
      }
    d[i] = row[i]!;
    row[i] = 1;
    for (let j = 0; j < i; j++) row[j] = z[j]![i] = 0;
  }
}

// A := P A P for P = 1 - u u'/h, u in row i.
function reflect(z: number[][], e: number[], i: number, h: number): void {
  const u = z[i]!;
  let f = 0;
  for (let j = 0; j < i; j++) {
    z[j]![i] = u[j]! / h;
    let g = 0;
    for (let k = 0; k <= j; k++) g += z[j]![k]! * u[k]!;
    for (let k = j + 1; k < i; k++) g += z[k]![j]! * u[k]!;
    e[j] = g / h;
    f += e[j]! * u[j]!;
  }
  const half = f / (2 * h);
  for (let j = 0; j < i; j++) {
    const g = (e[j]! -= half * u[j]!);
    for (let k = 0; k <= j; k++) z[j]![k]! -= u[j]! * e[k]! + g * u[k]!;
  }
}

function diagonalize(z: number[][], d: number[], e: number[]): void {
  const n = d.length;
  e.shift();
  e.push(0);
  for (let l = 0; l < n; l++)
    for (let turn = 0; ; turn++) {
      let m = l;
      while (
        m < n - 1 &&
        Math.abs(e[m]!) > Number.EPSILON * (Math.abs(d[m]!) + Math.abs(d[m + 1]!))
      )
        m++;
      if (m === l) break;
      if (turn === 60) throw new Error("the modes were not found");
      rotate(z, d, e, l, m);
    }
}

// One step of QL with the shift of the upper two by two, on the part from l to m that does not fall apart.
function rotate(z: number[][], d: number[], e: number[], l: number, m: number): void {
  let g = (d[l + 1]! - d[l]!) / (2 * e[l]!);
  const root = Math.hypot(g, 1);
  g = d[m]! - d[l]! + e[l]! / (g + (g >= 0 ? root : -root));
  let [s, c, p] = [1, 1, 0];
  for (let i = m - 1; i >= l; i--) {
    const f = s * e[i]!;
    const b = c * e[i]!;
    const r = Math.hypot(f, g);
    e[i + 1] = r;
    if (r === 0) {
      d[i + 1]! -= p;
      e[m] = 0;
      return;
    }
    s = f / r;
    c = g / r;
    g = d[i + 1]! - p;
    const t = (d[i]! - g) * s + 2 * c * b;
    p = s * t;
    d[i + 1] = g + p;
    g = c * t - b;
    for (const row of z) {
      const y = row[i + 1]!;
      row[i + 1] = s * row[i]! + c * y;
      row[i] = c * row[i]! - s * y;
    }
  }
  d[l]! -= p;
  e[l] = g;
  e[m] = 0;
}

/** Masses, each but for a factor of what hangs together: m_i / m_j = B_ji / B_ij. */
function massesOf(b: readonly (readonly number[])[]): number[] {
  const masses = b.map(() => 0);
  for (let first = 0; first < b.length; first++) {
    if (masses[first]) continue;
    masses[first] = 1;
    for (const queue = [first]; queue.length;) {
      const i = queue.pop()!;
      b[i]!.forEach((coupled, j) => {
        if (masses[j] || !coupled || !b[j]![i]) return;
        masses[j] = (masses[i]! * coupled) / b[j]![i];
        queue.push(j);
      });
    }
  }
  return masses;
}

const largest = (list: readonly number[]) =>
  list.reduce((most, value) => Math.max(most, Math.abs(value)), 0);

/** The modes of a linearized structure, the slowest first; throws where it is none, or they do not fit. */
export function modesOf(a: readonly (readonly number[])[]): Mode[] {
  const n = a.length / 2;
  if (!Number.isInteger(n)) throw new Error("it has more states than positions and velocities");
  const whole = a.slice(n).map((row) => row.slice(0, n).map((value) => -value));
  // what is fixed feels nothing
  const free = whole.flatMap((row, i) => (row.some((value) => value !== 0) ? [i] : []));
  if (free.some((i) => a[i]![n + i] !== 1))
    throw new Error("some of its positions do not follow their velocities");
  const b = free.map((i) => free.map((j) => whole[i]![j]!));
  const size = Math.max(...b.map(largest), Number.MIN_VALUE);
  const s = b.map((row, i) =>
    row.map((value, j) => {
      const product = value * b[j]![i]!;
      if (product < -1e-12 * size * size) throw new Error("its forces are of no energy");
      return i === j ? value : Math.sign(value) * Math.sqrt(Math.max(0, product));
    }),
  );
  const { values, vectors } = symmetricEigen(s);
  const masses = massesOf(b);
  const slow = 1e-11 * largest(values);
  return values.map((value, k) => {
    const shape = vectors[k]!.map((y, i) => y / Math.sqrt(masses[i]!));
    const most = largest(shape);
    const wrong = largest(
      b.map((row, i) => row.reduce((sum, v, j) => sum + v * shape[j]!, -value * shape[i]!)),
    );
    // rows of light nodes are the large ones
    if (!(wrong <= 1e-7 * size * most)) throw new Error("the modes were not found");
    const full = new Array<number>(n).fill(0);
    free.forEach((i, at) => (full[i] = shape[at]! / most));
    const frequency =
      Math.abs(value) <= slow ? 0 : (Math.sign(value) * Math.sqrt(Math.abs(value))) / (2 * Math.PI);
    return { frequency, shape: full };
  });
}
