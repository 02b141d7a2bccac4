// The desk's messages (docs/protocol.md) as types.

export type Kind = "diagram" | "text" | "structure" | "field" | "process" | "world" | "c";

/** Line and column, both from 0, columns in units of UTF-16. */
export type Place = readonly [line: number, column: number];
export interface Range {
  readonly from: Place;
  readonly to: Place;
}
export interface Edit extends Range {
  readonly text: string;
}
export interface Diagnostic extends Range {
  readonly severity: "error" | "warning" | "note";
  readonly text: string;
  readonly hint?: string;
}

/** A parameter or another number that can be set. */
export interface Quantity {
  readonly name: string;
  readonly unit?: string;
  readonly about?: string;
  readonly type: string;
  readonly value: number | null;
  readonly variability: string;
  readonly min?: number | null;
  readonly max?: number | null;
}
export interface Signal {
  readonly name: string;
  readonly unit?: string;
  readonly about?: string;
  readonly type: string;
  readonly kind: string;
}
export interface EventInfo {
  readonly name: string;
  readonly unit?: string;
  readonly about?: string;
}
export interface RunSetup {
  readonly start: number;
  readonly stop: number;
  readonly interval: number;
  readonly solver?: string;
  readonly step: number;
  readonly rtol: number;
  readonly atol: number;
  readonly random: boolean;
}
export interface Description {
  readonly kind: string;
  readonly name: string;
  readonly about?: string;
  readonly equations?: string;
  readonly time_unit?: string;
  readonly how?: string;
  readonly run: RunSetup;
  readonly numbers: readonly Quantity[];
  readonly signals: readonly Signal[];
  readonly events: readonly EventInfo[];
  readonly guards: readonly string[];
  readonly plot: readonly string[];
  readonly totals: readonly string[];
  /** Whose acts it can tell. */
  readonly acts?: "processes" | "entities";
  readonly scene?: unknown;
}

/** What a process did: when, who, which one of them, at what, the action, its amount, who caused it, its priority. */
export type ProcessAct = readonly [
  t: number,
  who: string,
  number: number,
  what: string,
  action: string,
  amount: number | null,
  by?: string,
  byNumber?: number,
  priority?: number,
];

export interface Moment {
  readonly t: number;
  readonly k: number;
  readonly name: string;
  readonly kind: string;
  readonly certified?: boolean;
}

export interface Failure {
  readonly code: string;
  readonly text: string;
}

/** What the desk says by itself. */
export interface Diagnosed {
  readonly on: "diagnostics";
  readonly doc: number;
  readonly version: number;
  readonly list: readonly Diagnostic[];
  readonly runs: boolean;
}
export interface Progress {
  readonly on: "progress";
  readonly run: number;
  readonly t: number;
}
export interface Done {
  readonly on: "done";
  readonly run: number;
  readonly status: string;
  readonly solver?: string;
  readonly rows: number;
  readonly moments?: number;
  /** Why it did not reach its end. */
  readonly text?: string;
}
export type Said = Diagnosed | Progress | Done;

/** An answer: its members, and the raw bytes that followed it. */
export interface Answer<T> {
  readonly ok: T;
  readonly bytes: Uint8Array | undefined;
}

/** A column of a frame of numbers; signal is undefined for the time. */
export interface Column {
  readonly signal: number | undefined;
  readonly values: Float64Array;
}
export interface Frame {
  readonly kind: "rows" | "m4" | "live";
  readonly handle: number;
  readonly id: number;
  readonly rows: number;
  readonly first: number;
  readonly columns: readonly Column[];
}
