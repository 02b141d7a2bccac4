// The desk's stream: one message of JSON per line, and raw bytes after a message that says how many.

export type Message = Readonly<Record<string, unknown>>;
export type Hear = (message: Message, bytes: Uint8Array | undefined) => void;

const NEWLINE = 10;
const none = new Uint8Array(0);

/** Cuts a stream of bytes, which comes in pieces of any length, into messages. */
export class Splitter {
  #pieces: Uint8Array[] = [];
  #held = 0;
  #awaited: { message: Message; count: number } | undefined;
  readonly #hear: Hear;
  readonly #decoder = new TextDecoder("utf-8");

  constructor(hear: Hear) {
    this.#hear = hear;
  }

  /** Takes the next piece, and keeps it: the caller does not write to it any more. */
  feed(piece: Uint8Array): void {
    let rest = piece;
    while (rest.length || this.#awaited?.count === 0) {
      const awaited = this.#awaited;
      const end = awaited ? awaited.count - this.#held : rest.indexOf(NEWLINE);
      if (end < 0 || end > rest.length) {
        this.#keep(rest);
        return;
      }
      this.#keep(rest.subarray(0, end));
      const whole = this.#join();
      if (awaited) {
        this.#awaited = undefined;
        this.#hear(awaited.message, whole);
      } else {
        this.#line(whole);
      }
      rest = rest.subarray(awaited ? end : end + 1);
    }
  }

  #line(bytes: Uint8Array): void {
    if (!bytes.length) return;
    const message = JSON.parse(this.#decoder.decode(bytes)) as Message;
    const count = message["bytes"];
    if (typeof count === "number") this.#awaited = { message, count };
    else this.#hear(message, undefined);
  }

  #keep(piece: Uint8Array): void {
    if (!piece.length) return;
    this.#pieces.push(piece);
    this.#held += piece.length;
  }

  #join(): Uint8Array {
    const [first] = this.#pieces;
    let whole = first ?? none;
    if (this.#pieces.length > 1) {
      whole = new Uint8Array(this.#held);
      let at = 0;
      for (const piece of this.#pieces) {
        whole.set(piece, at);
        at += piece.length;
      }
    }
    this.#pieces = [];
    this.#held = 0;
    return whole;
  }
}

/** A request as it is sent. */
export function encode(message: Message, payload?: Uint8Array): Uint8Array {
  const line = new TextEncoder().encode(JSON.stringify(message) + "\n");
  if (!payload) return line;
  const all = new Uint8Array(line.length + payload.length);
  all.set(line);
  all.set(payload, line.length);
  return all;
}
