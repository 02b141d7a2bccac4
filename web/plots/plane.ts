// One signal against another, on a canvas.
import { tickLabels } from "./axis.ts";
import type { Paper } from "./pen.ts";
import { ticks } from "./svg.ts";

const LEFT = 58;
const BOTTOM = 24;
const POINTS_MOST = 200000;

function range(...lists: readonly Float64Array[]): [number, number] {
  let [low, high] = [Infinity, -Infinity];
  for (const values of lists)
    for (const value of values)
      if (Number.isFinite(value)) [low, high] = [Math.min(low, value), Math.max(high, value)];
  if (!(high > low)) return Number.isFinite(low) ? [low - 1, high + 1] : [0, 1];
  const room = (high - low) * 0.05;
  return [low - room, high + room];
}

/** What is across, and what is up. */
export type Path = readonly [xs: Float64Array, ys: Float64Array];

/** The names of the signals stand at their axes; `under`: another run, which is drawn below it. */
export function drawPlane(
  { pen, width, height, token }: Paper,
  path: Path,
  [across, up]: readonly [string, string],
  under?: Path,
): void {
  const paths = under ? [under, path] : [path];
  const [x0, x1] = range(...paths.map(([xs]) => xs));
  const [y0, y1] = range(...paths.map(([, ys]) => ys));
  const x = (v: number) => LEFT + ((v - x0) / (x1 - x0)) * (width - LEFT - 12);
  const y = (v: number) => 8 + (1 - (v - y0) / (y1 - y0)) * (height - BOTTOM - 8);
  pen.font = `11px ${token("--mono")}`;
  pen.fillStyle = token("--faint");
  pen.strokeStyle = token("--line");
  pen.textAlign = "center";
  pen.beginPath();
  const xTicks = ticks(x0, x1, Math.max(2, width / 110));
  tickLabels(xTicks).forEach((words, i) => {
    const px = x(xTicks[i]!);
    pen.moveTo(px, 8);
    pen.lineTo(px, height - BOTTOM);
    pen.fillText(words, px, height - 8);
  });
  pen.textAlign = "right";
  const yTicks = ticks(y0, y1, Math.max(2, height / 50));
  tickLabels(yTicks).forEach((words, i) => {
    const py = y(yTicks[i]!);
    pen.moveTo(LEFT, py);
    pen.lineTo(width - 12, py);
    pen.fillText(words, LEFT - 6, py + 4);
  });
  pen.stroke();
  pen.fillStyle = token("--ink");
  pen.fillText(across, width - 16, height - BOTTOM - 6);
  pen.textAlign = "left";
  pen.fillText(up, LEFT + 6, 18);
  pen.lineJoin = "round";
  for (const [xs, ys] of paths) {
    const isUnder = xs === under?.[0];
    pen.strokeStyle = token(isUnder ? "--faint" : "--s1");
    pen.lineWidth = isUnder ? 1 : 1.25;
    pen.beginPath();
    const every = Math.max(1, Math.ceil(xs.length / POINTS_MOST));
    let drawing = false;
    for (let i = 0; i < xs.length; i += every) {
      const [px, py] = [x(xs[i]!), y(ys[i]!)];
      const known = Number.isFinite(px) && Number.isFinite(py);
      if (known && drawing) pen.lineTo(px, py);
      else if (known) pen.moveTo(px, py);
      drawing = known;
    }
    pen.stroke();
  }
}
