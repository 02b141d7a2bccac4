// Values of JSON, and the two edits of which every change of a document is made. Values are never
// changed in place: an edit makes new objects on the way to its place and shares all others, so that
// what is the same object is the same content.

export type Json = null | boolean | number | string | readonly Json[] | JsonObject;
export interface JsonObject {
  readonly [key: string]: Json;
}
export type Key = string | number;
export type Path = readonly Key[];

/** Puts, changes or (undefined) takes a member of an object; `order` is its place among the members. */
export interface SetEdit {
  readonly kind: "set";
  readonly path: Path;
  readonly key: string;
  readonly value: Json | undefined;
  readonly order?: number;
}
/** Takes `remove` elements of a list from `index` on and puts others there. */
export interface SpliceEdit {
  readonly kind: "splice";
  readonly path: Path;
  readonly index: number;
  readonly remove: number;
  readonly insert: readonly Json[];
}
export type Edit = SetEdit | SpliceEdit;

export function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
export function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value);
}

/** What stands at a path; undefined where the path leads nowhere. */
export function at(root: Json, path: Path): Json | undefined {
  let value: Json | undefined = root;
  for (const key of path) {
    if (typeof key === "number") value = isList(value) ? value[key] : undefined;
    else value = isObject(value) && Object.hasOwn(value, key) ? value[key] : undefined;
  }
  return value;
}

function put(object: JsonObject, edit: SetEdit): JsonObject {
  const { key, value, order } = edit;
  if (value !== undefined && (Object.hasOwn(object, key) || order === undefined))
    return { ...object, [key]: value };
  const members = Object.entries(object).filter(([name]) => name !== key);
  if (value !== undefined) members.splice(order ?? members.length, 0, [key, value]);
  return Object.fromEntries(members);
}

function changeAt(value: Json | undefined, path: Path, depth: number, edit: Edit): Json {
  if (depth === path.length) {
    if (edit.kind === "set" && isObject(value)) return put(value, edit);
    if (edit.kind === "splice" && isList(value))
      return [
        ...value.slice(0, edit.index),
        ...edit.insert,
        ...value.slice(edit.index + edit.remove),
      ];
  } else {
    const key = path[depth]!;
    if (typeof key === "number" && isList(value) && key in value) {
      const list = value.slice();
      list[key] = changeAt(value[key], path, depth + 1, edit);
      return list;
    }
    if (typeof key === "string" && isObject(value) && Object.hasOwn(value, key))
      return { ...value, [key]: changeAt(value[key], path, depth + 1, edit) };
  }
  throw new Error(`there is nothing to change at ${["$", ...path.slice(0, depth)].join(".")}`);
}

export function apply(root: Json, edit: Edit): Json {
  return changeAt(root, edit.path, 0, edit);
}

/** The edit that takes `edit` back, to be found before it is applied. */
export function inverse(root: Json, edit: Edit): Edit {
  const place = at(root, edit.path);
  if (edit.kind === "splice") {
    const removed = isList(place) ? place.slice(edit.index, edit.index + edit.remove) : [];
    const { path, index } = edit;
    return { kind: "splice", path, index, remove: edit.insert.length, insert: removed };
  }
  const { path, key } = edit;
  if (!isObject(place) || !Object.hasOwn(place, key))
    return { kind: "set", path, key, value: undefined };
  const order = Object.keys(place).indexOf(key);
  return { kind: "set", path, key, value: place[key], order };
}

/** Equal content, whatever the order of the members of objects. */
export function same(a: Json | undefined, b: Json | undefined): boolean {
  if (a === b) return true;
  if (isList(a))
    return isList(b) && a.length === b.length && a.every((value, i) => same(value, b[i]));
  if (!isObject(a) || !isObject(b)) return false;
  const keys = Object.keys(a);
  return keys.length === Object.keys(b).length && keys.every((key) => same(a[key], b[key]));
}
