import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

/** The diagrams of the gallery, by name. Tests are run from the repository's root. */
export const models: Readonly<Record<string, string>> = Object.fromEntries(
  readdirSync("models/diagrams")
    .filter((file) => file.endsWith(".json"))
    .map((file) => [file.slice(0, -5), readFileSync(join("models/diagrams", file), "utf8")]),
);

/** Whole numbers at random, below what is asked for (mulberry32). */
export function random(seed: number): (below: number) => number {
  let state = seed >>> 0;
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) % Math.max(1, below);
  };
}
