// A live model: carried to the clock of each picture, touched at the moment of the touch.
import { batch, signal } from "@preact/signals";
import { readFrame } from "../engine/frame.ts";
import type { Traces } from "./work.ts";
import type { Work } from "./work.ts";

interface View {
  readonly t: number;
  readonly phase: string;
  readonly speed: number;
  readonly paused: boolean;
  readonly text?: string;
  readonly note?: string;
  readonly refused?: readonly string[];
}

/** Something that was done, and at which simulated time it happened. */
export interface Act {
  readonly t: number;
  readonly name: string;
  readonly what: string;
}

/** Seconds of the wall clock that plots show. */
const WINDOW = 20;
/** Points of a signal that are kept. */
const MOST = 40000;

const ACTS_MOST = 200;

interface Members {
  readonly name?: string;
  readonly value?: number;
  readonly stamp?: number;
}

const clock = () => Math.round(performance.now() * 1e6);

export class Live {
  readonly names: readonly string[];
  readonly t = signal(0);
  readonly speed = signal(1);
  readonly paused = signal(false);
  readonly phase = signal("running");
  readonly note = signal("");
  /** What was done to it, the newest first. */
  readonly acts = signal<readonly Act[]>([]);
  /** How long the engine needs for a picture, in milliseconds, smoothed. */
  readonly load = signal(0);
  /** The newest values, in the order of the names; the same array each time. */
  values = new Float64Array(0);
  readonly #work: Work;
  readonly #listeners = new Set<(names: readonly string[], values: Float64Array) => void>();
  #handle = 0;
  #times: number[] = [];
  #columns: number[][];
  #asking = false;
  #over = false;

  constructor(work: Work) {
    this.#work = work;
    const signals = work.description.value?.signals ?? [];
    this.names = signals.filter(({ kind }) => kind !== "input").map(({ name }) => name);
    this.#columns = this.names.map(() => []);
    this.values = new Float64Array(this.names.length).fill(NaN);
  }

  async start(): Promise<void> {
    const { ok } = await this.#work.desk.ask<{ live: number; t: number }>("live", {
      doc: this.#work.doc,
      clock: clock(),
      longest_gap: 0.25,
    });
    this.#handle = ok.live;
    this.t.value = ok.t;
    const tick = () => {
      if (this.#over) return;
      requestAnimationFrame(tick);
      void this.#frame();
    };
    requestAnimationFrame(tick);
  }

  /** Calls `hear` after each picture, until the result is called. */
  subscribe(hear: (names: readonly string[], values: Float64Array) => void): () => void {
    this.#listeners.add(hear);
    return () => void this.#listeners.delete(hear);
  }

  async #frame(): Promise<void> {
    if (this.#asking) return; // one picture at a time
    this.#asking = true;
    const began = performance.now();
    try {
      const { ok, bytes } = await this.#work.desk.ask<View>("frame", {
        live: this.#handle,
        clock: clock(),
      });
      if (bytes) this.#take(bytes);
      batch(() => {
        this.t.value = ok.t;
        this.speed.value = ok.speed;
        this.paused.value = ok.paused;
        this.phase.value = ok.phase;
        this.load.value += (performance.now() - began - this.load.value) / 16;
        const note = ok.text ?? ok.refused?.[0] ?? ok.note;
        if (note) this.note.value = note;
      });
      for (const hear of this.#listeners) hear(this.names, this.values);
      if (ok.phase !== "running") this.#over = true;
    } catch (error) {
      this.#over = true;
      batch(() => {
        this.phase.value = "failed";
        this.note.value = (error as Error).message;
      });
    } finally {
      this.#asking = false;
    }
  }

  #take(bytes: Uint8Array): void {
    const [times, ...columns] = readFrame(bytes).columns;
    if (!times?.values.length) return;
    this.#cut(times.values[0]!);
    for (const t of times.values) this.#times.push(t);
    columns.forEach(({ values }, i) => {
      const kept = this.#columns[i];
      if (!kept) return;
      for (const v of values) kept.push(v);
      this.values[i] = values[values.length - 1]!;
    });
  }

  // Time may have gone back; and what is long past is not drawn.
  #cut(from: number): void {
    let end = this.#times.length;
    while (end > 0 && this.#times[end - 1]! > from) end--;
    const begin = end > MOST ? end - MOST / 2 : 0;
    if (end === this.#times.length && begin === 0) return;
    this.#times = this.#times.slice(begin, end);
    this.#columns = this.#columns.map((column) => column.slice(begin, end));
  }

  /** What the plots show now. */
  traces(names: readonly string[]): { traces: Traces; from: number; to: number } {
    const to = Math.max(this.t.value, WINDOW * this.speed.value);
    const from = to - WINDOW * this.speed.value;
    let first = this.#times.length;
    while (first > 0 && this.#times[first - 1]! >= from) first--;
    first = Math.max(0, first - 1);
    const t = Float64Array.from(this.#times.slice(first));
    const traces = new Map<string, { t: Float64Array; v: Float64Array }>();
    for (const name of names) {
      const column = this.#columns[this.names.indexOf(name)];
      if (column) traces.set(name, { t, v: Float64Array.from(column.slice(first)) });
    }
    return { traces, from, to };
  }

  async #act(verb: string, members: Members = {}, what = ""): Promise<string | undefined> {
    try {
      const { ok } = await this.#work.desk.ask<{ t: number }>("act", {
        live: this.#handle,
        verb,
        ...members,
      });
      if (members.name !== undefined)
        this.acts.value = [{ t: ok.t, name: members.name, what }, ...this.acts.value].slice(
          0,
          ACTS_MOST,
        );
      return undefined;
    } catch (error) {
      this.note.value = (error as Error).message;
      return this.note.value;
    }
  }

  pause(): Promise<string | undefined> {
    return this.#act("pause", { value: -1 });
  }
  step(): Promise<string | undefined> {
    return this.#act("step", { value: 1 });
  }
  back(): Promise<string | undefined> {
    return this.#act("back", { value: 1 });
  }
  setSpeed(value: number): Promise<string | undefined> {
    return this.#act("speed", { value });
  }
  send(name: string, value: number): Promise<string | undefined> {
    return this.#act("send", { name, value, stamp: clock() }, `sent, ${value}`);
  }
  set(name: string, value: number): Promise<string | undefined> {
    return this.#act("set", { name, value, stamp: clock() }, `set to ${value}`);
  }

  stop(): void {
    this.#over = true;
    // the desk forgets a live model when its recording is asked for
    if (this.#handle)
      void this.#work.desk.ask("record", { live: this.#handle }).catch(() => undefined);
    this.#handle = 0;
  }
}
