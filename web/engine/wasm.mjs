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
 *   log: gets what the engine prints, which is nothing unless it fails
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
  const instance = await instantiate(source, { wasi_snapshot_preview1: host });
  exports = instance.exports;
  exports._initialize();
  return new Desk(exports, now, options.memory ?? 0);
}

class Desk {
  #exports;
  #now;
  #desk;
  #buffer;
  #input = new Bytes();
  #listener = () => {};
  #failure = null;

  constructor(exports, now, memory) {
    this.#exports = exports;
    this.#now = now;
    this.#desk = exports.desk_open(memory);
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
        if (!(why instanceof WebAssembly.RuntimeError || why instanceof RangeError)) throw why;
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
