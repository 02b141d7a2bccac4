// What is kept in this browser: drafts of models, by where they come from ("gallery/ball.mo").

import type { Scene } from "../scene/model.ts";

export interface Draft {
  readonly key: string;
  readonly text: string | null;
  readonly settings: Readonly<Record<string, number>>;
  /** The version of the file that it is a change of, for files of a folder. */
  readonly stamp?: string;
  readonly changed: number;
  /** A scene that was made in the page; null: the one beside the file was taken away. */
  readonly scene?: Scene | null;
}

/** A text as it once was. */
export interface Version {
  readonly key: string;
  readonly time: number;
  readonly text: string;
  /** "run", "saved" */
  readonly why: string;
}

const STORE = "drafts";
const VERSIONS = "versions";
const HANDLES = "handles";
const VERSIONS_MOST = 40; // of one model

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("foliot", 3);
    request.onupgradeneeded = ({ oldVersion }) => {
      const { result } = request;
      if (oldVersion < 1) result.createObjectStore(STORE, { keyPath: "key" });
      if (oldVersion < 2) result.createObjectStore(VERSIONS, { keyPath: ["key", "time"] });
      result.createObjectStore(HANDLES, { keyPath: "key" });
    };
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("no storage"));
  });
}

let database: Promise<IDBDatabase> | undefined;

async function transact<T>(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<T>,
  name = STORE,
): Promise<T> {
  const db = await (database ??= open());
  return new Promise((resolve, reject) => {
    const transaction = db.transaction(name, mode, { durability: "strict" });
    const request = act(transaction.objectStore(name));
    transaction.oncomplete = () => resolve(request.result);
    transaction.onabort = () => reject(transaction.error ?? new Error("not stored"));
  });
}

export const readDraft = (key: string) =>
  transact<Draft | undefined>(
    "readonly",
    (store) => store.get(key) as IDBRequest<Draft | undefined>,
  );
export function writeDraft(draft: Draft) {
  // browsers may delete what is not asked to stay
  void navigator.storage.persist().catch(() => false);
  return transact("readwrite", (store) => store.put(draft));
}
export const dropDraft = (key: string) => transact("readwrite", (store) => store.delete(key));
export const listDrafts = () =>
  transact<Draft[]>("readonly", (store) => store.getAll() as IDBRequest<Draft[]>);

// ---------------------------------------------------------------------------------------- versions

/** Of one model, the newest first. */
export async function listVersions(key: string): Promise<Version[]> {
  const range = IDBKeyRange.bound([key, 0], [key, Infinity]);
  const list = await transact<Version[]>(
    "readonly",
    (store) => store.getAll(range) as IDBRequest<Version[]>,
    VERSIONS,
  ).catch(() => []);
  return list.reverse();
}

/** Keeps a text, unless it is that of the newest version; the oldest go. */
export async function keepVersion(key: string, text: string, why: string): Promise<void> {
  const list = await listVersions(key);
  if (list[0]?.text === text) return;
  const version: Version = { key, time: Math.max(Date.now(), (list[0]?.time ?? 0) + 1), text, why };
  await transact("readwrite", (store) => store.put(version), VERSIONS).catch(() => undefined);
  for (const old of list.slice(VERSIONS_MOST - 1))
    await transact("readwrite", (store) => store.delete([key, old.time]), VERSIONS).catch(
      () => undefined,
    );
}

// ----------------------------------------------------------------------------------- files on the disk

/** The file on the user's disk that a model was opened from or saved to, and what was in it then. */
export interface Bound {
  readonly key: string;
  readonly handle: FileSystemFileHandle;
  readonly text: string;
  readonly modified: number;
}

export const keepHandle = (bound: Bound) =>
  transact("readwrite", (store) => store.put(bound), HANDLES);
export const readHandle = (key: string) =>
  transact<Bound | undefined>(
    "readonly",
    (store) => store.get(key) as IDBRequest<Bound | undefined>,
    HANDLES,
  );
export const dropHandle = (key: string) =>
  transact("readwrite", (store) => store.delete(key), HANDLES);

// -------------------------------------------------------------------------------- ends of sliders

type AllEnds = Readonly<Record<string, readonly [number, number]>>;
const ENDS = "foliot-ends ";

/** The ends of a model's sliders that were given by hand. */
export function readEnds(key: string): AllEnds {
  try {
    const kept: unknown = JSON.parse(localStorage.getItem(ENDS + key) ?? "{}");
    const isRange = (value: unknown) =>
      Array.isArray(value) && value.length === 2 && value.every(Number.isFinite);
    const list = Object.entries(kept as AllEnds).filter(([, ends]) => isRange(ends));
    return Object.fromEntries(list);
  } catch {
    return {};
  }
}
export function keepEnds(key: string, ends: AllEnds): void {
  try {
    if (Object.keys(ends).length) localStorage.setItem(ENDS + key, JSON.stringify(ends));
    else localStorage.removeItem(ENDS + key);
  } catch {
    // a browser that keeps nothing: they hold until the page is left
  }
}
