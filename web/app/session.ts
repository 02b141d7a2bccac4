// What is being done with the open model: commands that buttons and keys share.
import { signal } from "@preact/signals";
import { ask } from "./ask.ts";
import { packLink } from "./files.ts";
import { Live } from "./live.ts";
import { save, work } from "./open.ts";
import { say } from "./state.ts";

export const live = signal<Live | undefined>(undefined);

export async function startLive(): Promise<void> {
  const now = work.value;
  if (!now?.description.value) return;
  const fresh = new Live(now);
  try {
    await fresh.start();
    live.value = fresh;
  } catch (error) {
    say(`It cannot go live: ${(error as Error).message}`);
  }
}

export function stopLive(): void {
  live.value?.stop();
  live.value = undefined;
}

export async function runOrCancel(): Promise<void> {
  const now = work.value;
  if (!now) return;
  if (now.running.value) {
    now.cancel();
    return;
  }
  stopLive();
  await now.start();
}

export const saveNow = () => save(ask);

export async function share(): Promise<void> {
  const now = work.value;
  if (now?.text.value === null || now?.text.value === undefined) return;
  const data = await packLink(now.fileName, now.text.value);
  const link = new URL(`#/link/${data}`, document.baseURI).href;
  try {
    await navigator.clipboard.writeText(link);
    say(`The link has ${link.length} characters and is in the clipboard.`);
  } catch {
    await ask("This link opens the model", link);
  }
}
