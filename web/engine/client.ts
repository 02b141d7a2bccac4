// A desk behind anything that carries bytes: requests are promises, and what it says by itself is
// heard by whoever listens.
import type { Desk } from "../app/contracts.ts";
import type { Answer, Failure, Said } from "./protocol.ts";
import { encode, Splitter, type Message } from "./stream.ts";

/** What carries the bytes of a desk. */
export interface Carrier {
  send(bytes: Uint8Array): void;
  close(): void;
}
export interface Ears {
  bytes(piece: Uint8Array): void;
  closed(why: string): void;
}

export class DeskError extends Error {
  readonly code: string;
  constructor(failure: Failure) {
    super(failure.text);
    this.code = failure.code;
  }
}

interface Waiting {
  resolve(answer: Answer<never>): void;
  reject(error: Error): void;
}

export async function connect(open: (ears: Ears) => Promise<Carrier>): Promise<Desk> {
  const waiting = new Map<number, Waiting>();
  const listeners = new Set<(said: Said) => void>();
  let last = 0;
  let over: string | undefined;
  let tellClosed: (why: string) => void = () => undefined;
  const closed = new Promise<string>((resolve) => (tellClosed = resolve));

  const hear = (message: Message, bytes: Uint8Array | undefined) => {
    if ("on" in message) {
      for (const listener of listeners) listener(message as unknown as Said);
      return;
    }
    const wait = waiting.get(message["id"] as number);
    waiting.delete(message["id"] as number);
    if ("error" in message) wait?.reject(new DeskError(message["error"] as Failure));
    else wait?.resolve({ ok: message["ok"] as never, bytes });
  };
  const end = (why: string) => {
    if (over !== undefined) return;
    over = why;
    for (const wait of waiting.values()) wait.reject(new DeskError({ code: "closed", text: why }));
    waiting.clear();
    tellClosed(why);
  };
  // for those who wait without eyes: tests
  if ("document" in globalThis)
    document.addEventListener("waits", (event) => {
      (event as CustomEvent<{ count: number }>).detail.count += waiting.size;
    });
  const splitter = new Splitter(hear);
  const carrier = await open({ bytes: (piece) => splitter.feed(piece), closed: end });

  return {
    ask<T>(request: string, members: Message = {}, payload?: Uint8Array): Promise<Answer<T>> {
      if (over !== undefined) return Promise.reject(new DeskError({ code: "closed", text: over }));
      const id = ++last;
      const message = {
        id,
        do: request,
        ...members,
        ...(payload && { bytes: payload.length }),
      };
      return new Promise<Answer<T>>((resolve, reject) => {
        waiting.set(id, { resolve, reject });
        carrier.send(encode(message, payload));
      });
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    closed,
    close() {
      carrier.close();
      end("the page has closed it");
    },
  };
}
