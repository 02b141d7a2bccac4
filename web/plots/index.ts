// Plots over time: a pane for each unit, one cursor through all of them, moments marked.
import uPlot from "uplot";
import type { Trace, Traces } from "../app/work.ts";
import { axisLabels, timeSpace } from "./axis.ts";
import { columnsOf, fillColumns, isDense, type Columns } from "./dense.ts";
import { merge } from "./merge.ts";
import { plotSvg } from "./svg.ts";

export type { Traces } from "../app/work.ts";

export interface Series {
  readonly name: string;
  /** Which of the signal colours. */
  readonly color: number;
  /** It keeps its value from one point to the next. */
  readonly holds: boolean;
}
export interface Pane {
  readonly unit: string;
  readonly series: readonly Series[];
}
export interface PlotOptions {
  readonly panes: readonly Pane[];
  readonly timeUnit: string;
  /** The user has chosen a part of the time, or all of it again (undefined). */
  onZoom(range: readonly [number, number] | undefined): void;
  onCursor(time: number | undefined): void;
}
export interface PlotHandle {
  /** Draws a window of a run; `all` is how far one can zoom out. */
  show(
    traces: Traces,
    window: readonly [number, number],
    all: readonly [number, number],
    ghosts?: Traces,
  ): void;
  mark(times: readonly number[]): void;
  cursor(time: number | undefined): void;
  /** The width of the drawing in pixels of the screen. */
  readonly pixels: number;
  png(): Promise<Blob | null>;
  svg(): string;
  destroy(): void;
}

const LEFT = 54;
const MARKS_MOST = 400;
const empty = new Float64Array(0);
const none: Trace = { t: empty, v: empty };
const noColumns: Columns = { low: empty, high: empty, travel: 0, points: 0 };

function tokens(element: HTMLElement) {
  const style = getComputedStyle(element);
  const read = (name: string) => style.getPropertyValue(name).trim();
  return {
    ink: read("--ink"),
    faint: read("--faint"),
    line: read("--line"),
    accent: read("--accent"),
    panel: read("--panel"),
    mono: read("--mono"),
    colors: ["--s1", "--s2", "--s3", "--s4", "--s5", "--s6"].map(read),
  };
}

export function mountPlots(element: HTMLElement, options: PlotOptions): PlotHandle {
  let look = tokens(element);
  let shown: Traces = new Map();
  let whole: readonly [number, number] = [0, 1];
  let range: readonly [number, number] = [0, 1];
  let marks: readonly number[] = [];
  let cursorTime: number | undefined;
  let hovered = false; // the pointer is over a plot
  let quiet = false; // while we move the cursor ourselves
  let plots: uPlot[] = [];

  const setRange = (low: number, high: number) => {
    const least = (whole[1] - whole[0]) * 1e-9;
    if (!(high - low > least)) return;
    range = [low, high];
    // what is asked for comes while what there is is drawn in its new place
    options.onZoom(low <= whole[0] && high >= whole[1] ? undefined : range);
    for (const plot of plots) plot.setScale("x", { min: low, max: high });
  };
  const zoomAt = (time: number, factor: number) => {
    const low = Math.max(whole[0], time - (time - range[0]) * factor);
    const high = Math.min(whole[1], time + (range[1] - time) * factor);
    setRange(low, high);
  };
  const panBy = (time: number) => {
    const shift = Math.max(whole[0] - range[0], Math.min(whole[1] - range[1], time));
    setRange(range[0] + shift, range[1] + shift);
  };

  // ------------------------------------------------------------------------------------- drawing

  const drawMarks = (plot: uPlot, last: boolean) => {
    const { ctx, bbox } = plot;
    const [low, high] = [plot.scales["x"]!.min ?? 0, plot.scales["x"]!.max ?? 1];
    const seen = marks.filter((t) => t >= low && t <= high);
    const ratio = devicePixelRatio;
    ctx.save();
    ctx.fillStyle = ctx.strokeStyle = look.accent;
    ctx.globalAlpha = 0.45;
    ctx.lineWidth = ratio;
    ctx.setLineDash([ratio, 3 * ratio]);
    ctx.beginPath();
    let drawn = -Infinity;
    // many are ticks at the bottom: lines would hide what is drawn
    const many = seen.length > bbox.width / (10 * ratio);
    const above = many ? Math.max(0, bbox.height - 7 * ratio) : 0;
    for (const t of seen) {
      const x = Math.round(plot.valToPos(t, "x", true)) + 0.5;
      if (x - drawn < 6 * ratio) continue; // closer ones would be a wall
      drawn = x;
      ctx.moveTo(x, bbox.top + above);
      ctx.lineTo(x, bbox.top + bbox.height);
    }
    ctx.stroke();
    if (last && seen.length <= MARKS_MOST) {
      ctx.globalAlpha = 1;
      const y = bbox.top + bbox.height;
      const size = 3.5 * ratio;
      drawn = -Infinity;
      for (const t of seen) {
        const x = plot.valToPos(t, "x", true);
        if (x - drawn < 2 * ratio) continue;
        drawn = x;
        ctx.beginPath();
        ctx.moveTo(x, y - 1.6 * size);
        ctx.lineTo(x - size, y);
        ctx.lineTo(x + size, y);
        ctx.fill();
      }
    }
    ctx.restore();
  };

  const drawUnit = ({ ctx, bbox }: uPlot, unit: string) => {
    const ratio = devicePixelRatio;
    ctx.save();
    ctx.font = `${11 * ratio}px ${look.mono}`;
    ctx.fillStyle = look.faint;
    ctx.textAlign = "left";
    ctx.textBaseline = "top";
    const [x, y] = [bbox.left + 6 * ratio, bbox.top + 3 * ratio];
    // legible on the line that begins there
    ctx.strokeStyle = look.panel;
    ctx.lineWidth = 4 * ratio;
    ctx.lineJoin = "round";
    ctx.strokeText(unit, x, y);
    ctx.fillText(unit, x, y);
    ctx.restore();
  };

  const axis = (last: boolean): uPlot.Axis => ({
    stroke: look.faint,
    font: `11px ${look.mono}`,
    grid: { stroke: look.line, width: 1 },
    ticks: { show: false },
    size: last ? 22 : 6,
    gap: 4,
    space: (_, __, from, to, width) => timeSpace(from, to, width),
    values: (_, splits, __, ___, step) => (last ? axisLabels(splits, step) : []),
  });

  const stepped = uPlot.paths.stepped!({ align: 1 });
  const linear = uPlot.paths.linear!();
  const dense = new Map<uPlot, Map<number, Columns>>();
  // a line, or nothing where it is drawn as columns
  const paths =
    (line: uPlot.Series.PathBuilder): uPlot.Series.PathBuilder =>
    (plot, index, first, last) => {
      const [x, y] = [plot.scales["x"]!, plot.scales["y"]!];
      const width = Math.round(plot.bbox.width);
      const own = dense.get(plot) ?? new Map<number, Columns>();
      dense.set(plot, own.set(index, noColumns));
      if (last - first < width) return line(plot, index, first, last);
      const range = [x.min ?? 0, x.max ?? 1] as const;
      const columns = columnsOf(plot.data[0], plot.data[index]!, range, width);
      if (!isDense(columns, width, (y.max ?? 1) - (y.min ?? 0)))
        return line(plot, index, first, last);
      own.set(index, columns);
      return null;
    };
  const drawDense = (plot: uPlot, index: number, ghost: boolean, color: number) => {
    const columns = dense.get(plot)?.get(index);
    if (!columns?.points) return;
    const { ctx, bbox } = plot;
    ctx.save();
    ctx.beginPath();
    ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
    ctx.clip();
    ctx.fillStyle = look.colors[color % look.colors.length]!;
    ctx.globalAlpha = ghost ? 0.5 : 1;
    fillColumns(
      ctx,
      columns,
      Math.round(bbox.left),
      (ghost ? 1 : 1.5) * devicePixelRatio,
      (value) => plot.valToPos(value, "y", true),
    );
    ctx.restore();
  };
  const series = ({ name, color, holds }: Series, ghost: boolean): uPlot.Series => {
    const stroke = look.colors[color % look.colors.length]!;
    return {
      label: ghost ? `${name}, other run` : name,
      stroke,
      width: ghost ? 1 : 1.5,
      ...(ghost ? { dash: [5, 4], alpha: 0.75 } : {}),
      points: { show: false },
      pxAlign: 0,
      paths: paths(holds ? stepped : linear),
    };
  };

  const make = (pane: Pane, index: number): uPlot => {
    const last = index === options.panes.length - 1;
    const place = document.createElement("div");
    place.className = "pane";
    element.append(place);
    const plot = new uPlot(
      {
        width: Math.max(80, element.clientWidth),
        height: paneHeight(index),
        padding: [8, 20, 0, 0],
        legend: { show: false },
        cursor: {
          sync: { key: "foliot" },
          drag: { x: true, y: false, setScale: false },
          points: { size: 6 },
        },
        scales: { x: { time: false, auto: false }, y: { range: padded } },
        axes: [
          axis(last),
          {
            ...axis(true),
            size: LEFT,
            space: 28,
            values: (_, splits, __, ___, step) => axisLabels(splits, step),
          },
        ],
        series: [
          { label: "t" },
          ...pane.series.map((s) => series(s, false)),
          ...pane.series.map((s) => series(s, true)),
        ],
        hooks: {
          drawSeries: [
            (u, index) => {
              const count = pane.series.length;
              const of = pane.series[(index - 1) % count];
              if (of) drawDense(u, index, index > count, of.color);
            },
          ],
          draw: [
            (u) => {
              drawMarks(u, last);
              drawUnit(u, pane.unit);
            },
          ],
          setSelect: [
            (u) => {
              if (u.select.width > 4)
                setRange(
                  u.posToVal(u.select.left, "x"),
                  u.posToVal(u.select.left + u.select.width, "x"),
                );
              u.setSelect({ left: 0, width: 0, top: 0, height: 0 }, false);
            },
          ],
          setCursor: [
            (u) => {
              if (quiet) return;
              const { left } = u.cursor;
              const inside = left !== undefined && left >= 0;
              if (!inside && plots.some((p) => p.cursor.left !== undefined && p.cursor.left >= 0))
                return;
              if (!inside && !hovered) return; // nobody has moved it: the plot is new
              // uPlot may tell of our own move later
              if (
                inside &&
                cursorTime !== undefined &&
                Math.abs(u.valToPos(cursorTime, "x") - left) < 1
              )
                return;
              const time = inside ? u.posToVal(left, "x") : undefined;
              if (time !== undefined && !Number.isFinite(time)) return; // nothing is drawn yet
              cursorTime = time;
              options.onCursor(cursorTime);
            },
          ],
        },
      },
      [[], ...pane.series.map(() => []), ...pane.series.map(() => [])],
      place,
    );
    listen(plot);
    return plot;
  };

  const listen = (plot: uPlot) => {
    plot.over.addEventListener("pointerenter", () => (hovered = true));
    // uPlot tells later that the pointer has gone
    plot.over.addEventListener("pointerleave", () => setTimeout(() => (hovered = false), 50));
    plot.over.addEventListener("dblclick", () => setRange(...whole));
    plot.over.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const span = range[1] - range[0];
        if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY))
          panBy(((event.deltaX || event.deltaY) / plot.over.clientWidth) * span);
        else zoomAt(plot.posToVal(event.offsetX, "x"), Math.exp(event.deltaY * 0.002));
      },
      { passive: false },
    );
    plot.over.addEventListener("pointermove", (event) => {
      if (event.pointerType !== "touch") return;
      moveCursor(plot.posToVal(event.offsetX, "x"), true);
    });
  };

  const paneHeight = (index: number) => {
    const count = Math.max(1, options.panes.length);
    const room = Math.max(60, element.clientHeight - 16);
    return Math.max(72, Math.floor(room / count) + (index === options.panes.length - 1 ? 16 : 0));
  };

  const build = () => {
    look = tokens(element);
    for (const plot of plots) plot.destroy();
    dense.clear();
    element.replaceChildren();
    plots = options.panes.map(make);
  };

  const moveCursor = (time: number | undefined, tell: boolean) => {
    cursorTime = time;
    quiet = true;
    for (const plot of plots) {
      if (plot.scales["x"]?.min == null) continue; // it goes there with what is drawn first
      const left = time === undefined ? -10 : plot.valToPos(time, "x");
      plot.setCursor({ left, top: plot.over.clientHeight / 2 }, true);
    }
    quiet = false;
    if (tell) options.onCursor(time);
  };

  const onKey = (event: KeyboardEvent) => {
    const span = range[1] - range[0];
    const here = cursorTime ?? (range[0] + range[1]) / 2;
    const step = (span / 200) * (event.shiftKey ? 10 : 1);
    const act: Record<string, () => void> = {
      ArrowLeft: () => moveCursor(Math.max(whole[0], here - step), true),
      ArrowRight: () => moveCursor(Math.min(whole[1], here + step), true),
      "+": () => zoomAt(here, 0.7),
      "-": () => zoomAt(here, 1 / 0.7),
      "0": () => setRange(...whole),
    };
    const chosen = act[event.key];
    if (!chosen || event.ctrlKey || event.altKey || event.metaKey) return;
    event.preventDefault();
    chosen();
  };
  element.addEventListener("keydown", onKey);

  let ghosts: Traces = new Map();
  const draw = () => {
    options.panes.forEach((pane, i) => {
      const own = pane.series.map(({ name }) => shown.get(name) ?? none);
      const old = pane.series.map(({ name }) => ghosts.get(name) ?? none);
      plots[i]!.batch(() => {
        plots[i]!.setData(merge([...own, ...old]), false);
        plots[i]!.setScale("x", { min: range[0], max: range[1] });
      });
    });
  };

  const sizes = new ResizeObserver(() => {
    plots.forEach((plot, i) =>
      plot.setSize({ width: Math.max(80, element.clientWidth), height: paneHeight(i) }),
    );
  });
  const theme = new MutationObserver(() => {
    build();
    draw();
    if (cursorTime !== undefined) moveCursor(cursorTime, false);
  });
  theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  build();
  sizes.observe(element);

  return {
    show(traces, window, all, old = new Map()) {
      shown = traces;
      whole = all;
      ghosts = old;
      range = window;
      draw();
      element.dataset["drawn"] = String(Number(element.dataset["drawn"] ?? 0) + 1);
      if (cursorTime !== undefined) moveCursor(cursorTime, false);
    },
    mark(times) {
      if (times.length === marks.length && times.every((t, i) => t === marks[i])) return;
      marks = times;
      for (const plot of plots) plot.redraw(false);
    },
    cursor: (time) => moveCursor(time, false),
    get pixels() {
      return Math.max(100, element.clientWidth - LEFT) * devicePixelRatio;
    },
    async png() {
      return picture(plots, options.panes, look);
    },
    svg() {
      const { panes, timeUnit } = options;
      return plotSvg({ panes, traces: shown, ghosts, range, marks, colors: look.colors, timeUnit });
    },
    destroy() {
      sizes.disconnect();
      theme.disconnect();
      element.removeEventListener("keydown", onKey);
      for (const plot of plots) plot.destroy();
      element.replaceChildren();
    },
  };
}

// A little room above and below, and something to see where nothing changes.
function padded(_plot: uPlot, low: number | null, high: number | null): [number, number] {
  const [a, b] = [low ?? 0, high ?? 1];
  if (a === b) return a === 0 ? [-1, 1] : [a - Math.abs(a) * 0.1, b + Math.abs(b) * 0.1];
  const room = (b - a) * 0.06;
  return [a - room, b + room];
}

// The plots one below the other, each with the names of its signals above it.
function picture(
  plots: readonly uPlot[],
  panes: readonly Pane[],
  { panel, mono, colors }: ReturnType<typeof tokens>,
): Promise<Blob | null> {
  const ratio = devicePixelRatio;
  const strip = 18 * ratio;
  const canvases = plots.map((plot) => plot.ctx.canvas);
  const all = document.createElement("canvas");
  all.width = Math.max(1, ...canvases.map(({ width }) => width));
  all.height = canvases.reduce((sum, { height }) => sum + strip + height, 0);
  const pen = all.getContext("2d")!;
  pen.fillStyle = panel;
  pen.fillRect(0, 0, all.width, all.height);
  pen.font = `${11 * ratio}px ${mono}`;
  let at = 0;
  canvases.forEach((canvas, i) => {
    let x = LEFT * ratio;
    for (const { name, color } of panes[i]!.series) {
      pen.fillStyle = colors[color % colors.length]!;
      pen.fillText(name, x, at + 13 * ratio);
      x += pen.measureText(name).width + 16 * ratio;
    }
    pen.drawImage(canvas, 0, at + strip);
    at += strip + canvas.height;
  });
  return new Promise((resolve) => all.toBlob(resolve, "image/png"));
}
