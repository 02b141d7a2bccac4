// What is being done with the open model: commands that buttons and keys share.
import { signal } from "@preact/signals";
import { ask } from "./ask.ts";
import { printScene } from "./beside.ts";
import { packLink } from "./files.ts";
import type { Live } from "./live.ts";
import { save, work } from "./open.ts";
import { hashOf, say } from "./state.ts";
import { keepVersion } from "./storage.ts";
import type { Work } from "./work.ts";

export const live = signal<Live | undefined>(undefined);

export async function startLive(): Promise<void> {
  const now = work.value;
  if (!now?.description.value) return;
  try {
    const { Live } = await import("./live.ts");
    const fresh = new Live(now);
    await fresh.start();
    live.value = fresh;
  } catch (error) {
    say(`It cannot go live: ${(error as Error).message}`);
  }
}

export function stopLive(): void {
  void live.value?.stop();
  live.value = undefined;
}

/** The recording of the last live model that was kept, to be downloaded. */
export const recording = signal<Uint8Array | undefined>(undefined);

/** Ends the live model, and makes a run of all that happened in it. */
export async function keepLive(): Promise<void> {
  const [now, alive] = [work.value, live.value];
  if (!now || !alive) return;
  const bytes = await alive.stop();
  live.value = undefined;
  if (!bytes?.length) {
    say("Nothing was recorded.");
    return;
  }
  recording.value = bytes;
  await replayRecording(bytes);
}

/** Carries a recording through again in the model that is open. */
export async function replayRecording(bytes: Uint8Array): Promise<void> {
  const end = /^(\S+) end /m.exec(new TextDecoder().decode(bytes));
  try {
    if (!end) throw new Error("it is no recording of a live model");
    if (!work.value) throw new Error("open its model first");
    await work.value.replay(bytes, Number(end[1]));
    say("What you did is a run now: play it, compare it, export it.");
  } catch (error) {
    say(`It cannot be replayed: ${(error as Error).message}`);
  }
}

export async function runOrCancel(): Promise<void> {
  const now = work.value;
  if (!now) return;
  if (now.running.value) {
    now.cancel();
    return;
  }
  stopLive();
  const text = now.text.value;
  if (text !== null) void keepVersion(now.key, text, "run");
  await now.start();
}

export const saveNow = () => save(ask);

const sceneOf = ({ scene }: Work) => (scene.value ? printScene(scene.value) : undefined);

export async function share(): Promise<void> {
  const now = work.value;
  if (now?.text.value === null || now?.text.value === undefined) return;
  const data = await packLink(now.fileName, now.text.value, sceneOf(now));
  await giveLink(`#/link/${data}`);
}

/** A link that opens the model with a text, runs it and draws a figure (packFigure). */
export async function shareFigure(text: string | null, figure: string): Promise<void> {
  const now = work.value;
  if (!now) return;
  const own = !now.key.startsWith("gallery/") || now.isChanged(text) || now.scene.value;
  const place =
    own && text !== null
      ? `#/link/${await packLink(now.fileName, text, sceneOf(now))}`
      : hashOf("gallery", now.name);
  await giveLink(`${place}?${figure}`);
}

async function giveLink(hash: string): Promise<void> {
  const link = new URL(hash, document.baseURI).href;
  try {
    await navigator.clipboard.writeText(link);
    say(`The link has ${link.length} characters and is in the clipboard.`);
  } catch {
    await ask("This link opens the model", link);
  }
}
