// A process seen from above: who waits stands in a line before who serves, what is stored fills, and the
// statistics beside it fill while time goes on. Who is where is told by the processes' acts (floor.ts). Of a
// world whose processes meet at no resource the counts alone are drawn: one more walks in, one less goes out.
import type { ProcessAct } from "../engine/protocol.ts";
import { Crowd, type Ink, type Lane } from "./crowd.ts";
import { FloorAt, type Place } from "./floor.ts";
import type { Bindings, ColumnScene } from "./model.ts";

export type Role = "queue" | "store" | "level" | "figure";

/** What a signal of a process is, by its name; `whole`: it counts; `total`: over all the time. */
export function roleOf(name: string, whole: boolean, total: boolean): Role {
  if (total) return "figure";
  if (/line|queue|waiting|cars|length/i.test(name)) return "queue";
  if (/running|busy|burning|falling|^on$|out$/i.test(name)) return "store";
  if (/fuel|level|tank|stock|pressure|^C\d+$/i.test(name)) return "level";
  return whole && /count/i.test(name) ? "store" : "figure";
}

const CLASSES = 16;
/** A histogram whose classes widen when values come that they do not reach; weighted by time. */
export class Filling {
  low = NaN;
  width = 0;
  readonly parts = new Float64Array(CLASSES);
  time = 0;
  sum = 0;
  /** Whole numbers alone have come, and each has a class of its own. */
  private whole = false;

  take(value: number, weight: number): void {
    if (!Number.isFinite(value) || !(weight > 0)) return;
    this.time += weight;
    this.sum += weight * value;
    if (Number.isNaN(this.low)) {
      this.low = value >= 0 && value < CLASSES ? 0 : value;
      this.width = Math.max(1, Math.abs(value)) / CLASSES;
      this.whole = value >= 0 && value < CLASSES && Number.isInteger(value);
      if (value >= 0 && Number.isInteger(value)) this.width = Math.max(1, this.width);
    }
    if (this.whole && !Number.isInteger(value)) this.refine(value);
    while (value >= this.low + CLASSES * this.width) this.widen(0);
    while (value < this.low) this.widen(CLASSES / 2);
    this.parts[Math.min(CLASSES - 1, Math.floor((value - this.low) / this.width))]! += weight;
  }
  // Of 0, 0.36, 0.4 the first is a whole number by chance: classes as for the others.
  private refine(value: number): void {
    const old = this.parts.slice();
    const most = Math.max(1, value, ...Array.from(old, (part, k) => (part > 0 ? k + 1 : 0)));
    this.whole = false;
    if (this.width !== 1 || this.low !== 0) return;
    this.parts.fill(0);
    this.width = most / CLASSES;
    for (let k = 0; k < most && k < CLASSES; k++)
      this.parts[Math.min(CLASSES - 1, Math.floor(k / this.width))]! += old[k]!;
  }
  // Two classes become one; `from` is where the old ones begin.
  private widen(from: number): void {
    const old = this.parts.slice();
    this.parts.fill(0);
    for (let k = 0; k < CLASSES; k++) this.parts[from + (k >> 1)]! += old[k]!;
    this.low -= 2 * from * this.width;
    this.width *= 2;
  }
  get mean(): number {
    return this.time ? this.sum / this.time : NaN;
  }
}

interface Entity {
  x: number;
  y: number;
  /** Where it goes; undefined: out. */
  place: number | undefined;
}
const SHOWN = 40; // entities of a line
const EASE = 9; // how fast they walk [1/s]

interface Track {
  readonly name: string;
  readonly unit: string;
  readonly role: Role;
  readonly color: number;
  value: number;
  most: number;
  readonly filling: Filling;
  entities: Entity[];
  /** How far the past of a run is counted. */
  at: number;
}

/** The least height of a histogram with its words [px], and width. */
const FIGURE_LEAST = 54;
const FIGURE_NARROW = 170;

/** Histograms beside each other: two where there is room, more where they would else be too low. */
export function columnsFor(count: number, width: number, height: number): number {
  let columns = width > 460 ? 2 : 1;
  const low = () => height / Math.ceil(count / columns) < FIGURE_LEAST + 8;
  while (low() && (width - 24) / (columns + 1) >= FIGURE_NARROW) columns++;
  // else lines of words, as wide as can be
  return low() ? (width > 460 ? 2 : 1) : columns;
}

/** Times and values of a signal of a run that is over: all of its rows. */
export interface Past {
  readonly t: ArrayLike<number>;
  readonly v: ArrayLike<number>;
}

export interface ProcessView {
  readonly canvas: HTMLCanvasElement;
  /** A run that is over: the statistics are of all of it until the moment that is shown. */
  history(past: ReadonlyMap<string, Past>): void;
  /** What the processes did: all of a run that is over, or more of one that goes on. */
  acts(acts: readonly ProcessAct[], over: boolean): void;
  update(bindings: Bindings, time: number): void;
  destroy(): void;
}

const short = (value: number) =>
  Number.isFinite(value) ? String(Number(value.toPrecision(4))).replace("-", "−") : "–";

export function makeProcess(element: HTMLElement, scene: ColumnScene): ProcessView {
  const canvas = document.createElement("canvas");
  canvas.className = "process-view";
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", "The process: lines, servers, stores and their statistics");
  element.append(canvas);
  const pen = canvas.getContext("2d")!;
  const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
  const make = (): Track[] =>
    scene.signals.map(({ name, unit, whole, total }, i) => ({
      name,
      unit: unit ?? "",
      role: roleOf(name, whole, total === true),
      color: i,
      value: NaN,
      most: 1,
      filling: new Filling(),
      entities: [],
      at: 0,
    }));
  let tracks = make();
  let last = NaN;
  let request = 0;
  let drawn = performance.now();
  const token = (name: string) => getComputedStyle(element).getPropertyValue(`--${name}`).trim();
  const colorOf = (track: Track) => token(`s${(track.color % 6) + 1}`);

  // ------------------------------------------------------------------------------------- people

  const floor = new FloorAt();
  const crowd = new Crowd();
  const names: string[] = [];
  const colorOfName = (who: string) => {
    if (!names.includes(who)) names.push(who);
    return token(`s${(names.indexOf(who) % 6) + 1}`);
  };
  const wordsOf = ({ name, line, inside, store, stored }: Place) =>
    `${name}: ${store ? `${stored} stored, ` : ""}${line.length} waiting, ${inside.size} served`;
  // who is of which colour, behind each other
  function drawLegend(x: number, y: number): void {
    for (const who of names) {
      pen.fillStyle = colorOfName(who);
      pen.beginPath();
      pen.arc(x + 5, y - 4, 5, 0, 2 * Math.PI);
      pen.fill();
      pen.fillStyle = token("soft");
      pen.fillText(who, x + 15, y);
      x += pen.measureText(who).width + 34;
    }
  }
  function drawPlaces(lanes: ReadonlyMap<Place, Lane>, dt: number): void {
    const ink: Ink = {
      line: token("line"),
      edge: token("edge"),
      panel: token("panel"),
      tint: token("tint"),
      accent: token("accent"),
      soft: token("soft"),
      paper: token("paper"),
      color: colorOfName,
    };
    for (const [place, lane] of lanes) {
      pen.fillStyle = token("ink");
      pen.textAlign = "left";
      pen.fillText(wordsOf(place), lane.x, lane.y + 6);
      crowd.drawPlace(pen, place, lane, ink);
    }
    crowd.follow(lanes);
    crowd.walk(dt, still);
    crowd.draw(pen, ink);
    pen.textAlign = "left";
    if (lanes.size) drawLegend(28, canvas.clientHeight - 10);
  }

  // ------------------------------------------------------------------------------------- lanes

  function follow(track: Track): void {
    const wanted = Math.min(SHOWN, Math.max(0, Math.round(track.value) || 0));
    const inside = track.entities.filter((one) => one.place !== undefined);
    for (let k = inside.length; k < wanted; k++)
      track.entities.push({ x: -0.15 - 0.04 * (k - inside.length), y: 0, place: k });
    // who came first goes first
    const leaving = inside.length - wanted;
    inside.forEach((one, k) => (one.place = k < leaving ? undefined : k - Math.max(0, leaving)));
  }

  /** Where place k of a line is, in parts of the lane: from the server to the left, in rows. */
  const standing = (k: number): readonly [number, number] => [
    0.66 - 0.042 * (k % 14),
    0.24 * Math.floor(k / 14),
  ];

  function walk(track: Track, dt: number): boolean {
    const part = still ? 1 : 1 - Math.exp(-EASE * dt);
    let moving = false;
    for (const one of track.entities) {
      const [x, y] = one.place === undefined ? [1.12, 0] : standing(one.place);
      moving ||= Math.abs(x - one.x) + Math.abs(y - one.y) > 0.004;
      one.x += part * (x - one.x);
      one.y += part * (y - one.y);
    }
    track.entities = track.entities.filter((one) => one.x < 1.08);
    return moving;
  }

  function drawQueue(track: Track, x: number, y: number, w: number, h: number): void {
    const middle = y + h * 0.5;
    pen.strokeStyle = token("line");
    pen.beginPath();
    pen.moveTo(x, middle + 12);
    pen.lineTo(x + w, middle + 12);
    pen.stroke();
    const busy = track.value > 0;
    pen.fillStyle = busy ? token("tint") : token("panel");
    pen.strokeStyle = busy ? token("accent") : token("edge");
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.roundRect(x + 0.7 * w, middle - 18, 0.13 * w, 30, 6);
    pen.fill();
    pen.stroke();
    pen.lineWidth = 1;
    pen.fillStyle = colorOf(track);
    for (const one of track.entities) {
      if (one.x < -0.05) continue;
      pen.beginPath();
      pen.arc(x + one.x * w, middle - one.y * h * 0.5, 6, 0, 2 * Math.PI);
      pen.fill();
    }
    if (track.value > SHOWN) {
      pen.fillStyle = token("soft");
      pen.fillText(`and ${short(track.value - SHOWN)} more`, x + 0.85 * w, middle);
    }
  }

  function drawStore(track: Track, x: number, y: number, w: number, h: number): void {
    const count = Math.min(SHOWN, Math.max(1, Math.round(track.most)));
    const size = Math.min(26, (w * 0.82) / count - 5);
    for (let k = 0; k < count; k++) {
      const on = k < track.value;
      pen.beginPath();
      pen.roundRect(x + k * (size + 5), y + h * 0.5 - size / 2, size, size, 4);
      pen.fillStyle = on ? colorOf(track) : token("panel");
      pen.strokeStyle = on ? colorOf(track) : token("edge");
      pen.fill();
      pen.stroke();
    }
  }

  function drawLevel(track: Track, x: number, y: number, w: number, h: number): void {
    const [wide, tall] = [w * 0.82, Math.min(26, h * 0.4)];
    const top = y + h * 0.5 - tall / 2;
    pen.fillStyle = token("panel");
    pen.strokeStyle = token("edge");
    pen.beginPath();
    pen.roundRect(x, top, wide, tall, 5);
    pen.fill();
    pen.save();
    pen.clip();
    pen.fillStyle = colorOf(track);
    pen.fillRect(x, top, wide * Math.max(0, track.value / track.most || 0), tall);
    pen.restore();
    pen.stroke();
  }

  // -------------------------------------------------------------------------------- statistics

  function drawFigure(track: Track, x: number, y: number, w: number, h: number): void {
    const { filling } = track;
    const base = y + h - 18;
    const room = h - 44;
    const most = Math.max(...filling.parts);
    pen.fillStyle = token("ink");
    pen.textAlign = "left";
    pen.fillText(track.name, x, y + 12);
    pen.textAlign = "right";
    const value = `${short(track.value)} ${track.unit}`.trim();
    if (h < FIGURE_LEAST) {
      // no room for columns: what they would say in a word
      pen.fillText(`${value}, mean ${short(filling.mean)}`, x + w, y + 12);
      return;
    }
    pen.fillText(value, x + w, y + 12);
    pen.fillStyle = colorOf(track);
    filling.parts.forEach((part, k) => {
      const tall = most > 0 ? (part / most) * room : 0;
      pen.fillRect(x + (k * w) / CLASSES, base - tall, w / CLASSES - 1.5, tall);
    });
    pen.strokeStyle = token("edge");
    pen.beginPath();
    pen.moveTo(x, base + 0.5);
    pen.lineTo(x + w, base + 0.5);
    pen.stroke();
    pen.fillStyle = token("soft");
    pen.textAlign = "left";
    if (!Number.isNaN(filling.low)) pen.fillText(short(filling.low), x, base + 13);
    pen.textAlign = "right";
    if (!Number.isNaN(filling.low))
      pen.fillText(short(filling.low + CLASSES * filling.width), x + w, base + 13);
    pen.textAlign = "center";
    pen.fillText(`mean ${short(filling.mean)}`, x + w / 2, base + 13);
  }

  function draw(): void {
    request = 0;
    const now = performance.now();
    const dt = Math.min(0.1, (now - drawn) / 1000);
    drawn = now;
    const ratio = Math.min(devicePixelRatio, 2);
    const { clientWidth: w, clientHeight: h } = canvas;
    if (!w || !h) return;
    canvas.width = w * ratio;
    canvas.height = h * ratio;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.font = `12px ${token("sans")}`;
    const { places } = floor.floor;
    // what is known of people is not drawn from counts once more
    const lanes = tracks.filter(
      ({ role }) => role === "level" || (role !== "figure" && !places.length),
    );
    const left = lanes.length + places.length ? 0.56 * w : 24;
    const walking: boolean[] = [];
    const lane = Math.min(130, (h - 64) / Math.max(1, lanes.length + places.length));
    const [x, width] = [28, left - 70];
    drawPlaces(
      new Map(places.map((place, i) => [place, { x, y: 56 + i * lane, width, height: lane }])),
      dt,
    );
    walking.push(crowd.moving);
    lanes.forEach((track, i) => {
      const y = 56 + (places.length + i) * lane;
      pen.fillStyle = token("soft");
      pen.textAlign = "left";
      pen.fillText(`${track.name}  ${short(track.value)} ${track.unit}`.trim(), 28, y + 6);
      if (track.role === "queue") {
        walking.push(walk(track, dt));
        drawQueue(track, 28, y, left - 70, lane);
      } else if (track.role === "store") drawStore(track, 28, y, left - 70, lane);
      else drawLevel(track, 28, y, left - 70, lane);
    });
    const columns = columnsFor(tracks.length, w - left, h - 64);
    const rows = Math.ceil(tracks.length / columns);
    const [cw, ch] = [(w - left - 24) / columns, Math.min(150, (h - 64) / rows)];
    tracks.forEach((track, i) => {
      const [column, row] = [i % columns, Math.floor(i / columns)];
      drawFigure(track, left + column * cw, 52 + row * ch, cw - 22, ch - 8);
    });
    if (walking.includes(true) && !still) request ||= requestAnimationFrame(draw);
  }

  let known: ReadonlyMap<string, Past> = new Map();
  function catchUp(track: Track, { t, v }: Past, time: number): void {
    while (track.at + 1 < t.length && t[track.at + 1]! <= time) {
      track.filling.take(v[track.at]!, t[track.at + 1]! - t[track.at]!);
      track.most = Math.max(track.most, v[track.at]! || 0);
      track.at++;
    }
  }

  // for those who do not see it: some times a second, and what is last in any case
  const TOLD_EVERY = 250; // ms
  let told = 0;
  let later = 0;
  function tellSoon(): void {
    const wait = told + TOLD_EVERY - performance.now();
    if (wait <= 0) tell();
    else later ||= window.setTimeout(tell, wait);
  }
  function tell(): void {
    told = performance.now();
    clearTimeout(later);
    later = 0;
    const words = tracks.map(
      ({ name, value, filling }) => `${name} ${short(value)}, mean ${short(filling.mean)}`,
    );
    const where = floor.floor.places.map(wordsOf);
    canvas.setAttribute("aria-label", `The process: ${[...where, ...words].join("; ")}`);
  }

  const again = () => (request ||= requestAnimationFrame(draw));
  const sizes = new ResizeObserver(again);
  sizes.observe(element);
  const theme = new MutationObserver(again);
  theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  return {
    canvas,
    history(past) {
      known = past;
      tracks = make();
      last = NaN;
      told = 0;
    },
    acts(acts, over) {
      if (over) {
        floor.set(acts);
        crowd.clear();
      } else floor.add(acts);
    },
    update(bindings, time) {
      if (time < last) tracks = make(); // another run, or back
      for (const track of tracks) {
        const past = known.get(track.name);
        if (past) catchUp(track, past, time);
        // what is known may be of before now: live, after time went back
        const since = past ? Math.max(last, past.t[past.t.length - 1] ?? -Infinity) : last;
        if (!past || time > since) track.filling.take(track.value, time - since);
        track.value = bindings.signal(track.name);
        if (Number.isFinite(track.value)) track.most = Math.max(track.most, track.value);
        if (track.role === "queue") follow(track);
      }
      floor.at(time);
      last = time;
      again();
      tellSoon();
    },
    destroy() {
      clearTimeout(later);
      cancelAnimationFrame(request);
      sizes.disconnect();
      theme.disconnect();
      canvas.remove();
    },
  };
}
