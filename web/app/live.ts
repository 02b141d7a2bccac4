// A live model: carried to the clock of each picture, touched at the moment of the touch.
import { batch, signal } from "@preact/signals";
import { readFrame } from "../engine/frame.ts";
import type { ProcessAct } from "../engine/protocol.ts";
import { indexBefore } from "../plots/merge.ts";
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
  readonly acts?: readonly ProcessAct[];
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
/** Simulated seconds that the engine keeps to go back to (120 snapshots, every 0.5 s). */
const REACH = 60;
/** Pictures over which it is measured how well time is kept. */
const MEASURED = 240;
const NOTE_STAYS = 5000; // ms

/** How well time is kept. */
export interface Keeping {
  /** Part of the time between two pictures in which the engine works. */
  readonly load: number;
  /** From asking for a picture until it is there, 99 of 100 times [ms]. */
  readonly late: number;
  /** Pictures in a second. */
  readonly rate: number;
  /** From the last touch until it was seen [ms]; NaN: nothing was touched. */
  readonly touch: number;
  /** Seconds that were left out because the page stood still. */
  readonly skipped: number;
}

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
  readonly keeping = signal<Keeping>({ load: 0, late: 0, rate: 0, touch: NaN, skipped: 0 });
  /** A time of the past that is looked at while the time line is held. */
  readonly scrubbed = signal<number | undefined>(undefined);
  /** The earliest time that the time line has. */
  readonly oldest = signal(0);
  /** The newest values, in the order of the names; the same array each time. */
  values = new Float64Array(0);
  readonly #work: Work;
  readonly #listeners = new Set<(names: readonly string[], values: Float64Array) => void>();
  readonly #witnesses = new Set<(acts: readonly ProcessAct[]) => void>();
  #handle = 0;
  #times: number[] = [];
  #columns: number[][];
  #frames: Promise<void> = Promise.resolve();
  #asking = false;
  #over = false;
  #took: number[] = [];
  #drawn: number[] = [];
  #told = 0;
  #touched: { readonly at: number; t: number } | undefined;
  #start = 0;
  #noted = 0;
  /** More columns of the past, by name: what a picture asks for besides signals. */
  readonly #beside = new Map<string, { t: number[]; v: number[] }>();

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
      longest_gap: 2, // seconds: a page that was hidden; a slow one goes on, slower
      record: true,
      ...(this.#work.description.value?.acts === "processes" && { acts: true }),
    });
    this.#handle = ok.live;
    this.t.value = this.#start = this.oldest.value = ok.t;
    const tick = () => {
      if (this.#over) return;
      requestAnimationFrame(tick);
      if (!this.#asking) void this.#frame();
    };
    requestAnimationFrame(tick);
  }

  /** Calls `hear` after each picture, until the result is called. */
  subscribe(hear: (names: readonly string[], values: Float64Array) => void): () => void {
    this.#listeners.add(hear);
    return () => void this.#listeners.delete(hear);
  }

  /** Calls `hear` with what processes did, before the picture of that time. */
  witness(hear: (acts: readonly ProcessAct[]) => void): () => void {
    this.#witnesses.add(hear);
    return () => void this.#witnesses.delete(hear);
  }

  /** One picture after the other; resolves when this one is there. */
  #frame(): Promise<void> {
    return (this.#frames = this.#frames.then(() => (this.#handle ? this.#picture() : undefined)));
  }

  async #picture(): Promise<void> {
    this.#asking = true;
    const began = performance.now();
    try {
      const { ok, bytes } = await this.#work.desk.ask<View>("frame", {
        live: this.#handle,
        clock: clock(),
      });
      if (bytes) this.#take(bytes);
      if (ok.acts?.length) for (const hear of this.#witnesses) hear(ok.acts);
      this.#look(ok, began);
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

  #look(ok: View, began: number): void {
    const now = performance.now();
    batch(() => {
      this.t.value = ok.t;
      this.oldest.value = Math.max(this.#start, this.#times[0] ?? ok.t, ok.t - REACH);
      this.speed.value = ok.speed;
      this.paused.value = ok.paused;
      this.phase.value = ok.phase;
      const note = ok.text ?? ok.refused?.[0] ?? ok.note;
      if (note) {
        this.note.value = note;
        this.#noted = now;
      } else if (now - this.#noted > NOTE_STAYS) this.note.value = "";
    });
    if (this.scrubbed.peek() === undefined)
      for (const hear of this.#listeners) hear(this.names, this.values);
    this.#measure(now - began, now);
  }

  #measure(took: number, now: number): void {
    this.#took.push(took);
    this.#drawn.push(now);
    if (this.#took.length > MEASURED) this.#took.shift();
    if (this.#drawn.length > MEASURED) this.#drawn.shift();
    const touched = this.#touched && this.t.peek() >= this.#touched.t ? this.#touched : undefined;
    if (touched) {
      this.keeping.value = { ...this.keeping.value, touch: now - touched.at };
      this.#touched = undefined;
    }
    if (now - this.#told < 500 || this.#drawn.length < 2) return;
    this.#told = now;
    const sorted = [...this.#took].sort((a, b) => a - b);
    const span = this.#drawn.at(-1)! - this.#drawn[0]!;
    const rate = (1000 * (this.#drawn.length - 1)) / span;
    const mean = sorted.reduce((sum, one) => sum + one, 0) / sorted.length;
    this.keeping.value = {
      ...this.keeping.value,
      rate,
      load: Math.min(1, (mean * rate) / 1000),
      late: sorted[Math.floor(0.99 * (sorted.length - 1))]!,
    };
    void this.#work.desk.ask<{ skipped: number }>("measure", { live: this.#handle }).then(
      ({ ok }) => (this.keeping.value = { ...this.keeping.value, skipped: ok.skipped }),
      () => undefined,
    );
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
      const beside = this.#beside.get(name);
      if (column) traces.set(name, { t, v: Float64Array.from(column.slice(first)) });
      else if (beside)
        traces.set(name, { t: Float64Array.from(beside.t), v: Float64Array.from(beside.v) });
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
      if (members.stamp !== undefined && members.name !== undefined)
        this.#touched ??= { at: members.stamp / 1e6, t: ok.t };
      if (members.name !== undefined && what)
        this.acts.value = [
          // a stamp may be of before a pause: it happens at the present
          { t: Math.max(ok.t, this.t.peek()), name: members.name, what },
          ...this.acts.value,
        ].slice(0, ACTS_MOST);
      return undefined;
    } catch (error) {
      this.note.value = (error as Error).message;
      return this.note.value;
    }
  }

  pause(): Promise<string | undefined> {
    return this.#act("pause", { value: -1, stamp: clock() });
  }
  step(): Promise<string | undefined> {
    return this.#act("step", { value: 0, stamp: clock() });
  }
  back(): Promise<string | undefined> {
    return this.#act("back", { value: 1, stamp: clock() });
  }
  setSpeed(value: number): Promise<string | undefined> {
    return this.#act("speed", { value, stamp: clock() });
  }
  send(name: string, value: number): Promise<string | undefined> {
    return this.#act("send", { name, value, stamp: clock() }, `sent, ${value}`);
  }
  set(name: string, value: number): Promise<string | undefined> {
    return this.#act("set", { name, value, stamp: clock() }, `set to ${value}`);
  }

  /** As `set`, many at once and without a line for each: the touch of a field. */
  async setMany(pairs: readonly (readonly [string, number])[], what: string): Promise<void> {
    const stamp = clock();
    const all = pairs.map(([name, value]) => this.#act("set", { name, value, stamp }));
    await Promise.all(all);
    this.acts.value = [{ t: this.t.peek(), name: what, what: "touched" }, ...this.acts.value].slice(
      0,
      ACTS_MOST,
    );
  }

  // ------------------------------------------------------------------------------- the time line

  /** Shows a time of the past while the time line is held; the model waits meanwhile. */
  scrub(time: number): void {
    if (this.scrubbed.peek() === undefined && !this.paused.peek())
      void this.#act("pause", { value: 1, stamp: clock() });
    this.scrubbed.value = time;
    const values = this.valuesAt(time);
    for (const hear of this.#listeners) hear(this.names, values);
  }

  /** Goes back to a time of the past, exactly, and waits there: what is done now happens there. */
  async goTo(time: number): Promise<string | undefined> {
    await this.#act("pause", { value: 1, stamp: clock() });
    await this.#frame();
    let refused: string | undefined;
    if (time < this.t.peek()) {
      refused = await this.#act("back", { value: this.t.peek() - time, stamp: clock() });
      await this.#frame();
      // to the last snapshot before it, and on from there
      const rest = time - this.t.peek();
      if (!refused && rest > 0) refused = await this.#act("step", { value: rest, stamp: clock() });
      await this.#frame();
    }
    this.scrubbed.value = undefined;
    for (const hear of this.#listeners) hear(this.names, this.values);
    return refused;
  }

  /** What the signals were, in the order of the names. */
  valuesAt(time: number): Float64Array {
    const i = indexBefore(this.#times, time);
    return Float64Array.from(this.#columns, (column) => (i < 0 ? NaN : column[i]!));
  }

  /** Ends it; resolves with its recording, where there is one. */
  async stop(): Promise<Uint8Array | undefined> {
    const handle = this.#handle;
    this.#over = true;
    this.#handle = 0;
    if (!handle) return undefined;
    await this.#frames;
    // the desk forgets a live model when its recording is asked for
    const answer = await this.#work.desk.ask("record", { live: handle }).catch(() => undefined);
    return answer?.bytes;
  }

  /** All states of it, of which fields have more than signals. */
  async states(from: number, count: number): Promise<Float64Array | undefined> {
    if (!this.#handle) return undefined;
    try {
      const { bytes } = await this.#work.desk.ask("look", { live: this.#handle, from, count });
      const { columns } = readFrame(bytes!);
      return Float64Array.from(columns.slice(1), ({ values }) => values[0]!);
    } catch {
      return undefined;
    }
  }

  /** The newest value of each name. */
  latest(): Map<string, number> {
    const all = new Map(this.names.map((name, i) => [name, this.values[i]!]));
    for (const [name, { v }] of this.#beside) all.set(name, v.at(-1) ?? NaN);
    return all;
  }

  /** Keeps a value that is no signal of the model, to be drawn with them. */
  keepBeside(name: string, time: number, value: number): void {
    const kept = this.#beside.get(name) ?? { t: [], v: [] };
    this.#beside.set(name, kept);
    while (kept.t.length && kept.t.at(-1)! >= time) {
      kept.t.pop();
      kept.v.pop();
    }
    kept.t.push(time);
    kept.v.push(value);
    if (kept.t.length > MOST) {
      kept.t.splice(0, MOST / 2);
      kept.v.splice(0, MOST / 2);
    }
  }
}
