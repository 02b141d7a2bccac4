// A desk behind HTTP, for the pages that tests/sheet/serve.mjs serves.
import type { Desk } from "../app/contracts.ts";
import type { Answer, Said } from "../engine/protocol.ts";

export function httpDesk(): Desk & { ready: Promise<void> } {
  const listeners = new Set<(said: Said) => void>();
  const events = new EventSource("events");
  events.onmessage = (e: MessageEvent<string>) => {
    for (const hear of listeners) hear(JSON.parse(e.data) as Said);
  };
  let id = 0;
  const ready = new Promise<void>((go) => (events.onopen = () => go()));
  return {
    ready,
    async ask<T>(
      request: string,
      members: Readonly<Record<string, unknown>> = {},
    ): Promise<Answer<T>> {
      const body = JSON.stringify({ id: ++id, do: request, ...members });
      const reply = (await (await fetch("ask", { method: "POST", body })).json()) as {
        ok?: T;
        error?: { text: string };
        raw?: string;
      };
      if (!reply.ok) throw new Error(reply.error?.text ?? "no answer");
      const raw =
        reply.raw === undefined
          ? undefined
          : Uint8Array.from(atob(reply.raw), (c) => c.charCodeAt(0));
      return { ok: reply.ok, bytes: raw };
    },
    listen(hear) {
      listeners.add(hear);
      return () => listeners.delete(hear);
    },
    closed: new Promise(() => undefined),
    close: () => events.close(),
  };
}
