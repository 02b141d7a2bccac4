// How a model begins; where a structure is drawn, where it hangs still, and how it swings there: asked of the desk in a document of
// its own, so that the open one is left as it is.
import { readFrame } from "../engine/frame.ts";
import type { Mode } from "../scene/modes.ts";
import type { Work } from "./work.ts";

/** Positions and velocities of a structure whose modes are looked for. */
const STATES_MOST = 600;

export interface Poses {
  /** The positions, by the names of their signals. */
  readonly names: readonly string[];
  readonly drawn: readonly number[];
  readonly rest: readonly number[];
  /** The slowest first. */
  readonly modes: readonly Mode[];
}

interface Linear {
  readonly states: readonly string[];
  readonly point: readonly number[];
  readonly A: readonly (readonly number[])[];
}

/** The text of a structure that begins where it is drawn, or still. */
function beginning(text: string, rest: boolean): string {
  const json = JSON.parse(text) as Record<string, unknown>;
  if ("hamiltonian" in json) throw new Error("it is a Hamiltonian, not nodes and springs");
  delete json["begin"];
  return JSON.stringify(rest ? { ...json, begin: "rest" } : json);
}

/** Opens a text as a document beside the open one, with its numbers; closes it in the end. */
export async function beside<T>(
  work: Work,
  text: string | undefined,
  use: (doc: number) => Promise<T>,
): Promise<T> {
  const { desk, settings } = work;
  const { ok } = await desk.ask<{ doc: number }>("open", {
    name: text === undefined ? work.name : work.fileName,
    ...(text !== undefined && { text }),
  });
  try {
    for (const [name, value] of Object.entries(settings.peek()))
      await desk.ask("set", { doc: ok.doc, name, value });
    return await use(ok.doc);
  } finally {
    void desk.ask("close", { doc: ok.doc }).catch(() => undefined);
  }
}

/** Every state of a structure where it is drawn, in the order of its signals. */
export async function drawnStates(work: Work): Promise<readonly number[]> {
  const text = work.text.peek();
  const drawn = text === null ? undefined : beginning(text, false);
  return beside(work, drawn, async (doc) => {
    const { ok } = await work.desk.ask<{ live: number }>("live", { doc, clock: 0 });
    const { bytes } = await work.desk.ask("look", { live: ok.live });
    await work.desk.ask("record", { live: ok.live });
    return readFrame(bytes!)
      .columns.slice(1)
      .map(({ values }) => values[0]!);
  });
}

/** The values that a model begins with: its signals, and behind them so many of its states. */
export async function beginValues(work: Work, states: number): Promise<readonly number[]> {
  const { desk, doc } = work;
  const { ok } = await desk.ask<{ live: number }>("live", { doc, clock: 0 });
  try {
    const seen = await desk.ask("frame", { live: ok.live, clock: 0 });
    const looked = states
      ? await desk.ask("look", { live: ok.live, from: 0, count: states })
      : undefined;
    return [seen, looked].flatMap((answer) =>
      answer?.bytes
        ? readFrame(answer.bytes)
            .columns.slice(1)
            .map(({ values }) => values.at(-1) ?? NaN)
        : [],
    );
  } finally {
    void desk.ask("record", { live: ok.live }).catch(() => undefined);
  }
}

/** Throws, with a reason, where there are none. */
export async function posesOf(work: Work): Promise<Poses> {
  const text = work.text.peek();
  const states =
    work.description.peek()?.signals.filter(({ kind }) => kind === "state").length ?? 0;
  if (text === null) throw new Error("it has no text that could begin at rest");
  if (states > STATES_MOST)
    throw new Error(`it has ${states / 2} positions, and ${STATES_MOST / 2} are the most`);
  const { modesOf } = await import("../scene/modes.ts");
  const linear = await beside(
    work,
    beginning(text, true),
    async (doc) => (await work.desk.ask<Linear>("linearize", { doc, inputs: [], outputs: [] })).ok,
  );
  const drawn = await drawnStates(work);
  const half = linear.states.length / 2;
  return {
    names: linear.states.slice(0, half),
    drawn: drawn.slice(0, half),
    rest: linear.point.slice(0, half),
    modes: modesOf(linear.A),
  };
}
