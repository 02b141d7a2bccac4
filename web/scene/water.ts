// What a pointer does to a field: it dips into it while it is live, or places probes.
import { Vector3 } from "three";
import type { Actor } from "./shapes.ts";
import type { FieldMap } from "./map.ts";
import type { FieldScene } from "./model.ts";
import type { Stage } from "./stage.ts";

/** How wide a finger is, in nodes (the deviation of a bell), and how deep in parts of the reach. */
const WIDE = 1.3;
const DEEP = 0.5;

export type Cell = readonly [number, number];

/** The nodes that a finger at a node changes, and by how much: a bell of height 1. */
export function bell([nx, ny]: readonly [number, number], [i, j]: Cell): [number, number][] {
  const reach = Math.ceil(2 * WIDE);
  const list: [number, number][] = [];
  for (let dj = ny > 1 ? -reach : 0; dj <= (ny > 1 ? reach : 0); dj++)
    for (let di = -reach; di <= reach; di++) {
      const [a, b] = [i + di, j + dj];
      const far = di * di + dj * dj;
      if (a < 0 || b < 0 || a >= nx || b >= ny || far > reach * reach) continue;
      list.push([a + b * nx, Math.exp(-far / (2 * WIDE * WIDE))]);
    }
  return list;
}

export interface WaterDef {
  readonly stage: Stage;
  readonly map: FieldMap;
  readonly scene: FieldScene;
  readonly actor: Actor | undefined;
  /** How far values go from zero. */
  reach(): number;
  read(signal: string): number;
  probing(): boolean;
  onProbe?: ((cell: Cell) => void) | undefined;
  onTouch?: ((pairs: readonly (readonly [string, number])[], cell: Cell) => void) | undefined;
}

/** The node under the pointer on the surface. */
function surfaceCell(def: WaterDef, event: PointerEvent): Cell | undefined {
  const body = def.actor?.body;
  const hit = body && def.stage.hit(event, [body]);
  if (!hit) return undefined;
  const [nx, ny] = def.scene.size;
  const [lx, ly] = def.scene.length;
  const p = body.worldToLocal(new Vector3().copy(hit.point));
  const part = (x: number, n: number) => Math.min(n - 1, Math.max(0, Math.round(x * (n - 1))));
  return [part(p.x / lx + 0.5, nx), ny > 1 ? part(0.5 - p.z / ly, ny) : 0];
}

export function touchWater(def: WaterDef): () => void {
  let last: Cell | undefined;
  let down = false;
  const dip = (cell: Cell) => {
    if (last && last[0] === cell[0] && last[1] === cell[1]) return;
    last = cell;
    const depth = DEEP * def.reach();
    const pairs = bell(def.scene.size, cell).flatMap(([k, part]): [string, number][] => {
      const name = def.scene.signals[k];
      const now = name === undefined ? NaN : def.read(name);
      return name !== undefined && Number.isFinite(now) ? [[name, now + depth * part]] : [];
    });
    if (pairs.length) def.onTouch?.(pairs, cell);
  };
  const cellOf = (event: PointerEvent) =>
    event.currentTarget === def.map.canvas ? def.map.nodeAt(event) : surfaceCell(def, event);
  const begin = (event: PointerEvent) => {
    if (event.button !== 0 || (!def.probing() && !def.onTouch)) return;
    const cell = cellOf(event);
    if (!cell) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (def.probing()) {
      def.onProbe?.(cell);
      return;
    }
    down = true;
    last = undefined;
    (event.currentTarget as Element).setPointerCapture(event.pointerId);
    def.stage.controls.enabled = false;
    dip(cell);
  };
  const move = (event: PointerEvent) => {
    if (!down) return;
    const cell = cellOf(event);
    if (cell) dip(cell);
  };
  const end = () => {
    down = false;
    def.stage.controls.enabled = true;
  };
  // by the keyboard: arrows choose a node of the map, Enter touches it
  const steps: Readonly<Record<string, Cell>> = {
    ArrowLeft: [-1, 0],
    ArrowRight: [1, 0],
    ArrowUp: [0, 1],
    ArrowDown: [0, -1],
  };
  const key = (event: KeyboardEvent) => {
    const [nx, ny] = def.scene.size;
    const step = steps[event.key];
    if (step) {
      const [i, j] = def.map.at;
      const inside = (k: number, n: number) => Math.min(n - 1, Math.max(0, k));
      def.map.at = [inside(i + step[0], nx), inside(j + step[1], ny)];
      def.map.draw();
    } else if (event.key === "Enter" && def.probing()) def.onProbe?.(def.map.at);
    else if (event.key === "Enter" && def.onTouch) {
      last = undefined;
      dip(def.map.at);
    } else return;
    event.preventDefault();
  };
  def.map.canvas.addEventListener("keydown", key);
  const places = [def.map.canvas, def.stage.canvas];
  for (const place of places) {
    place.addEventListener("pointerdown", begin, true);
    place.addEventListener("pointermove", move);
    place.addEventListener("pointerup", end);
    place.addEventListener("pointercancel", end);
  }
  return () => {
    def.map.canvas.removeEventListener("keydown", key);
    for (const place of places) {
      place.removeEventListener("pointerdown", begin, true);
      place.removeEventListener("pointermove", move);
      place.removeEventListener("pointerup", end);
      place.removeEventListener("pointercancel", end);
    }
  };
}
