// How one looks at a model: which signals are drawn, where the cursor is, and what they are there.
import { computed, signal } from "@preact/signals";
import type { Work } from "../app/work.ts";
import type { Signal } from "../engine/protocol.ts";
import type { Pane, PlotHandle, Series } from "../plots/index.ts";
import type { Figure } from "../plots/pen.ts";

const SHOWN_FIRST = 4;
const PANES_MOST = 5;

export type Tab = "time" | "xy" | "histogram" | "table" | "messages";

export class View {
  readonly work: Work;
  readonly #chosen = signal<readonly string[] | undefined>(undefined);
  readonly tab = signal<Tab>("time");
  readonly cursor = signal<number | undefined>(undefined);
  /** The part of the time that the plots show; undefined: all of it. */
  readonly window = signal<readonly [number, number] | undefined>(undefined);
  /** What was chosen to be across and up, or for the histogram. */
  readonly axes = signal<readonly string[]>([]);
  /** Every signal at the end of the run. */
  readonly finals = signal<ReadonlyMap<string, number>>(new Map());
  /** How far each signal is from the last run at most, while they are compared. */
  readonly apart = signal<ReadonlyMap<string, number>>(new Map());
  /** The values beside the names, of every signal: at the cursor, else at the end or the newest. */
  readonly values = signal<ReadonlyMap<string, number>>(new Map());

  readonly known = computed(
    () => new Map((this.work.description.value?.signals ?? []).map((s) => [s.name, s])),
  );
  readonly shown = computed<readonly string[]>(() => {
    const known = this.known.value;
    const chosen = this.#chosen.value?.filter((name) => known.has(name));
    const held = heldNodes(this.work.text.value);
    const moves = [...known.values()].filter(
      ({ name }) => !held.has(name.replace(/\.v?[xyz]$/, "")),
    );
    return chosen ?? usual(this.work.description.value?.plot ?? [], moves);
  });
  readonly panes = computed<readonly Pane[]>(() => group(this.shown.value, this.known.value));
  readonly series = computed<readonly Series[]>(() => this.panes.value.flatMap((p) => p.series));

  /** A time that the cursor is to go to, from outside of the plots. */
  readonly jump = signal<number | undefined>(undefined);
  plot: PlotHandle | undefined;
  /** What can be given away as a picture: what the tab shows. */
  figure: Figure | undefined;

  constructor(work: Work) {
    this.work = work;
  }

  jumpTo(time: number): void {
    this.tab.value = "time";
    this.cursor.value = time;
    this.jump.value = undefined;
    this.jump.value = time;
  }

  choose(names: readonly string[]): void {
    this.#chosen.value = names;
  }

  toggle(name: string): void {
    const shown = this.shown.value;
    this.#chosen.value = shown.includes(name)
      ? shown.filter((other) => other !== name)
      : [...shown, name];
  }
}

/** Nodes of a structure that do not move: they are not worth a line. */
function heldNodes(text: string | null): ReadonlySet<string> {
  if (!text?.includes('"fixed"')) return new Set();
  try {
    const { nodes } = JSON.parse(text) as { nodes?: { name?: string; fixed?: unknown }[] };
    return new Set((nodes ?? []).flatMap((n) => (n.fixed === true && n.name ? [n.name] : [])));
  } catch {
    return new Set();
  }
}

/** What is drawn when nobody has chosen: what the model plots, else what moves in it. */
function usual(plot: readonly string[], signals: readonly Signal[]): string[] {
  if (plot.length) return plot.slice(0, 8);
  const first = (kind: string) => signals.filter((s) => s.kind === kind).map((s) => s.name);
  const states = first("state");
  return (states.length ? states : [...first("output"), ...first("discrete")]).slice(
    0,
    SHOWN_FIRST,
  );
}

/** It keeps its value from one point to the next. */
export const isHeld = (signal: Signal | undefined) =>
  signal?.kind === "discrete" || signal?.type === "boolean" || signal?.type === "integer";

/** A pane for each unit, in the order of the signals; what is left goes to the last one. */
export function group(
  names: readonly string[],
  known: ReadonlyMap<string, Signal>,
): readonly Pane[] {
  const panes = new Map<string, Series[]>();
  names.forEach((name, color) => {
    const signal = known.get(name);
    // numbers without a unit that only step do not share a scale with those that flow
    const unit = signal?.unit ?? (isHeld(signal) ? " " : "");
    const key = panes.has(unit) || panes.size < PANES_MOST ? unit : [...panes.keys()].at(-1)!;
    const list = panes.get(key) ?? [];
    list.push({ name, color, holds: isHeld(signal) });
    panes.set(key, list);
  });
  return [...panes].map(([unit, series]) => ({ unit: unit.trim(), series }));
}

export const colorOf = (view: View, name: string) => Math.max(0, view.shown.value.indexOf(name));
