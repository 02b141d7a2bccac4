// How fast a live model begins: so that one sees something happen.
import type { ProcessAct } from "../engine/protocol.ts";
import { beside } from "./poses.ts";
import type { Work } from "./work.ts";

/** Lengths of a run, in the model's unit of time, that are shown as they are: second for second. */
const SHORT = 0.5;
const LONG = 120;
/** Seconds of the clock in which a shorter or longer run would be over. */
const SHOWN = 30;
/** Seconds in which a run is played that is shorter than one sees. */
const PLAYED = 10;

/** Of processes: one waits until they have acted so many times, at different times. */
const TIMES = 16;
/** So many of these are seen in a second; from slow to fast time goes as the clock does. */
const RATE = 2;
const SLOW = 0.5;
const FAST = 20;
/** The first part of a run in which one looks for them; the next is twice as long. */
const FIRST_PART = 2 ** -16;

/** The next of 1, 2, 5, 10, 20, ... and their fractions. */
export function round125(value: number): number {
  if (!(value > 0 && value < Infinity)) return 1;
  const exponent = Math.floor(Math.log10(value));
  const lead = value / 10 ** exponent;
  const round = lead < 1.5 ? 1 : lead < 3.5 ? 2 : lead < 7.5 ? 5 : 10;
  return Number(`${round}e${exponent}`);
}

/** The speed of a model by how long its run is. */
export const paceOfSpan = (span: number): number =>
  span >= SHORT && span <= LONG ? 1 : round125(span / SHOWN);

/** The speed at which a run is played: no longer than half a minute, and never over before it is seen. */
export const paceOfPlay = (span: number): number =>
  span >= SHORT ? Math.max(1, span / SHOWN) : span / PLAYED;

/** The speed of processes that act so many times in a time. */
export function paceOfActs(count: number, time: number): number {
  const rate = count / time;
  return rate >= SLOW && rate <= FAST ? 1 : round125(RATE / rate);
}

export async function paceOf(work: Work): Promise<number> {
  const description = work.description.peek();
  if (!description) return 1;
  const { start, stop } = description.run;
  const span = (work.choices.peek().stop ?? stop) - start;
  if (description.acts !== "processes") return paceOfSpan(span);
  // few acts in a long time are no reason to hurry through it
  const all = paceOfSpan(span);
  return Math.min((await paceBegun(work, span)) ?? all, Math.max(1, all));
}

/** The processes are let begin, in a document of their own; undefined: they do nothing that is told. */
async function paceBegun(work: Work, span: number): Promise<number | undefined> {
  const text = work.text.peek() ?? undefined;
  return beside(work, text, async (doc) => {
    const { desk } = work;
    const begun = await desk.ask<{ live: number; t: number }>("live", {
      doc,
      clock: 0,
      acts: true,
    });
    const { live, t } = begun.ok;
    const step = (value: number) => desk.ask("act", { live, verb: "step", value, stamp: 0 });
    try {
      await desk.ask("act", { live, verb: "pause", value: 1, stamp: 0 });
      const times = new Set<number>();
      for (let part = FIRST_PART; part < 1; part *= 2) {
        await step(part * span);
        const { ok } = await desk.ask<{
          t: number;
          phase: string;
          acts?: readonly ProcessAct[];
        }>("frame", { live, clock: 0 });
        // what they do before time has begun to pass is no measure of it
        for (const [at] of ok.acts ?? []) if (at > t) times.add(at);
        const over = ok.phase !== "running" || part >= 0.5;
        if (times.size >= TIMES || (times.size && over)) return paceOfActs(times.size, ok.t - t);
        if (over) return undefined;
      }
      return undefined;
    } finally {
      await desk.ask("record", { live }).catch(() => undefined);
    }
  });
}
