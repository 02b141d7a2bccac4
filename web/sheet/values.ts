// Values beside lines while it runs, on one canvas above the sheet: a thousand changing texts in SVG
// cost three frames, on a canvas one. Digits change ten times a second.
import type { Point } from "./geometry.ts";
import type { Description } from "../engine/protocol.ts";
import type { Sheet } from "./sheet.ts";
import type { Kinds } from "./kinds.ts";
import type { SheetNode, Wire, Wiring } from "./wiring.ts";
import { html } from "./view.ts";

const PAUSE = 100;

/** A number as short as one can read it: four digits. */
export function digits(value: number): string {
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  const size = Math.abs(value);
  const text =
    size !== 0 && (size < 1e-3 || size >= 1e6)
      ? value.toExponential(3).replace(/\.?0*e\+?/, "e")
      : String(Number(value.toPrecision(4)));
  return text.replaceAll("-", "−");
}

export class Values {
  private readonly canvas: HTMLCanvasElement;
  private readonly sheet: Sheet;
  private names: readonly string[] = [];
  private places = new Map<string, number>();
  private values: ArrayLike<number> = [];
  readonly pinned = new Set<string>();
  all = false;
  /** Types and widths instead of values, by signal; undefined: values. */
  private types: ReadonlyMap<string, string> | undefined;
  private hovered: string | undefined;
  private drawnAt = 0;
  private timer: ReturnType<typeof setTimeout> | undefined;
  private colors: { ink: string; back: string; mono: string } | undefined;
  private readonly theme: MutationObserver;
  private blank = true;

  constructor(sheet: Sheet, frame: HTMLElement) {
    this.sheet = sheet;
    this.canvas = html("canvas", { class: "sheet-values", "aria-hidden": "true" }, frame);
    sheet.onDraw(() => this.draw());
    this.theme = new MutationObserver(() => {
      this.colors = undefined;
      this.draw();
    });
    this.theme.observe(document.documentElement, { attributes: true });
  }
  destroy(): void {
    this.theme.disconnect();
    clearTimeout(this.timer);
  }
  resize(width: number, height: number): void {
    const ratio = devicePixelRatio || 1;
    this.canvas.width = Math.round(width * ratio);
    this.canvas.height = Math.round(height * ratio);
    this.canvas.style.width = `${width}px`;
    this.canvas.style.height = `${height}px`;
    this.draw();
  }

  set(names: readonly string[], values: ArrayLike<number>): void {
    if (names !== this.names) {
      this.names = names;
      this.places = new Map(names.map((name, i) => [name, i]));
    }
    this.values = values;
    const now = performance.now();
    clearTimeout(this.timer);
    if (now - this.drawnAt >= PAUSE) this.renew();
    else this.timer = setTimeout(() => this.renew(), PAUSE - (now - this.drawnAt));
  }
  /** Shows what kind of signal each line carries, as the desk has found it. */
  async showTypes(on: boolean): Promise<void> {
    const { doc } = this.sheet.options;
    this.types = undefined;
    if (on && doc !== undefined) {
      const { ok } = await this.sheet.desk.ask<Description>("describe", { doc });
      const { level, wiring, kinds } = this.sheet;
      const rates = new Map(
        [...ratesOf(wiring, kinds)].map(([name, rate]) => [[...level, name].join("."), rate]),
      );
      this.types = typesOf(ok.signals, rates);
    }
    this.draw();
  }
  hover(key: string | undefined): void {
    if (key === this.hovered) return;
    this.hovered = key;
    this.draw();
  }
  pin(key: string): void {
    if (!this.pinned.delete(key)) this.pinned.add(key);
    this.draw();
  }

  private renew(): void {
    this.drawnAt = performance.now();
    this.draw();
    for (const node of this.sheet.wiring.nodes.values()) {
      if (node.symbol.text !== "{value}") continue;
      const text = this.textOf(this.signalOf(node.name, 0));
      if (text !== undefined)
        this.sheet.view.drawNode(
          node,
          this.sheet.wiring.connected(node.name),
          this.sheet.kinds,
          text,
        );
    }
  }

  private signalOf(node: string, port: number): string {
    const name = [...this.sheet.level, node].join(".");
    return port > 0 ? `${name}:${port + 1}` : name;
  }
  private read(name: string): number | undefined {
    const place = this.places.get(name);
    return place === undefined ? undefined : this.values[place];
  }
  /** What a signal shows: a number, or the first of several. */
  textOf(signal: string): string | undefined {
    const single = this.read(signal);
    if (single !== undefined) return digits(single);
    const list: string[] = [];
    for (let i = 1; i <= 3; i++) {
      const value = this.read(`${signal}[${i}]`);
      if (value !== undefined) list.push(digits(value));
    }
    if (!list.length) return undefined;
    return `${list.join("  ")}${this.places.has(`${signal}[4]`) ? " …" : ""}`;
  }

  private draw(): void {
    const context = this.canvas.getContext("2d");
    if (!context) return;
    const shown = [...this.sheet.wiring.wires.values()].filter(
      (wire) => this.all || this.types || wire.key === this.hovered || this.pinned.has(wire.key),
    );
    if (!shown.length && this.blank) return;
    const ratio = devicePixelRatio || 1;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    this.blank = shown.length === 0;
    this.colors ??= readColors(this.canvas);
    context.font = `11.5px ${this.colors.mono}`;
    context.textBaseline = "middle";
    for (const wire of shown) this.drawOne(context, wire, this.colors);
  }

  private drawOne(
    context: CanvasRenderingContext2D,
    wire: Wire,
    colors: { ink: string; back: string },
  ): void {
    const signal = wire.source && this.signalOf(wire.node, wire.source.index);
    const text =
      signal === undefined ? undefined : this.types ? this.types.get(signal) : this.textOf(signal);
    const at = labelPlace(wire);
    if (text === undefined || !at) return;
    const [x, y] = this.sheet.camera.toScreen(...at);
    if (x < -80 || y < -20 || x > this.sheet.view.width + 80 || y > this.sheet.view.height + 20)
      return;
    const width = context.measureText(text).width + 14;
    context.fillStyle = colors.back;
    context.beginPath();
    context.roundRect(x - width / 2, y - 24, width, 18, 9);
    context.fill();
    context.fillStyle = colors.ink;
    context.fillText(text, x - width / 2 + 7, y - 14.5);
  }
}

/**
 * How often the nodes of a sheet are computed [s]: 0 all the time, Infinity never again. A node has its Sample
 * Time, is continuous or constant by itself, or goes with the fastest that leads to it.
 */
export function ratesOf(
  wiring: Pick<Wiring, "nodes" | "wires">,
  kinds: Pick<Kinds, "find">,
): Map<string, number> {
  const drivers = new Map<string, string[]>();
  for (const wire of wiring.wires.values())
    for (const { node } of wire.links) drivers.set(node, [...(drivers.get(node) ?? []), wire.node]);
  const own = ({ name, data }: SheetNode): number | undefined => {
    const kind = kinds.find(data.type);
    const sampled = Number(data.parameters["Sample Time"]);
    if (kind?.parameters.some((p) => p.name === "Sample Time") && sampled > 0) return sampled;
    if (/^Constant/.test(data.type)) return Infinity;
    return kind?.set === "Continuous" || !drivers.has(name) ? 0 : undefined;
  };
  const rates = new Map<string, number>();
  const follows: string[] = [];
  for (const node of wiring.nodes.values()) {
    const rate = own(node);
    rates.set(node.name, rate ?? Infinity);
    if (rate === undefined) follows.push(node.name);
  }
  // rates only get faster, each is one of those above: this ends
  for (let changed = true; changed;) {
    changed = false;
    for (const name of follows) {
      const rate = Math.min(...drivers.get(name)!.map((from) => rates.get(from) ?? Infinity));
      if (rate >= rates.get(name)!) continue;
      rates.set(name, rate);
      changed = true;
    }
  }
  return rates;
}

function rateWords(rate: number | undefined): string {
  if (rate === undefined) return "";
  return rate === 0 ? "" : rate < Infinity ? ` · ${rate} s` : " · constant";
}

/** "real", "boolean", "real × 5 · 0.1 s": the type of each signal, its width, and its sample time. */
export function typesOf(
  signals: readonly { readonly name: string; readonly type: string }[],
  rates: ReadonlyMap<string, number> = new Map<string, number>(),
): Map<string, string> {
  const counts = new Map<string, { type: string; count: number }>();
  for (const { name, type } of signals) {
    const complex = /\.(?:re|im)$/.test(name);
    const stem = name.replace(/\.(?:re|im)$/, "").replace(/\[\d+\]$/, "");
    const known = counts.get(stem) ?? { type: complex ? "complex" : type, count: 0 };
    counts.set(stem, { ...known, count: known.count + (complex ? 0.5 : 1) });
  }
  return new Map(
    [...counts].map(([name, { type, count }]) => {
      const rate = rateWords(rates.get(name) ?? rates.get(name.replace(/:\d+$/, "")));
      return [name, (count > 1 ? `${type} × ${count}` : type) + rate];
    }),
  );
}

function readColors(element: Element): { ink: string; back: string; mono: string } {
  const style = getComputedStyle(element);
  const read = (name: string, fallback: string): string =>
    style.getPropertyValue(name).trim() || fallback;
  return {
    ink: read("--accent", "#945708"),
    back: read("--tint", "#f6ead7"),
    mono: read("--mono", "monospace"),
  };
}

/** The middle of the first piece of a line, where it leaves its node. */
export function labelPlace(wire: Wire): Point | undefined {
  const points = wire.legs.find((leg) => !leg.branches && leg.points.length > 1)?.points;
  const [a, b] = [points?.[0], points?.[1]];
  if (!a || !b) return undefined;
  const far = Math.hypot(b[0] - a[0], b[1] - a[1]);
  const t = Math.min(0.5, 40 / Math.max(far, 1));
  return [a[0] + (b[0] - a[0]) * t, a[1] + (b[1] - a[1]) * t];
}
