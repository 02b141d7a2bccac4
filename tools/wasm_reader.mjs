// Reads the numbers, names and lists of a WebAssembly module or object, from a place in its bytes on.
export class Reader {
  constructor(bytes, at = 0, end = bytes.length) {
    Object.assign(this, { from: bytes, at, end });
  }
  byte() {
    return this.from[this.at++];
  }
  bytes(count) {
    this.at += count;
    return this.from.subarray(this.at - count, this.at);
  }
  number() {
    let value = 0, scale = 1, byte;
    do {
      byte = this.byte();
      value += (byte & 127) * scale;
      scale *= 128;
    } while (byte > 127);
    return value;
  }
  signed() {
    let value = 0n, shift = 0n, byte;
    do {
      byte = this.byte();
      value |= BigInt(byte & 127) << shift;
      shift += 7n;
    } while (byte > 127);
    return Number(BigInt.asIntN(Number(shift), value));
  }
  /** Four bytes. */
  word() {
    return this.bytes(4).readUInt32LE(0);
  }
  skipNumbers(count) {
    for (let i = 0; i < count; i++) while (this.byte() > 127);
  }
  name() {
    return this.bytes(this.number()).toString("utf8");
  }
  limits() {
    const flag = this.byte();
    return { min: this.number(), max: flag & 1 ? this.number() : undefined };
  }
  list(read) {
    return Array.from({ length: this.number() }, (_, i) => read(i));
  }
  /** The sections up to the end, as {id, from, to}. */
  *sections() {
    while (this.at < this.end) {
      const id = this.byte(), size = this.number(), from = this.at;
      yield { id, from, to: from + size };
      this.at = from + size;
    }
  }
}
