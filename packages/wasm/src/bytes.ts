/** @file Bytes that grow, with the number formats of WebAssembly. */

const number = new DataView(new ArrayBuffer(8));

/** A growing array of bytes. */
export class Bytes {
  private data: Uint8Array<ArrayBuffer>;
  /** Count of the bytes written. */
  length = 0;

  constructor(capacity = 64) {
    this.data = new Uint8Array(capacity);
  }

  private reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.data.length) return;
    const larger = new Uint8Array(Math.max(needed, 2 * this.data.length));
    larger.set(this.data);
    this.data = larger;
  }

  byte(value: number): this {
    if (this.length === this.data.length) this.reserve(1);
    this.data[this.length++] = value;
    return this;
  }

  /** Writes another byte in place of one. */
  replace(at: number, value: number): void {
    this.data[at] = value;
  }

  /** Returns an unsigned LEB128 number below 2^32. */
  unsigned(value: number): this {
    let rest = value >>> 0;
    while (rest > 0x7f) {
      this.byte((rest & 0x7f) | 0x80);
      rest >>>= 7;
    }
    return this.byte(rest);
  }

  /** Returns a signed LEB128 number of 32 bits. */
  signed(value: number): this {
    let rest = value | 0;
    while (rest < -64 || rest > 63) {
      this.byte((rest & 0x7f) | 0x80);
      rest >>= 7;
    }
    return this.byte(rest & 0x7f);
  }

  /** Returns a signed LEB128 number of 64 bits. */
  signed64(value: bigint): this {
    let rest = BigInt.asIntN(64, value);
    while (rest < -64n || rest > 63n) {
      this.byte(Number(rest & 0x7fn) | 0x80);
      rest >>= 7n;
    }
    return this.byte(Number(rest & 0x7fn));
  }

  f32(value: number): this {
    number.setFloat32(0, value, true);
    return this.scratch(4);
  }

  f64(value: number): this {
    number.setFloat64(0, value, true);
    return this.scratch(8);
  }

  private scratch(count: number): this {
    for (let i = 0; i < count; i++) this.byte(number.getUint8(i));
    return this;
  }

  /** Returns a name in UTF-8 after its length. */
  text(name: string): this {
    const bytes = new TextEncoder().encode(name);
    return this.unsigned(bytes.length).raw(bytes);
  }

  raw(bytes: Uint8Array): this {
    this.reserve(bytes.length);
    this.data.set(bytes, this.length);
    this.length += bytes.length;
    return this;
  }

  /** Other bytes after their length. */
  sized(other: Bytes): this {
    return this.unsigned(other.length).raw(other.view());
  }

  /** Returns the bytes in place; valid until the next write. */
  view(): Uint8Array<ArrayBuffer> {
    return this.data.subarray(0, this.length);
  }

  /** Returns a copy of the bytes. */
  take(): Uint8Array<ArrayBuffer> {
    return this.data.slice(0, this.length);
  }
}
