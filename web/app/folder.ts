// A folder of a library that was dropped on the page: one text with all of its classes.

/** A file or folder, as a browser hands them over. */
export interface Dropped {
  readonly name: string;
  readonly text?: string;
  readonly inside?: readonly Dropped[];
}

const withoutWithin = (text: string) => text.replace(/^\uFEFF?\s*within\b[^;]*;\s*/, "");
const stem = (name: string) => name.replace(/\.mo$/, "");

/** Where the class of a file ends: before its last `end Name;`. */
function splitEnd(text: string, name: string): [string, string] | undefined {
  const all = [...text.matchAll(new RegExp(`^[ \\t]*end\\s+${name}\\s*;`, "gm"))];
  const last = all.at(-1);
  return last ? [text.slice(0, last.index), text.slice(last.index)] : undefined;
}

/** The package of a folder with everything below it inside; undefined: it has no package.mo. */
export function packageOf({ name, inside = [] }: Dropped): string | undefined {
  const own = inside.find((one) => one.name === "package.mo")?.text;
  const parts = own === undefined ? undefined : splitEnd(withoutWithin(own), name);
  if (!parts) return undefined;
  const order = (inside.find((one) => one.name === "package.order")?.text ?? "").split(/\s+/);
  const place = (one: Dropped) =>
    (order.indexOf(stem(one.name)) + order.length + 1) % (order.length + 1);
  const texts = inside
    .filter((one) => one.name !== "package.mo" && (one.inside ?? one.name.endsWith(".mo")))
    .sort((a, b) => place(a) - place(b) || (a.name < b.name ? -1 : 1))
    .flatMap((one) => (one.inside ? packageOf(one) : withoutWithin(one.text ?? "")) ?? []);
  return `${parts[0]}${texts.map((text) => text.replace(/\n*$/, "\n")).join("\n")}${parts[1]}`;
}

const fileOf = (entry: FileSystemFileEntry) =>
  new Promise<File>((resolve, reject) => entry.file(resolve, reject));

/** Entries come a hundred at a time. */
async function entriesOf(folder: FileSystemDirectoryEntry): Promise<FileSystemEntry[]> {
  const reader = folder.createReader();
  const all: FileSystemEntry[] = [];
  for (;;) {
    const some = await new Promise<FileSystemEntry[]>((resolve, reject) =>
      reader.readEntries(resolve, reject),
    );
    if (!some.length) return all;
    all.push(...some);
  }
}

/** Reads what matters of a library: texts and the order of packages. */
export async function readDropped(entry: FileSystemEntry): Promise<Dropped> {
  const { name } = entry;
  if (!entry.isDirectory) {
    const wanted = name.endsWith(".mo") || name === "package.order";
    return { name, text: wanted ? await (await fileOf(entry as FileSystemFileEntry)).text() : "" };
  }
  const list = await entriesOf(entry as FileSystemDirectoryEntry);
  return { name, inside: await Promise.all(list.map(readDropped)) };
}
