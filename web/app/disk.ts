// Files on the user's disk through the file system API, where the browser has it: opened and saved in place, without a
// server. The handle of each file is kept with the model that was opened from it, so that a reload finds it again.
import { dropHandle, keepHandle, readHandle } from "./storage.ts";

interface Chooser {
  showOpenFilePicker(options: object): Promise<FileSystemFileHandle[]>;
  showSaveFilePicker(options: object): Promise<FileSystemFileHandle>;
}
interface Asking {
  queryPermission?(what: { mode: "readwrite" }): Promise<PermissionState>;
  requestPermission?(what: { mode: "readwrite" }): Promise<PermissionState>;
}

const chooser = window as unknown as Chooser;
export const hasDisk = () => typeof chooser.showOpenFilePicker === "function";

const types = (text = true, json = true) => [
  ...(text ? [{ description: "Modelica text", accept: { "text/x-modelica": [".mo"] } }] : []),
  ...(json ? [{ description: "Model document", accept: { "application/json": [".json"] } }] : []),
];

export interface DiskFile {
  readonly handle: FileSystemFileHandle;
  readonly name: string;
  readonly text: string;
  readonly modified: number;
}

async function look(handle: FileSystemFileHandle): Promise<DiskFile> {
  const file = await handle.getFile();
  return { handle, name: file.name, text: await file.text(), modified: file.lastModified };
}

/** Asks the user for files; none where the question was closed. */
export async function chooseFiles(): Promise<DiskFile[]> {
  try {
    const handles = await chooser.showOpenFilePicker({ multiple: true, types: types() });
    return await Promise.all(handles.map(look));
  } catch (error) {
    if ((error as Error).name === "AbortError") return [];
    throw error;
  }
}

/** From here on the model `key` is that file. */
export const bind = ({ handle, text, modified }: DiskFile, key: string) =>
  keepHandle({ key, handle, text, modified });
export const unbind = (key: string) => dropHandle(key);

async function mayWrite(handle: FileSystemFileHandle): Promise<boolean> {
  const asking = handle as Asking;
  const mode = { mode: "readwrite" } as const;
  if ((await asking.queryPermission?.(mode)) !== "prompt") return true;
  return (await asking.requestPermission?.(mode)) === "granted";
}

export type Saving =
  | { readonly is: "saved"; readonly name: string }
  | { readonly is: "left" }
  | { readonly is: "other"; readonly name: string };

/**
 * Writes a model into its file, or into one that the user chooses. "other": the file is not what was read or written
 * last, and `force` is not given; "left": the user chose none, or does not allow it.
 */
export async function saveFile(
  key: string,
  name: string,
  text: string,
  force = false,
): Promise<Saving> {
  const bound = await readHandle(key);
  let handle = bound?.handle;
  if (!handle) {
    const modelica = name.endsWith(".mo");
    try {
      handle = await chooser.showSaveFilePicker({
        suggestedName: name,
        types: types(modelica, !modelica),
      });
    } catch (error) {
      if ((error as Error).name === "AbortError") return { is: "left" };
      throw error;
    }
  }
  if (!(await mayWrite(handle))) return { is: "left" };
  if (bound && !force && (await changed(bound.handle, bound.modified)))
    return { is: "other", name: handle.name };
  // the browser writes beside it and puts it in its place when it is whole
  const stream = await handle.createWritable();
  await stream.write(text);
  await stream.close();
  await bind(await look(handle), key);
  return { is: "saved", name: handle.name };
}

/** A file that was moved away is written anew. */
async function changed(handle: FileSystemFileHandle, modified: number): Promise<boolean> {
  try {
    return (await handle.getFile()).lastModified !== modified;
  } catch (error) {
    if ((error as Error).name === "NotFoundError") return false;
    throw error;
  }
}

/**
 * What somebody else has written into the file of `key` since; undefined: nothing, or it is no file. `now` is what the
 * user has here: where that was changed, too, nothing is taken.
 */
export async function changedOnDisk(
  key: string,
  now: string,
): Promise<{ readonly text: string } | "both" | undefined> {
  const bound = await readHandle(key).catch(() => undefined);
  if (!bound) return undefined;
  try {
    const found = await look(bound.handle); // refused where reading was not allowed again
    if (found.modified === bound.modified) return undefined;
    if (now !== bound.text && now !== found.text) return "both";
    await bind(found, key);
    return { text: found.text };
  } catch {
    return undefined;
  }
}
