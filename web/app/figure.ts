// A figure as a part of an address: which signals of a model, with which numbers, from when to when.
import type { RunChoices } from "./work.ts";

/** What a run was made with. */
export interface Conditions {
  readonly settings: Readonly<Record<string, number>>;
  readonly choices: RunChoices;
}

export interface Figure extends Conditions {
  readonly signals: readonly string[];
  /** What is drawn: "xy", "histogram" or "table"; undefined: over time. */
  readonly kind?: string;
  /** What is across and up, or what the histogram is of. */
  readonly axes?: readonly string[];
  readonly window?: readonly [number, number];
  readonly cursor?: number;
  /** The run that is drawn under it. */
  readonly against?: Conditions;
}

const NUMBERS = ["stop", "rtol", "interval", "seed"] as const;

function put(query: URLSearchParams, { settings, choices }: Conditions): URLSearchParams {
  for (const name of NUMBERS)
    if (choices[name] !== undefined) query.append(name, String(choices[name]));
  if (choices.solver) query.append("solver", choices.solver);
  for (const [name, value] of Object.entries(settings)) query.append("set", `${name}=${value}`);
  return query;
}

export function packFigure(figure: Figure): string {
  const { signals, kind, axes = [], window, cursor, against } = figure;
  const query = new URLSearchParams();
  for (const name of signals) query.append("y", name);
  if (kind) query.append("as", kind);
  for (const name of axes) query.append("of", name);
  if (window) query.append("t", window.map(String).join(","));
  if (cursor !== undefined) query.append("at", String(cursor));
  put(query, figure);
  if (against) query.append("with", put(new URLSearchParams(), against).toString());
  return query.toString();
}

const finite = (text: string | null | undefined) => {
  const value = text ? Number(text) : NaN;
  return Number.isFinite(value) ? value : undefined;
};

function conditions(query: URLSearchParams): Conditions {
  const settings: Record<string, number> = {};
  for (const pair of query.getAll("set").slice(0, 100)) {
    const at = pair.lastIndexOf("=");
    const value = finite(pair.slice(at + 1));
    if (at > 0 && value !== undefined) settings[pair.slice(0, at)] = value;
  }
  const choices: Partial<Record<(typeof NUMBERS)[number], number>> = {};
  for (const name of NUMBERS) {
    const value = finite(query.get(name));
    if (value !== undefined && (name === "seed" ? value >= 0 : value > 0)) choices[name] = value;
  }
  const solver = query.get("solver");
  return { settings, choices: { ...choices, ...(solver && { solver }) } };
}

/** What somebody else may have written: anything that makes no sense is left out. */
export function unpackFigure(text: string): Figure {
  const query = new URLSearchParams(text);
  const [from, to] = (query.get("t") ?? "").split(",").map((part) => finite(part));
  const cursor = finite(query.get("at"));
  const kind = query.get("as") ?? "";
  const under = query.get("with");
  return {
    signals: query.getAll("y").slice(0, 40),
    ...(/^(xy|histogram|table)$/.test(kind) && { kind }),
    ...(query.has("of") && { axes: query.getAll("of").slice(0, 2) }),
    ...(from !== undefined && to !== undefined && from < to && { window: [from, to] as const }),
    ...(cursor !== undefined && { cursor }),
    ...conditions(query),
    ...(under !== null && { against: conditions(new URLSearchParams(under)) }),
  };
}
