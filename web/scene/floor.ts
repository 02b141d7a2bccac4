// Who is where: the places of a process, the line before each and who is served there, from the acts that
// the engine tells. Nothing is guessed: a place is there because somebody waited or was served at it.
import type { ProcessAct } from "../engine/protocol.ts";

export interface Person {
  /** "car 17" */
  readonly key: string;
  readonly who: string;
  readonly number: number;
}

export interface Place {
  readonly name: string;
  /** Who waits, the first in the line first. */
  readonly line: Person[];
  /** Who is served, and with how much of it. */
  readonly inside: Map<Person, number>;
  /** What lies in it, of stores: things that were put and not taken yet. */
  stored: number;
  /** The most of each so far: how much room it takes. */
  most: number;
  /** Who has gone without having been served. */
  lost: number;
  /** Things are put into it and taken out of it one by one. */
  store: boolean;
}

const JOINS = new Set(["wait", "wait to put", "wait to get"]);
const LEAVES = new Set(["pass", "met", "put", "get"]);
const LOSES = new Set(["renege", "leave", "balk"]);

/** Acts that are kept to look back. */
const ACTS_MOST = 200_000;

export class Floor {
  /** In the order in which they were first named. */
  readonly places: Place[] = [];
  readonly #byName = new Map<string, Place>();
  readonly #people = new Map<string, Person>();
  /** The place that a person waits at. */
  readonly #waiting = new Map<Person, Place>();
  readonly #priorities = new Map<Person, number>();

  #placeOf(name: string): Place {
    let place = this.#byName.get(name);
    if (!place) {
      place = {
        name,
        line: [],
        inside: new Map(),
        stored: 0,
        most: 0,
        lost: 0,
        store: false,
      };
      this.#byName.set(name, place);
      this.places.push(place);
    }
    return place;
  }
  #personOf(who: string, number: number): Person {
    const key = `${who} ${number}`;
    let person = this.#people.get(key);
    if (!person) this.#people.set(key, (person = { key, who, number }));
    return person;
  }
  #unwait(person: Person): void {
    const place = this.#waiting.get(person);
    if (!place) return;
    this.#waiting.delete(person);
    this.#priorities.delete(person);
    place.line.splice(place.line.indexOf(person), 1);
  }

  // As the engine has it: the higher priority first, of those of one who came first.
  #join(person: Person, place: Place, priority: number): void {
    this.#unwait(person);
    this.#waiting.set(person, place);
    this.#priorities.set(person, priority);
    let at = place.line.length;
    while (at > 0 && (this.#priorities.get(place.line[at - 1]!) ?? 0) < priority) at--;
    place.line.splice(at, 0, person);
  }

  take([, who, number, what, action, amount, , , priority = 0]: ProcessAct): void {
    if (action === "end") {
      this.#gone(who, number);
      return;
    }
    if (!what || !who) return; // of itself, or a gate's own
    const person = this.#personOf(who, number);
    const place = this.#placeOf(what);
    if (JOINS.has(action)) {
      this.#join(person, place, priority);
    } else if (LEAVES.has(action)) {
      this.#unwait(person);
      this.#keep(place, action, amount);
    } else if (LOSES.has(action)) {
      this.#unwait(person);
      place.lost++;
    } else if (action === "seize") {
      this.#unwait(person);
      place.inside.set(person, (place.inside.get(person) ?? 0) + (amount ?? 1));
    } else if (action === "release" || action === "preempt") {
      const rest = (place.inside.get(person) ?? 0) - (amount ?? 1);
      if (rest > 0) place.inside.set(person, rest);
      else place.inside.delete(person);
    }
    place.most = Math.max(place.most, place.inside.size);
  }
  #keep(place: Place, action: string, amount: number | null): void {
    if (amount !== 1 || (action !== "put" && action !== "get")) return;
    place.store ||= action === "put";
    place.stored += action === "put" ? 1 : -1;
  }
  #gone(who: string, number: number): void {
    const person = this.#people.get(`${who} ${number}`);
    if (!person) return;
    this.#unwait(person);
    for (const place of this.places) place.inside.delete(person);
    this.#people.delete(person.key);
  }
}

/** The floor at any time of a run whose acts are known: forward in steps, back from the beginning. */
export class FloorAt {
  floor = new Floor();
  #acts: ProcessAct[] = [];
  #taken = 0;
  #time = -Infinity;

  /** The acts of a run that is over. */
  set(acts: readonly ProcessAct[]): void {
    this.#acts = [...acts];
    this.#again();
  }
  /** More of one that goes on. */
  add(acts: readonly ProcessAct[]): void {
    // of a long one what was taken is in the floor; farther back it cannot be looked then
    if (this.#acts.length > ACTS_MOST) {
      this.#acts.splice(0, this.#taken);
      this.#taken = 0;
    }
    for (const act of acts) this.#acts.push(act);
  }
  #again(): void {
    this.floor = new Floor();
    this.#taken = 0;
    this.#time = -Infinity;
  }
  at(time: number): Floor {
    if (time < this.#time) this.#again();
    this.#time = time;
    for (let act = this.#acts[this.#taken]; act && act[0] <= time; act = this.#acts[this.#taken]) {
      this.floor.take(act);
      this.#taken++;
    }
    return this.floor;
  }
}
