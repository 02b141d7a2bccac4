// Opens what the address names, keeps what is changed, and saves it.
import { effect, signal } from "@preact/signals";
import { entries } from "../panels/entries.ts";
import type { Desk } from "./contracts.ts";
import { changedOnDisk, hasDisk, saveFile } from "./disk.ts";
import { download, FileError, readFile, unpackLink, writeFile } from "./files.ts";
import { files, hashOf, refreshDrafts, refreshFiles, say, served, type Source } from "./state.ts";
import { dropDraft, keepVersion, readDraft, writeDraft } from "./storage.ts";
import { follow, Work } from "./work.ts";

export const work = signal<Work | undefined>(undefined);
export const failure = signal("");

interface Found {
  readonly text: string | null;
  readonly stamp: string;
}

async function find(source: Source, name: string): Promise<Found> {
  if (source === "file") return readFile(name);
  const entry = source === "gallery" ? entries.find((e) => e.name === name) : undefined;
  if (!entry) throw new Error(`There is no model ${name} here.`);
  if (!entry.file) return { text: null, stamp: "" };
  const answer = await fetch(new URL(`models/${entry.file}`, document.baseURI));
  if (!answer.ok) throw new Error(`The model ${name} cannot be loaded.`);
  return { text: await answer.text(), stamp: "" };
}

let original: Found = { text: null, stamp: "" };
let turn = 0;

/** Opens a model; what was changed of it in this browser is there again. */
export async function openModel(desk: Desk, source: Source, name: string): Promise<void> {
  const mine = ++turn;
  const key = `${source}/${name}`;
  failure.value = "";
  try {
    const draft = await readDraft(key).catch(() => undefined);
    const found =
      source === "mine" && draft ? { text: draft.text, stamp: "" } : await find(source, name);
    // the desk knows the kind by the name's ending
    const file = entries.find((e) => source === "gallery" && e.name === name)?.file;
    const fresh = new Work(desk, key, draft ? draft.text : found.text, file, found.text);
    fresh.stamp.value = draft?.stamp ?? found.stamp;
    fresh.scene.value = draft?.scene;
    await fresh.open(draft?.settings ?? {});
    if (mine !== turn) {
      fresh.close();
      return;
    }
    fresh.saved.value = draft && source === "file" ? "changed" : "kept";
    original = found;
    work.value?.close();
    work.value = fresh;
  } catch (error) {
    if (mine === turn) failure.value = (error as Error).message;
  }
}

/** Keeps a text as one of the user's own, beside what has its name already; the name that it got. */
export async function keepMine(name: string, text: string): Promise<string> {
  const plain = name.replace(/[^\w. -]/g, "_");
  const [, stem = plain, ending = ""] =
    /^(.*?)((?:\.(?:structure|field))?\.\w+)?$/.exec(plain) ?? [];
  let free = plain;
  for (let k = 2; ; k++) {
    const there = await readDraft(`mine/${free}`).catch(() => undefined);
    if (!there || there.text === text) break;
    free = `${stem} ${k}${ending}`;
  }
  await writeDraft({ key: `mine/${free}`, text, settings: {}, changed: Date.now() });
  await refreshDrafts();
  return free;
}

export async function openLink(data: string, figure = ""): Promise<void> {
  try {
    const { name, text } = await unpackLink(data);
    const kept = await keepMine(name, text);
    location.replace(hashOf("mine", kept) + (figure && `?${figure}`));
  } catch {
    failure.value = "The link has no model in it; perhaps it was cut off.";
  }
}

export function closeModel(): void {
  turn++;
  void keep();
  work.value?.close();
  work.value = undefined;
  failure.value = "";
}

// ----------------------------------------------------------------------------------------- keeping

let waiting: ReturnType<typeof setTimeout> | undefined;

/** Writes the draft of what is open, or drops it where nothing is changed. */
async function keep(): Promise<void> {
  clearTimeout(waiting);
  const now = work.value;
  if (!now || now.saved.value === "kept") return;
  const same =
    now.text.value === original.text &&
    !Object.keys(now.settings.value).length &&
    !now.scene.value &&
    !now.key.startsWith("mine/");
  try {
    if (same) await dropDraft(now.key);
    else
      await writeDraft({
        key: now.key,
        text: now.text.value,
        settings: now.settings.value,
        stamp: now.stamp.value,
        changed: Date.now(),
        ...(now.scene.value && { scene: now.scene.value }),
      });
    if (!now.key.startsWith("file/") || same) now.saved.value = "kept";
    void refreshDrafts();
  } catch {
    now.saved.value = "failed";
    say("This browser does not keep it: save or download the model.");
  }
}

effect(() => {
  const now = work.value;
  if (!now) return;
  follow(now.text.value, now.settings.value, now.scene.value); // these are what is kept
  clearTimeout(waiting);
  waiting = setTimeout(() => void keep(), 250);
});
addEventListener("visibilitychange", () => {
  if (document.visibilityState === "hidden") void keep();
});
addEventListener("pagehide", () => void keep());

// ------------------------------------------------------------------------------------------ saving

type Ask = (question: string, value: string) => Promise<string | undefined>;

/** Into a file of the user's choice, in place; what is open stays open. */
async function saveOnDisk(now: Work, text: string, ask: Ask): Promise<void> {
  try {
    let done = await saveFile(now.key, now.fileName, text);
    if (done.is === "other") {
      const question = `${done.name} on disk is not what you opened. Type its name to overwrite it`;
      if ((await ask(question, "")) === done.name)
        done = await saveFile(now.key, now.fileName, text, true);
    }
    if (done.is !== "saved") return;
    await keep(); // a reload finds what the file has
    say(`${done.name} is saved.`);
  } catch (error) {
    say(`Not saved: ${(error as Error).message}`);
  }
}

/** Into the folder or onto the disk, where there is one, else as a download. */
export async function save(ask: Ask) {
  const now = work.value;
  const text = now?.text.value;
  if (!now || text === null || text === undefined) return;
  void keepVersion(now.key, text, "saved");
  if (!served) {
    if (hasDisk()) await saveOnDisk(now, text, ask);
    else download(now.fileName, text, "text/plain");
    return;
  }
  const own = now.key.startsWith("file/");
  const name = own ? now.name : await ask("Save in the folder as", now.fileName);
  if (!name) return;
  try {
    const stamp = await writeFile(name, text, own ? now.stamp.value : "");
    await saved(now, name, text, stamp);
  } catch (error) {
    const conflict = error instanceof FileError && error.status === 409;
    const answer = conflict
      ? await ask(`${name} on disk is not what you opened. Type its name to overwrite it`, "")
      : undefined;
    if (conflict && answer === name) await saved(now, name, text, await writeFile(name, text, "*"));
    else say(`Not saved: ${(error as Error).message}`);
  }
}

async function saved(now: Work, name: string, text: string, stamp: string): Promise<void> {
  now.stamp.value = stamp;
  now.saved.value = "kept";
  original = { text, stamp };
  await dropDraft(now.key).catch(() => undefined);
  await refreshDrafts();
  await refreshFiles();
  say(`${name} is saved.`);
  if (!now.key.startsWith("file/")) location.hash = hashOf("file", name);
}

// A file that somebody else has changed is read again, unless there are changes here.
effect(() => {
  const listed = files.value;
  const now = work.peek();
  if (!now?.key.startsWith("file/")) return;
  const stamp = listed.find(({ name }) => name === now.name)?.stamp;
  if (!stamp || stamp === now.stamp.peek()) return;
  if (now.saved.peek() !== "kept") {
    say(`${now.name} has changed on disk, and here: saving will ask.`);
    return;
  }
  void readFile(now.name).then((found) => {
    now.stamp.value = found.stamp;
    original = found;
    now.edit(found.text);
    now.saved.value = "kept";
    say(`${now.name} has changed on disk and was read again.`);
  });
});

// So is a file of the disk, when one comes back to the page.
addEventListener("focus", () => {
  const now = work.peek();
  if (!now?.key.startsWith("mine/") || served) return;
  void changedOnDisk(now.key, now.text.peek() ?? "").then((found) => {
    if (!found || work.peek() !== now) return;
    if (found === "both") say(`${now.name} has changed on disk, and here: saving will ask.`);
    else if (found.text !== now.text.peek()) {
      now.edit(found.text);
      say(`${now.name} has changed on disk and was read again.`);
    }
  });
});
