// Which nodes the search offers: by name, those with fitting ports first. "gain 0.5" is a Gain with
// 0.5 as its first number.
import { paletteMarkup } from "./markup.ts";
import { rank } from "./chooser.ts";
import type { Choice } from "./chooser.ts";
import type { Kinds, NodeKind } from "./kinds.ts";
import type { JsonObject } from "../document/json.ts";

/** The name that is searched, and the number behind it. */
export function splitNumber(text: string): { name: string; number: number | undefined } {
  const match = /^(.*\S)\s+(-?(?:\d+\.?\d*|\.\d+)(?:e[-+]?\d+)?)$/i.exec(text.trim());
  return match
    ? { name: match[1]!, number: Number(match[2]) }
    : { name: text.trim(), number: undefined };
}

function numberParameter(kind: NodeKind, number: number | undefined): JsonObject {
  const first = kind.parameters.find((p) => ["real", "complex", "number"].includes(p.kind));
  return number !== undefined && first ? { [first.name]: number } : {};
}

export function offers(
  kinds: Kinds,
  query: string,
  wanted: "input" | "output" | undefined,
  inside: boolean,
  pick: (kind: NodeKind, parameters: JsonObject) => void,
): Choice[] {
  const whole = rankAll(kinds, query, wanted, inside);
  const { name, number } = splitNumber(query);
  const ranked =
    whole.length || number === undefined ? whole : rankAll(kinds, name, wanted, inside);
  const given = whole.length ? undefined : number;
  return ranked.map(({ kind }) => ({
    label: kind.name,
    detail: given === undefined ? kind.set : `${kind.set} · ${given}`,
    picture: paletteMarkup(kind.name, kinds),
    pick: () => pick(kind, numberParameter(kind, given)),
  }));
}

function rankAll(
  kinds: Kinds,
  query: string,
  wanted: "input" | "output" | undefined,
  inside: boolean,
): { kind: NodeKind; score: number }[] {
  return kinds.list
    .flatMap((kind) => {
      const score = rank(query, kind.name, kind.about);
      if (score === undefined) return [];
      if (!inside && (kind.name === "Input Port" || kind.name === "Output Port")) return [];
      const has = wanted === "input" ? kind.inputs.length : kind.outputs.length;
      return { kind, score: score + (wanted && !has && kind.name !== "Subsystem" ? 10 : 0) };
    })
    .sort((a, b) => a.score - b.score);
}
