// A document of JSON that is edited beside its text: what one changes the other has.
import { signal, useSignalEffect, type Signal } from "@preact/signals";
import type { Work } from "../app/work.ts";
import { JsonDocument } from "../document/document.ts";

export interface Opened {
  readonly document: JsonDocument | undefined;
  /** Why the text cannot be read. */
  readonly why: string;
}

/** One for each model, whichever view looks at it: what was done in one is undone in another. */
const opened = new WeakMap<Work, Signal<Opened>>();

function heldOf(work: Work): Signal<Opened> {
  let held = opened.get(work);
  if (!held) opened.set(work, (held = signal<Opened>({ document: undefined, why: "" })));
  return held;
}

/** The document of a model as it stands now; undefined where its text cannot be read. */
export function documentOf(work: Work): JsonDocument | undefined {
  const held = heldOf(work);
  open(work, held);
  const { document, why } = held.peek();
  return why ? undefined : document;
}

function open(work: Work, held: Signal<Opened>): void {
  const text = work.text.value ?? "";
  const { document } = held.peek();
  try {
    if (document) {
      if (document.text() !== text) document.replace(text);
      if (held.peek().why) held.value = { document, why: "" };
      return;
    }
    const fresh = new JsonDocument(work.fileName, text);
    fresh.subscribe(() => {
      work.edit(fresh.text());
      held.value = { document: fresh, why: "" };
    });
    held.value = { document: fresh, why: "" };
  } catch (error) {
    held.value = { document, why: (error as Error).message };
  }
}

/** Draws again whenever the document changes. */
export function useDocument(work: Work): Opened {
  const mine = heldOf(work);
  useSignalEffect(() => open(work, mine));
  return mine.value;
}
