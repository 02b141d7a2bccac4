// A desk in WebAssembly, for pages, workers and node: loads foliot.wasm and speaks docs/protocol.md
// with it. No dependency; docs/web.md says what the module exports and what it asks of its host.
import { wasi } from "./wasm-wasi.mjs";

const UNITS = 20000; // of work between two looks at the clock: some hundred microseconds
const ROOM = 1 << 16; // bytes that are taken at a time
const IDLE = 0;
const encoder = new TextEncoder();
const decoder = new TextDecoder();
const NEWLINE = 10;

/** Bytes that grow at one end and are taken from the other. */
class Bytes {
  constructor() {
    this.block = new Uint8Array(ROOM);
    this.from = this.to = 0;
  }
  get length() {
    return this.to - this.from;
  }
  add(bytes) {
    if (this.to + bytes.length > this.block.length) {
      const held = this.block.subarray(this.from, this.to);
      const need = held.length + bytes.length;
      const block = need > this.block.length / 2 ? new Uint8Array(2 * need) : this.block;
      block.set(held);
      this.block = block;
      this.to -= this.from;
      this.from = 0;
    }
    this.block.set(bytes, this.to);
    this.to += bytes.length;
  }
  view() {
    return this.block.subarray(this.from, this.to);
  }
  drop(count) {
    this.from += count;
    if (this.from === this.to) this.from = this.to = 0;
  }
}

/** Cuts what a desk says into messages, each with the bytes that follow it. */
export class Splitter {
  constructor(tell) {
    this.tell = tell;
    this.held = new Bytes();
    this.message = null; // one whose bytes have not all come
    this.seen = 0; // bytes in which there is no end of a line
  }
  add(bytes) {
    this.held.add(bytes);
    while (this.message ? this.finish() : this.begin());
  }
  begin() {
    const view = this.held.view();
    const end = view.indexOf(NEWLINE, this.seen);
    this.seen = end < 0 ? view.length : 0;
    if (end < 0) return false;
    this.line = decoder.decode(view.subarray(0, end));
    this.held.drop(end + 1);
    const message = JSON.parse(this.line);
    if (message.bytes > 0) this.message = message;
    else this.tell(message, undefined, this.line);
    return true;
  }
  finish() {
    const message = this.message;
    if (this.held.length < message.bytes) return false;
    const frame = this.held.view().slice(0, message.bytes);
    this.held.drop(message.bytes);
    this.message = null;
    this.tell(message, frame, this.line);
    return true;
  }
}

async function instantiate(source, imports) {
  const module = source instanceof WebAssembly.Module ? source : await WebAssembly.compile(source);
  return WebAssembly.instantiate(module, imports);
}

/**
 * Opens a desk of its own in an instance of the module.
 *
 * @param source foliot.wasm: its bytes, or a compiled WebAssembly.Module
 * @param options now: a clock in milliseconds (performance.now); files: what the desk may read, a
 *   Map or an object of texts or bytes by path ("gallery/ball.mo"); memory: bytes that it may take;
 *   patience: milliseconds by that clock after which a translation, during which nobody is answered,
 *   is ended and its document refused (2000);
 *   log: gets what the engine prints, which is nothing unless it fails; more: foliot-more.wasm, what
 *   the engine has beside texts and their usual solvers: its bytes, a WebAssembly.Module, or a
 *   function that returns one of them when it is needed (at once: the engine waits in a call)
 */
export async function openDesk(source, options = {}) {
  const now = options.now ?? (() => performance.now());
  let exports;
  const host = wasi({
    now,
    files: options.files,
    log: options.log ?? ((text) => console.error(text)),
    memory: () => exports.memory.buffer,
  });
  const imports = { wasi_snapshot_preview1: host, foliot: programs(() => exports) };
  imports.foliot.more = second(() => exports, imports, options.more);
  const instance = await instantiate(source, imports);
  exports = instance.exports;
  exports._initialize();
  return new Desk(exports, now, options.memory ?? 0, options.patience ?? 0);
}

/** There is no second module: what the engine has begun cannot be finished. */
class Missing extends Error {}

/** Instantiates the second module when a function of it is called for the first time. */
function second(first, imports, more) {
  let loaded = false;
  return () => {
    if (loaded) return;
    const given = typeof more === "function" ? more() : more;
    if (!given) throw new Missing("it needs foliot-more.wasm, which is not there");
    const module = given instanceof WebAssembly.Module ? given : new WebAssembly.Module(given);
    new WebAssembly.Instance(module, { ...imports, first: first() });
    loaded = true;
  };
}

/**
 * Makes functions of the modules that the engine writes for its programs: they share its memory and
 * table, and get places at the table's end, or those of others that are not called any more.
 */
function programs(engine) {
  const free = []; // places: [first, count]
  const place = (table, count) => {
    const found = free.findIndex(([, room]) => room >= count);
    if (found < 0) return table.grow(count);
    const [first, room] = free[found];
    if (room > count) free[found] = [first + count, room - count];
    else free.splice(found, 1);
    return first;
  };
  return {
    // 0 where it is refused: the program is then run as bytecode
    instantiate(at, size, count) {
      const { memory, __indirect_function_table: table } = engine();
      try {
        const module = new WebAssembly.Module(new Uint8Array(memory.buffer, at >>> 0, size >>> 0));
        const first = place(table, count);
        const base = new WebAssembly.Global({ value: "i32" }, first);
        new WebAssembly.Instance(module, { foliot: { memory, table, base } });
        return first;
      } catch {
        return 0;
      }
    },
    release(first, count) {
      const { __indirect_function_table: table } = engine();
      for (let i = 0; i < count; i++) table.set(first + i, null);
      free.push([first, count]);
      free.sort(([a], [b]) => a - b);
      for (let i = free.length - 1; i > 0; i--) {
        const [before, after] = [free[i - 1], free[i]];
        if (before[0] + before[1] === after[0]) before[1] += free.splice(i, 1)[0][1];
      }
    },
  };
}

class Desk {
  #exports;
  #now;
  #desk;
  #buffer;
  #input = new Bytes();
  #listener = () => {};
  #failure = null;

  constructor(exports, now, memory, patience) {
    this.#exports = exports;
    this.#now = now;
    this.#desk = exports.desk_open(memory, patience * 1e6);
    this.#buffer = exports.memory_new(ROOM);
    if (!this.#desk || !this.#buffer) throw new Error("no memory for a desk");
  }

  /** Who is told what the desk says: (message, bytes that follow it or undefined, its line). */
  onmessage(listener) {
    const splitter = new Splitter(listener);
    this.#listener = (bytes) => splitter.add(bytes);
  }

  /** The same as it comes, in pieces: bytes of messages, cut anywhere. */
  onbytes(listener) {
    this.#listener = (bytes) => listener(bytes.slice());
  }

  /** Hands over a message: an object, its text, or raw bytes; and the bytes that follow it. */
  send(message, bytes) {
    if (message instanceof Uint8Array) this.#input.add(message);
    else {
      const text = typeof message === "string" ? message : JSON.stringify(message);
      this.#input.add(encoder.encode(text.endsWith("\n") ? text : text + "\n"));
    }
    if (bytes) this.#input.add(bytes);
  }

  /** Works for about so many microseconds; what is said meanwhile goes to the listener. Returns
   * whether there is more to do. Throws when the engine has failed: then a new desk is needed. */
  work(budget = 10000) {
    if (this.#failure) throw this.#failure;
    const until = this.#now() + budget / 1000;
    for (;;) {
      let state;
      try {
        this.#give();
        state = this.#exports.desk_work(this.#desk, Math.round(this.#now() * 1e6), UNITS);
        this.#take();
      } catch (why) {
        // whatever the listener throws is its own
        const kinds = [WebAssembly.RuntimeError, RangeError, Missing];
        if (!kinds.some((kind) => why instanceof kind)) throw why;
        this.#failure = new Error(`the engine has stopped: ${why.message}`, { cause: why });
        throw this.#failure;
      }
      if (state === IDLE && !this.#input.length) return false;
      if (this.#now() >= until) return true;
    }
  }

  close() {
    if (!this.#failure) this.#exports.desk_close(this.#desk);
    this.#failure = new Error("the desk is closed");
  }

  #give() {
    while (this.#input.length) {
      const part = this.#input.view().subarray(0, ROOM);
      new Uint8Array(this.#exports.memory.buffer, this.#buffer).set(part);
      const taken = this.#exports.desk_give(this.#desk, this.#buffer, part.length);
      this.#input.drop(taken);
      if (taken < part.length) return; // first its answers have to be taken
    }
  }

  #take() {
    for (;;) {
      const count = this.#exports.desk_take(this.#desk, this.#buffer, ROOM);
      if (!count) return;
      this.#listener(new Uint8Array(this.#exports.memory.buffer, this.#buffer, count));
    }
  }
}
