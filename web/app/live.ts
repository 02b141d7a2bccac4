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

/** `gesture`: one line for all of it. */
interface Line {
  readonly name: string;
  readonly what: string;
  readonly gesture?: boolean;
}

/** Seconds of the wall clock that plots show. */
const WINDOW = 20;
/** Points of a signal that are kept. */
const MOST = 40000;

const ACTS_MOST = 200;
/** Simulated seconds that the engine keeps to go back to (120 snapshots, every 0.5 s); what is before is computed again. */
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

/** A line of a recording: something that was sent or set. */
export interface Recorded {
  readonly t: number;
  readonly verb: "send" | "set";
  readonly name: string;
  readonly value: number;
  /** It came when the model stood at that time already. */
  readonly late: boolean;
}

/** What was done until a time, of a recording (src/live/record.c), without what going back has undone. */
export function recordedActs(recording: string, until: number): Recorded[] {
  const lines = recording.split("\n");
  let acts: (Recorded | undefined)[] = [];
  for (const line of lines.slice(lines.indexOf("begin") + 1)) {
    const [time = "", what = "", name = "", value = "0"] = line.split(" ");
    if (what === "back") acts = acts.slice(0, Number(name));
    else if (/^(event|set)\+?$/.test(what))
      acts.push({
        t: Number(time),
        verb: what.startsWith("event") ? "send" : "set",
        name: decodeURIComponent(name.replace(/%(?!20|25)/g, "%25")),
        value: Number(value),
        late: what.endsWith("+"),
      });
    else if (what === "method" || what === "accuracy") acts.push(undefined);
  }
  return acts.filter((act) => act !== undefined).filter(({ t }) => t <= until);
}

/** A step that ends at a time, to the bit where there is one. */
export function stepTo(from: number, to: number): number {
  const by = to - from;
  const ulp = Number.EPSILON * Math.abs(to);
  return [by, by + ulp / 2, by - ulp / 2, by + ulp, by - ulp].find((b) => from + b === to) ?? by;
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
  readonly #witnesses = new Set<(acts: readonly ProcessAct[], anew: boolean) => void>();
  #handle = 0;
  /** What it began with: the document may be changed since. */
  readonly #text: string | null;
  readonly #settings: Readonly<Record<string, number>>;
  #times: number[] = [];
  #columns: number[][];
  #frames: Promise<void> = Promise.resolve();
  /** One way back after the other. */
  #going: Promise<string | undefined> = Promise.resolve(undefined);
  #asking = false;
  #over = false;
  #took: number[] = [];
  #drawn: number[] = [];
  #told = 0;
  #touched: { readonly at: number; t: number } | undefined;
  /** What was done since the last picture: the next one says how far the model has come with it. */
  readonly #fresh = new Set<Act>();
  #start = 0;
  #noted = 0;
  /** More columns of the past, by name: what a picture asks for besides signals. */
  readonly #beside = new Map<string, { t: number[]; v: number[] }>();

  constructor(work: Work) {
    this.#work = work;
    this.#text = work.text.peek();
    this.#settings = work.settings.peek();
    const signals = work.description.value?.signals ?? [];
    this.names = signals.filter(({ kind }) => kind !== "input").map(({ name }) => name);
    this.#columns = this.names.map(() => []);
    this.values = new Float64Array(this.names.length).fill(NaN);
  }

  async start(): Promise<void> {
    const { paceOf } = await import("./pace.ts");
    const pace = await paceOf(this.#work).catch(() => 1);
    const ok = await this.#begin(this.#work.doc);
    this.#handle = ok.live;
    this.t.value = this.#start = this.oldest.value = ok.t;
    if (pace !== 1) await this.setSpeed((this.speed.value = pace));
    this.#go();
  }

  async #begin(doc: number): Promise<{ live: number; t: number }> {
    const { ok } = await this.#work.desk.ask<{ live: number; t: number }>("live", {
      doc,
      clock: clock(),
      longest_gap: 2, // seconds: a page that was hidden; a slow one goes on, slower
      record: true,
      ...(this.#work.description.value?.acts === "processes" && { acts: true }),
    });
    return ok;
  }

  #go(): void {
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

  /** Calls `hear` with what processes did, before the picture of that time; `anew`: from the beginning. */
  witness(hear: (acts: readonly ProcessAct[], anew: boolean) => void): () => void {
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
      if (ok.acts?.length) for (const hear of this.#witnesses) hear(ok.acts, false);
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
    this.#settle(ok.t);
    batch(() => {
      this.t.value = ok.t;
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

  // An act is answered with the time of its stamp. A picture that was asked for late stops before it, and what was
  // done happens where it stops.
  #settle(end: number): void {
    if (this.#touched) this.#touched.t = Math.min(this.#touched.t, end);
    if ([...this.#fresh].some(({ t }) => t > end))
      this.acts.value = this.acts.value.map((act) =>
        this.#fresh.has(act) && act.t > end ? { ...act, t: end } : act,
      );
    this.#fresh.clear();
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

  // Time may have gone back; and of what is long past every second point is kept, with both sides of jumps.
  #cut(from: number): void {
    const times = this.#times;
    let end = times.length;
    while (end > 0 && times[end - 1]! > from) end--;
    if (end === times.length && end <= MOST) return;
    const old = end > MOST ? end / 2 : 0;
    const stays = (i: number) =>
      i < end &&
      (i >= old || i % 2 === 0 || times[i] === times[i - 1] || times[i] === times[i + 1]);
    this.#columns = this.#columns.map((column) => column.filter((_, i) => stays(i)));
    this.#times = times.filter((_, i) => stays(i));
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

  /** `line`: how it is listed. */
  async #act(verb: string, members: Members = {}, line?: Line): Promise<string | undefined> {
    try {
      const { ok } = await this.#work.desk.ask<{ t: number }>("act", {
        live: this.#handle,
        verb,
        ...members,
      });
      if (members.stamp !== undefined && members.name !== undefined)
        this.#touched ??= { at: members.stamp / 1e6, t: ok.t };
      // a stamp may be of before a pause: it happens at the present
      if (line) this.#list(line, Math.max(ok.t, this.t.peek()));
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
  /** By a second of the clock, and goes on from there if it did. */
  async back(): Promise<string | undefined> {
    const went = !this.paused.peek();
    const refused = await this.goTo(Math.max(this.#start, this.t.peek() - this.speed.peek()));
    if (went && !refused) await this.#act("pause", { value: 0, stamp: clock() });
    return refused;
  }
  setSpeed(value: number): Promise<string | undefined> {
    return this.#act("speed", { value, stamp: clock() });
  }
  send(name: string, value: number): Promise<string | undefined> {
    return this.#act("send", { name, value, stamp: clock() }, { name, what: `sent, ${value}` });
  }
  set(name: string, value: number): Promise<string | undefined> {
    return this.#act("set", { name, value, stamp: clock() }, { name, what: `set to ${value}` });
  }

  /** As `set`, many at once and a line for all: the touch of a field, a node that is pulled. */
  async setMany(
    pairs: readonly (readonly [string, number])[],
    name: string,
    what = "touched",
  ): Promise<void> {
    const stamp = clock();
    const line = { name, what, gesture: true };
    const all = pairs.map(([of, value], i) =>
      this.#act("set", { name: of, value, stamp }, i ? undefined : line),
    );
    await Promise.all(all);
  }

  #list({ name, what, gesture }: Line, t: number): void {
    const [last, ...others] = this.acts.value;
    const same = gesture && last?.name === name && last.what === what;
    const act = { t, name, what };
    this.#fresh.add(act);
    this.acts.value = [act, ...(same ? others : this.acts.value)].slice(0, ACTS_MOST);
  }

  // ------------------------------------------------------------------------------- the time line

  /** Shows a time of the past while the time line is held; the model waits meanwhile. */
  scrub(time: number): void {
    if (this.scrubbed.peek() === undefined && !this.paused.peek() && this.#handle)
      void this.#act("pause", { value: 1, stamp: clock() });
    this.scrubbed.value = time;
    const values = this.valuesAt(time);
    for (const hear of this.#listeners) hear(this.names, values);
  }

  /** Goes back to a time of the past, exactly, and waits there: what is done now happens there. */
  goTo(time: number): Promise<string | undefined> {
    return (this.#going = this.#going.then(() => this.#goTo(time)));
  }

  async #goTo(time: number): Promise<string | undefined> {
    if (!this.#handle) return undefined; // it has ended meanwhile
    let refused: string | undefined;
    this.scrub(time);
    if (this.phase.peek() === "running") {
      await this.#act("pause", { value: 1, stamp: clock() });
      await this.#frame();
    }
    if (time < this.t.peek()) {
      if (time > this.t.peek() - REACH && this.phase.peek() === "running") {
        refused = await this.#act("back", { value: this.t.peek() - time, stamp: clock() });
        await this.#frame();
      }
      // to the last snapshot before it, and on from there; where there is none from the beginning
      if (this.t.peek() > time) refused = await this.#again(time);
      else if (!refused && this.t.peek() < time) {
        const rest = stepTo(this.t.peek(), time);
        refused = await this.#act("step", { value: rest, stamp: clock() });
        await this.#frame();
      }
    }
    this.acts.value = this.acts.value.filter(({ t }) => t <= this.t.peek());
    this.scrubbed.value = undefined;
    for (const hear of this.#listeners) hear(this.names, this.values);
    return refused;
  }

  // Another live model, with all that was done until then, at the same times: so it comes to the same bits. What
  // the page has kept of the past stays.
  async #again(time: number): Promise<string | undefined> {
    const { desk } = this.#work;
    this.note.value = "computed again from the beginning …";
    const speed = this.speed.peek();
    let doc = 0;
    try {
      const recording = await this.#finish();
      if (!recording) return "it was not recorded, and cannot go back so far";
      const acts = recordedActs(new TextDecoder().decode(recording), time);
      const opened = await desk.ask<{ doc: number }>("open", {
        name: this.#text === null ? this.#work.name : this.#work.fileName,
        ...(this.#text !== null && { text: this.#text }),
      });
      doc = opened.ok.doc;
      for (const [name, value] of Object.entries(this.#settings))
        await desk.ask("set", { doc, name, value });
      const { live } = await this.#begin(doc);
      await this.#retrace(live, acts, time);
      this.#handle = live;
      if (speed !== 1) await this.#act("speed", { value: speed, stamp: clock() });
      if (this.#over) {
        this.#over = false;
        this.#go();
      }
      this.note.value = "";
      await this.#frame();
      return undefined;
    } catch (error) {
      this.phase.value = "failed";
      return (this.note.value = (error as Error).message);
    } finally {
      if (doc) void desk.ask("close", { doc }).catch(() => undefined);
    }
  }

  async #retrace(live: number, acts: readonly Recorded[], time: number): Promise<void> {
    const { desk } = this.#work;
    const act = (members: object) => desk.ask("act", { live, stamp: clock(), ...members });
    let now = this.#start;
    let fresh = true;
    const frame = async () => {
      const { ok, bytes } = await desk.ask<View>("frame", { live, clock: clock() });
      if (ok.phase !== "running") throw new Error(ok.text ?? `it ended at ${ok.t}`);
      now = ok.t;
      const told = ok.acts ?? [];
      for (const hear of this.#witnesses) hear(told, fresh);
      fresh = false;
      const { columns } = readFrame(bytes!);
      columns.slice(1).forEach(({ values }, i) => (this.values[i] = values.at(-1) ?? NaN));
    };
    const carry = async (to: number) => {
      // in pieces: what processes did in one frame is limited
      for (const end = to - this.#start; now < to;) {
        const next = Math.min(to, now + Math.max(end / 16, Number.MIN_VALUE));
        await act({ verb: "step", value: stepTo(now, next) });
        const before = now;
        await frame();
        if (!(now > before)) throw new Error(`it does not get beyond ${now}`);
      }
    };
    await act({ verb: "pause", value: 1 });
    await frame();
    for (const { t, verb, name, value, late } of acts) {
      if (late) await carry(t);
      await act({ verb, name, value, t });
      if (!late) await carry(t);
    }
    await carry(time);
    if (acts.some(({ t }) => t >= now)) await frame();
    this.#cut(time);
    this.t.value = now;
  }

  /** All that is kept of the signals. */
  past(): Traces {
    const t = Float64Array.from(this.#times);
    return new Map(
      this.names.map((name, i) => [name, { t, v: Float64Array.from(this.#columns[i]!) }]),
    );
  }

  /** By how much a signal jumped at a time; undefined: it did not, or it is not kept. */
  jumpAt(name: string, time: number): number | undefined {
    const column = this.#columns[this.names.indexOf(name)];
    let last = indexBefore(this.#times, time);
    if (!column || last < 0 || this.#times[last] !== time) return undefined;
    let first = last;
    while (first > 0 && this.#times[first - 1] === time) first--;
    while (this.#times[last + 1] === time) last++;
    return first < last ? column[last]! - column[first]! : undefined;
  }

  /** What the signals were, in the order of the names. */
  valuesAt(time: number): Float64Array {
    const i = indexBefore(this.#times, time);
    return Float64Array.from(this.#columns, (column) => (i < 0 ? NaN : column[i]!));
  }

  /** Ends it; resolves with its recording, where there is one. */
  async stop(): Promise<Uint8Array | undefined> {
    await this.#going;
    return this.#finish();
  }

  async #finish(): Promise<Uint8Array | undefined> {
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
