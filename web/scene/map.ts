// A field seen from above: its nodes as colours, with the scale beside them; a field of one dimension as
// its profile. The alternative to the lit surface.
import { Range, scaleColor } from "./colors.ts";
import type { Bindings, FieldScene } from "./model.ts";

const MARGIN = { left: 44, right: 92, top: 18, bottom: 48 };
const BAR = 14; // width of the scale

export interface FieldMap {
  readonly canvas: HTMLCanvasElement;
  update(bindings: Bindings): void;
  /** The node under a point of the screen. */
  nodeAt(event: { clientX: number; clientY: number }): readonly [number, number] | undefined;
  /** Where a node is on the screen. */
  placeOf(i: number, j: number): readonly [number, number];
  /** The node that the keyboard is at, while the map has the focus. */
  at: readonly [number, number];
  draw(): void;
  destroy(): void;
}

const short = (value: number) => String(Number(value.toPrecision(3))).replace("-", "−");

/** The scale of a range: about zero where it has both signs, else from the least to the largest. */
export function scaleOf(range: Range): readonly [number, number] {
  if (!Number.isFinite(range.low)) return [-1, 1];
  if (range.low < 0) return [-range.reach, range.reach];
  return range.high > range.low ? [range.low, range.high] : [range.low, range.low + 1];
}

export function makeMap(
  element: HTMLElement,
  scene: FieldScene,
  probes: () => readonly (readonly [number, number])[],
): FieldMap {
  const [nx, ny] = scene.size;
  const canvas = document.createElement("canvas");
  canvas.className = "field-map";
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", "Map of the field");
  element.append(canvas);
  canvas.tabIndex = 0;
  canvas.addEventListener("focus", () => draw());
  canvas.addEventListener("blur", () => draw());
  const pen = canvas.getContext("2d")!;
  const range = new Range();
  const values = new Float64Array(nx * ny).fill(NaN);
  const small = document.createElement("canvas");
  small.width = nx;
  small.height = ny;
  const grain = small.getContext("2d")!;
  const pixels = grain.createImageData(nx, ny);

  /** The box of the map in pixels of the page: as the field is, not stretched. */
  const box = () => {
    const { clientWidth: w, clientHeight: h } = canvas;
    const room = { x: w - MARGIN.left - MARGIN.right, y: h - MARGIN.top - MARGIN.bottom };
    if (ny === 1) return { x: MARGIN.left, y: MARGIN.top, w: room.x, h: room.y };
    const scale = Math.min(room.x / scene.length[0], room.y / scene.length[1]);
    const size = { w: scene.length[0] * scale, h: scene.length[1] * scale };
    return {
      x: MARGIN.left + (room.x - size.w) / 2,
      y: MARGIN.top + (room.y - size.h) / 2,
      ...size,
    };
  };
  const token = (name: string) => getComputedStyle(element).getPropertyValue(`--${name}`).trim();

  function paintCells(at: ReturnType<typeof box>, [low, high]: readonly [number, number]): void {
    values.forEach((value, k) => {
      const [i, j] = [k % nx, Math.floor(k / nx)];
      const rgb = scaleColor((value - low) / (high - low));
      const to = 4 * (i + (ny - 1 - j) * nx); // the second axis points upward
      for (let c = 0; c < 3; c++) pixels.data[to + c] = Math.round(255 * rgb[c]!);
      pixels.data[to + 3] = Number.isFinite(value) ? 255 : 0;
    });
    grain.putImageData(pixels, 0, 0);
    pen.imageSmoothingEnabled = true;
    // nodes are points: the cells at the edge are half as wide
    const [cw, ch] = [nx > 1 ? (nx - 1) / nx : 1, ny > 1 ? (ny - 1) / ny : 1];
    const inset = [(nx * (1 - cw)) / 2, (ny * (1 - ch)) / 2] as const;
    pen.drawImage(small, inset[0], inset[1], nx * cw, ny * ch, at.x, at.y, at.w, at.h);
  }

  function paintProfile(at: ReturnType<typeof box>, [low, high]: readonly [number, number]): void {
    const y = (value: number) => at.y + at.h - ((value - low) / (high - low)) * at.h;
    if (low < 0) {
      pen.strokeStyle = token("line");
      pen.beginPath();
      pen.moveTo(at.x, y(0));
      pen.lineTo(at.x + at.w, y(0));
      pen.stroke();
    }
    pen.strokeStyle = token("s1");
    pen.lineWidth = 1.8;
    pen.beginPath();
    values.forEach((value, i) => {
      if (Number.isFinite(value)) pen.lineTo(at.x + (i / (nx - 1)) * at.w, y(value));
    });
    pen.stroke();
    pen.lineWidth = 1;
  }

  function paintScale(at: ReturnType<typeof box>, [low, high]: readonly [number, number]): void {
    const x = at.x + at.w + 16;
    for (let k = 0; k < at.h; k++) {
      const [r, g, b] = scaleColor(1 - k / at.h);
      pen.fillStyle = `rgb(${255 * r} ${255 * g} ${255 * b})`;
      pen.fillRect(x, at.y + k, BAR, 1.5);
    }
    pen.fillStyle = token("soft");
    pen.textAlign = "left";
    pen.textBaseline = "middle";
    for (const part of [0, 0.25, 0.5, 0.75, 1])
      pen.fillText(short(low + part * (high - low)), x + BAR + 6, at.y + (1 - part) * at.h);
  }

  function paintAxes(at: ReturnType<typeof box>, [low, high]: readonly [number, number]): void {
    pen.strokeStyle = token("edge");
    pen.strokeRect(at.x + 0.5, at.y + 0.5, at.w - 1, at.h - 1);
    pen.fillStyle = token("soft");
    pen.textBaseline = "top";
    pen.textAlign = "center";
    for (const part of [0, 0.5, 1])
      pen.fillText(short(part * scene.length[0]), at.x + part * at.w, at.y + at.h + 6);
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    const up = ny === 1 ? [low, high] : [0, scene.length[1]];
    for (const part of [0, 0.5, 1])
      pen.fillText(short(up[0]! + part * (up[1]! - up[0]!)), at.x - 6, at.y + (1 - part) * at.h);
  }

  function place(at: ReturnType<typeof box>, i: number, j: number): readonly [number, number] {
    const [low, high] = scaleOf(range);
    const up = ny > 1 ? j / (ny - 1) : ((values[i] ?? 0) - low) / (high - low);
    return [at.x + (i / Math.max(1, nx - 1)) * at.w, at.y + at.h - (up || 0) * at.h];
  }

  function draw(): void {
    const ratio = Math.min(devicePixelRatio, 2);
    const { clientWidth: w, clientHeight: h } = canvas;
    if (!w || !h || canvas.hidden) return;
    canvas.width = w * ratio;
    canvas.height = h * ratio;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.font = "11px " + token("mono");
    const at = box();
    const scale = scaleOf(range);
    if (ny === 1) paintProfile(at, scale);
    else {
      paintCells(at, scale);
      paintScale(at, scale);
    }
    paintAxes(at, scale);
    for (const [i, j] of probes()) {
      const [x, y] = place(at, i, j);
      pen.beginPath();
      pen.arc(x, y, 4.5, 0, 2 * Math.PI);
      pen.fillStyle = token("panel");
      pen.fill();
      pen.strokeStyle = token("ink");
      pen.lineWidth = 1.6;
      pen.stroke();
      pen.lineWidth = 1;
    }
    if (document.activeElement === canvas) {
      const [x, y] = place(at, ...handle.at);
      pen.strokeStyle = token("accent");
      pen.lineWidth = 2;
      pen.strokeRect(x - 8, y - 8, 16, 16);
      pen.lineWidth = 1;
    }
  }

  const sizes = new ResizeObserver(draw);
  sizes.observe(element);
  const theme = new MutationObserver(draw);
  theme.observe(document.documentElement, { attributeFilter: ["data-theme"] });
  const handle: FieldMap = {
    canvas,
    at: [nx >> 1, ny >> 1],
    draw,
    update(bindings) {
      scene.signals.forEach((name, k) => {
        const value = name === undefined ? NaN : bindings.signal(name);
        values[k] = value;
        range.take(value);
      });
      draw();
    },
    nodeAt({ clientX, clientY }) {
      const rect = canvas.getBoundingClientRect();
      const at = box();
      const u = (clientX - rect.left - at.x) / at.w;
      const v = 1 - (clientY - rect.top - at.y) / at.h;
      if (!(u >= -0.02 && u <= 1.02 && v >= -0.02 && v <= 1.02)) return undefined;
      const node = (part: number, count: number) =>
        Math.round(Math.min(1, Math.max(0, part)) * (count - 1));
      return [node(u, nx), ny > 1 ? node(v, ny) : 0];
    },
    placeOf(i, j) {
      const rect = canvas.getBoundingClientRect();
      const [x, y] = place(box(), i, j);
      return [rect.left + x, rect.top + y];
    },
    destroy() {
      sizes.disconnect();
      theme.disconnect();
      canvas.remove();
    },
  };
  return handle;
}
