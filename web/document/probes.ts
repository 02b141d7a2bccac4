// Probes of a field in its document's text: put in and taken out where they stand, nothing else is touched.

const nodeText = ([i, j]: readonly [number, number], flat: boolean) =>
  flat ? `{"node": [${i}, ${j}]}` : `{"node": [${i}]}`;

/** The text with a probe at a node, or without the one that is there. `flat`: of two dimensions. */
export function toggleProbe(text: string, node: readonly [number, number], flat: boolean): string {
  const here = flat ? `\\[\\s*${node[0]}\\s*,\\s*${node[1]}\\s*\\]` : `\\[\\s*${node[0]}\\s*\\]`;
  const entry = `\\{\\s*"node"\\s*:\\s*${here}\\s*\\}`;
  const list = /"probes"\s*:\s*\[/.exec(text);
  if (!list) {
    const end = text.lastIndexOf("}");
    const before = text.slice(0, end).trimEnd();
    const comma = before.endsWith("{") ? "" : ",";
    return `${before}${comma}\n  "probes": [${nodeText(node, flat)}]\n${text.slice(end)}`;
  }
  const from = list.index + list[0].length;
  const [head, tail] = [text.slice(0, from), text.slice(from)];
  const end = closing(tail);
  const inside = tail.slice(0, end);
  const without = inside
    .replace(new RegExp(`${entry}\\s*,\\s*`), "")
    .replace(new RegExp(`(?:,\\s*)?${entry}`), "");
  if (without !== inside) return head + without + tail.slice(end);
  const full = inside.trimEnd();
  return `${head}${full}${full.trim() ? ", " : ""}${nodeText(node, flat)}${tail.slice(end)}`;
}

/** Where the list ends that the text is inside of. */
function closing(text: string): number {
  let depth = 1;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === "[") depth++;
    else if (text[i] === "]" && --depth === 0) return i;
  }
  return text.length;
}
