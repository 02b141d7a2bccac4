// What a scene is made of: shapes whose numbers may be signals. The desk describes those of documents;
// derive.ts finds one for models that have none.

/** A number, or offset + gain * signal. */
export type Value =
  number | { readonly signal: string; readonly gain?: number; readonly offset?: number };
export type Three = readonly [Value, Value, Value];

export type ShapeKind =
  | "box"
  | "sphere"
  | "cylinder"
  | "cone"
  | "plane"
  | "line"
  | "spring"
  | "arrow"
  | "trail"
  | "text"
  | "gltf";

export interface Shape {
  readonly kind: ShapeKind;
  readonly name?: string;
  /** Of its centre; of what has two ends the first. */
  readonly position: Three;
  /** The other end of lines, springs and arrows, and of cylinders that have one. */
  readonly end?: Three;
  /** About x, then y, then z [rad]. */
  readonly rotation?: Three;
  /** It is turned about this point instead of its own. */
  readonly pivot?: Three;
  readonly size?: Three;
  /** Red, green and blue from 0 to 1, or the name of one of the page's colours. */
  readonly color?: Three | string;
  /** Of texts. */
  readonly text?: string;
  /** Of gltf: where the file is; only from the page's own place or its data. */
  readonly source?: string;
  /** An event of the model that a tap on it is, with the strength by how far one pulls. */
  readonly tap?: string;
  /** Signals that pulling it sets, along x, y and z. */
  readonly pull?: readonly (string | undefined)[];
}

/** Masses and springs: nodes by their signals, springs by two of them. */
export interface StructureScene {
  readonly nodes: readonly StructureNode[];
  readonly springs: readonly (readonly [number, number])[];
  /** Their lengths at rest; undefined: as they are drawn. */
  readonly lengths?: readonly (number | undefined)[];
  readonly dimension: number;
}
export interface StructureNode {
  readonly name: string;
  readonly at: Three;
  readonly velocity: readonly (string | undefined)[];
  readonly fixed: boolean;
}

/** A quantity on a grid; nodes without a signal are not known. */
export interface FieldScene {
  readonly size: readonly [number, number];
  readonly length: readonly [number, number];
  /** By i + j * size[0]. */
  readonly signals: readonly (string | undefined)[];
}

/** Counts that grow and shrink: a row of dots or a column each. */
export interface ColumnScene {
  readonly signals: readonly {
    readonly name: string;
    readonly unit?: string;
    readonly whole: boolean;
    /** It sums up all of the run: nothing that is there at a time. */
    readonly total?: boolean;
  }[];
}

export interface Scene {
  readonly shapes: readonly Shape[];
  readonly structure?: StructureScene;
  readonly field?: FieldScene;
  readonly columns?: ColumnScene;
  readonly camera?: readonly [number, number, number];
  readonly target?: readonly [number, number, number];
  readonly background?: readonly [number, number, number];
  /** How large what happens is [m], for the camera and the floor. */
  readonly extent?: number;
  /** Where the floor is. */
  readonly floor?: number;
  /** Seen from the front: things of a plane. */
  readonly flat?: boolean;
}

/** Reads numbers of shapes from the values of a frame. */
export class Bindings {
  private readonly places: ReadonlyMap<string, number>;
  values: ArrayLike<number> = [];

  constructor(signals: readonly string[]) {
    this.places = new Map(signals.map((name, i) => [name, i]));
  }
  has(signal: string): boolean {
    return this.places.has(signal);
  }
  signal(name: string): number {
    const place = this.places.get(name);
    return place === undefined ? NaN : (this.values[place] ?? NaN);
  }
  read(value: Value): number {
    if (typeof value === "number") return value;
    return (value.offset ?? 0) + (value.gain ?? 1) * this.signal(value.signal);
  }
  /** The signals of a value, if it has one. */
  static signalOf(value: Value): string | undefined {
    return typeof value === "number" ? undefined : value.signal;
  }
}

/** Places of the numbers of a shape that are not known are 0, so that it is drawn at all. */
export const known = (value: number): number => (Number.isFinite(value) ? value : 0);
