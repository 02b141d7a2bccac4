// Rows as text: the shortest decimals that give the same numbers again.
import type { Frame } from "../engine/protocol.ts";

const quote = (name: string) => (/[",\n]/.test(name) ? `"${name.replace(/"/g, '""')}"` : name);
const cell = (value: number) => (Number.isNaN(value) ? "" : String(value));

export function csv(names: readonly string[], frame: Frame): string {
  const columns = frame.columns.map(({ values }) => values);
  const count = columns[0]?.length ?? 0;
  const lines = [["t", ...names].map(quote).join(",")];
  for (let i = 0; i < count; i++) lines.push(columns.map((column) => cell(column[i]!)).join(","));
  return lines.join("\n") + "\n";
}
