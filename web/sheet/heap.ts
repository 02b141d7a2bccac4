/** Whole numbers by a key, the least first: a binary heap that keeps its memory. */
export class Heap {
  private keys = new Float64Array(1024);
  private values = new Int32Array(1024);
  size = 0;

  clear(): void {
    this.size = 0;
  }
  /** The least key; the heap must not be empty. */
  get least(): number {
    return this.keys[0]!;
  }
  push(key: number, value: number): void {
    if (this.size === this.keys.length) this.grow();
    let i = this.size++;
    const { keys, values } = this;
    while (i > 0) {
      const parent = (i - 1) >> 1;
      if (keys[parent]! <= key) break;
      keys[i] = keys[parent]!;
      values[i] = values[parent]!;
      i = parent;
    }
    keys[i] = key;
    values[i] = value;
  }
  pop(): number {
    const { keys, values } = this;
    const result = values[0]!;
    const last = --this.size;
    const key = keys[last]!;
    const value = values[last]!;
    let i = 0;
    for (let child = 1; child < last; child = 2 * i + 1) {
      if (child + 1 < last && keys[child + 1]! < keys[child]!) child++;
      if (keys[child]! >= key) break;
      keys[i] = keys[child]!;
      values[i] = values[child]!;
      i = child;
    }
    keys[i] = key;
    values[i] = value;
    return result;
  }
  private grow(): void {
    const keys = new Float64Array(2 * this.keys.length);
    const values = new Int32Array(2 * this.values.length);
    keys.set(this.keys);
    values.set(this.values);
    this.keys = keys;
    this.values = values;
  }
}
