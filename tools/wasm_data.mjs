// Which bytes of the linked engine's data only functions of its second module can reach
// (tools/wasm_split.mjs): these go there, too.
//
// The objects say where an address stands in a function or in data, and of what; the linked module
// says which address it is. What functions of the first module refer to, and what that refers to, stays;
// what only those of the second do goes. Strings may end in each other, so that
// all objects are looked at, those of libraries too, and nothing may be left that nobody refers to.
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { Reader } from "./wasm_reader.mjs";

const IMPORT = 2, CODE = 10, DATA = 11;
const SYMBOLS = 8, UNDEFINED = 0x10, NAMED = 0x40, LOCAL = 2;
const ADDRESS_LEB = 3, ADDRESS_SIGNED = 4, ADDRESS_WORD = 5;

function importedFunctions(r) {
  let count = 0;
  r.list(() => {
    r.name(), r.name();
    const kind = r.byte();
    if (kind === 0) count++, r.number();
    else if (kind === 3) r.bytes(2);
    else {
      if (kind === 1) r.byte();
      if (r.byte() & 1) r.number();
      r.number();
    }
  });
  return count;
}

function symbolTable(r) {
  r.number(); // the version
  let symbols = [];
  while (r.at < r.end) {
    const type = r.byte(), size = r.number(), next = r.at + size;
    if (type === SYMBOLS)
      symbols = r.list(() => {
        const one = { kind: r.byte(), flags: r.number() };
        if (one.kind === 1) {
          one.name = r.name();
          if (!(one.flags & UNDEFINED)) Object.assign(one, { segment: r.number(), offset: r.number(), size: r.number() });
        } else {
          one.index = r.number();
          if (one.kind !== 3 && (!(one.flags & UNDEFINED) || one.flags & NAMED)) one.name = r.name();
        }
        return one;
      });
    r.at = next;
  }
  return symbols;
}

const WITH_ADDEND = new Set([3, 4, 5, 8, 9, 11, 14, 15, 16, 17, 22, 23, 25]);
function addresses(r) {
  r.number(); // the section
  return r
    .list(() => {
      const one = { type: r.byte(), at: r.number(), symbol: r.number() };
      one.addend = WITH_ADDEND.has(one.type) ? r.signed() : 0;
      return one;
    })
    .filter(({ type }) => type >= ADDRESS_LEB && type <= ADDRESS_WORD);
}

// The members of a library (ar) by name; long names stand in a member of their own.
const libraries = new Map();
function membersOf(path) {
  if (libraries.has(path)) return libraries.get(path);
  const bytes = readFileSync(path), members = new Map();
  libraries.set(path, members);
  let names = "";
  for (let at = 8; at + 60 <= bytes.length; ) {
    const head = bytes.toString("latin1", at, at + 60), size = Number(head.slice(48, 58));
    const content = bytes.subarray(at + 60, at + 60 + size), short = head.slice(0, 16).trim();
    if (short === "//") names = content.toString("latin1");
    const long = /^\/(\d+)$/.exec(short);
    const name = long ? names.slice(Number(long[1])).split("/\n")[0] : short.replace(/\/$/, "");
    if (!members.has(name)) members.set(name, []);
    members.get(name).push(content);
    at += 60 + size + (size & 1);
  }
  return members;
}

// The bytes of an object as the map names it; a library may have several members of one name.
function bytesOf(folder, object) {
  const [, library, member] = /^(.*)\((.*)\)$/.exec(object) ?? [];
  return library ? membersOf(resolve(folder, library)).get(member) : [readFileSync(resolve(folder, object))];
}

// The parts of an object with what refers to data in them, each place from the part's beginning.
function readObject(bytes) {
  const custom = new Map(), known = new Map();
  for (const { id, from, to } of new Reader(bytes, 8).sections()) {
    const r = new Reader(bytes, from, to);
    if (id === 0) custom.set(r.name(), r);
    else known.set(id, r);
  }
  const parts = (id, head) => {
    const r = known.get(id);
    if (!r) return [];
    const from = r.at;
    return r.list(() => {
      if (head) r.byte(), r.byte(), r.signed(), r.byte(); // active, i32.const, end
      const size = r.number(), begin = r.at - from;
      r.bytes(size);
      return { begin, size, references: [] };
    });
  };
  const functions = parts(CODE, false), segments = parts(DATA, true);
  const symbols = custom.has("linking") ? symbolTable(custom.get("linking")) : [];
  const put = (name, list) => {
    let i = 0;
    for (const one of custom.has(name) ? addresses(custom.get(name)) : []) {
      while (i < list.length && one.at >= list[i].begin + list[i].size) i++;
      list[i].references.push({ type: one.type, at: one.at - list[i].begin, addend: one.addend, symbol: symbols[one.symbol] });
    }
  };
  put("reloc.CODE", functions), put("reloc.DATA", segments);
  const before = known.has(IMPORT) ? importedFunctions(known.get(IMPORT)) : 0, named = new Map();
  for (const { kind, name, index } of symbols)
    if (kind === 0 && index >= before && name) named.set(name, functions[index - before]);
  return { functions: named, segments, symbols };
}

/**
 * The bytes that go, as a map of the memory: 1 where one does. `functions`: those of the linked module with
 * object, name, from, to and gone; `names`: of all objects that were linked; `data`: the segments of the
 * linked module as {address, bytes}.
 */
export function goneData(linked, folder, functions, names, data) {
  const objects = new Map(), outside = new Map();
  for (const object of names) {
    const all = bytesOf(folder, object).map(readObject);
    objects.set(object, all);
    for (const read of all)
      for (const s of read.symbols)
        if (s.kind === 1 && !(s.flags & (UNDEFINED | LOCAL))) outside.set(s.name, { read, ...s });
  }
  const end = Math.max(...data.map(({ address, bytes }) => address + bytes.length));
  const reached = [new Uint8Array(end), new Uint8Array(end)]; // by the first, by the second
  const seen = [new Map(), new Map()];
  const valueAt = (type, bytes, at) => {
    const r = new Reader(bytes, at);
    return type === ADDRESS_LEB ? r.number() : type === ADDRESS_SIGNED ? r.signed() : r.word();
  };
  const wordAt = (address) => {
    const { address: base, bytes } = data.find((one) => address >= one.address && address < one.address + one.bytes.length);
    return bytes.readUInt32LE(address - base);
  };
  const todo = [];
  function refer(read, { symbol, addend }, value, who) {
    const own = symbol.segment !== undefined ? { read, ...symbol } : outside.get(symbol.name);
    if (!own) return; // the linker's: where data ends
    const segment = own.read.segments[own.segment], address = value - addend - own.offset;
    if (seen[who].get(address) >= segment.size) return;
    seen[who].set(address, segment.size);
    reached[who].fill(1, address, address + segment.size);
    todo.push({ read: own.read, segment, address, who });
  }
  for (const f of functions) {
    if (!objects.has(f.object)) continue; // the linker's
    const read = objects.get(f.object).find((one) => one.functions.get(f.name)?.size === f.to - f.from);
    if (!read) throw new Error(`${f.object}: another ${f.name} was linked`);
    for (const one of read.functions.get(f.name).references)
      refer(read, one, valueAt(one.type, linked, f.from + one.at), f.gone ? 1 : 0);
  }
  while (todo.length) {
    const { read, segment, address, who } = todo.pop();
    for (const one of segment.references) {
      if (address + one.at + 4 > end) continue; // not in the file: all zero
      refer(read, one, wordAt(address + one.at), who);
    }
  }
  for (const { address, bytes } of data)
    bytes.forEach((byte, i) => {
      const at = address + i;
      if (byte && !reached[0][at] && !reached[1][at]) throw new Error(`nobody refers to the data at ${at}`);
    });
  return reached[1].map((by, i) => (by && !reached[0][i] ? 1 : 0));
}
