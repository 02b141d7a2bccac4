// A document as text, laid out as the diagrams of the gallery are: nodes, lines and what is small on
// a line of their own.
import { isList, isObject } from "./json.ts";
import type { Json } from "./json.ts";

const WIDTH = 110;

function flat(value: Json): string {
  if (isList(value)) return `[${value.map(flat).join(", ")}]`;
  if (isObject(value)) {
    const members = Object.entries(value).map(([k, v]) => `${JSON.stringify(k)}: ${flat(v)}`);
    return `{${members.join(", ")}}`;
  }
  return JSON.stringify(value);
}

function hasDeepParts(value: Json): boolean {
  const parts = isList(value) ? value : isObject(value) ? Object.values(value) : [];
  return parts.some((part) => isList(part) && part.some((inner) => isObject(inner)));
}

function lay(value: Json, indent: string, top: boolean): string {
  const one = flat(value);
  const container = isList(value) || isObject(value);
  if (!container || (!top && indent.length + one.length <= WIDTH && !hasDeepParts(value)))
    return one;
  const inside = `${indent}    `;
  const parts = isList(value)
    ? value.map((part) => inside + lay(part, inside, false))
    : Object.entries(value).map(
        ([key, part]) => `${inside}${JSON.stringify(key)}: ${lay(part, inside, isRows(key, part))}`,
      );
  const [open, close] = isList(value) ? "[]" : "{}";
  return parts.length ? `${open}\n${parts.join(",\n")}\n${indent}${close}` : `${open}${close}`;
}

function isRows(key: string, part: Json): boolean {
  return (
    (key === "nodes" || key === "lines" || key === "shapes") && isList(part) && part.length > 0
  );
}

export function print(value: Json): string {
  return `${lay(value, "", true)}\n`;
}
