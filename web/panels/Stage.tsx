// The picture of a model that moves: with the cursor of a run, or live.
import { useSignal, useSignalEffect } from "@preact/signals";
import { useEffect, useMemo, useRef } from "preact/hooks";
import type { SceneHandle, SceneOptions } from "../app/contracts.ts";
import { download } from "../app/files.ts";
import { Icon } from "../app/icons.tsx";
import type { Live } from "../app/live.ts";
import { follow, type Trace, type Traces, type Work } from "../app/work.ts";
import { toggleProbe } from "../document/probes.ts";
import { showNumber } from "../engine/numbers.ts";
import type { Description } from "../engine/protocol.ts";
import { valueAt } from "../plots/merge.ts";
import { say } from "../app/state.ts";
import type { Scene } from "../scene/model.ts";
import { paceOfPlay } from "../app/pace.ts";
import { beginValues, drawnStates } from "../app/poses.ts";
import { Modes, type Pose } from "./Modes.tsx";
import { SceneEditor } from "./SceneEditor.tsx";
import { sceneHistory } from "./sceneHistory.ts";
import { isHeld, type View } from "./view.ts";

const PIXELS = 1500; // of a run, as finely as it is replayed
const SIGNALS_MOST = 400;
const PICTURED_MOST = 1_000_000; // values of a run that a picture has all of
const CELLS_MOST = 4_000_000; // of the rows that statistics are made of
const ACTS_MOST = 200_000; // of processes, that people are drawn from
const DRAWN_MOST = 20_000; // signals of a structure whose strains are coloured from where it is drawn
const BEGIN_WAITS = 100; // ms, while numbers and texts are being changed
const FILM_RATE = 30; // pictures a second

/** The signals of a model, as pictures have them. */
const signalNames = (work: Work) =>
  (work.description.value?.signals ?? []).filter((s) => s.kind !== "input").map((s) => s.name);

/** Probes of a field, and which state each is. */
function probedNodes(description: Description | undefined): [string, number][] {
  const across = description?.numbers.find((n) => n.name === "size[1]")?.value ?? 0;
  return (description?.signals ?? []).flatMap(({ name }): [string, number][] => {
    const [, i, j] = /^value\((\d+)(?:,(\d+))?\)$/.exec(name) ?? [];
    return i === undefined ? [] : [[name, Number(i) + Number(j ?? 0) * across]];
  });
}

/** A description without the scene that was made. */
function without(described: Description): Description {
  const { scene, ...rest } = described;
  follow(scene);
  return rest;
}

export function Stage({ work, view, live }: { work: Work; view: View; live: Live | undefined }) {
  const place = useRef<HTMLDivElement>(null);
  const handle = useSignal<SceneHandle | undefined>(undefined);
  const state = useSignal<"loading" | "draws" | "nothing">("loading");
  const traces = useSignal<Traces>(new Map());
  const playing = useSignal(false);
  const own = work.scene.value;
  const described = work.description.value;
  const description = useMemo(
    () => (described && own ? { ...described, scene: { ...own, own: true } } : described),
    [described, own],
  );
  const editing = useSignal(false);
  const posing = useSignal(false);
  const pose = useSignal<Pose | undefined>(undefined);
  const edited = useSignal<Scene | undefined>(undefined);
  const camera = useRef<SceneOptions["camera"]>(undefined);
  const named = signalNames(work);
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
        const more = module.wantedSignals(description);
        if (more.length) wanted.value = more;
        mounted = module.mountScene(place.current, description, {
          signals: [...named, ...more],
          ...(text === null ? {} : { text }),
          ...(live && {
            act: (verb, name, value) =>
              void (verb === "send" ? live.send(name, value ?? 1) : live.set(name, value ?? 0)),
            pull: (name, pairs) => void live.setMany(pairs, name, "pulled"),
            ...(more.length && {
              touch: (pairs, [i, j]) => void live.setMany(pairs, `node ${i}, ${j}`),
            }),
          }),
          ...(text !== null && description.kind === "field" && { probe }),
          ...(camera.current && { camera: camera.current }),
        });
        state.value = mounted.draws ? "draws" : "nothing";
        handle.value = mounted;
      })
      .catch(() => (state.value = "nothing"));
    return () => {
      gone = true;
      handle.value = undefined;
      camera.current = editing.peek() ? mounted?.camera?.() : undefined;
      mounted?.destroy();
    };
  }, [
    description?.name,
    description?.kind,
    live,
    named.join(),
    JSON.stringify(description?.scene),
  ]);

  // a click places a probe: the document has it, and a run that is shown is run again
  const awaited = useSignal("");
  const probe = (node: readonly [number, number]) => {
    const text = work.text.peek();
    const flat = (description?.numbers.find((n) => n.name === "size[2]")?.value ?? 1) > 1;
    const name = flat ? `value(${node[0]},${node[1]})` : `value(${node[0]})`;
    if (text === null) return;
    const gone = description?.signals.some((s) => s.name === name);
    work.edit(toggleProbe(text, node, flat));
    if (!view.shown.peek().includes(name) || gone) view.toggle(name);
    if (!live && work.run.peek()) awaited.value = gone ? "" : name;
  };
  useSignalEffect(() => {
    const known = work.description.value?.signals.some((s) => s.name === awaited.value);
    if (!awaited.value || !known) return;
    awaited.value = "";
    void work.start();
  });

  // live: each picture; of a field with its nodes
  const count = wanted.value.length;
  useEffect(() => {
    let asking = false;
    let held = false;
    return live?.subscribe((_, values) => {
      const time = live.scrubbed.peek() ?? live.t.peek();
      // statistics of a world are of all that was until now, also after it went back
      if (held && live.scrubbed.peek() === undefined) handle.peek()?.history?.(live.past());
      held = live.scrubbed.peek() !== undefined;
      if (!count) {
        handle.peek()?.frame(time, values);
        return;
      }
      if (asking || live.scrubbed.peek() !== undefined) return;
      asking = true;
      void live.states(0, count).then((states) => {
        asking = false;
        if (!states) return;
        // a probe that was placed meanwhile is a signal of the document, not of the live model
        const places = signalNames(work).map((name) => live.names.indexOf(name));
        handle.peek()?.frame(time, [...places.map((i) => values[i] ?? NaN), ...states]);
        for (const [name, k] of probedNodes(work.description.peek()))
          if (!live.names.includes(name)) live.keepBeside(name, time, states[k] ?? NaN);
      });
    });
  }, [live, count]);

  useEffect(() => live?.witness((acts, anew) => handle.peek()?.acts?.(acts, anew)), [live]);

  // strains are counted from where it is drawn, not from the moment that is seen first
  const kind = described?.kind;
  useEffect(() => {
    const scene = handle.value;
    if (kind !== "structure" || !scene?.drawn || named.length > DRAWN_MOST) return;
    let gone = false;
    drawnStates(work).then(
      (states) => {
        const list = work.description.peek()?.signals.filter((s) => s.kind === "state") ?? [];
        const places = new Map(list.map(({ name }, i) => [name, states[i]]));
        if (!gone) scene.drawn!(named.map((name) => places.get(name) ?? NaN));
      },
      () => undefined, // a Hamiltonian, or a text that is being written
    );
    return () => void (gone = true);
  }, [handle.value, kind, work.text.value]);

  // a run: as the cursor goes
  const run = work.run.value;
  // before there is one: as it begins
  const begin = useSignal<readonly number[] | undefined>(undefined);
  const waits = !live && !run && !!handle.value?.draws && work.runs.value;
  useEffect(() => {
    begin.value = undefined;
    if (!waits || named.length > DRAWN_MOST) return;
    let gone = false;
    const timer = setTimeout(() => {
      beginValues(work, wanted.peek().length).then(
        (values) => !gone && (begin.value = values),
        () => undefined, // the run says why it does not begin
      );
    }, BEGIN_WAITS);
    return () => {
      gone = true;
      clearTimeout(timer);
    };
  }, [waits, handle.value, work.text.value, work.settings.value, described]);
  useEffect(() => {
    traces.value = new Map();
    if (live || !run?.done) return;
    let gone = false;
    const fetch = async () => {
      const names = run.signals.slice(0, SIGNALS_MOST);
      const few = run.done!.rows * names.length <= PICTURED_MOST;
      coarse.current = !few;
      const found = few ? await work.columns(run, names) : await work.traces(run, names, PIXELS);
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
  const valuesAt = (time: number) => {
    const [found, known] = [traces.peek(), view.known.peek()];
    return [...named, ...wanted.peek()].map((name) => {
      const trace = found.get(name);
      return trace ? valueAt(trace, time, isHeld(known.get(name))) : NaN;
    });
  };
  // of a long run only some rows are here: where the cursor rests the picture is of those beside it
  const coarse = useRef(false);
  const refine = async (time: number) => {
    const now = work.run.peek();
    if (!coarse.current || playing.peek() || !now) return;
    const names = now.signals.slice(0, SIGNALS_MOST);
    const holds = (name: string) => isHeld(view.known.peek().get(name));
    const exact = await work
      .valuesAt(now, names, time, holds)
      .catch(() => new Map<string, number>());
    const still = now === work.run.peek() && time === (view.cursor.peek() ?? now.stop);
    if (!still || !exact.size || pose.peek()) return;
    const places = valuesAt(time);
    const all = [...named, ...wanted.peek()].map((name, i) => exact.get(name) ?? places[i]!);
    handle.peek()?.frame(time, all);
  };
  // statistics are made of all rows: those of a picture would be others
  useEffect(() => {
    const scene = handle.value;
    if (live || !run?.done || !scene?.history || described?.kind !== "world") return;
    if (run.done.rows * run.signals.length > CELLS_MOST) return;
    let gone = false;
    void work.rows(run, run.signals).then(({ columns }) => {
      const [times, ...rest] = columns.map(({ values }) => values);
      if (gone || !times) return;
      scene.history!(new Map(run.signals.map((name, i) => [name, { t: times, v: rest[i]! }])));
      const time = view.cursor.peek() ?? run.stop;
      scene.frame(time, valuesAt(time));
    });
    return () => void (gone = true);
  }, [run?.handle, run?.done, live, handle.value]);
  useEffect(() => {
    const scene = handle.value;
    if (live || !run?.done || !scene?.acts || described?.acts !== "processes") return;
    let gone = false;
    const show = async () => {
      const acts = await work.acts(run, ACTS_MOST);
      if (gone) return;
      scene.acts!(acts, true);
      const time = view.cursor.peek() ?? run.stop;
      scene.frame(time, valuesAt(time));
    };
    void show().catch(() => undefined); // a replay has none
    return () => void (gone = true);
  }, [run?.handle, run?.done, live, handle.value]);
  const seen = useRef<unknown>(undefined); // what the frames were of
  useSignalEffect(() => {
    const scene = handle.value;
    if (live || !scene) return;
    const time = view.cursor.value ?? work.run.peek()?.stop ?? 0;
    const posed = pose.value;
    if (posed) {
      const places = new Map(posed.names.map((name, i) => [name, posed.places[i]!]));
      scene.frame(
        0,
        named.map((name) => places.get(name) ?? NaN),
      );
      return;
    }
    // where it was before, as it began or in another run, is no part of this one's way
    const source = traces.value.size ? traces.value : begin.value;
    if (source !== seen.current) scene.forget?.(traces.value.size ? traces.value : undefined);
    seen.current = source;
    // a scene that is being made is seen before there is a run
    if (traces.value.size) {
      scene.frame(time, valuesAt(time));
      void refine(time);
    } else if (begin.value) scene.frame(0, begin.value);
    else if (editing.value) scene.frame(time, valuesAt(time));
  });
  useEffect(() => {
    if (!playing.value || !run) return;
    let last = performance.now();
    let time = view.cursor.peek() ?? run.start;
    if (time >= run.stop) time = run.start;
    const pace = paceOfPlay(run.stop - run.start);
    let request = requestAnimationFrame(function tick(now) {
      time += ((now - last) / 1000) * pace;
      last = now;
      view.jumpTo(Math.min(time, run.stop));
      if (time >= run.stop) playing.value = false;
      else request = requestAnimationFrame(tick);
    });
    return () => cancelAnimationFrame(request);
  }, [playing.value, run?.handle]);

  const filming = useSignal<number | undefined>(undefined);
  const film = async (kind: string) => {
    const scene = handle.peek();
    if (!run || !scene?.still || filming.peek() !== undefined) return;
    const module = await import("../scene/index.ts");
    const seconds = Math.min(30, Math.max(1, run.stop - run.start));
    const frames = Math.round(seconds * FILM_RATE);
    filming.value = 0;
    const def = {
      frames,
      rate: FILM_RATE,
      draw: (k: number) => {
        const time = run.start + ((run.stop - run.start) * k) / Math.max(1, frames - 1);
        return scene.still!(time, valuesAt(time));
      },
      progress: (part: number) => {
        if (filming.peek() === undefined) return false;
        filming.value = part;
        return true;
      },
    };
    try {
      const whole = kind === "webm" ? await module.filmWebm(def) : await module.filmFrames(def);
      if (whole) download(`${work.name}.${kind === "webm" ? "webm" : "zip"}`, whole, whole.type);
    } catch (error) {
      say(`There is no film: ${(error as Error).message}`);
    }
    filming.value = undefined;
  };

  const edit = async () => {
    if (editing.value) {
      editing.value = false;
      return;
    }
    if (!described) return;
    const module = await import("../scene/index.ts");
    edited.value =
      work.scene.peek() ?? module.editableScene(described, named, work.text.peek() ?? undefined);
    editing.value = true;
  };
  // the scene that was made; undefined: the one that follows from the model
  const made = () =>
    work.scene.peek() ??
    (described?.kind === "diagram" && described.scene ? edited.peek() : undefined);
  const history = sceneHistory(work);
  const change = (scene: Scene, gesture: string) => {
    history.change(made(), scene, gesture);
    edited.value = scene;
  };
  const travel = async (scene: Scene | undefined) => {
    if (!described) return;
    const module = await import("../scene/index.ts");
    edited.value = scene ?? module.editableScene(without(described), named, work.text.peek() ?? "");
  };

  return (
    <div class={state.value === "nothing" ? "scene bare" : "scene"}>
      <div
        class="scene-place"
        ref={place}
        {...{ ontrouble: (event: CustomEvent<string>) => say(event.detail) }}
      />
      {described && !editing.value && !posing.value && (
        <div class="scene-edit">
          <button onClick={() => void edit()}>Edit the scene</button>
          {described.kind === "structure" && !live && work.text.value !== null && (
            <button onClick={() => (posing.value = true)}>Static and modes</button>
          )}
        </div>
      )}
      {posing.value && !live && (
        <Modes
          work={work}
          show={(next) => (pose.value = next)}
          onClose={() => (posing.value = false)}
        />
      )}
      {editing.value && edited.value && (
        <SceneEditor
          scene={edited.value}
          signals={named}
          onChange={change}
          onUndo={history.canUndo ? () => void travel(history.undo()?.before) : undefined}
          onRedo={history.canRedo ? () => void travel(history.redo()?.after) : undefined}
          onReset={
            work.scene.value &&
            (() => {
              history.change(made(), undefined);
              editing.value = false;
            })
          }
          onClose={() => (editing.value = false)}
        />
      )}
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
          {filming.value === undefined ? (
            <select
              aria-label="Film"
              value=""
              onChange={(event) => {
                void film(event.currentTarget.value);
                event.currentTarget.value = "";
              }}
            >
              <option value="">Film…</option>
              <option value="webm" disabled={typeof VideoEncoder === "undefined"}>
                WebM of the run
              </option>
              <option value="png">PNG frames (ZIP)</option>
            </select>
          ) : (
            <button onClick={() => (filming.value = undefined)}>
              Cancel {Math.round(100 * filming.value)} %
            </button>
          )}
        </div>
      )}
    </div>
  );
}
