// Saves a while after the last change, and at once when the page is left.
import type { EditedDocument } from "../app/contracts.ts";

export interface AutosaveOptions {
  /** Milliseconds without a change before it is saved. */
  readonly delay?: number;
  /** But never later than this after the first change. */
  readonly longest?: number;
  readonly onState?: (state: "saved" | "waiting" | "saving" | "failed", why?: string) => void;
}

/** Begins to save; the result saves what is left and ends it. */
export function autosave(
  document: EditedDocument,
  save: (text: string) => Promise<void> | void,
  options: AutosaveOptions = {},
): () => Promise<void> {
  const { delay = 400, longest = 4000, onState } = options;
  let saved = document.text();
  let first = 0;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let running: Promise<void> = Promise.resolve();

  async function write(): Promise<void> {
    const text = document.text();
    if (text === saved) return onState?.("saved");
    onState?.("saving");
    try {
      await save(text);
      saved = text;
      onState?.(document.text() === saved ? "saved" : "waiting");
    } catch (error) {
      onState?.("failed", error instanceof Error ? error.message : String(error));
    }
  }
  function flush(): Promise<void> {
    clearTimeout(timer);
    first = 0;
    running = running.then(write);
    return running;
  }
  function wait(): void {
    const now = Date.now();
    first ||= now;
    onState?.("waiting");
    clearTimeout(timer);
    timer = setTimeout(() => void flush(), Math.max(0, Math.min(delay, first + longest - now)));
  }
  const leave = (): void => void flush();
  const stop = document.subscribe(wait);
  if (typeof window !== "undefined") window.addEventListener("pagehide", leave);
  return () => {
    stop();
    if (typeof window !== "undefined") window.removeEventListener("pagehide", leave);
    return flush();
  };
}
