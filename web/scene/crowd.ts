// People of a process, walking: from where they are to where the floor says that they stand.
import type { Person, Place } from "./floor.ts";

const RADIUS = 8;
const GAP = 20; // between two in a line
const EASE = 9; // how fast they walk [1/s]
const SHOWN = 60; // of a line

export interface Lane {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

interface Walker {
  readonly person: Person;
  x: number;
  y: number;
  toX: number;
  toY: number;
  /** It has been served, or has lost its patience, and goes out. */
  leaving: boolean;
  /** From 1 to 0 on its way out. */
  seen: number;
}

export interface Ink {
  readonly line: string;
  readonly edge: string;
  readonly panel: string;
  readonly tint: string;
  readonly accent: string;
  readonly soft: string;
  readonly paper: string;
  readonly color: (who: string) => string;
}

/** Where the server of a lane is, and how large: room for as many as were ever in it. */
function desk(place: Place, { x, y, width, height }: Lane) {
  const most = Math.min(12, Math.max(1, place.most, place.store ? 1 : 0));
  const across = Math.ceil(most / 2);
  const w = most > 1 ? across * GAP + 14 : 2 * RADIUS + 18;
  const h = most > 1 ? 2 * GAP + 8 : 2 * RADIUS + 14;
  return { x: x + 0.7 * width, y: y + height / 2 - h / 2, w, h, most };
}

export class Crowd {
  readonly #walkers = new Map<string, Walker>();
  #moving = false;

  clear(): void {
    this.#walkers.clear();
  }
  get moving(): boolean {
    return this.#moving;
  }

  #send(person: Person, x: number, y: number, lane: Lane, here: Set<string>): void {
    here.add(person.key);
    let walker = this.#walkers.get(person.key);
    if (!walker || walker.leaving) {
      const from = { x: lane.x - 30, y: lane.y + lane.height / 2 };
      walker = { person, ...from, toX: x, toY: y, leaving: false, seen: 1 };
      this.#walkers.set(person.key, walker);
    }
    walker.toX = x;
    walker.toY = y;
  }

  #sendInside(place: Place, lane: Lane, here: Set<string>): void {
    const box = desk(place, lane);
    [...place.inside.keys()].slice(0, 12).forEach((person, k) => {
      const [column, row] = box.most > 1 ? [Math.floor(k / 2), k % 2] : [0, 0.5];
      const x = box.x + box.w / 2 + (column - (Math.ceil(box.most / 2) - 1) / 2) * GAP;
      this.#send(person, x, box.y + box.h / 2 + (row - 0.5) * GAP, lane, here);
    });
  }
  #sendLine(place: Place, lane: Lane, here: Set<string>): void {
    const box = desk(place, lane);
    const perRow = Math.max(1, Math.floor((box.x - lane.x - 24) / GAP));
    place.line.slice(0, SHOWN).forEach((person, k) => {
      const x = box.x - 18 - GAP * (k % perRow);
      const y = lane.y + lane.height / 2 - Math.floor(k / perRow) * GAP * 0.9;
      this.#send(person, x, y, lane, here);
    });
  }

  /** Everybody's way, after the floor has changed. */
  follow(lanes: ReadonlyMap<Place, Lane>): void {
    const here = new Set<string>();
    // who is served at one place and waits at another stands where it waits
    for (const [place, lane] of lanes) this.#sendInside(place, lane, here);
    for (const [place, lane] of lanes) this.#sendLine(place, lane, here);
    for (const [key, walker] of this.#walkers)
      if (!here.has(key) && !walker.leaving) {
        walker.leaving = true;
        walker.toX = walker.x + 90;
      }
  }

  /** Walks for a while; `still`: at once. */
  walk(dt: number, still: boolean): void {
    const part = still ? 1 : 1 - Math.exp(-EASE * dt);
    this.#moving = false;
    for (const [key, one] of this.#walkers) {
      one.x += part * (one.toX - one.x);
      one.y += part * (one.toY - one.y);
      if (one.leaving) one.seen -= still ? 1 : 3 * dt;
      if (one.seen <= 0) this.#walkers.delete(key);
      this.#moving ||= one.leaving || Math.abs(one.toX - one.x) + Math.abs(one.toY - one.y) > 0.4;
    }
  }

  drawPlace(pen: CanvasRenderingContext2D, place: Place, lane: Lane, ink: Ink): void {
    const box = desk(place, lane);
    const busy = place.inside.size > 0 || place.stored > 0;
    pen.strokeStyle = ink.line;
    pen.beginPath();
    pen.moveTo(lane.x, lane.y + lane.height / 2 + RADIUS + 4);
    pen.lineTo(lane.x + lane.width, lane.y + lane.height / 2 + RADIUS + 4);
    pen.stroke();
    pen.fillStyle = busy ? ink.tint : ink.panel;
    pen.strokeStyle = busy ? ink.accent : ink.edge;
    pen.lineWidth = 1.5;
    pen.beginPath();
    pen.roundRect(box.x, box.y, box.w, box.h, 6);
    pen.fill();
    pen.stroke();
    pen.lineWidth = 1;
    pen.fillStyle = ink.soft;
    pen.textAlign = "center";
    if (place.store) {
      pen.fillText(String(place.stored), box.x + box.w / 2, box.y + box.h / 2 + 4);
      this.#drawStored(pen, place, lane, box.x);
    }
    pen.textAlign = "left";
    const more = place.line.length - SHOWN;
    const said = [
      ...(more > 0 ? [`and ${more} more`] : []),
      ...(place.lost ? [`${place.lost} went away`] : []),
    ];
    if (said.length)
      pen.fillText(said.join(", "), box.x + box.w + 10, lane.y + lane.height / 2 + 4);
  }

  // Things without names, one behind the other.
  #drawStored(pen: CanvasRenderingContext2D, place: Place, lane: Lane, end: number): void {
    const perRow = Math.max(1, Math.floor((end - lane.x - 24) / GAP));
    for (let k = 0; k < Math.min(place.stored, SHOWN); k++) {
      const x = end - 16 - GAP * (k % perRow);
      pen.fillRect(
        x - 6,
        lane.y + lane.height / 2 - 6 - Math.floor(k / perRow) * GAP * 0.8,
        12,
        12,
      );
    }
  }

  draw(pen: CanvasRenderingContext2D, ink: Ink): void {
    pen.save();
    const font = pen.font;
    pen.textAlign = "center";
    for (const { person, x, y, seen } of this.#walkers.values()) {
      pen.globalAlpha = Math.max(0, Math.min(1, seen));
      pen.fillStyle = ink.color(person.who);
      pen.beginPath();
      pen.arc(x, y, RADIUS, 0, 2 * Math.PI);
      pen.fill();
      if (person.number > 999) continue;
      pen.fillStyle = ink.paper;
      pen.font = font.replace(/\d+px/, person.number > 99 ? "7px" : "9px"); // it stays inside
      pen.fillText(String(person.number), x, y + 3);
    }
    pen.restore();
  }
}
