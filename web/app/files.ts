// The models of the folder that `foliot studio` serves, and files that come and go by hand.

export interface Listed {
  readonly name: string;
  readonly stamp: string;
}
export interface Loaded {
  readonly text: string;
  readonly stamp: string;
}

/** What the server says when it refuses. */
export class FileError extends Error {
  readonly status: number;
  constructor(status: number, text: string) {
    super(text);
    this.status = status;
  }
}

async function ask(path: string, init?: RequestInit): Promise<Response> {
  const answer = await fetch(new URL(path, document.baseURI), init);
  if (!answer.ok) throw new FileError(answer.status, (await answer.text()).trim());
  return answer;
}

export async function listFiles(): Promise<Listed[]> {
  return (await (await ask("files/")).json()) as Listed[];
}

export async function readFile(name: string): Promise<Loaded> {
  const answer = await ask(`files/${encodeURIComponent(name)}`);
  return { text: await answer.text(), stamp: answer.headers.get("x-stamp") ?? "" };
}

/** Resolves with the new version; a FileError with 409 says that the file is not `was` any more. */
export async function writeFile(name: string, text: string, was: string): Promise<string> {
  const path = `files/${encodeURIComponent(name)}?was=${encodeURIComponent(was)}`;
  return (await (await ask(path, { method: "PUT", body: text })).text()).trim();
}

export function download(name: string, content: BlobPart, type: string): void {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([content], { type }));
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// ------------------------------------------------------------------------------ models in a link

async function through(bytes: Uint8Array, stream: GenericTransformStream): Promise<Uint8Array> {
  const piped = new Blob([bytes as Uint8Array<ArrayBuffer>]).stream().pipeThrough(stream);
  return new Uint8Array(await new Response(piped).arrayBuffer());
}

/** A name and a text, and the scene that lies beside it, as a part of an address. */
export async function packLink(name: string, text: string, scene?: string): Promise<string> {
  const parts = scene ? [name, text, scene] : [name, text];
  const bytes = new TextEncoder().encode(JSON.stringify(parts));
  const packed = await through(bytes, new CompressionStream("deflate-raw"));
  let letters = "";
  for (const byte of packed) letters += String.fromCharCode(byte);
  return btoa(letters).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

const LINK_MOST = 1_000_000;

export interface Linked {
  readonly name: string;
  readonly text: string;
  readonly scene: string | undefined;
}

export async function unpackLink(link: string): Promise<Linked> {
  const letters = atob(link.replace(/-/g, "+").replace(/_/g, "/"));
  const packed = Uint8Array.from(letters, (letter) => letter.charCodeAt(0));
  const bytes = await through(packed, new DecompressionStream("deflate-raw"));
  const pair: unknown = JSON.parse(new TextDecoder().decode(bytes.subarray(0, LINK_MOST)));
  const [name, text, scene] = Array.isArray(pair) ? (pair as unknown[]) : [];
  if (typeof name !== "string" || typeof text !== "string")
    throw new Error("the link has no model in it");
  return { name, text, scene: typeof scene === "string" ? scene : undefined };
}
