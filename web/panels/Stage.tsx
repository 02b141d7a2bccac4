// The picture of a model that moves: with the cursor of a run, or live.
import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import type { SceneHandle } from "../app/contracts.ts";
import { Icon } from "../app/icons.tsx";
import type { Live } from "../app/live.ts";
import type { Trace, Traces, Work } from "../app/work.ts";
import { showNumber } from "../engine/numbers.ts";
import { valueAt } from "../plots/merge.ts";
import type { View } from "./view.ts";

const PIXELS = 1500; // of a run, as finely as it is replayed
const SIGNALS_MOST = 400;

export function Stage({ work, view, live }: { work: Work; view: View; live: Live | undefined }) {
  const place = useRef<HTMLDivElement>(null);
  const handle = useSignal<SceneHandle | undefined>(undefined);
  const state = useSignal<"loading" | "draws" | "nothing">("loading");
  const traces = useSignal<Traces>(new Map());
  const playing = useSignal(false);
  const description = work.description.value;
  const named = (description?.signals ?? []).filter((s) => s.kind !== "input").map((s) => s.name);
  // what the picture is made of: the signals, and what else the scene would like to have
  const wanted = useSignal<readonly string[]>([]);

  useEffect(() => {
    if (!description) return;
    let gone = false;
    let mounted: SceneHandle | undefined;
    import("../scene/index.ts")
      .then((module) => {
        if (gone || !place.current) return;
        const text = work.text.peek();
        const more = live ? [] : module.wantedSignals(description);
        if (more.length) wanted.value = more;
        mounted = module.mountScene(place.current, description, {
          signals: [...named, ...more],
          ...(text === null ? {} : { text }),
          ...(live && {
            act: (verb, name, value) =>
              void (verb === "send" ? live.send(name, value ?? 1) : live.set(name, value ?? 0)),
          }),
        });
        state.value = mounted.draws ? "draws" : "nothing";
        handle.value = mounted;
      })
      .catch(() => (state.value = "nothing"));
    return () => {
      gone = true;
      handle.value = undefined;
      mounted?.destroy();
    };
  }, [description?.name, description?.kind, Boolean(live), named.join()]);

  // live: each picture
  useEffect(
    () =>
      live?.subscribe((_, values) => {
        handle.peek()?.frame(live.t.peek(), values);
      }),
    [live],
  );

  // a run: as the cursor goes
  const run = work.run.value;
  useEffect(() => {
    traces.value = new Map();
    if (live || !run?.done) return;
    let gone = false;
    const fetch = async () => {
      const found = await work.traces(run, run.signals.slice(0, SIGNALS_MOST), PIXELS);
      if (wanted.value.length) {
        const beside = await work.runBeside(wanted.value);
        const more = beside && (await work.traces(beside, wanted.value, PIXELS / 4));
        if (beside) work.forget(beside);
        if (more) for (const [name, trace] of more) (found as Map<string, Trace>).set(name, trace);
      }
      if (!gone) traces.value = found;
    };
    void fetch().catch(() => undefined);
    return () => void (gone = true);
  }, [run?.handle, run?.done, live, wanted.value]);
  useSignalEffect(() => {
    const found = traces.value;
    const scene = handle.value;
    if (live || !scene || !found.size) return;
    const known = view.known.peek();
    const time = view.cursor.value ?? work.run.peek()?.stop ?? 0;
    const values = [...named, ...wanted.peek()].map((name) => {
      const trace = found.get(name);
      return trace ? valueAt(trace, time, known.get(name)?.kind === "discrete") : NaN;
    });
    scene.frame(time, values);
  });
  useEffect(() => {
    if (!playing.value || !run) return;
    let last = performance.now();
    let time = view.cursor.peek() ?? run.start;
    if (time >= run.stop) time = run.start;
    const pace = Math.max(1, (run.stop - run.start) / 30); // no longer than half a minute
    let request = requestAnimationFrame(function tick(now) {
      time += ((now - last) / 1000) * pace;
      last = now;
      view.jumpTo(Math.min(time, run.stop));
      if (time >= run.stop) playing.value = false;
      else request = requestAnimationFrame(tick);
    });
    return () => cancelAnimationFrame(request);
  }, [playing.value, run?.handle]);

  return (
    <div class={state.value === "nothing" ? "scene bare" : "scene"}>
      <div class="scene-place" ref={place} />
      {state.value === "nothing" && (
        <p class="empty over">There is no picture of this model yet; its plots are below.</p>
      )}
      {state.value === "draws" && !live && run?.done && (
        <div class="player">
          <button
            aria-label={playing.value ? "Pause" : "Play the run"}
            onClick={() => (playing.value = !playing.value)}
          >
            <Icon name={playing.value ? "pause" : "play"} />
          </button>
          <input
            type="range"
            class="slider"
            aria-label="Time"
            min={run.start}
            max={run.stop}
            step="any"
            value={view.cursor.value ?? run.stop}
            onInput={(event) => view.jumpTo(event.currentTarget.valueAsNumber)}
          />
          <output>{showNumber(view.cursor.value ?? run.stop, 5)}</output>
        </div>
      )}
    </div>
  );
}
