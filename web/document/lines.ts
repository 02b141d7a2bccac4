// Changes of lines. A line is a net: one output, many inputs. The file may write it as one line with
// a list, with branches that have branches, or as several lines; an edit keeps the way in which the
// rest of the net is written.
import { isList, isObject } from "./json.ts";
import type { Json, JsonObject, Path } from "./json.ts";
import { netsOf, parseReference, referenceKey } from "./diagram.ts";
import type { Level, NetData } from "./diagram.ts";
import type { Draft } from "./document.ts";
import { listAt, pathOf, place } from "./places.ts";
import type { Point } from "./places.ts";

export function netsAt(draft: Draft, level: Level): readonly NetData[] {
  return netsOf(draft.at(pathOf(draft, level)));
}
function linesAt(draft: Draft, level: Level): readonly Json[] {
  const list = draft.at([...pathOf(draft, level), "lines"]);
  return isList(list) ? list : [];
}
function feeds(reference: Json | undefined, key: string): boolean {
  return typeof reference === "string" && referenceKey(reference) === key;
}

/** Leads an output to an input; what led to this input before does not any more. */
export function connect(draft: Draft, level: Level, from: string, to: string): void {
  const source = netsAt(draft, level).find((net) => feeds(net.from, referenceKey(from)));
  if (source?.targets.some((target) => feeds(target.to, referenceKey(to)))) return;
  disconnect(draft, level, to);
  const list = listAt(draft, level, "lines");
  const lines = draft.at(list) as readonly Json[];
  const i = lines.findIndex((line) => isObject(line) && feeds(line.from, referenceKey(from)));
  if (i < 0) {
    draft.splice(list, lines.length, 0, { from, to });
    return;
  }
  const line = lines[i] as JsonObject;
  if (isList(line.branches))
    draft.splice([...list, i, "branches"], line.branches.length, 0, { to });
  else if (line.to === undefined) draft.set([...list, i], "to", to);
  else if (isList(line.to)) draft.splice([...list, i, "to"], line.to.length, 0, to);
  else draft.set([...list, i], "branches", [{ to }]);
}

// What is left of a line or branch without an end; undefined: nothing.
function without(json: JsonObject, key: string): JsonObject | undefined {
  const { to, points, ...others } = json;
  const rest: Record<string, Json> = { ...others };
  const ends = (isList(to) ? to : to === undefined ? [] : [to]).filter((end) => !feeds(end, key));
  const had = isList(to) ? to.length : to === undefined ? 0 : 1;
  const first = isList(to) ? to[0] : to;
  if (ends.length) rest.to = ends.length === 1 && had > 1 ? ends[0]! : isList(to) ? ends : to!;
  if (points !== undefined && !feeds(first, key)) rest.points = points;
  if (isList(json.branches)) {
    const branches = json.branches.flatMap((b) => (isObject(b) ? (without(b, key) ?? []) : [b]));
    if (branches.length) rest.branches = branches;
    else delete rest.branches;
  }
  return rest.to === undefined && rest.branches === undefined ? undefined : lift(rest);
}

// A line that has lost its own end takes over that of its first branch.
function lift(json: Record<string, Json>): JsonObject {
  const branches = json.branches;
  const first = isList(branches) ? branches[0] : undefined;
  if (json.to !== undefined || !isObject(first) || first.color !== undefined) return json;
  const inner = isList(first.branches) ? first.branches : [];
  const rest = [...inner, ...(branches as readonly Json[]).slice(1)];
  const own = Object.fromEntries(Object.entries(json).filter(([key]) => key !== "branches"));
  return {
    ...own,
    ...(first.to === undefined ? {} : { to: first.to }),
    ...(first.points === undefined ? {} : { points: first.points }),
    ...(rest.length ? { branches: rest } : {}),
  };
}

function has(json: JsonObject, key: string): boolean {
  const ends = isList(json.to) ? json.to : [json.to];
  if (ends.some((end) => feeds(end, key))) return true;
  const branches = isList(json.branches) ? json.branches : [];
  return branches.some((branch) => isObject(branch) && has(branch, key));
}

/** Takes the line to an input away. */
export function disconnect(draft: Draft, level: Level, to: string): void {
  const key = referenceKey(to);
  const path = [...pathOf(draft, level), "lines"];
  const lines = linesAt(draft, level);
  for (let i = lines.length - 1; i >= 0; i--) {
    const line = lines[i];
    if (!isObject(line) || !has(line, key)) continue;
    const rest = without(line, key);
    draft.splice(path, i, 1, ...(rest ? [rest] : []));
  }
}

/** Takes all lines from an output away. */
export function removeNet(draft: Draft, level: Level, from: string): void {
  const key = referenceKey(from);
  const path = [...pathOf(draft, level), "lines"];
  const lines = linesAt(draft, level);
  for (let i = lines.length - 1; i >= 0; i--) {
    const line = lines[i];
    if (isObject(line) && feeds(line.from, key)) draft.splice(path, i, 1);
  }
}

/** Takes all lines of a node away; with `reconnect`, its first input feeds what its outputs fed. */
export function disconnectNode(draft: Draft, level: Level, name: string, reconnect: boolean): void {
  const nets = netsAt(draft, level);
  const own = nets.filter((net) => parseReference(net.from).node === name);
  const into = nets.flatMap((net) =>
    net.targets.filter((t) => parseReference(t.to).node === name).map((t) => ({ net, t })),
  );
  const feeder = into.find(({ net }) => parseReference(net.from).node !== name)?.net;
  for (const net of own) removeNet(draft, level, net.from);
  for (const { t } of into) disconnect(draft, level, t.to);
  if (!reconnect || feeder === undefined) return;
  for (const { to } of own.flatMap((net) => net.targets))
    if (parseReference(to).node !== name) connect(draft, level, feeder.from, to);
  keepColor(draft, level, feeder.from, feeder.color);
}

function renamed(json: JsonObject, from: string, to: string): JsonObject {
  const change = (end: Json): Json => {
    if (typeof end !== "string" || parseReference(end).node !== from) return end;
    return to + end.slice(from.length);
  };
  const result: Record<string, Json> = { ...json };
  if (json.from !== undefined) result.from = change(json.from);
  if (json.to !== undefined) result.to = isList(json.to) ? json.to.map(change) : change(json.to);
  if (isList(json.branches))
    result.branches = json.branches.map((b) => (isObject(b) ? renamed(b, from, to) : b));
  return result;
}

/** Lines follow a node that has another name now. */
export function renameEnds(draft: Draft, level: Level, from: string, to: string): void {
  const path = [...pathOf(draft, level), "lines"];
  linesAt(draft, level).forEach((line, i) => {
    if (!isObject(line)) return;
    const next = renamed(line, from, to);
    if (JSON.stringify(next) !== JSON.stringify(line)) draft.splice(path, i, 1, next);
  });
}

/** Puts a node into a line to some inputs: they are fed by the node's output, its input by the line. */
export function insertInLine(
  draft: Draft,
  level: Level,
  ends: readonly string[],
  input: string,
  output: string,
): void {
  const keys = new Set(ends.map(referenceKey));
  const net = netsAt(draft, level).find((n) => n.targets.some((t) => keys.has(referenceKey(t.to))));
  if (!net) return;
  for (const to of ends) disconnect(draft, level, to);
  connect(draft, level, net.from, input);
  for (const to of ends) connect(draft, level, output, to);
  keepColor(draft, level, net.from, net.color);
  keepColor(draft, level, output, net.color);
}

/** A line that was made anew has the colour of the one before it. */
function keepColor(draft: Draft, level: Level, from: string, color: string | undefined): void {
  const net = netsAt(draft, level).find((n) => feeds(n.from, referenceKey(from)));
  if (net && net.color === undefined && color !== undefined) colorNet(draft, level, from, color);
}

export function colorNet(
  draft: Draft,
  level: Level,
  from: string,
  color: string | undefined,
): void {
  const path = [...pathOf(draft, level), "lines"];
  linesAt(draft, level).forEach((line, i) => {
    if (isObject(line) && feeds(line.from, referenceKey(from)))
      draft.set([...path, i], "color", color);
  });
}

// A list of ends has no place for the points of one: the end gets a branch of its own.
function ownBranch(draft: Draft, level: Level, path: Path, to: string): Path {
  const whole = [...pathOf(draft, level), ...path];
  const json = draft.at(whole) as JsonObject;
  if (!isList(json.to)) return whole;
  if (json.to.length === 1) return whole;
  const branches = isList(json.branches) ? json.branches : [];
  const rest = json.to.filter((end) => !feeds(end, referenceKey(to)));
  draft.set(whole, "to", rest.length === 1 ? rest[0]! : rest);
  draft.set(whole, "branches", [...branches, { to }]);
  return [...whole, "branches", branches.length];
}

/** Leads the line to an input through points; undefined: as the sheet finds best. */
export function pinLine(
  draft: Draft,
  level: Level,
  to: string,
  pins: readonly Point[] | undefined,
): void {
  const key = referenceKey(to);
  const target = netsAt(draft, level)
    .flatMap((net) => net.targets)
    .find((t) => feeds(t.to, key));
  if (!target) return;
  if (!pins?.length) {
    if (target.pins.length)
      draft.set([...pathOf(draft, level), ...target.path], "points", undefined);
  } else draft.set(ownBranch(draft, level, target.path, to), "points", pins.map(place));
}
