// Columns as a MAT-file of level 4: a head of five whole numbers, the name, and the numbers as they are.
// MATLAB, Octave and SciPy read it.

/** A name that those programs take, and that no other column has. */
function plainName(name: string, taken: Set<string>): string {
  const plain = name.replace(/[^A-Za-z0-9_]+/g, "_").replace(/^_+|_+$/g, "");
  const base = (/^[A-Za-z]/.test(plain) ? plain : `v_${plain}`).slice(0, 56);
  let unique = base;
  for (let k = 2; taken.has(unique); k++) unique = `${base}_${k}`;
  taken.add(unique);
  return unique;
}

const TEXT = 51; // unsigned bytes that are letters
const DOUBLE = 0;

function head(kind: number, rows: number, columns: number, name: string): Uint8Array {
  const letters = new TextEncoder().encode(`${name}\0`);
  const bytes = new Uint8Array(20 + letters.length);
  const view = new DataView(bytes.buffer);
  [kind, rows, columns, 0, letters.length].forEach((n, i) => view.setInt32(4 * i, n, true));
  bytes.set(letters, 20);
  return bytes;
}

/** `names[i]` belongs to `columns[i]`; the variable `names` has them as they are, one in each row. */
export function matFile(names: readonly string[], columns: readonly Float64Array[]): Blob {
  const taken = new Set(["names"]);
  const parts: BlobPart[] = [];
  names.forEach((name, i) => {
    const values = columns[i]!;
    const bytes = new Uint8Array(8 * values.length);
    const view = new DataView(bytes.buffer);
    values.forEach((value, k) => view.setFloat64(8 * k, value, true));
    parts.push(head(DOUBLE, values.length, 1, plainName(name, taken)) as BlobPart, bytes);
  });
  const lines = names.map((name) => new TextEncoder().encode(name));
  const wide = Math.max(1, ...lines.map((line) => line.length));
  const letters = new Uint8Array(wide * lines.length).fill(32);
  lines.forEach((line, row) =>
    line.forEach((letter, k) => (letters[row + k * lines.length] = letter)),
  );
  parts.push(head(TEXT, lines.length, wide, "names") as BlobPart, letters);
  return new Blob(parts, { type: "application/octet-stream" });
}
