// One model: what it is in the middle, its numbers to the right, its results below.
import { effect, useSignal, useSignalEffect, type Signal } from "@preact/signals";
import type { RefObject } from "preact";
import { useEffect, useMemo, useRef } from "preact/hooks";
import { Dock } from "../panels/Dock.tsx";
import { Inspector } from "../panels/Inspector.tsx";
import { LiveLine } from "../panels/LiveLine.tsx";
import { PhoneBar } from "../panels/PhoneBar.tsx";
import { Stage } from "../panels/Stage.tsx";
import { Tour } from "../panels/Tour.tsx";
import { documentOf, useDocument } from "../panels/useDocument.ts";
import { View, type Tab as Results } from "../panels/view.ts";
import { Draw } from "../panels/Draw.tsx";
import { Form } from "../panels/Form.tsx";
import { Classes, Seen } from "../panels/Views.tsx";
import type { Place } from "../engine/protocol.ts";
import type { TextHandle } from "../text/index.ts";
import { ask } from "./ask.ts";
import type { SheetHandle, SheetSight } from "./contracts.ts";
import { unpackFigure, type Figure } from "./figure.ts";
import { live } from "./session.ts";
import { begun, route, say } from "./state.ts";
import { lookedAt } from "./tour.ts";
import type { Work } from "./work.ts";

// -------------------------------------------------------------------------------------------- text

function TextView({ work, reveal }: { work: Work; reveal: { value: Place | undefined } }) {
  const place = useRef<HTMLDivElement>(null);
  const handle = useSignal<TextHandle | undefined>(undefined);
  const failed = useSignal(false);
  useEffect(() => {
    let gone = false;
    let mounted: TextHandle | undefined;
    import("../text/index.ts").then(
      ({ mountText }) => {
        if (gone || !place.current) return;
        mounted = mountText(place.current, {
          name: work.fileName,
          text: work.text.peek() ?? "",
          desk: work.desk,
          doc: () => work.doc,
          onChange: (text) => work.edit(text),
          onRename: (old) => ask(`Rename ${old} to`, old),
        });
        handle.value = mounted;
      },
      () => (failed.value = true),
    );
    return () => {
      gone = true;
      mounted?.destroy();
    };
  }, [work]);
  useSignalEffect(() => handle.value?.setText(work.text.value ?? ""));
  useSignalEffect(() => handle.value?.diagnose(work.diagnostics.value));
  useSignalEffect(() => {
    if (reveal.value && handle.value) handle.value.reveal(reveal.value);
  });
  return (
    <div class="editor" ref={place}>
      {failed.value && <p class="empty">The editor cannot be loaded: reload the page.</p>}
    </div>
  );
}

// ------------------------------------------------------------------------------------------- sheet

interface SheetProps {
  readonly work: Work;
  /** Where the sheet's own inspector goes. */
  readonly inspector: RefObject<HTMLDivElement | null>;
  readonly view: View;
  readonly onMissing: () => void;
}

/** Another view does not change where one looks in the diagram. */
const sights = new WeakMap<Work, SheetSight>();
function sightOf(work: Work): SheetSight {
  const sight = sights.get(work) ?? { level: [], cameras: new Map() };
  sights.set(work, sight);
  return sight;
}

function SheetView({ work, inspector, view, onMissing }: SheetProps) {
  const place = useRef<HTMLDivElement>(null);
  const palette = useRef<HTMLElement>(null);
  const handle = useSignal<SheetHandle | undefined>(undefined);
  const { document, why } = useDocument(work);
  useEffect(() => {
    if (!document) return;
    let gone = false;
    let release: () => void = () => undefined;
    import("../sheet/index.ts")
      .then(({ mountSheet }) => {
        if (gone || !place.current || !palette.current || !inspector.current) return;
        const sheet = mountSheet(place.current, document, work.desk, {
          palette: palette.current,
          inspector: inspector.current,
          doc: work.doc,
          sight: sightOf(work),
          onSay: say,
        });
        handle.value = sheet;
        release = () => sheet.destroy();
      })
      .catch(() => onMissing());
    return () => {
      gone = true;
      handle.value = undefined;
      release();
    };
  }, [document]);
  useSignalEffect(() => handle.value?.diagnose(work.diagnostics.value));
  useEffect(
    () => live.value?.subscribe((names, values) => handle.value?.values(names, values)),
    [live.value],
  );
  // of a run: what the cursor shows, or how it ended
  useSignalEffect(() => {
    const known = view.values.value;
    if (!live.value && known.size) handle.value?.values([...known.keys()], [...known.values()]);
  });
  return (
    <div class={why ? "sheet-view unread" : "sheet-view"}>
      {why && <p class="empty over">The text cannot be drawn: {why}</p>}
      <aside class="palette-place" ref={palette} aria-label="Nodes" inert={why !== ""} />
      <div class="sheet-place" ref={place} inert={why !== ""} />
    </div>
  );
}

function Equations({ text }: { readonly text: string }) {
  return (
    <pre class="equations" tabIndex={0} aria-label="Equations">
      {text}
    </pre>
  );
}

// --------------------------------------------------------------------------------------- the views

type Tab =
  "diagram" | "draw" | "form" | "text" | "scene" | "equations" | "flat" | "sorted" | "classes";
const labels: Readonly<Record<Tab, string>> = {
  diagram: "Diagram",
  draw: "Draw",
  form: "Form",
  text: "Text",
  scene: "Scene",
  equations: "Equations",
  flat: "Flat",
  sorted: "Sorted",
  classes: "Classes",
};

function tabsOf(work: Work, sheetMissing: boolean): readonly Tab[] {
  const description = work.description.value;
  const kind = description?.kind ?? (work.fileName.endsWith(".mo") ? "text" : "diagram");
  const isDiagram =
    /\.json$/.test(work.fileName) && !/\.(structure|field)\.json$/.test(work.fileName);
  const tabs: Tab[] = [];
  if (isDiagram && work.text.value !== null && !sheetMissing) tabs.push("diagram");
  if (work.text.value !== null) tabs.push("text");
  if (kind === "structure" || kind === "field") tabs.unshift("scene");
  else tabs.push("scene");
  const isHamiltonian = /"hamiltonian"\s*:/.test(work.text.value ?? "");
  if (/\.structure\.json$/.test(work.fileName) && work.text.value !== null && !isHamiltonian)
    tabs.push("draw");
  if (/\.(structure|field)\.json$/.test(work.fileName) && work.text.value !== null)
    tabs.push("form");
  if (description?.equations) tabs.push("equations");
  if (kind === "text" && work.text.value !== null) tabs.push("flat", "sorted", "classes");
  return tabs;
}

// ------------------------------------------------------------------------------------ the splitter

const DOCK = "foliot-dock";
const clampDock = (part: number) => Math.min(0.85, Math.max(0.15, part));

/** Between the view and the results: dragged, or moved by the arrow keys. */
function Splitter({ part }: { readonly part: Signal<number> }) {
  const set = (value: number) => {
    part.value = clampDock(value);
    localStorage.setItem(DOCK, String(part.value));
  };
  const move = (event: PointerEvent & { currentTarget: HTMLElement }) => {
    if (!event.currentTarget.hasPointerCapture(event.pointerId)) return;
    const box = event.currentTarget.closest(".workspace")!.getBoundingClientRect();
    set((box.bottom - event.clientY) / box.height);
  };
  return (
    <div
      class="splitter"
      role="separator"
      tabIndex={0}
      aria-label="Height of the results"
      aria-orientation="horizontal"
      aria-valuemin={15}
      aria-valuemax={85}
      aria-valuenow={Math.round(100 * part.value)}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={move}
      onDblClick={() => set(0.42)}
      onKeyDown={(event) => {
        const by = event.key === "ArrowUp" ? 0.04 : event.key === "ArrowDown" ? -0.04 : 0;
        if (by) event.preventDefault();
        if (by) set(part.value + by);
      }}
    />
  );
}

/** Resolves when the model has been read, and can run. */
function ready(work: Work): Promise<void> {
  return new Promise((resolve) => {
    const stop = effect(() => {
      if (!work.runs.value || !work.description.value) return;
      queueMicrotask(() => stop());
      resolve();
    });
  });
}

/** Resolves when nothing runs. */
function rested(work: Work): Promise<void> {
  return new Promise((resolve) => {
    const stop = effect(() => {
      if (work.running.value) return;
      queueMicrotask(() => stop());
      resolve();
    });
  });
}

async function openFigure(work: Work, view: View, figure: Figure): Promise<void> {
  await ready(work);
  if (figure.signals.length) view.choose(figure.signals);
  for (const one of [figure.against, figure]) {
    if (!one) continue;
    if (Object.keys(work.settings.value).length) await work.reset();
    for (const [name, value] of Object.entries(one.settings)) await work.set(name, value);
    work.choices.value = one.choices;
    await work.start();
    await rested(work);
  }
  if (figure.against) work.against.value = work.last.value;
  if (figure.window) view.window.value = figure.window;
  if (figure.cursor !== undefined) view.jumpTo(figure.cursor);
  if (figure.axes) view.axes.value = figure.axes;
  if (figure.kind) view.tab.value = figure.kind as Results;
}

/** Undo and redo of what is drawn, wherever the focus is; the parts that have it answer themselves. */
function undoBy(event: KeyboardEvent, work: Work): void {
  const [target] = event.composedPath();
  const typing =
    target instanceof HTMLElement &&
    (target.isContentEditable || /^(INPUT|TEXTAREA)$/.test(target.tagName));
  const key = event.key.toLowerCase();
  if (event.defaultPrevented || typing || !(event.ctrlKey || event.metaKey)) return;
  if (!/^[zy]$/.test(key) || !work.fileName.endsWith(".json")) return;
  event.preventDefault();
  const document = documentOf(work);
  if (key === "y" || event.shiftKey) document?.redo();
  else document?.undo();
}

export function Workspace({ work }: { readonly work: Work }) {
  const view = useMemo(() => new View(work), [work]);
  const chosen = useSignal<Tab | undefined>(undefined);
  const missing = useSignal(false);
  const reveal = useSignal<Place | undefined>(undefined);
  const slot = useRef<HTMLDivElement>(null);
  const place = useRef<HTMLDivElement>(null);
  const part = useSignal(clampDock(Number(localStorage.getItem(DOCK)) || 0.42));
  useSignalEffect(() => place.current?.style.setProperty("--dock", `${100 * part.value}%`));
  const now = live.value;
  const tabs = tabsOf(work, missing.value);
  const tab = chosen.value && tabs.includes(chosen.value) ? chosen.value : (tabs[0] ?? "scene");
  useEffect(() => {
    const made = begun.peek() === work.key;
    chosen.value = !made
      ? undefined
      : work.fileName.endsWith(".structure.json")
        ? "draw"
        : work.fileName.endsWith(".field.json")
          ? "form"
          : undefined;
    begun.value = "";
    void work.learn().catch(() => undefined);
  }, [work]);
  // a link to a figure: the same numbers, signals and times, at once
  useEffect(() => {
    const at = route.peek();
    const text = at.page === "model" ? at.figure : "";
    if (text) void openFigure(work, view, unpackFigure(text));
  }, [work]);
  useEffect(() => {
    const press = (event: KeyboardEvent) => undoBy(event, work);
    addEventListener("keydown", press);
    return () => removeEventListener("keydown", press);
  }, [work]);
  // what lives is looked at, not read
  useSignalEffect(() => {
    if (live.value && (chosen.peek() ?? tabs[0]) === "text") chosen.value = "scene";
  });
  useSignalEffect(() => {
    lookedAt.value = view.cursor.value;
  });
  // what is wrong with a run is said where one looks
  useSignalEffect(() => {
    if (work.problem.value) view.tab.value = "messages";
  });
  const onReveal = (place: Place) => {
    chosen.value = "text";
    reveal.value = undefined;
    reveal.value = place;
  };
  return (
    <div class="workspace" ref={place}>
      <main id="main" class="stage">
        <div class="tabs views" role="tablist" aria-label="Views of the model">
          {tabs.map((id) => (
            <button
              key={id}
              role="tab"
              id={`view-${id}`}
              aria-selected={tab === id}
              aria-controls="view"
              onClick={() => (chosen.value = id)}
            >
              {labels[id]}
            </button>
          ))}
        </div>
        <div id="view" class="view" role="tabpanel" aria-labelledby={`view-${tab}`}>
          {tab === "text" && <TextView key={work.key} work={work} reveal={reveal} />}
          {tab === "diagram" && (
            <SheetView
              key={work.key}
              work={work}
              inspector={slot}
              view={view}
              onMissing={() => (missing.value = true)}
            />
          )}
          {tab === "scene" && <Stage key={work.key} work={work} view={view} live={now} />}
          {tab === "draw" && <Draw key={work.key} work={work} />}
          {tab === "form" && <Form key={work.key} work={work} />}
          {(tab === "flat" || tab === "sorted") && <Seen work={work} view={tab} />}
          {tab === "classes" && <Classes work={work} onReveal={onReveal} />}
          {tab === "equations" && <Equations text={work.description.value?.equations ?? ""} />}
        </div>
        {now && <LiveLine of={now} view={view} unit={work.description.value?.time_unit ?? "s"} />}
      </main>
      <Inspector work={work} view={view} live={now} slot={slot} isDiagram={tab === "diagram"} />
      <Tour />
      <PhoneBar work={work} live={now} />
      <Dock work={work} view={view} live={now} onReveal={onReveal}>
        <Splitter part={part} />
      </Dock>
    </div>
  );
}
