// The lower part: plots, table, messages, and the moments beside them.
import { effect, useSignal, useSignalEffect } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import { download } from "../app/files.ts";
import type { Live } from "../app/live.ts";
import { say, theme } from "../app/state.ts";
import { follow, titleOf, type Run, type Work } from "../app/work.ts";
import { showNumber, showTime } from "../engine/numbers.ts";
import type { Diagnostic, Place } from "../engine/protocol.ts";
import type { PlotHandle } from "../plots/index.ts";
import { drawHistogram } from "../plots/histogram.ts";
import { holdCounts } from "../plots/merge.ts";
import { drawOn } from "../plots/pen.ts";
import { drawPlane } from "../plots/plane.ts";
import { packFigure, type Figure } from "../app/figure.ts";
import { recording, shareFigure } from "../app/session.ts";
import { csv } from "./csv.ts";
import { matFile } from "./mat.ts";
import { useValues } from "./useValues.ts";
import type { Tab, View } from "./view.ts";

// ------------------------------------------------------------------------------------------- plots

interface Mounted {
  readonly handle: PlotHandle;
}

/** Fetches what the plot shows of a run, and shows it; the newest wish wins. */
async function showRun(
  work: Work,
  view: View,
  { handle }: Mounted,
  run: Run,
  window: readonly [number, number] | undefined,
  isNewest: () => boolean,
): Promise<void> {
  const all = [run.start, run.stop] as const;
  const [from, to] = window ?? all;
  const names = view.shown.peek();
  const pixels = handle.pixels;
  const ask = (which: Run) =>
    window ? work.traces(which, names, pixels, from, to) : work.traces(which, names, pixels);
  const against = work.against.peek();
  const last = against && against.handle !== run.handle ? against : undefined;
  const [traces, ghosts] = await Promise.all([ask(run), last && ask(last)]);
  if (!isNewest()) return;
  const end = window
    ? to
    : Math.max(...[...traces.values()].map(({ t }) => t.at(-1) ?? from), from);
  const shown = window ?? ([from, end > from ? end : to] as const);
  handle.show(traces, shown, window ? all : shown, ghosts);
}

function Plot({ work, view, live }: { work: Work; view: View; live: Live | undefined }) {
  const place = useRef<HTMLDivElement>(null);
  const mounted = useSignal<Mounted | undefined>(undefined);
  const window = view.window;
  const turn = useRef(0);
  const failed = useSignal(false);

  // a plot for these panes
  const panes = view.panes.value;
  const shape = JSON.stringify(panes);
  useEffect(() => {
    let gone = false;
    let handle: PlotHandle | undefined;
    import("../plots/index.ts").then(
      (module) => {
        if (gone || !place.current || !panes.length) return;
        handle = module.mountPlots(place.current, {
          panes,
          timeUnit: work.description.peek()?.time_unit ?? "s",
          onZoom: (range) => (window.value = range),
          onCursor: (time) => (view.cursor.value = time),
        });
        mounted.value = { handle };
      },
      () => (failed.value = true),
    );
    return () => {
      gone = true;
      mounted.value = undefined;
      handle?.destroy();
    };
  }, [shape, work]);

  // a run that is over, or a part of it: asked for at once, not after the next picture
  useEffect(
    () =>
      effect(() => {
        const now = mounted.value;
        const run = work.run.value;
        const part = window.value;
        follow(work.against.value);
        if (!now || live || !run?.done) return;
        const mine = ++turn.current;
        showRun(work, view, now, run, part, () => mine === turn.current).then(
          // some of them would look like all of them
          () =>
            now.handle.mark(
              run.moments.length < run.momentCount ? [] : run.moments.map(({ t }) => t),
            ),
          (error: unknown) => say((error as Error).message),
        );
      }),
    [work, view, live],
  );
  // a part that is beyond the end of another run shows all of it
  useSignalEffect(() => {
    const run = work.run.value;
    const part = window.peek();
    if (run && part && !(part[0] >= run.start && part[1] <= run.stop)) window.value = undefined;
  });

  // what happens now
  useEffect(() => {
    if (!live) return;
    mounted.value?.handle.mark([]);
    return live.subscribe(() => {
      const now = mounted.value;
      const { traces: seen, from, to } = live.traces(view.shown.peek());
      const counts = work.description.peek()?.acts === "processes";
      const traces = counts
        ? new Map([...seen].map(([name, trace]) => [name, holdCounts(trace)]))
        : seen;
      now?.handle.show(traces, [from, to], [from, to]);
    });
  }, [live]);

  // the cursor, when a moment was chosen
  useSignalEffect(() => {
    const time = view.jump.value;
    // also when the plots come later
    const now = mounted.value;
    if (time !== undefined && view.cursor.peek() === time) now?.handle.cursor(time);
  });
  useEffect(() => {
    view.plot = view.figure = mounted.value?.handle;
  }, [mounted.value]);

  return (
    <>
      <div
        class="plot"
        ref={place}
        role="application"
        tabIndex={0}
        aria-label={`Plot of ${view.shown.value.join(", ")} over time`}
      />
      {failed.value && <p class="empty">The plots cannot be loaded: reload the page.</p>}
    </>
  );
}

function Legend({ view }: { view: View }) {
  const work = view.work;
  const cursor = view.cursor.value;
  const unit = work.description.value?.time_unit ?? "";
  const known = view.known.value;
  return (
    <div class="legend" aria-label="Values" role="group">
      {view.series.value.slice(0, 8).map(({ name, color }) => (
        <span class="value" key={name} data-signal={name}>
          <i class={`s${(color % 6) + 1}`} />
          {name} <output>{showNumber(view.values.value.get(name) ?? NaN)}</output>{" "}
          <span class="unit">{known.get(name)?.unit}</span>
          {view.apart.value.has(name) && (
            <span class="apart" title="the largest difference to the run that it is compared with">
              {" "}
              Δ {showNumber(view.apart.value.get(name)!, 3)}
            </span>
          )}
        </span>
      ))}
      {cursor !== undefined && (
        <span class="at">
          at <output>{showNumber(cursor, 7)}</output> {unit}
        </span>
      )}
    </div>
  );
}

// ------------------------------------------------------------------------------------------- plane

/** How large a canvas is: what is drawn on it is drawn again when that changes. */
function useSize(canvas: { current: HTMLCanvasElement | null }, ready: boolean): string {
  const size = useSignal("");
  useEffect(() => {
    const seen = canvas.current;
    if (!seen) return;
    const watch = new ResizeObserver(
      () => (size.value = `${seen.clientWidth} ${seen.clientHeight} ${devicePixelRatio}`),
    );
    watch.observe(seen);
    return () => watch.disconnect();
  }, [ready]);
  return size.value;
}

function Plane({ work, view }: { work: Work; view: View }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const run = work.run.value;
  const size = useSize(canvas, !!run?.done);
  const other = work.against.value;
  const against = other && other.handle !== run?.handle ? other : undefined;
  const names = run?.signals ?? [];
  const [x = "", y = ""] = view.axes.value;
  const across = names.includes(x) ? x : (view.shown.value[0] ?? names[0] ?? "");
  const up = names.includes(y)
    ? y
    : (view.shown.value.find((name) => name !== across) ??
      names.find((n) => n !== across) ??
      across);
  useEffect(() => {
    if (!run?.done || !canvas.current || !across || !up) return;
    const paper = canvas.current;
    let gone = false;
    const paths = [run, ...(against ? [against] : [])].map((of) => work.columns(of, [across, up]));
    void Promise.all(paths).then((found) => {
      if (gone) return;
      const [path, other] = found.map((of) => [of.get(across)?.v, of.get(up)?.v] as const);
      const [xs, ys] = path ?? [];
      if (!xs || !ys) return;
      const under = other?.[0] && other[1] ? ([other[0], other[1]] as const) : undefined;
      view.figure = drawOn(paper, (on) => drawPlane(on, [xs, ys], [across, up], under));
    });
    return () => void (gone = true);
  }, [run?.handle, run?.done, against?.handle, across, up, theme.value, size]);
  const choice = (label: string, value: string, set: (name: string) => void) => (
    <label class="inline">
      {label}{" "}
      <select value={value} onChange={(event) => set(event.currentTarget.value)}>
        {names.map((name) => (
          <option key={name}>{name}</option>
        ))}
      </select>
    </label>
  );
  if (!run?.done)
    return <p class="empty">Run the model, then two signals can be drawn against each other.</p>;
  return (
    <div class="plane">
      <p>
        {choice("across", across, (name) => (view.axes.value = [name, up]))}
        {choice("up", up, (name) => (view.axes.value = [across, name]))}
      </p>
      <canvas ref={canvas} role="img" aria-label={`${up} against ${across}`} />
    </div>
  );
}

// --------------------------------------------------------------------------------------- histogram

function Histogram({ work, view }: { work: Work; view: View }) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const run = work.run.value;
  const size = useSize(canvas, !!run?.done);
  const told = useSignal("");
  const names = run?.signals ?? [];
  const chosen = view.axes.value[0] ?? "";
  const name = names.includes(chosen)
    ? chosen
    : (view.shown.value.find((n) => names.includes(n)) ?? names[0] ?? "");
  useEffect(() => {
    if (!run?.done || !canvas.current || !name) return;
    const paper = canvas.current;
    let gone = false;
    void work.rows(run, [name]).then(({ columns: [t, v] }) => {
      if (gone || !t || !v) return;
      view.figure = drawOn(paper, (on) => {
        const { mean, deviation } = drawHistogram(on, t.values, v.values, name);
        told.value = `mean ${showNumber(mean)}, standard deviation ${showNumber(deviation)}`;
      });
    });
    return () => void (gone = true);
  }, [run?.handle, run?.done, name, theme.value, size]);
  if (!run?.done)
    return <p class="empty">Run the model to see how long its signals have which value.</p>;
  return (
    <div class="plane">
      <p>
        <label class="inline">
          of{" "}
          <select
            value={name}
            onChange={(event) => (view.axes.value = [event.currentTarget.value])}
          >
            {names.map((n) => (
              <option key={n}>{n}</option>
            ))}
          </select>
        </label>
        <span class="soft">by time: {told.value}</span>
      </p>
      <canvas ref={canvas} role="img" aria-label={`Histogram of ${name}: ${told.value}`} />
    </div>
  );
}

// ------------------------------------------------------------------------------------------- table

const ROWS_SHOWN = 200;

function Table({ work, view }: { work: Work; view: View }) {
  const run = work.run.value;
  const rows = useSignal<
    { names: string[]; lines: number[][]; of: number; run: number } | undefined
  >(undefined);
  const names = view.shown.value.filter((name) => run?.signals.includes(name));
  useEffect(() => {
    if (!run?.done) return;
    let gone = false;
    void work.rows(run, names).then(({ columns }) => {
      if (gone) return;
      const count = columns[0]?.values.length ?? 0;
      const every = Math.max(1, Math.ceil(count / ROWS_SHOWN));
      const lines: number[][] = [];
      for (let i = 0; i < count; i += every) lines.push(columns.map(({ values }) => values[i]!));
      if (count && (count - 1) % every) lines.push(columns.map(({ values }) => values[count - 1]!));
      rows.value = { names, lines, of: count, run: run.handle };
    });
    return () => void (gone = true);
  }, [run?.handle, run?.done, names.join()]);
  if (!run?.done || !rows.value)
    return <p class="empty">Run the model, then its numbers are here.</p>;
  return (
    <div
      class="rows"
      data-run={rows.value.run}
      tabIndex={0}
      role="region"
      aria-label="Rows of the run"
    >
      <table>
        <thead>
          <tr>
            <th scope="col">t</th>
            {rows.value.names.map((name) => (
              <th scope="col" key={name}>
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.value.lines.map((line, i) => (
            <tr key={i}>
              {line.map((value, k) => (
                <td key={k}>{String(value)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      {rows.value.of > rows.value.lines.length && (
        <p class="remark">
          {rows.value.lines.length} of {rows.value.of} rows; export has all of them.
        </p>
      )}
    </div>
  );
}

// ----------------------------------------------------------------------------------------- messages

function Messages({ work, onReveal }: { work: Work; onReveal: (place: Place) => void }) {
  const list = work.diagnostics.value;
  const problem = work.problem.value;
  const said = problem ? undefined : work.run.value?.done?.text;
  if (!list.length && !problem && !said)
    return (
      <p class="empty">
        {work.runs.value ? "Nothing is wrong with this model." : "Reading the model …"}
      </p>
    );
  return (
    <ul class="messages">
      {problem && (
        <li class="error" role="alert">
          <span class="severity">run</span> {problem}
        </li>
      )}
      {said && (
        <li>
          <span class="severity">run</span> {said}
        </li>
      )}
      {list.map((d: Diagnostic, i) => (
        <li key={i} class={d.severity}>
          <button class="quiet" disabled={!Array.isArray(d.from)} onClick={() => onReveal(d.from)}>
            <span class="severity">{d.severity}</span>
            {Array.isArray(d.from) && (
              <span class="where">
                {d.from[0] + 1}:{d.from[1] + 1}
              </span>
            )}
            <span>
              {d.text}
              {d.hint && <span class="soft"> {d.hint}</span>}
            </span>
          </button>
        </li>
      ))}
    </ul>
  );
}

const MOMENTS_SHOWN = 500;

function Acts({ live, span }: { live: Live; span: number }) {
  const acts = live.acts.value;
  return (
    <section class="moments" aria-labelledby="moments">
      <h2 id="moments">What you did</h2>
      {!acts.length && (
        <p class="empty">Send an event or change a number: it happens when you do it.</p>
      )}
      {acts.length > 0 && (
        <div class="list" tabIndex={0} role="region" aria-label="List of what you did">
          <table>
            <colgroup>
              <col class="when" />
              <col />
              <col class="what" />
            </colgroup>
            <tbody>
              {acts.map((act, i) => (
                <tr key={acts.length - i}>
                  <td>{showTime(act.t, span, 9)}</td>
                  <td title={act.name}>{act.name}</td>
                  <td class="soft">{act.what}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
    </section>
  );
}

function Moments({ work, view }: { work: Work; view: View }) {
  const run = work.run.value;
  const unit = work.description.value?.time_unit ?? "";
  return (
    <section class="moments" aria-labelledby="moments">
      <h2 id="moments">
        Moments <span class="remark">{run?.done ? run.momentCount : ""}</span>
      </h2>
      {!run?.done && <p class="empty">What happens in a run, and when, is listed here.</p>}
      {run?.done && !run.momentCount && <p class="empty">Nothing jumped in this run.</p>}
      {run && run.moments.length > 0 && (
        <div class="list" tabIndex={0} role="region" aria-label="List of moments">
          <table>
            <colgroup>
              <col class="when" />
              <col />
              <col class="kind" />
            </colgroup>
            <thead class="unseen">
              <tr>
                <th scope="col">time in {unit}</th>
                <th scope="col">what</th>
                <th scope="col">kind</th>
              </tr>
            </thead>
            <tbody>
              {run.moments.slice(0, MOMENTS_SHOWN).map((m, i) => (
                <tr key={i}>
                  <td>
                    <button class="quiet num" onClick={() => view.jumpTo(m.t)}>
                      {showTime(m.t, run.stop - run.start, 9)}
                    </button>
                  </td>
                  <td title={m.name}>{m.name}</td>
                  <td class="soft">{m.kind}</td>
                </tr>
              ))}
            </tbody>
          </table>
          {run.momentCount > MOMENTS_SHOWN && (
            <p class="remark">The first {MOMENTS_SHOWN} are listed.</p>
          )}
        </div>
      )}
    </section>
  );
}

// -------------------------------------------------------------------------------------------- dock

/** Undefined: what was done live cannot be done again by a link. */
function figureOf(work: Work, view: View): Figure | undefined {
  const run = work.run.value;
  if (!run || isPlayed(run)) return undefined;
  const window = view.window.value;
  const cursor = view.cursor.value;
  const kind = view.tab.value;
  const against = work.against.value;
  return {
    signals: view.shown.value,
    settings: run.settings,
    choices: run.choices,
    ...(kind !== "time" && kind !== "messages" && { kind }),
    ...(view.axes.value.length && { axes: view.axes.value }),
    ...(window && { window }),
    ...(cursor !== undefined && { cursor }),
    ...(against && against.text === run.text && !isPlayed(against) && { against }),
  };
}
const isPlayed = ({ done }: Run) => done?.solver === "live";

async function exportAs(kind: string, work: Work, view: View): Promise<void> {
  const run = work.run.value;
  const stem = work.name.replace(/\.(mo|json)$/, "");
  if (kind === "link") {
    const figure = figureOf(work, view);
    if (figure && run) await shareFigure(run.text, packFigure(figure));
  } else if (kind === "mat" && run) {
    const { columns } = await work.rows(run, run.signals);
    const names = ["t", ...run.signals];
    const file = matFile(
      names,
      columns.map(({ values }) => values),
    );
    download(`${stem}.mat`, file, file.type);
  } else if (kind === "recording" && recording.value) {
    download(
      `${stem}.live`,
      recording.value as Uint8Array<ArrayBuffer>,
      "application/octet-stream",
    );
  } else if (kind === "csv" && run) {
    const frame = await work.rows(run, run.signals);
    download(`${stem}.csv`, csv(run.signals, frame), "text/csv");
  } else if (kind === "svg" && view.figure) {
    download(`${stem}.svg`, view.figure.svg(), "image/svg+xml");
  } else if (kind === "png" && view.figure) {
    const picture = await view.figure.png();
    if (picture) download(`${stem}.png`, picture, "image/png");
  }
}

/** Which run is shown, and which one it is compared with. */
function Runs({ work }: { work: Work }) {
  const kept = work.kept.value;
  const find = (handle: string) => kept.find((run) => String(run.handle) === handle);
  const against = work.against.value;
  return (
    <div class="runs" role="group" aria-label="Runs">
      <select
        aria-label="Run that is shown"
        value={work.run.value?.handle}
        onChange={(event) => {
          const run = find(event.currentTarget.value);
          if (run) work.run.value = run;
        }}
      >
        {kept.map((run) => (
          <option key={run.handle} value={run.handle}>
            {titleOf(run)}
          </option>
        ))}
      </select>
      <select
        aria-label="Compare with"
        value={against?.handle ?? ""}
        onChange={(event) => (work.against.value = find(event.currentTarget.value))}
      >
        <option value="">alone</option>
        {kept
          .filter(({ handle }) => handle !== work.run.value?.handle)
          .map((run) => (
            <option key={run.handle} value={run.handle}>
              with {titleOf(run)}
            </option>
          ))}
      </select>
    </div>
  );
}

const tabs: readonly [Tab, string][] = [
  ["time", "Time"],
  ["xy", "XY"],
  ["histogram", "Histogram"],
  ["table", "Table"],
  ["messages", "Messages"],
];

function TabBar({ view, problems }: { view: View; problems: number }) {
  const move = (event: KeyboardEvent) => {
    const at = tabs.findIndex(([id]) => id === view.tab.value);
    const by = event.key === "ArrowRight" ? 1 : event.key === "ArrowLeft" ? -1 : 0;
    if (!by) return;
    const [next] = tabs[(at + by + tabs.length) % tabs.length]!;
    view.tab.value = next;
    document.getElementById(`tab-${next}`)?.focus();
  };
  return (
    <div class="tabs" role="tablist" aria-label="Results" onKeyDown={move}>
      {tabs.map(([id, label]) => (
        <button
          key={id}
          id={`tab-${id}`}
          role="tab"
          aria-selected={view.tab.value === id}
          aria-controls="results"
          tabIndex={view.tab.value === id ? 0 : -1}
          onClick={() => (view.tab.value = id)}
        >
          {label}
          {id === "messages" && problems > 0 && <span class="badge">{problems}</span>}
        </button>
      ))}
    </div>
  );
}

export function Dock(props: {
  work: Work;
  view: View;
  live: Live | undefined;
  onReveal: (place: Place) => void;
  /** What changes its height. */
  children: ComponentChildren;
}) {
  const { work, view, live, onReveal } = props;
  useValues(work, view, live);
  const tab = view.tab.value;
  const run = work.run.value;
  const problems = work.diagnostics.value.length + (work.problem.value ? 1 : 0);
  const waiting = !live && !run && tab === "time";
  const noPicture = tab === "table" || tab === "messages";
  return (
    <section class="dock" aria-label="Results">
      {props.children}
      <div class="results">
        <div class="bar">
          <TabBar view={view} problems={problems} />
          {tab === "time" && <Legend view={view} />}
          {!live && work.kept.value.length > 1 && <Runs work={work} />}
          {run?.done && !live && (
            <label class="export">
              <span class="unseen">Export</span>
              <select
                aria-label="Export"
                value=""
                onChange={(event) => {
                  void exportAs(event.currentTarget.value, work, view);
                  event.currentTarget.value = "";
                }}
              >
                <option value="">Export…</option>
                <option value="csv">CSV, all rows</option>
                <option value="mat">MAT, all rows</option>
                <option value="png" disabled={noPicture}>
                  PNG of the plots
                </option>
                <option value="svg" disabled={noPicture}>
                  SVG of the plots
                </option>
                <option value="link" disabled={isPlayed(run)}>
                  Link to this figure
                </option>
                {recording.value && <option value="recording">Recording of live</option>}
              </select>
            </label>
          )}
        </div>
        <div id="results" role="tabpanel" aria-labelledby={`tab-${tab}`} class="panel">
          {tab === "time" && (
            <div class={waiting ? "plots waiting" : "plots"}>
              <Plot work={work} view={view} live={live} />
            </div>
          )}
          {waiting && (
            <p class="empty over">
              {work.runs.value === false
                ? "This model does not run yet: Messages says why."
                : "Run it to see what happens, or touch it live."}
            </p>
          )}
          {tab === "xy" && <Plane work={work} view={view} />}
          {tab === "histogram" && <Histogram work={work} view={view} />}
          {tab === "table" && <Table work={work} view={view} />}
          {tab === "messages" && <Messages work={work} onReveal={onReveal} />}
        </div>
      </div>
      {live ? <Acts live={live} span={work.span} /> : <Moments work={work} view={view} />}
    </section>
  );
}
