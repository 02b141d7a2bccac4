// How two texts differ, line by line: the longest common part stays, the rest is taken or put.

export interface Line {
  readonly kind: "same" | "taken" | "put";
  readonly text: string;
}

const CELLS_MOST = 4_000_000; // of the table; beyond it everything between counts as changed

/** From `old` to `now`. */
export function diffLines(old: string, now: string): Line[] {
  const [a, b] = [old.split("\n"), now.split("\n")];
  let head = 0;
  while (head < a.length && head < b.length && a[head] === b[head]) head++;
  let tail = 0;
  while (
    tail < a.length - head &&
    tail < b.length - head &&
    a[a.length - 1 - tail] === b[b.length - 1 - tail]
  )
    tail++;
  const same = (text: string): Line => ({ kind: "same", text });
  return [
    ...a.slice(0, head).map(same),
    ...between(a.slice(head, a.length - tail), b.slice(head, b.length - tail)),
    ...a.slice(a.length - tail).map(same),
  ];
}

function between(a: readonly string[], b: readonly string[]): Line[] {
  const taken = (text: string): Line => ({ kind: "taken", text });
  const put = (text: string): Line => ({ kind: "put", text });
  if ((a.length + 1) * (b.length + 1) > CELLS_MOST) return [...a.map(taken), ...b.map(put)];
  // longest[i][j]: of a from i on and b from j on
  const wide = b.length + 1;
  const longest = new Uint32Array((a.length + 1) * wide);
  for (let i = a.length - 1; i >= 0; i--)
    for (let j = b.length - 1; j >= 0; j--)
      longest[i * wide + j] =
        a[i] === b[j]
          ? longest[(i + 1) * wide + j + 1]! + 1
          : Math.max(longest[(i + 1) * wide + j]!, longest[i * wide + j + 1]!);
  const lines: Line[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push({ kind: "same", text: a[i]! });
      i++;
      j++;
    } else if (
      j >= b.length ||
      (i < a.length && longest[(i + 1) * wide + j]! >= longest[i * wide + j + 1]!)
    )
      lines.push(taken(a[i++]!));
    else lines.push(put(b[j++]!));
  }
  return lines;
}

/** Only what changed, with some lines around it; a gap is a line of kind same with text "⋯". */
export function hunks(lines: readonly Line[], around = 2): Line[] {
  const near = lines.map((_, i) =>
    lines.slice(Math.max(0, i - around), i + around + 1).some(({ kind }) => kind !== "same"),
  );
  const shown: Line[] = [];
  lines.forEach((line, i) => {
    if (near[i]) shown.push(line);
    else if (near[i - 1] || i === 0) shown.push({ kind: "same", text: "⋯" });
  });
  return shown.some(({ kind }) => kind !== "same") ? shown : [];
}
