// What the parts of the page promise each other. The app knows a part by what stands here only.
import type { Traces } from "./work.ts";
import type { Answer, Description, Diagnostic, ProcessAct, Said } from "../engine/protocol.ts";

/** A desk, wherever it runs: in a worker or behind a socket. */
export interface Desk {
  /** Sends a request; rejects with a DeskError that has the desk's code and text. */
  ask<T = Record<string, unknown>>(
    request: string,
    members?: Readonly<Record<string, unknown>>,
    payload?: Uint8Array,
  ): Promise<Answer<T>>;
  /** Calls `hear` for everything that the desk says by itself, until the result is called. */
  listen(hear: (said: Said) => void): () => void;
  /** Resolves when the desk is gone, with the reason. */
  readonly closed: Promise<string>;
  close(): void;
}

/** A document that is edited by commands: web/document makes it of a diagram's text. */
export interface EditedDocument {
  readonly name: string;
  /** The document as it is saved: what `foliot run` reads. */
  text(): string;
  /** Replaces everything, as one command that can be undone (the file changed on disk, say). */
  replace(text: string): void;
  /** Calls `hear` after each change, until the result is called. */
  subscribe(hear: () => void): () => void;
  undo(): boolean;
  redo(): boolean;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
}
/** web/document/index.ts */
export type OpenDocument = (name: string, text: string) => EditedDocument;

/** What of a diagram was seen, to be seen again: its open subsystem, and where the camera is in each. */
export interface SheetSight {
  level: readonly string[];
  readonly cameras: Map<string, readonly [number, number, number]>;
}
export interface SheetOptions {
  /** Of the sheet before; it is kept up to date when this one goes. */
  readonly sight?: SheetSight;
  /** Where the palette and the inspector go; without them the sheet shows none. */
  readonly palette?: HTMLElement;
  readonly inspector?: HTMLElement;
  /** The desk's handle of the document, for `help`, `layout` and the like. */
  readonly doc?: number;
  readonly readonly?: boolean;
  /** The nodes that are selected, by name. */
  readonly onSelect?: (names: readonly string[]) => void;
  /** A sentence for the line at the bottom. */
  readonly onSay?: (text: string) => void;
}
export interface SheetHandle {
  /** The desk's diagnoses of this text; the sheet finds the nodes by the places. */
  diagnose(list: readonly Diagnostic[]): void;
  /** The values of signals while it runs, by name. */
  values(names: readonly string[], values: ArrayLike<number>): void;
  fit(): void;
  /** The sheet as one SVG, with its styles and without references. */
  svg(): string;
  destroy(): void;
}
/** web/sheet/index.ts */
export type MountSheet = (
  element: HTMLElement,
  document: EditedDocument,
  desk: Desk,
  options: SheetOptions,
) => SheetHandle;

export interface SceneOptions {
  /** Names of the signals, in the order of the values that frame() gets. */
  readonly signals: readonly string[];
  /** The document's text, for structures and fields. */
  readonly text?: string;
  /** Present while live: a touch is an act on the model. */
  readonly act?: (verb: "send" | "set", name: string, value?: number) => void;
  /** Present while live: velocities of a node that is pulled. */
  readonly pull?: (node: string, pairs: readonly (readonly [string, number])[]) => void;
  /** Present while live, for fields: states that a finger changes, and the node where it is. */
  readonly touch?: (
    pairs: readonly (readonly [string, number])[],
    node: readonly [number, number],
  ) => void;
  /** Where the camera is and where it looks, of the scene before. */
  readonly camera?: readonly [readonly number[], readonly number[]];
  /** A probe is wanted at a node of a field, or not any more. */
  readonly probe?: (node: readonly [number, number]) => void;
}
export interface SceneHandle {
  /** Draws one moment: the time and the value of each signal. NaN: not known. */
  frame(time: number, values: ArrayLike<number>): void;
  /** True when there is something to draw for this description. */
  readonly draws: boolean;
  /** All of a run that is over, by signal: statistics are made of it. */
  history?(past: Traces): void;
  /** What processes did: all of a run that is over, or more of one that goes on. */
  acts?(acts: readonly ProcessAct[], over: boolean): void;
  /** What was drawn before is no part of what comes: trails begin again, or are of all of a run that is over. */
  forget?(past?: Traces): void;
  /** Of structures: the values where they are drawn, from which strains are counted. */
  drawn?(values: ArrayLike<number>): void;
  /** Draws a moment at once, for a film. */
  still?(time: number, values: ArrayLike<number>): HTMLCanvasElement;
  /** Where the camera is, to be given to the next scene. */
  camera?(): readonly [readonly number[], readonly number[]];
  destroy(): void;
}
/** web/scene/index.ts; three.js comes with it, so the app imports it when a scene is wanted. */
export type MountScene = (
  element: HTMLElement,
  description: Description,
  options: SceneOptions,
) => SceneHandle;
