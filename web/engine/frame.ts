// Frames of numbers (docs/protocol.md): a head, then columns of doubles, little-endian.
import type { Column, Frame } from "./protocol.ts";

const kinds = ["", "rows", "m4", "live"] as const;
const TIME = 0xffffffff;

export function readFrame(bytes: Uint8Array): Frame {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const mark = String.fromCharCode(...bytes.subarray(0, 4));
  const kind = kinds[view.getUint16(6, true)];
  if (mark !== "FOF1" || view.getUint16(4, true) !== 1 || !kind)
    throw new Error("not a frame of numbers");
  const count = view.getUint32(16, true);
  const head = 32 + 8 * count;
  const columns: Column[] = [];
  let at = head;
  for (let i = 0; i < count; i++) {
    const signal = view.getUint32(32 + 8 * i, true);
    const length = view.getUint32(36 + 8 * i, true);
    columns.push({
      signal: signal === TIME ? undefined : signal,
      values: doubles(bytes, at, length),
    });
    at += 8 * length;
  }
  return {
    kind,
    handle: view.getUint32(8, true),
    id: view.getUint32(12, true),
    rows: view.getUint32(20, true),
    first: Number(view.getBigUint64(24, true)),
    columns,
  };
}

// Little-endian, as every machine that has a browser; not always aligned.
function doubles(bytes: Uint8Array, at: number, length: number): Float64Array {
  const from = bytes.byteOffset + at;
  if (at + 8 * length > bytes.byteLength) throw new Error("a frame that is cut off");
  if (from % 8 === 0) return new Float64Array(bytes.buffer as ArrayBuffer, from, length);
  return new Float64Array(bytes.slice(at, at + 8 * length).buffer);
}
