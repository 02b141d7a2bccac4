// Where the desk's diagnoses belong on the sheet: a node, one of its ports, or a line.
import { at, isList, isObject } from "../document/json.ts";
import type { Json, Key, Path } from "../document/json.ts";
import { levelPath, netsOf, parseReference, referenceKey } from "../document/diagram.ts";
import type { Level } from "../document/diagram.ts";
import type { Diagnostic } from "../engine/protocol.ts";

export interface Fault {
  /** Without the path, which the sheet shows by the place. */
  readonly text: string;
  readonly severity: string;
  /** On the level that is open. */
  readonly here: boolean;
  readonly level: Level;
  readonly node: string | undefined;
  readonly port: { readonly input: boolean; readonly index: number } | undefined;
  readonly wire: string | undefined;
}

/** "$.nodes[3].parameters.Gain: ..." as a path and the rest. */
export function splitPath(text: string): { path: Path; rest: string } | undefined {
  const match = /^\$((?:\.[^.[\]:"]+|\[\d+\]|\["(?:[^"\\]|\\.)*"\]|\."(?:[^"\\]|\\.)*")*):\s*/.exec(
    text,
  );
  if (!match) return undefined;
  const path: Key[] = [];
  for (const [part] of (match[1] ?? "").matchAll(
    /\.?"(?:[^"\\]|\\.)*"|\.[^.[\]"]+|\[\d+\]|\["(?:[^"\\]|\\.)*"\]/g,
  )) {
    const quoted = /"(?:[^"\\]|\\.)*"/.exec(part)?.[0];
    if (quoted) path.push(JSON.parse(quoted) as string);
    else path.push(part.startsWith("[") ? Number(part.slice(1, -1)) : part.slice(1));
  }
  return { path, rest: text.slice(match[0].length) };
}

/** The path of the innermost value that begins at or before a place in a text of JSON. */
export function pathAt(text: string, offset: number): Path {
  const path: Key[] = [];
  const closing: string[] = [];
  let key: string | undefined;
  const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;
  let best: Path = [];
  for (let m = token.exec(text); m && m.index <= offset; m = token.exec(text)) {
    const t = m[0];
    if (t === "{" || t === "[") {
      closing.push(t);
      path.push(t === "[" ? 0 : "");
    } else if (t === "}" || t === "]") {
      closing.pop();
      path.pop();
    } else if (t === ",") {
      const last = path.at(-1);
      if (typeof last === "number") path[path.length - 1] = last + 1;
      key = undefined;
    } else if (t === ":") {
      if (key !== undefined) path[path.length - 1] = key;
    } else if (t.startsWith('"')) key = safeText(t);
    best = [...path];
  }
  return best.at(-1) === "" ? best.slice(0, -1) : best;
}
function safeText(token: string): string {
  try {
    return JSON.parse(token) as string;
  } catch {
    return token;
  }
}

function offsetOf(text: string, place: readonly [number, number] | undefined): number {
  const [line, column] = place ?? [0, 0];
  let start = 0;
  for (let i = 0; i < line; i++) {
    const next = text.indexOf("\n", start);
    if (next < 0) break;
    start = next + 1;
  }
  return start + column;
}

// "node 'x' (Integrator): needs ..." says again what the place shows.
const stripped = (text: string): string => text.replace(/^node '[^']*' \([^)]*\): /, "");

interface Place {
  readonly diagram: Path;
  readonly level: Level;
  readonly rest: Path;
}

// The diagram of a path, and what is left of the path inside of it.
function split(root: Json, path: Path, open: Level): Place {
  let diagram: Path = [];
  let rest = path;
  const level: string[] = [];
  if (path[0] === "subsystems" && path.length > 2) {
    diagram = path.slice(0, 2);
    rest = path.slice(2);
    const here = levelPath(root, open);
    if (here?.[0] === "subsystems" && here[1] === path[1]) level.push(...open);
  }
  while (rest[0] === "nodes" && rest[2] === "diagram") {
    const node = at(root, [...diagram, ...rest.slice(0, 2)]);
    level.push(isObject(node) && typeof node.name === "string" ? node.name : "");
    diagram = [...diagram, ...rest.slice(0, 3)];
    rest = rest.slice(3);
  }
  return { diagram, level, rest };
}

function portIn(text: string): Fault["port"] {
  const match = /\b(input|output) (\d+)\b/.exec(text);
  return match ? { input: match[1] === "input", index: Number(match[2]) - 1 } : undefined;
}

export function locate(
  list: readonly Diagnostic[],
  root: Json,
  text: string,
  open: Level,
): Fault[] {
  return list.map((diagnostic) => {
    const found = splitPath(diagnostic.text);
    const rest = stripped(found?.rest ?? diagnostic.text);
    const path = found?.path ?? pathAt(text, offsetOf(text, diagnostic.from));
    const place = split(root, path, open);
    const diagram = at(root, place.diagram);
    const base = { text: rest, severity: diagnostic.severity, level: place.level };
    const path0 = levelPath(root, open);
    const here = path0 !== undefined && path0.join("/") === place.diagram.join("/");
    const index = place.rest[1];
    let node: string | undefined;
    let wire: string | undefined;
    let port = portIn(rest);
    if (place.rest[0] === "nodes" && typeof index === "number" && isObject(diagram)) {
      // until the desk has answered anew its numbers are those of the document before
      const named = /^node '([^']*)' \(/.exec(found?.rest ?? "")?.[1];
      const list = isList(diagram.nodes) ? diagram.nodes : [];
      const called = list.find((n) => isObject(n) && n.name === named);
      const json = called ?? list[index];
      if (isObject(json) && typeof json.name === "string") node = json.name;
    } else if (place.rest[0] === "lines" && isObject(diagram)) {
      const line = at(diagram, place.rest.slice(0, 2));
      if (isObject(line) && typeof line.from === "string") wire = referenceKey(line.from);
      const end = at(diagram, place.rest);
      if (typeof end === "string")
        ({ node, port } = endOf(end, place.rest.at(-1) === "from", port));
    } else {
      // a loop names its nodes
      const named = /'([^']+)'/.exec(rest)?.[1];
      if (
        named !== undefined &&
        netsOf(diagram).some((net) => parseReference(net.from).node === named)
      )
        node = named;
    }
    return { ...base, here, node, port, wire };
  });
}

function endOf(end: string, output: boolean, port: Fault["port"]): Pick<Fault, "node" | "port"> {
  const { node, port: name } = parseReference(end);
  const index = /^\d+$/.test(name) ? Number(name) - 1 : -1;
  return { node, port: port ?? (index >= 0 ? { input: !output, index } : undefined) };
}
