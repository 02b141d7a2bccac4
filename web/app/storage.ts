// What is kept in this browser: drafts of models, by where they come from ("gallery/ball.mo").

import type { Scene } from "../scene/model.ts";

export interface Draft {
  readonly key: string;
  readonly text: string | null;
  readonly settings: Readonly<Record<string, number>>;
  /** The version of the file that it is a change of, for files of a folder. */
  readonly stamp?: string;
  readonly changed: number;
  /** A scene that was made in the page. */
  readonly scene?: Scene;
}

const STORE = "drafts";

function open(): Promise<IDBDatabase> {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open("foliot", 1);
    request.onupgradeneeded = () => request.result.createObjectStore(STORE, { keyPath: "key" });
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error("no storage"));
  });
}

let database: Promise<IDBDatabase> | undefined;

async function transact<T>(
  mode: IDBTransactionMode,
  act: (store: IDBObjectStore) => IDBRequest<T>,
): Promise<T> {
  const db = await (database ??= open());
  return new Promise((resolve, reject) => {
    const transaction = db.transaction(STORE, mode, { durability: "strict" });
    const request = act(transaction.objectStore(STORE));
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
