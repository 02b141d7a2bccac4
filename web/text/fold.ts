// What of a text can be folded: a class until its end, and what is indented below a line.
import { foldService } from "@codemirror/language";
import type { EditorState, Line } from "@codemirror/state";

const CLASS =
  /^\s*(?:(?:partial|encapsulated|expandable|pure|impure|operator|replaceable|redeclare|inner|outer|final)\s+)*(?:model|class|package|function|block|record|connector)\s+(?:extends\s+)?([A-Za-z_]\w*|'[^']+')(?!.*\bend\b)/;

const indentOf = (line: Line) => /^\s*/.exec(line.text)![0].length;
const isBlank = (line: Line) => line.text.trim() === "";

function endOfClass(state: EditorState, line: Line, name: string): Line | undefined {
  for (let n = line.number + 1; n <= state.doc.lines; n++) {
    const other = state.doc.line(n);
    const end = /^\s*end\s+([A-Za-z_]\w*|'[^']+')\s*;/.exec(other.text);
    if (end?.[1] === name) return other;
  }
  return undefined;
}

function lastBelow(state: EditorState, line: Line): Line | undefined {
  const depth = indentOf(line);
  let last: Line | undefined;
  for (let n = line.number + 1; n <= state.doc.lines; n++) {
    const other = state.doc.line(n);
    if (isBlank(other)) continue;
    if (indentOf(other) <= depth) break;
    last = other;
  }
  return last;
}

/** The part of the text that is hidden when a line is folded. */
export function foldOf(state: EditorState, from: number): { from: number; to: number } | null {
  const line = state.doc.lineAt(from);
  if (isBlank(line)) return null;
  const name = CLASS.exec(line.text)?.[1];
  const last = (name && endOfClass(state, line, name)) || lastBelow(state, line);
  return last ? { from: line.to, to: last.to } : null;
}

export const folding = foldService.of(foldOf);
