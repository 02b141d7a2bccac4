// Opens what the address names, keeps what is changed, and saves it.
import { effect, signal } from "@preact/signals";
import { entries } from "../panels/entries.ts";
import {
  isSceneName,
  nothingBeside,
  parseScene,
  printScene,
  readBeside,
  sceneName,
  writeBeside,
  type Beside,
} from "./beside.ts";
import type { Desk } from "./contracts.ts";
import { changedOnDisk, hasDisk, saveFile } from "./disk.ts";
import { download, FileError, readFile, unpackLink, writeFile } from "./files.ts";
import { files, hashOf, refreshDrafts, refreshFiles, say, served, type Source } from "./state.ts";
import { dropDraft, keepVersion, readDraft, writeDraft } from "./storage.ts";
import type { Scene } from "../scene/model.ts";
import { follow, Work } from "./work.ts";

export const work = signal<Work | undefined>(undefined);
export const failure = signal("");

interface Found {
  readonly text: string | null;
  readonly stamp: string;
}

let fetched: Promise<Readonly<Record<string, string>>> | undefined;

/** The texts of the gallery's models by their paths, fetched once. */
function gallery(): Promise<Readonly<Record<string, string>>> {
  fetched ??= fetch(new URL("models.json", document.baseURI)).then(async (answer) => {
    if (!answer.ok) throw new Error("The gallery's models cannot be loaded.");
    return (await answer.json()) as Record<string, string>;
  });
  fetched.catch(() => (fetched = undefined)); // the next one tries again
  return fetched;
}

async function find(source: Source, name: string): Promise<Found> {
  if (source === "file") return readFile(name);
  const entry = source === "gallery" ? entries.find((e) => e.name === name) : undefined;
  if (!entry) throw new Error(`There is no model ${name} here.`);
  if (!entry.file) return { text: null, stamp: "" };
  const texts = await gallery();
  const path = Object.keys(texts).find((key) => key.endsWith(`/${entry.file}`));
  if (!path) throw new Error(`The model ${name} cannot be loaded.`);
  return { text: texts[path]!, stamp: "" };
}

let original: Found = { text: null, stamp: "" };
/** The scene in the file beside the one that is open. */
let beside: Beside = nothingBeside;
let turn = 0;

/** Opens a model; what was changed of it in this browser is there again. */
export async function openModel(desk: Desk, source: Source, name: string): Promise<void> {
  const mine = ++turn;
  const key = `${source}/${name}`;
  failure.value = "";
  try {
    const draft = await readDraft(key).catch(() => undefined);
    const found =
      source === "mine" && draft
        ? { text: draft.text, stamp: "" }
        : await find(source, name).catch((error: unknown) => {
            // a file that is gone is where it was changed
            const gone = error instanceof FileError && error.status === 404;
            if (gone && draft?.text != null) return { text: null, stamp: "" };
            throw error;
          });
    if (source === "file" && !files.peek().length) await refreshFiles();
    const lies =
      source === "file"
        ? await readBeside(name, files.peek()).catch((error: unknown) => {
            say((error as Error).message);
            return nothingBeside;
          })
        : nothingBeside;
    // the desk knows the kind by the name's ending
    const file = entries.find((e) => source === "gallery" && e.name === name)?.file;
    // a draft without a text has numbers and a scene alone
    const text = draft?.text ?? found.text;
    const fresh = new Work(desk, key, text, file, found.text);
    const gone = source === "file" && found.text === null;
    fresh.stamp.value = (draft?.text != null && !gone ? draft.stamp : undefined) ?? found.stamp;
    fresh.scene.value = draft?.scene === undefined ? lies.scene : (draft.scene ?? undefined);
    await fresh.open(draft?.settings ?? {});
    if (mine !== turn) {
      fresh.close();
      return;
    }
    const changed = text !== found.text || printScene(fresh.scene.value) !== printScene(lies.scene);
    fresh.saved.value = changed && source === "file" ? "changed" : "kept";
    original = found;
    beside = lies;
    work.value?.close();
    work.value = fresh;
  } catch (error) {
    if (mine === turn) failure.value = (error as Error).message;
  }
}

/** Keeps a text as one of the user's own, beside what has its name already; the name that it got. */
export async function keepMine(name: string, text: string, scene?: Scene): Promise<string> {
  const plain = name.replace(/[^\w. -]/g, "_");
  const [, stem = plain, ending = ""] =
    /^(.*?)((?:\.(?:structure|field))?\.\w+)?$/.exec(plain) ?? [];
  let free = plain;
  for (let k = 2; ; k++) {
    const there = await readDraft(`mine/${free}`).catch(() => undefined);
    if (!there) break;
    // it is there already, with what was set and drawn
    if (
      there.text === text &&
      (!scene || printScene(scene) === printScene(there.scene ?? undefined))
    )
      return free;
    free = `${stem} ${k}${ending}`;
  }
  await writeDraft({
    key: `mine/${free}`,
    text,
    settings: {},
    changed: Date.now(),
    ...(scene && { scene }),
  });
  await refreshDrafts();
  return free;
}

export async function openLink(data: string, figure = ""): Promise<void> {
  try {
    const { name, text, scene } = await unpackLink(data);
    const kept = await keepMine(name, text, scene ? parseScene(scene) : undefined);
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
  const drawn = printScene(now.scene.value) !== printScene(beside.scene);
  const inFile = now.text.value === original.text && !drawn;
  const [text, settings, scene] = [now.text.value, now.settings.value, now.scene.value];
  const same = inFile && !Object.keys(now.settings.value).length && !now.key.startsWith("mine/");
  try {
    if (same) await dropDraft(now.key);
    else
      await writeDraft({
        key: now.key,
        // the text of a file that nobody changed is in the file
        text:
          now.key.startsWith("file/") && now.text.value === original.text ? null : now.text.value,
        settings: now.settings.value,
        stamp: now.stamp.value,
        changed: Date.now(),
        ...(drawn && { scene: now.scene.value ?? null }),
      });
    // what was changed while it was being written is kept later
    const newest =
      now.text.value === text && now.settings.value === settings && now.scene.value === scene;
    if (newest && (!now.key.startsWith("file/") || inFile)) now.saved.value = "kept";
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
    const drawn = saveScene(now);
    say(drawn ? `${done.name} is saved, its scene as ${drawn}.` : `${done.name} is saved.`);
  } catch (error) {
    say(`Not saved: ${(error as Error).message}`);
  }
}

/** The scene of a model that has no place for it is a file of its own; its name, where one was made. */
function saveScene(now: Work): string | undefined {
  const scene = now.scene.value;
  if (!scene || printScene(scene) === printScene(beside.scene)) return undefined;
  const name = sceneName(now.fileName);
  download(name, printScene(scene), "application/json");
  beside = { scene, stamp: "" };
  return name;
}

/** A scene that was dropped is that of the model that is open. */
export function takeScene(name: string, text: string): void {
  const now = work.value;
  try {
    if (!now) throw new Error("open its model first");
    now.keepScene(parseScene(text));
    say(`${name} is the scene of ${now.name} now.`);
  } catch (error) {
    say(`${name} is not taken: ${(error as Error).message}`);
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
    else {
      download(now.fileName, text, "text/plain");
      saveScene(now);
    }
    return;
  }
  const own = now.key.startsWith("file/");
  const name = own ? now.name : await ask("Save in the folder as", now.fileName);
  if (!name) return;
  if (isSceneName(name)) {
    say(`${name} would be taken for the scene of another model.`);
    return;
  }
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
  const own = now.key.startsWith("file/");
  now.stamp.value = stamp;
  original = { text, stamp };
  beside = await writeBeside(name, now.scene.value, own ? beside : nothingBeside);
  now.saved.value = "kept";
  // numbers that were set in the panel are in no file: they stay here
  const settings = now.settings.value;
  const key = `file/${name}`;
  await dropDraft(now.key).catch(() => undefined);
  if (Object.keys(settings).length)
    await writeDraft({ key, text: null, settings, changed: Date.now() }).catch(() => undefined);
  await refreshDrafts();
  await refreshFiles();
  say(`${name} is saved.`);
  if (!own) location.hash = hashOf("file", name);
}

const GONE_AFTER = 1000; // ms: some programs take a file away for a moment when they write it

/** A file that is not in the folder any more is here alone, and is written again by saving. */
async function missed(now: Work): Promise<void> {
  await refreshFiles();
  const there = files.peek().some(({ name }) => name === now.name);
  if (there || work.peek() !== now || !now.stamp.peek()) return;
  now.stamp.value = "";
  original = { text: null, stamp: "" };
  now.saved.value = "changed";
  await keep();
  say(`${now.name} is not in the folder any more: saving writes it again.`);
}

// A file that somebody else has changed is read again, unless there are changes here.
effect(() => {
  const listed = files.value;
  const now = work.peek();
  if (!now?.key.startsWith("file/")) return;
  const stamp = listed.find(({ name }) => name === now.name)?.stamp;
  if (!stamp && now.stamp.peek()) setTimeout(() => void missed(now), GONE_AFTER);
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

// So is the scene beside it.
effect(() => {
  const listed = files.value;
  const now = work.peek();
  if (!now?.key.startsWith("file/")) return;
  const stamp = listed.find(({ name }) => name === sceneName(now.name))?.stamp ?? "";
  if (stamp === beside.stamp) return;
  const ours = printScene(now.scene.peek()) !== printScene(beside.scene);
  void readBeside(now.name, listed).then(
    (found) => {
      if (work.peek() !== now || found.stamp === beside.stamp) return;
      beside = found;
      if (ours) say(`The scene of ${now.name} has changed on disk, and here.`);
      else now.scene.value = found.scene;
    },
    (error: unknown) => say((error as Error).message),
  );
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
