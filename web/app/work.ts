// One open document: its text and settings, what the desk says about it, its runs and its live model.
import { batch, computed, signal } from "@preact/signals";
import { DeskError } from "../engine/client.ts";
import { readFrame } from "../engine/frame.ts";
import { showNumber } from "../engine/numbers.ts";
import type {
  Description,
  Diagnosed,
  Diagnostic,
  Done,
  Frame,
  Moment,
  ProcessAct,
  Quantity,
  Said,
} from "../engine/protocol.ts";
import type { Scene } from "../scene/model.ts";
import type { Desk } from "./contracts.ts";
import { valueAt } from "../plots/merge.ts";
import { keepEnds, readEnds } from "./storage.ts";

/** Times and values of one signal, as they are drawn. */
export interface Trace {
  readonly t: Float64Array;
  readonly v: Float64Array;
}
export type Traces = ReadonlyMap<string, Trace>;

/** A run, as long as the desk has it. */
export interface Run {
  readonly handle: number;
  readonly signals: readonly string[];
  readonly start: number;
  readonly stop: number;
  readonly began: number;
  /** Undefined while it runs. */
  readonly done: Done | undefined;
  readonly took: number;
  readonly moments: readonly Moment[];
  readonly momentCount: number;
  /** Counts the runs of this model, from 1. */
  readonly number: number;
  /** What was other than usual: "g = 1.6". */
  readonly note: string;
  /** What it was made with. */
  readonly settings: Readonly<Record<string, number>>;
  readonly choices: RunChoices;
  readonly text: string | null;
}

/** How a run is called where one of several is chosen. */
export const titleOf = ({ number, note }: Run) => `run ${number}${note ? ` · ${note}` : ""}`;

/** What the desk answers when a run begins. */
interface Begun {
  readonly run: number;
  readonly start: number;
  readonly stop: number;
  readonly signals: readonly string[];
}

/** Runs of one model that are kept to be compared. */
const RUNS_MOST = 8;

export interface RunChoices {
  readonly stop?: number;
  readonly rtol?: number;
  readonly solver?: string;
  readonly interval?: number;
  readonly seed?: number;
}

/** Reading a signal in an effect is following it; this says that nothing else is meant by it. */
// eslint-disable-next-line @typescript-eslint/no-unused-vars
export function follow(..._values: readonly unknown[]): void {
  // read already
}

const MOMENTS_MOST = 2000;

export class Work {
  readonly desk: Desk;
  /** Where it comes from: "gallery/ball.mo", "file/ball.mo", "mine/model.mo". */
  readonly key: string;
  readonly name: string;
  /** With the ending that says the kind. */
  readonly fileName: string;
  /** Null for a model that is code: it has no text to edit. */
  readonly text = signal<string | null>(null);
  readonly settings = signal<Readonly<Record<string, number>>>({});
  /** Ends of sliders that were given by hand. */
  readonly ends = signal<Readonly<Record<string, readonly [number, number]>>>({});
  readonly stamp = signal<string>("");
  /** A scene that was made in the page, of a model that has none in its text. */
  readonly scene = signal<Scene | undefined>(undefined);
  readonly saved = signal<"kept" | "changed" | "failed">("kept");

  readonly diagnostics = signal<readonly Diagnostic[]>([]);
  readonly runs = signal<boolean | undefined>(undefined);
  readonly description = signal<Description | undefined>(undefined);
  readonly problem = signal<string>("");

  readonly solvers = signal<readonly string[]>([]);
  readonly choices = signal<RunChoices>({});
  /** The run that is shown. */
  readonly run = signal<Run | undefined>(undefined);
  /** Those that are over, the oldest first. */
  readonly kept = signal<readonly Run[]>([]);
  /** The run that the shown one is compared with. */
  readonly against = signal<Run | undefined>(undefined);
  /** The one before the run that is shown. */
  readonly last = computed(() => {
    const now = this.run.value;
    return this.kept.value.filter(({ number }) => now && number < now.number).at(-1);
  });
  readonly progress = signal<number | undefined>(undefined);
  readonly running = computed(() => this.progress.value !== undefined);

  doc = 0;
  #version = 0;
  #sending = false;
  #described = 0;
  #counted = 0;
  readonly #opened: string | null;
  readonly #unlisten: () => void;
  readonly #finished = new Map<number, Done>();
  readonly #beside = new Map<number, (done: Done) => void>();
  readonly #early = new Map<number, Diagnosed>();
  readonly #usual = new Map<string, number>();

  /** `original`: the text without changes that were kept in the browser. */
  constructor(
    desk: Desk,
    key: string,
    text: string | null,
    fileName?: string,
    original: string | null = text,
  ) {
    this.desk = desk;
    this.key = key;
    this.name = key.slice(key.indexOf("/") + 1);
    this.fileName = fileName ?? this.name;
    this.text.value = text;
    this.#opened = original;
    this.ends.value = readEnds(key);
    this.#unlisten = desk.listen((said) => this.#hear(said));
  }

  async open(settings: Readonly<Record<string, number>> = {}): Promise<void> {
    const text = this.text.value;
    const { ok } = await this.desk.ask<{ doc: number }>("open", {
      name: text === null ? this.name : this.fileName,
      ...(text === null ? {} : { text }),
    });
    this.doc = ok.doc;
    if (Object.keys(settings).length) {
      await this.#describe(); // what the numbers usually are
      for (const [name, value] of Object.entries(settings)) await this.set(name, value);
    }
    const early = this.#early.get(ok.doc);
    if (early) this.#diagnosed(early);
    this.#early.clear();
  }

  /** Learns which solvers there are. */
  async learn(): Promise<void> {
    const { ok } = await this.desk.ask<{ topics: { name: string; kind: string }[] }>("help");
    this.solvers.value = ok.topics.filter((t) => t.kind === "solver").map((t) => t.name);
  }

  close(): void {
    this.#unlisten();
    const all = new Set([...this.kept.value, ...(this.run.value ? [this.run.value] : [])]);
    for (const run of all) this.forget(run);
    if (this.doc) void this.desk.ask("close", { doc: this.doc }).catch(() => undefined);
    this.doc = 0;
  }

  // --------------------------------------------------------------------------------- the document

  /** Whether the text is another than the one that was opened. */
  isChanged(text = this.text.value): boolean {
    return text !== this.#opened;
  }

  /** Takes a new text; the desk gets the newest as soon as it has answered the one before. */
  edit(text: string): void {
    if (text === this.text.value) return;
    batch(() => {
      this.text.value = text;
      this.saved.value = "changed";
    });
    void this.#send();
  }

  async #send(): Promise<void> {
    if (this.#sending || !this.doc) return;
    this.#sending = true;
    try {
      let sent: string | null = null;
      while (sent !== this.text.value) {
        sent = this.text.value;
        await this.desk.ask("change", {
          doc: this.doc,
          version: ++this.#version,
          text: sent,
        });
      }
    } catch (error) {
      this.problem.value = (error as Error).message;
    } finally {
      this.#sending = false;
    }
  }

  /** Gives a number of the model another value; the message of a refusal, or nothing. */
  async set(name: string, value: number): Promise<string | undefined> {
    if (!Number.isFinite(value)) return `${showNumber(value)} is no finite number`;
    try {
      await this.desk.ask("set", { doc: this.doc, name, value });
      batch(() => {
        this.settings.value = { ...this.settings.value, [name]: value };
        this.saved.value = "changed";
      });
      return undefined;
    } catch (error) {
      return (error as Error).message;
    }
  }

  /** The ends of a slider are kept in this browser; undefined: as the model has them. */
  setEnds(name: string, ends: readonly [number, number] | undefined): void {
    const { [name]: gone, ...others } = this.ends.value;
    follow(gone);
    this.ends.value = ends ? { ...others, [name]: ends } : others;
    keepEnds(this.key, this.ends.value);
  }

  keepScene(scene: Scene | undefined): void {
    batch(() => {
      this.scene.value = scene;
      this.saved.value = "changed";
    });
  }

  /** How long a run of it takes, in its time: digits of times follow from it. */
  get span(): number {
    const { start, stop } = this.description.value?.run ?? { start: 0, stop: 1 };
    return (this.choices.value.stop ?? stop) - start;
  }

  /** What the model has by itself, where the description is of a changed one. */
  usual(of: Quantity): number | undefined {
    return this.#usual.get(of.name) ?? of.value ?? undefined;
  }

  /** Gives every number back what the model has by itself. */
  async reset(): Promise<void> {
    for (const name of Object.keys(this.settings.value)) {
      const usual = this.#usual.get(name);
      if (usual !== undefined) await this.desk.ask("set", { doc: this.doc, name, value: usual });
    }
    batch(() => {
      this.settings.value = {};
      this.saved.value = "changed";
    });
  }

  #hear(said: Said): void {
    if (said.on === "diagnostics") {
      if (!this.doc) this.#early.set(said.doc, said);
      else if (said.doc === this.doc) this.#diagnosed(said);
    } else if (said.on === "progress") {
      const run = this.run.value;
      if (run?.handle === said.run)
        this.progress.value = Math.min(
          1,
          Math.max(0, (said.t - run.start) / (run.stop - run.start)),
        );
    } else {
      this.#finished.set(said.run, said);
      this.#beside.get(said.run)?.(said);
      this.#beside.delete(said.run);
      if (this.run.value?.handle === said.run) void this.#finish(said);
    }
  }

  #diagnosed(said: Diagnosed): void {
    if (said.version < this.#version) return; // of an older text
    batch(() => {
      this.diagnostics.value = said.list;
      this.runs.value = said.runs;
    });
    if (said.runs) void this.#describe();
  }

  async #describe(): Promise<void> {
    const turn = ++this.#described;
    try {
      const { ok } = await this.desk.ask<Description>("describe", { doc: this.doc });
      if (turn !== this.#described) return;
      for (const { name, value } of ok.numbers)
        if (value !== null && !(name in this.settings.value)) this.#usual.set(name, value);
      this.description.value = ok;
    } catch {
      // it has been changed since; another description comes
    }
  }

  // ------------------------------------------------------------------------------------------ runs

  #request(): Record<string, unknown> {
    const { stop, rtol, solver, interval, seed } = this.choices.value;
    return {
      doc: this.doc,
      ...(stop !== undefined && { stop }),
      ...(rtol !== undefined && { rtol, atol: rtol * 1e-3 }),
      ...(solver && { solver }),
      ...(interval !== undefined && { interval }),
      ...(seed !== undefined && { seed }),
    };
  }

  /** The same run with other signals, for a picture; the caller forgets it. Undefined: they are unknown. */
  async runBeside(signals: readonly string[]): Promise<Run | undefined> {
    try {
      const { ok } = await this.desk.ask<Begun>("run", { ...this.#request(), signals });
      const done =
        this.#finished.get(ok.run) ??
        (await new Promise<Done>((resolve) => this.#beside.set(ok.run, resolve)));
      this.#finished.delete(ok.run);
      return this.#begun(ok, 0, done);
    } catch {
      return undefined;
    }
  }

  #begun({ run, signals, start, stop }: Begun, began: number, done: Done | undefined): Run {
    return {
      ...{ handle: run, signals, start, stop, began, done },
      ...{ took: 0, moments: [], momentCount: 0, number: 0, note: "" },
      settings: this.settings.value,
      choices: this.choices.value,
      text: this.text.value,
    };
  }

  async start(): Promise<void> {
    if (this.running.value) return;
    this.progress.value = 0;
    this.problem.value = "";
    const began = performance.now();
    try {
      const acts = this.description.value?.acts === "processes";
      const { ok } = await this.desk.ask<Begun>("run", {
        ...this.#request(),
        ...(acts && { acts }),
      });
      const now = this.run.value;
      if (now && !this.kept.value.some(({ handle }) => handle === now.handle)) this.forget(now);
      this.run.value = {
        ...this.#begun(ok, began, undefined),
        number: ++this.#counted,
        note: this.#noteOf(),
      };
      const done = this.#finished.get(ok.run);
      if (done) await this.#finish(done);
    } catch (error) {
      batch(() => {
        this.progress.value = undefined;
        this.problem.value = (error as Error).message;
      });
    }
  }

  async #finish(done: Done): Promise<void> {
    const run = this.run.value;
    if (run?.handle !== done.run || run.done) return;
    this.#finished.clear();
    const took = performance.now() - run.began;
    // of processes it is said who did what
    const told = this.description.value?.acts === "processes" && (await this.#deeds(run.handle));
    const { list, count } = told || (await this.#moments(run.handle));
    const stop = done.status === "reached" ? run.stop : await this.#endOf(run);
    batch(() => {
      const over = { ...run, stop, done, took, moments: list, momentCount: count };
      this.run.value = over;
      if (done.rows) this.#keep(over);
      this.progress.value = undefined;
      const failed = !["reached", "stopped", "cancelled"].includes(done.status);
      this.problem.value = failed ? (done.text ?? done.status) : "";
    });
  }

  // Where a run has come to that did not reach its end.
  async #endOf({ handle, start, stop }: Run): Promise<number> {
    try {
      const { ok } = await this.desk.ask<{ t: number }>("progress", { run: handle });
      return ok.t > start ? ok.t : stop;
    } catch {
      return stop;
    }
  }

  // The oldest that nobody looks at goes.
  #keep(run: Run): void {
    const list = [...this.kept.value, run];
    const old = list.find((r) => r !== run && r.handle !== this.against.value?.handle);
    if (list.length > RUNS_MOST && old) {
      list.splice(list.indexOf(old), 1);
      this.forget(old);
    }
    this.kept.value = list;
  }

  #noteOf(): string {
    const { stop, rtol, solver, seed } = this.choices.value;
    const set = Object.entries({
      ...this.settings.value,
      ...(stop !== undefined && { until: stop }),
      ...(rtol !== undefined && { tolerance: rtol }),
      ...(seed !== undefined && { seed }),
    }).map(([name, value]) => `${name} = ${value}`);
    return [...set, ...(solver ? [solver] : [])].slice(0, 3).join(", ");
  }

  /** Carries a recording of a live model through again, as a run. */
  async replay(recording: Uint8Array, until: number): Promise<void> {
    const description = this.description.value;
    if (!description) return;
    const signals = description.signals.filter((s) => s.kind !== "input").map((s) => s.name);
    const start = description.run.start;
    const interval = Math.max((until - start) / 4000, 1e-12);
    const began = performance.now();
    const { ok } = await this.desk.ask<{ run: number; status: string; rows: number }>(
      "replay",
      { doc: this.doc, signals, interval },
      recording.slice(),
    );
    const done: Done = {
      on: "done",
      run: ok.run,
      status: ok.status,
      rows: ok.rows,
      solver: "live",
    };
    const { list, count } = await this.#moments(ok.run);
    const run: Run = {
      ...this.#begun({ run: ok.run, start, stop: until, signals }, began, done),
      moments: list,
      momentCount: count,
      took: performance.now() - began,
      number: ++this.#counted,
      note: "live, replayed",
    };
    batch(() => {
      this.run.value = run;
      this.#keep(run);
    });
  }

  async #deeds(run: number): Promise<{ list: Moment[]; count: number } | undefined> {
    try {
      const { ok } = await this.desk.ask<{ count: number; list: ProcessAct[] }>("acts", {
        run,
        after: 0,
        most: MOMENTS_MOST,
      });
      const list = ok.list.map(([t, who, number, what, kind]) => {
        const name = `${who} ${number}${what && `, ${what}`}`;
        return { t, k: 0, name, kind };
      });
      return { list, count: ok.count };
    } catch {
      return undefined; // the run was begun before the model was described
    }
  }

  async #moments(run: number): Promise<{ list: Moment[]; count: number }> {
    try {
      const { ok } = await this.desk.ask<{ count: number; list: Moment[] }>("moments", {
        run,
        after: 0,
        most: MOMENTS_MOST,
      });
      return ok;
    } catch {
      return { list: [], count: 0 };
    }
  }

  cancel(): void {
    const run = this.run.value;
    if (run && !run.done) void this.desk.ask("cancel", { run: run.handle }).catch(() => undefined);
  }

  forget(run: Run): void {
    void this.desk.ask("forget", { run: run.handle }).catch(() => undefined);
  }

  /** Signals of a run in a window, four points for each pixel; those that it does not have are left out. */
  async traces(
    run: Run,
    names: readonly string[],
    pixels: number,
    from?: number,
    to?: number,
  ): Promise<Traces> {
    const known = names.filter((name) => run.signals.includes(name));
    const result = new Map<string, Trace>();
    if (!known.length) return result;
    const signals = known.map((name) => run.signals.indexOf(name));
    const { bytes } = await this.desk.ask("rows", {
      run: run.handle,
      signals,
      pixels: Math.max(1, Math.round(pixels)),
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
    });
    const frame = readFrame(bytes!);
    known.forEach((name, i) => {
      const t = frame.columns[2 * i];
      const v = frame.columns[2 * i + 1];
      if (t && v) result.set(name, { t: t.values, v: v.values });
    });
    return result;
  }

  /**
   * Signals of a run at a time, from the rows before and after it: what is drawn has the first, least, greatest
   * and last row of each pixel, and between two of those the signal may be anywhere.
   */
  async valuesAt(
    run: Run,
    names: readonly string[],
    time: number,
    holds: (name: string) => boolean,
  ): Promise<ReadonlyMap<string, number>> {
    const near = [...(await this.traces(run, names, 1, time, time))];
    // after the last row there is none
    const known = near.filter(([, { t }]) => t.length);
    return new Map(known.map(([name, trace]) => [name, valueAt(trace, time, holds(name))]));
  }

  /** Rows as they are: the first column is the time. */
  async rows(run: Run, names: readonly string[], from?: number, to?: number): Promise<Frame> {
    const signals = names.map((name) => run.signals.indexOf(name)).filter((index) => index >= 0);
    const { bytes } = await this.desk.ask("rows", {
      run: run.handle,
      signals,
      ...(from !== undefined && { from }),
      ...(to !== undefined && { to }),
    });
    return readFrame(bytes!);
  }

  /** All rows of signals, each with its times. */
  async columns(run: Run, names: readonly string[]): Promise<Traces> {
    const known = names.filter((name) => run.signals.includes(name));
    const [t, ...rest] = (await this.rows(run, known)).columns.map(({ values }) => values);
    return new Map(t ? known.map((name, i) => [name, { t, v: rest[i]! }]) : []);
  }

  /** What processes did in a run, from the beginning; at most so many. */
  async acts(run: Run, most: number): Promise<ProcessAct[]> {
    const all: ProcessAct[] = [];
    for (let kept = most; all.length < Math.min(most, kept);) {
      const { ok } = await this.desk.ask<{ kept: number; list: ProcessAct[] }>("acts", {
        run: run.handle,
        after: all.length,
        most: Math.min(20000, most - all.length),
      });
      kept = ok.kept;
      if (!ok.list.length) break;
      for (const act of ok.list) all.push(act);
    }
    return all;
  }

  /** The last row of a run: every signal that it has kept. */
  async finals(run: Run): Promise<ReadonlyMap<string, number>> {
    // of the few points of a coarse picture the last one is the last row
    const traces = await this.traces(run, run.signals, 16).catch(() => new Map<string, Trace>());
    return new Map([...traces].map(([name, { v }]) => [name, v.at(-1) ?? NaN]));
  }

  /** How far this run is from the one that it is compared with, by signal. */
  async compare(names: readonly string[]): Promise<ReadonlyMap<string, number>> {
    const [a, b] = [this.against.value, this.run.value];
    if (!a || !b || a.handle === b.handle) return new Map();
    try {
      const signals = names.filter((name) => a.signals.includes(name) && b.signals.includes(name));
      const { ok } = await this.desk.ask<{
        signals: { name: string; worst: number | null }[];
      }>("compare", { runs: [a.handle, b.handle], signals });
      return new Map(ok.signals.map(({ name, worst }) => [name, worst ?? NaN]));
    } catch (error) {
      if (error instanceof DeskError) return new Map();
      throw error;
    }
  }
}
