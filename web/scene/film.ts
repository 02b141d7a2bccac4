// Films of a run at fixed times of its own, however long drawing takes: WebM through WebCodecs, or the
// frames as PNG in a ZIP.

/** Draws frame k and gives its canvas; the film is made of what is on it then. */
export interface FilmDef {
  readonly frames: number;
  readonly rate: number;
  draw(frame: number): HTMLCanvasElement;
  /** Told how far it is, from 0 to 1; false ends it. */
  progress(part: number): boolean;
}

const pause = () => new Promise<void>((go) => setTimeout(go, 0));

// ------------------------------------------------------------------------------------------- WebM

const bytesOf = (value: number, count: number): number[] =>
  Array.from({ length: count }, (_, i) => Math.floor(value / 256 ** (count - 1 - i)) % 256);

/** The shortest whole number of EBML. */
function plain(value: number): number[] {
  let count = 1;
  while (value >= 256 ** count) count++;
  return bytesOf(value, count);
}
function float(value: number): number[] {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return [...new Uint8Array(view.buffer)];
}
const letters = (text: string) => [...new TextEncoder().encode(text)];

/** An element: its id, its size in eight bytes, what is in it. */
function element(id: number, content: readonly (Uint8Array | number[])[]): Uint8Array {
  const size = content.reduce((sum, part) => sum + part.length, 0);
  const head = [...plain(id), 0x01, ...bytesOf(size, 7)];
  const all = new Uint8Array(head.length + size);
  all.set(head);
  let at = head.length;
  for (const part of content) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}

export interface Chunk {
  readonly data: Uint8Array;
  readonly key: boolean;
  /** [ms] */
  readonly time: number;
}

/** Frames that an encoder has made as a file; players know its length at once. */
export function webm(chunks: readonly Chunk[], size: readonly [number, number], rate: number) {
  const head = element(0x1a45dfa3, [
    element(0x4286, [[1]]),
    element(0x42f7, [[1]]),
    element(0x42f2, [[4]]),
    element(0x42f3, [[8]]),
    element(0x4282, [letters("webm")]),
    element(0x4287, [[2]]),
    element(0x4285, [[2]]),
  ]);
  const info = element(0x1549a966, [
    element(0x2ad7b1, [plain(1_000_000)]), // times are in milliseconds
    element(0x4489, [float((1000 * chunks.length) / rate)]),
    element(0x4d80, [letters("foliot")]),
    element(0x5741, [letters("foliot")]),
  ]);
  const tracks = element(0x1654ae6b, [
    element(0xae, [
      element(0xd7, [[1]]),
      element(0x73c5, [[1]]),
      element(0x83, [[1]]),
      element(0x86, [letters("V_VP8")]),
      element(0xe0, [element(0xb0, [plain(size[0])]), element(0xba, [plain(size[1])])]),
    ]),
  ]);
  const clusters: Uint8Array[] = [];
  let blocks: Uint8Array[] = [];
  let begin = 0;
  const close = () => {
    if (blocks.length)
      clusters.push(element(0x1f43b675, [element(0xe7, [plain(begin)]), ...blocks]));
    blocks = [];
  };
  for (const { data, key, time } of chunks) {
    const at = Math.round(time);
    if (key || at - begin > 30_000) {
      close();
      begin = at;
    }
    blocks.push(element(0xa3, [[0x81, ...bytesOf(at - begin, 2), key ? 0x80 : 0], data]));
  }
  close();
  return new Blob([head, element(0x18538067, [info, tracks, ...clusters])] as BlobPart[], {
    type: "video/webm",
  });
}

export const canFilm = () => typeof VideoEncoder !== "undefined";

export async function filmWebm(def: FilmDef): Promise<Blob | undefined> {
  const chunks: Chunk[] = [];
  const failed: Error[] = [];
  const encoder = new VideoEncoder({
    output: (chunk) => {
      const data = new Uint8Array(chunk.byteLength);
      chunk.copyTo(data);
      chunks.push({ data, key: chunk.type === "key", time: chunk.timestamp / 1000 });
    },
    error: (error) => failed.push(error),
  });
  const first = def.draw(0);
  const size: [number, number] = [first.width & ~1, first.height & ~1]; // encoders want even ones
  encoder.configure({
    codec: "vp8",
    width: size[0],
    height: size[1],
    bitrate: 8_000_000,
    framerate: def.rate,
  });
  for (let k = 0; k < def.frames && !failed.length; k++) {
    const frame = new VideoFrame(def.draw(k), {
      timestamp: Math.round((1e6 * k) / def.rate),
      visibleRect: { x: 0, y: 0, width: size[0], height: size[1] },
    });
    encoder.encode(frame, { keyFrame: k % 60 === 0 });
    frame.close();
    if (!def.progress(k / def.frames)) {
      encoder.close();
      return undefined;
    }
    while (encoder.encodeQueueSize > 4 && !failed.length) await pause();
    if (k % 4 === 0) await pause();
  }
  if (failed[0]) throw failed[0];
  await encoder.flush();
  encoder.close();
  return webm(chunks, size, def.rate);
}

// -------------------------------------------------------------------------------------------- ZIP

const table = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n;
  for (let k = 0; k < 8; k++) c = c & 1 ? 0xedb88320 ^ (c >>> 1) : c >>> 1;
  return c >>> 0;
});
export function crc32(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) crc = table[(crc ^ byte) & 255]! ^ (crc >>> 8);
  return (crc ^ 0xffffffff) >>> 0;
}

/** Files in a ZIP, as they are: PNG is compressed already. */
export function zip(files: readonly { name: string; data: Uint8Array }[]): Blob {
  const parts: Uint8Array[] = [];
  const entries: Uint8Array[] = [];
  let at = 0;
  const little = (...fields: readonly [number, number][]) =>
    Uint8Array.from(fields.flatMap(([value, count]) => bytesOf(value, count).reverse()));
  for (const { name, data } of files) {
    const title = new TextEncoder().encode(name);
    const common: [number, number][] = [
      [20, 2],
      [0x800, 2], // names are UTF-8
      [0, 2],
      [0, 2],
      [0x21, 2], // 1980-01-01
      [crc32(data), 4],
      [data.length, 4],
      [data.length, 4],
      [title.length, 2],
      [0, 2],
    ];
    parts.push(little([0x04034b50, 4], ...common), title, data);
    entries.push(
      little([0x02014b50, 4], [20, 2], ...common, [0, 2], [0, 2], [0, 2], [0, 4], [at, 4]),
      title,
    );
    at += 30 + title.length + data.length;
  }
  const size = entries.reduce((sum, part) => sum + part.length, 0);
  const count = files.length;
  const end = little(
    [0x06054b50, 4],
    [0, 2],
    [0, 2],
    [count, 2],
    [count, 2],
    [size, 4],
    [at, 4],
    [0, 2],
  );
  return new Blob([...parts, ...entries, end] as BlobPart[], { type: "application/zip" });
}

export async function filmFrames(def: FilmDef): Promise<Blob | undefined> {
  const files: { name: string; data: Uint8Array }[] = [];
  for (let k = 0; k < def.frames; k++) {
    const canvas = def.draw(k);
    const blob = await new Promise<Blob | null>((done) => canvas.toBlob(done, "image/png"));
    if (!blob) throw new Error("the browser makes no picture of it");
    const data = new Uint8Array(await blob.arrayBuffer());
    files.push({ name: `frame-${String(k).padStart(4, "0")}.png`, data });
    if (!def.progress(k / def.frames)) return undefined;
  }
  return zip(files);
}
