// A figure as a part of an address: which signals of a model, with which numbers, from when to when.

export interface Figure {
  readonly signals: readonly string[];
  readonly window?: readonly [number, number];
  readonly cursor?: number;
  readonly stop?: number;
  readonly settings: Readonly<Record<string, number>>;
}

export function packFigure({ signals, window, cursor, stop, settings }: Figure): string {
  const query = new URLSearchParams();
  for (const name of signals) query.append("y", name);
  if (window) query.append("t", window.map(String).join(","));
  if (cursor !== undefined) query.append("at", String(cursor));
  if (stop !== undefined) query.append("stop", String(stop));
  for (const [name, value] of Object.entries(settings)) query.append("set", `${name}=${value}`);
  return query.toString();
}

const finite = (text: string | null | undefined) => {
  const value = text ? Number(text) : NaN;
  return Number.isFinite(value) ? value : undefined;
};

/** What somebody else may have written: anything that makes no sense is left out. */
export function unpackFigure(text: string): Figure {
  const query = new URLSearchParams(text);
  const [from, to] = (query.get("t") ?? "").split(",").map((part) => finite(part));
  const cursor = finite(query.get("at"));
  const stop = finite(query.get("stop"));
  const settings: Record<string, number> = {};
  for (const pair of query.getAll("set").slice(0, 100)) {
    const at = pair.lastIndexOf("=");
    const value = finite(pair.slice(at + 1));
    if (at > 0 && value !== undefined) settings[pair.slice(0, at)] = value;
  }
  return {
    signals: query.getAll("y").slice(0, 40),
    ...(from !== undefined && to !== undefined && from < to && { window: [from, to] as const }),
    ...(cursor !== undefined && { cursor }),
    ...(stop !== undefined && stop > 0 && { stop }),
    settings,
  };
}
