// The values that stand beside the names of signals: of a run at its end or at the cursor, or live.
import { effect } from "@preact/signals";
import { useEffect } from "preact/hooks";
import type { Live } from "../app/live.ts";
import { follow, type Work } from "../app/work.ts";
import { valueAt } from "../plots/merge.ts";
import { isHeld, type View } from "./view.ts";

/** Signals that are all read at the cursor; of more only those that are drawn. */
const READ_MOST = 1000;

/** Keeps the values beside the names, whichever tab is seen. */
export function useValues(work: Work, view: View, live: Live | undefined): void {
  const isHeldSignal = (name: string) => isHeld(view.known.peek().get(name));
  // every signal at the end of a run
  useEffect(
    () =>
      effect(() => {
        const run = work.run.value;
        view.finals.value = new Map();
        if (!run?.done || live) return;
        void work.finals(run).then((finals) => {
          if (work.run.peek() === run) view.finals.value = finals;
        });
      }),
    [work, view, live],
  );
  // or of its rows at the cursor
  useEffect(() => {
    let turn = 0;
    if (live) return;
    return effect(() => {
      const [run, cursor, finals] = [work.run.value, view.cursor.value, view.finals.value];
      const shown = view.shown.value;
      const mine = ++turn;
      if (!run?.done || cursor === undefined) {
        view.values.value = finals;
        return;
      }
      const names = run.signals.length > READ_MOST ? shown : run.signals;
      void work.valuesAt(run, names, cursor, isHeldSignal).then(
        (values) => {
          if (mine === turn) view.values.value = values.size ? values : finals;
        },
        () => undefined, // it was forgotten meanwhile
      );
    });
  }, [work, view, live]);
  // what is now, or what was at the cursor
  useEffect(() => {
    if (!live) return;
    let told = 0;
    const tell = () => {
      const cursor = view.cursor.peek();
      if (cursor === undefined) {
        view.values.value = live.latest();
        return;
      }
      const { traces } = live.traces(view.shown.peek());
      const known = [...traces].map(
        ([name, trace]) => [name, valueAt(trace, cursor, isHeldSignal(name))] as const,
      );
      view.values.value = new Map(known);
    };
    const unfollow = effect(() => {
      follow(view.cursor.value);
      tell();
    });
    const unsubscribe = live.subscribe(() => {
      if (performance.now() - told < 100 && !live.paused.peek()) return;
      told = performance.now();
      tell();
    });
    return () => {
      unfollow();
      unsubscribe();
    };
  }, [work, view, live]);
  // and how far two runs are apart
  useEffect(
    () =>
      effect(() => {
        const [against, names] = [work.against.value, view.shown.value];
        follow(work.run.value?.done);
        view.apart.value = new Map();
        if (against) void work.compare(names).then((apart) => (view.apart.value = apart));
      }),
    [work, view],
  );
}
