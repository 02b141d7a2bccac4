// Cuts the linked engine in two: what a page needs before its first result, and the rest, which it
// loads when something of it is called.
//
//   node wasm_split.mjs <linked module> <map of the linker> <list> <first module> <second module>
//
// The list has a regular expression in each line; functions whose object file and name (as the linker
// has them: "object:name") match one go into the second module, unless they match one that stands
// behind an exclamation mark. There they are the same functions: both modules have one memory and one
// table. In the first module a function that has gone is a stub:
//
//     call desk_more            which asks the host for the second module, once
//     local.get 0, ...
//     call_indirect             through a place in the table that the second module fills
//
// What the second module calls of the first it calls by stubs of its own, through places in the table
// that the first fills: exports would do, too, but a host makes an object of each when it starts.
//
// Data that only functions of the second module can reach (tools/wasm_data.mjs) goes with them: the
// addresses stay, and the second module puts it there when it is instantiated.
import { readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { goneData } from "./wasm_data.mjs";
import { Reader } from "./wasm_reader.mjs";

const [linked, map, list, firstName, secondName] = process.argv.slice(2);
const bytes = readFileSync(linked);

// ---------------------------------------------------------------------------------------- reading

const TYPE = 1, IMPORT = 2, FUNCTION = 3, TABLE = 4, EXPORT = 7, ELEMENT = 9, CODE = 10, DATA = 11;
const FUNC = 0, TABLES = 1, MEMORY = 2, GLOBAL = 3;
const sections = [...new Reader(bytes, 8).sections()];
function section(id) {
  const found = sections.find((s) => s.id === id);
  return new Reader(bytes, found.from, found.to);
}
function raw(id) {
  const { from, to } = sections.find((s) => s.id === id);
  return bytes.subarray(from, to);
}

const types = (() => {
  const r = section(TYPE);
  return r.list(() => {
    r.byte();
    return { parameters: r.list(() => r.byte()), results: r.list(() => r.byte()) };
  });
})();
const imports = (() => {
  const r = section(IMPORT);
  return r.list(() => {
    const one = { module: r.name(), name: r.name(), kind: r.byte() };
    if (one.kind !== FUNC) throw new Error(`${one.name}: only functions are imported`);
    return { ...one, type: r.number() };
  });
})();
const functions = (() => {
  const r = section(FUNCTION), code = section(CODE);
  const all = r.list(() => ({ type: r.number() }));
  code.list((i) => {
    const size = code.number();
    Object.assign(all[i], { from: code.at, to: code.at + size });
    code.at += size;
  });
  return all;
})();
const exports = (() => {
  const r = section(EXPORT);
  return r.list(() => ({ name: r.name(), kind: r.byte(), index: r.number() }));
})();
const I32_CONST = 0x41, END = 0x0b;
const places = new Map(); // in the table, of functions
(() => {
  const r = section(ELEMENT);
  r.list(() => {
    if (r.number() !== 0 || r.byte() !== I32_CONST) throw new Error("elements are not as expected");
    let place = r.number();
    if (r.byte() !== END) throw new Error("elements are not as expected");
    r.list(() => places.set(r.number(), place++));
  });
})();

// The functions that a function calls: what stands where in its code.
function* calls({ from, to }) {
  const r = new Reader(bytes, from, to);
  r.list(() => r.skipNumbers(1) ?? r.byte());
  while (r.at < to) {
    const op = r.byte();
    if (op >= 0x02 && op <= 0x04) r.skipNumbers(1); // a block
    else if (op === 0x0c || op === 0x0d) r.skipNumbers(1);
    else if (op === 0x0e) r.skipNumbers(r.number() + 1);
    else if (op === 0x10) {
      const at = r.at;
      yield { at, callee: r.number(), end: r.at };
    } else if (op === 0x11) r.skipNumbers(2);
    else if (op === 0x1c) r.bytes(r.number());
    else if (op === 0x23 || op === 0x24) {
      if (r.number() !== 0) throw new Error("there is a global beside the pointer of the stack");
    } else if (op >= 0x20 && op <= 0x26) r.skipNumbers(1);
    else if (op >= 0x28 && op <= 0x3e) r.skipNumbers(2);
    else if (op === 0x3f || op === 0x40) r.byte();
    else if (op === 0x41 || op === 0x42) r.skipNumbers(1);
    else if (op === 0x43) r.bytes(4);
    else if (op === 0x44) r.bytes(8);
    else if (op === 0xfc) skipMemory(r);
    else if (op === 0xfd) skipVector(r);
    else if (op >= 0xd0) throw new Error(`operation ${op} is not known here`);
  }
  if (r.at !== to) throw new Error("a function's code is not understood");
}
function skipMemory(r) {
  const op = r.number();
  if (op > 11) throw new Error(`operation 0xfc ${op} is not known here`);
  if (op >= 8) r.bytes([2, 1, 2, 1][op - 8]);
}
function skipVector(r) {
  const op = r.number();
  if (op <= 11 || op === 92 || op === 93) r.skipNumbers(2);
  else if (op === 12 || op === 13) r.bytes(16);
  else if (op >= 21 && op <= 34) r.byte();
  else if (op >= 84 && op <= 91) r.skipNumbers(2), r.byte();
}

// ------------------------------------------------------------------------------------- who goes

// The objects of the functions, in their order.
const objects = [], names = new Set(); // and of all that were linked
let inside = false;
for (const line of readFileSync(map, "utf8").split("\n")) {
  const [, address, , size, rest] = /^\s*(\S+)\s+(\S+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
  if (/^[A-Z]+$/.test(rest)) inside = rest === "CODE";
  const part = /^(\S+):\((.*)\)$/.exec(rest), found = inside && address === "-" && part;
  if (part && part[1] !== "<internal>") names.add(part[1]);
  if (found) objects.push({ object: found[1], name: found[2], size: parseInt(size, 16) });
}
const patterns = readFileSync(list, "utf8").split("\n").filter((line) => line && !line.startsWith("#"));
const used = patterns.map((text) => ({
  text,
  stays: text.startsWith("!"),
  pattern: new RegExp(text.replace(/^!/, "")),
  count: 0,
}));
const first = imports.length;
if (objects.length !== functions.length)
  throw new Error(`the map has ${objects.length} functions, the module ${functions.length}`);
functions.forEach((f, i) => {
  const { object, name, size } = objects[i];
  const length = f.to - f.from;
  if (size < length || size > length + 5) throw new Error(`the map has another length of ${name}`);
  Object.assign(f, { index: first + i, object, name });
  const matches = used.filter(({ pattern }) => pattern.test(`${object}:${name}`));
  for (const match of matches) match.count++;
  f.gone = matches.length > 0 && !matches.some(({ stays }) => stays);
});
for (const { text, count } of used) if (!count) throw new Error(`${list}: nothing is '${text}'`);

const more = exports.find(({ name }) => name === "desk_more").index;
const exported = new Set(exports.filter(({ kind }) => kind === FUNC).map(({ index }) => index));
const table = section(TABLE);
table.number(), table.byte();
let { min: room } = table.limits();
const wanted = new Set(); // of the first module, by the second
const outside = new Set(); // imports of the second
for (const f of functions)
  for (const { callee } of calls(f)) {
    const other = functions[callee - first];
    if (!f.gone && other?.gone) {
      if (!places.has(callee)) places.set(callee, room++);
      other.stub = true;
    }
    if (f.gone && !other) outside.add(callee);
    if (f.gone && other && !other.gone) wanted.add(callee);
  }
const fresh = [...wanted].filter((index) => !places.has(index)); // places for those of the first
for (const index of fresh) places.set(index, room++);
for (const f of functions) if (f.gone && (places.has(f.index) || exported.has(f.index))) f.stub = true;

// The data's segments, and which bytes of the memory go.
const data = (() => {
  const r = section(DATA);
  return r.list(() => {
    if (r.number() !== 0 || r.byte() !== I32_CONST) throw new Error("data is not as expected");
    const address = r.number();
    r.byte();
    return { address, bytes: Buffer.from(r.bytes(r.number())) };
  });
})();
const gone = (() => {
  try {
    return goneData(bytes, dirname(map), functions, names, data);
  } catch (why) { // objects of another compiler, perhaps: then all data is where it is safe
    console.log(`all data stays in the first module: ${why.message}`);
    return {};
  }
})();

// ---------------------------------------------------------------------------------------- writing

function leb(value) {
  const out = [];
  do {
    out.push((value % 128) | (value >= 128 ? 128 : 0));
    value = Math.floor(value / 128);
  } while (value);
  return out;
}
function signed(value) {
  const out = [];
  for (;;) {
    const byte = value & 127;
    value >>= 7;
    const last = (value === 0 && !(byte & 64)) || (value === -1 && byte & 64);
    out.push(last ? byte : byte | 128);
    if (last) return out;
  }
}
const text = (name) => [...leb(Buffer.byteLength(name)), ...Buffer.from(name)];
const sized = (parts) => {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  return Buffer.concat([Buffer.from(leb(body.length)), body]);
};
const put = (id, ...parts) => Buffer.concat([Buffer.from([id]), sized(parts)]);
const vector = (items) => Buffer.concat([Buffer.from(leb(items.length)), ...items.map((item) => Buffer.from(item))]);
const HEAD = Buffer.from([0, 0x61, 0x73, 0x6d, 1, 0, 0, 0]);
const LOCAL = 0x20, CALL = 0x10, CALL_INDIRECT = 0x11, UNREACHABLE = 0x00;

/** A function that calls another through the table, after a prologue. */
function through(f, ...prologue) {
  const given = types[f.type].parameters.flatMap((_, i) => [LOCAL, ...leb(i)]);
  const at = signed(places.get(f.index));
  return sized([[0, ...prologue, ...given, I32_CONST, ...at, CALL_INDIRECT, ...leb(f.type), 0, END]]);
}
function firstCode(f) {
  if (!f.gone) return sized([bytes.subarray(f.from, f.to)]);
  return f.stub ? through(f, CALL, ...leb(more)) : sized([[0, UNREACHABLE, END]]);
}
const element = (place, index) => [0, I32_CONST, ...signed(place), END, 1, ...leb(index)];

// For who looks into a module that is not made smaller yet.
const nameSection = (names) => put(0, text("name"), [1], sized([vector(names)]));

// Behind the list's own elements.
function firstElements() {
  const r = section(ELEMENT), count = r.number();
  const list = fresh.map((index) => Buffer.from(element(places.get(index), index)));
  return [leb(count + list.length), bytes.subarray(r.at, r.end), ...list];
}

const segment = (address, content) => Buffer.concat([Buffer.from([0, I32_CONST, ...signed(address), END]), sized([content])]);

// What stays, with zeros for what goes: these are left out when the module is made smaller.
const firstData = () =>
  data.map(({ address, bytes: all }) => segment(address, all.map((byte, i) => (gone[address + i] ? 0 : byte))));

function secondData() {
  const out = [];
  for (const { address, bytes: all } of data)
    for (let from = 0, to; from < all.length; from = to) {
      for (to = from; to < all.length && gone[address + to] === gone[address + from]; ) to++;
      if (gone[address + from]) out.push(segment(address + from, all.subarray(from, to)));
    }
  return out;
}

function firstModule() {
  const out = [HEAD];
  for (const { id, from, to } of sections) {
    if (id === 0) continue; // names
    else if (id === TABLE) out.push(put(id, [1, 0x70, 0, ...leb(room)]));
    else if (id === EXPORT) {
      const list = exports.map(({ name, kind, index }) => [...text(name), kind, ...leb(index)]);
      list.push([...text("__stack_pointer"), GLOBAL, 0]);
      out.push(put(id, vector(list)));
    } else if (id === ELEMENT) out.push(put(id, ...firstElements()));
    else if (id === CODE) out.push(put(id, vector(functions.map(firstCode))));
    else if (id === DATA) out.push(put(id, vector(firstData())));
    else out.push(put(id, bytes.subarray(from, to)));
  }
  out.push(nameSection(functions.map((f) => [...leb(f.index), ...text(f.name)])));
  return Buffer.concat(out);
}

// The same code with other numbers of what it calls.
function renumbered(f, numbers) {
  const parts = [];
  let done = f.from;
  for (const { at, callee, end } of calls(f)) {
    parts.push(bytes.subarray(done, at), leb(numbers.get(callee)));
    done = end;
  }
  return sized([...parts, bytes.subarray(done, f.to)]);
}

function secondModule() {
  const going = functions.filter((f) => f.gone), numbers = new Map(), given = [];
  for (const index of outside) {
    const { module, name, type } = imports[index];
    numbers.set(index, given.length);
    given.push([...text(module), ...text(name), FUNC, ...leb(type)]);
  }
  const before = given.length, called = [...wanted].map((index) => functions[index - first]);
  const own = [...called, ...going];
  own.forEach((f, i) => numbers.set(f.index, before + i));
  given.push([...text("first"), ...text("memory"), MEMORY, 0, 1]);
  given.push([...text("first"), ...text("__indirect_function_table"), TABLES, 0x70, 0, ...leb(room)]);
  given.push([...text("first"), ...text("__stack_pointer"), GLOBAL, 0x7f, 1]);
  const placed = going.filter((f) => places.has(f.index));
  const elements = placed.map((f) => element(places.get(f.index), numbers.get(f.index)));
  const names = going.map((f) => [...leb(numbers.get(f.index)), ...text(f.name)]);
  const code = [...called.map((f) => through(f)), ...going.map((f) => renumbered(f, numbers))];
  return Buffer.concat([
    HEAD,
    put(TYPE, raw(TYPE)),
    put(IMPORT, vector(given)),
    put(FUNCTION, vector(own.map((f) => leb(f.type)))),
    put(ELEMENT, vector(elements)),
    put(CODE, vector(code)),
    put(DATA, vector(secondData())),
    nameSection(names),
  ]);
}

writeFileSync(firstName, firstModule());
writeFileSync(secondName, secondModule());
const count = functions.filter((f) => f.gone).length, stubs = functions.filter((f) => f.stub).length;
console.log(`${count} of ${functions.length} functions in the second module, ${stubs} of them called from the first by stubs, ${wanted.size} of the first called from it`);
