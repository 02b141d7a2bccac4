// What the whole page knows: the engine, where we are, what is kept where, and the theme.
import { signal } from "@preact/signals";
import { connect } from "../engine/client.ts";
import { isServed, openSocket } from "../engine/socket.ts";
import { openWorker } from "../engine/worker-client.ts";
import type { Desk } from "./contracts.ts";
import { listFiles, type Listed } from "./files.ts";
import { listDrafts, type Draft } from "./storage.ts";

// ------------------------------------------------------------------------------------- the engine

export type Engine =
  | { readonly state: "starting" }
  | { readonly state: "ready"; readonly desk: Desk; readonly version: string }
  | { readonly state: "failed"; readonly why: string };
export const engine = signal<Engine>({ state: "starting" });
/** True when the page comes from `foliot studio`, which has a folder of files. */
export const served = isServed(location);

/** How texts and diagrams are computed under `foliot studio`; the bits are the same. */
const PROGRAM = "foliot-program";
export const program = signal(
  localStorage.getItem(PROGRAM) === "bytecode" ? "bytecode" : "machine",
);
export async function chooseProgram(way: string): Promise<void> {
  const now = engine.value;
  if (now.state !== "ready") return;
  try {
    await now.desk.ask("program", { way });
    program.value = way;
    localStorage.setItem(PROGRAM, way);
  } catch (error) {
    say((error as Error).message);
  }
}

export async function startEngine(): Promise<void> {
  engine.value = { state: "starting" };
  try {
    const desk = await connect(served ? openSocket(() => void refreshFiles()) : openWorker);
    const { ok } = await desk.ask<{ foliot: string }>("hello", { versions: [1] });
    if (served && program.value !== "machine") await desk.ask("program", { way: program.value });
    engine.value = { state: "ready", desk, version: ok.foliot };
    void desk.closed.then((why) => (engine.value = { state: "failed", why }));
  } catch (error) {
    engine.value = { state: "failed", why: (error as Error).message };
  }
}

// ------------------------------------------------------------------------------------- where we are

export type Source = "gallery" | "file" | "mine";
export type Route =
  | { readonly page: "gallery" }
  | {
      readonly page: "model";
      readonly source: Source;
      readonly name: string;
      readonly figure: string;
    }
  | { readonly page: "link"; readonly data: string; readonly figure: string };

export function parseRoute(hash: string): Route {
  const [, first, rest = "", figure = ""] =
    /^#\/(gallery|file|mine|link)\/([^?]+)(?:\?(.*))?$/.exec(hash) ?? [];
  if (first === "link") return { page: "link", data: rest, figure };
  if (!first) return { page: "gallery" };
  try {
    return { page: "model", source: first as Source, name: decodeURIComponent(rest), figure };
  } catch {
    return { page: "gallery" };
  }
}
export const hashOf = (source: Source, name: string) => `#/${source}/${encodeURIComponent(name)}`;
export const route = signal<Route>(parseRoute(location.hash));
addEventListener("hashchange", () => (route.value = parseRoute(location.hash)));
export const goTo = (hash: string) => (location.hash = hash);

// ------------------------------------------------------------------------------- what is kept where

export const files = signal<readonly Listed[]>([]);
export const drafts = signal<readonly Draft[]>([]);

export async function refreshFiles(): Promise<void> {
  if (!served) return;
  files.value = await listFiles().catch(() => files.value);
}
export async function refreshDrafts(): Promise<void> {
  drafts.value = await listDrafts().catch(() => []);
}

// -------------------------------------------------------------------------------------- appearance

export type Theme = "light" | "dark";
const preferred = matchMedia("(prefers-color-scheme: dark)");
function readTheme(): Theme {
  const kept = localStorage.getItem("foliot-theme");
  return kept === "light" || kept === "dark" ? kept : preferred.matches ? "dark" : "light";
}
export const theme = signal<Theme>(readTheme());
export function toggleTheme(): void {
  theme.value = theme.value === "dark" ? "light" : "dark";
  localStorage.setItem("foliot-theme", theme.value);
}
preferred.addEventListener("change", () => (theme.value = readTheme()));

/** A model that was begun just now, which is drawn or filled in before it is looked at. */
export const begun = signal("");

export const dialog = signal<"keys" | "help" | "versions" | undefined>(undefined);
/** A line at the bottom that goes away by itself. */
export const notice = signal("");
let noticed: ReturnType<typeof setTimeout> | undefined;
export function say(text: string): void {
  notice.value = text;
  clearTimeout(noticed);
  noticed = setTimeout(() => (notice.value = ""), 6000);
}
