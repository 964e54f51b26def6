/**
 * @file CRC-32 as zip uses it. Large buffers are cut into four parts that are worked on side by
 * side, a word of each at a time: the processor overlaps them, which is half again as fast as one
 * long chain of look-ups.
 */
const POLYNOMIAL = 0xedb88320;
const PARTS = 4;
/** Below this, cutting costs more than it gains. */
const WORTH_CUTTING = 4096;

/** `TABLE[256 * k + byte]`: the effect of a byte that k more bytes of its word follow. */
const TABLE: Int32Array = /* @__PURE__ */ makeTable();

function makeTable(): Int32Array {
  const table = new Int32Array(256 * 4);
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte;
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ POLYNOMIAL : crc >>> 1;
    table[byte] = crc;
  }
  for (let i = 256; i < table.length; i++) {
    const previous = table[i - 256]!;
    table[i] = (previous >>> 8) ^ table[previous & 0xff]!;
  }
  return table;
}

function bytewise(crc: number, bytes: Uint8Array, start: number, end: number): number {
  for (let i = start; i < end; i++) crc = (crc >>> 8) ^ TABLE[(crc ^ bytes[i]!) & 0xff]!;
  return crc;
}

/** Returns the register after four equal runs of `words`, `length` words each. */
function fourParts(crc: number, words: Int32Array, length: number): number {
  const t = TABLE;
  let [a, b, c, d] = [crc, 0, 0, 0];
  const [second, third, fourth] = [length, 2 * length, 3 * length];
  for (let i = 0; i < length; i++) {
    a ^= words[i]!;
    b ^= words[second + i]!;
    c ^= words[third + i]!;
    d ^= words[fourth + i]!;
    a = t[768 + (a & 0xff)]! ^ t[512 + ((a >>> 8) & 0xff)]! ^ t[256 + ((a >>> 16) & 0xff)]! ^ t[a >>> 24]!;
    b = t[768 + (b & 0xff)]! ^ t[512 + ((b >>> 8) & 0xff)]! ^ t[256 + ((b >>> 16) & 0xff)]! ^ t[b >>> 24]!;
    c = t[768 + (c & 0xff)]! ^ t[512 + ((c >>> 8) & 0xff)]! ^ t[256 + ((c >>> 16) & 0xff)]! ^ t[c >>> 24]!;
    d = t[768 + (d & 0xff)]! ^ t[512 + ((d >>> 8) & 0xff)]! ^ t[256 + ((d >>> 16) & 0xff)]! ^ t[d >>> 24]!;
  }
  const shift = zerosOperator(4 * length);
  return multiply(shift, multiply(shift, multiply(shift, a) ^ b) ^ c) ^ d;
}

/** Product of two polynomials over GF(2), modulo the CRC's; bit 31 is the constant term. */
function multiply(a: number, b: number): number {
  let product = 0;
  for (let mask = 0x80000000; mask !== 0; mask >>>= 1) {
    if (a & mask) product ^= b;
    b = b & 1 ? (b >>> 1) ^ POLYNOMIAL : b >>> 1;
  }
  return product;
}

/**
 * Returns the polynomial that advances a register by `length` zero bytes when multiplied with it:
 * x^(8 * length).
 */
function zerosOperator(length: number): number {
  let result = 0x80000000;
  let square = 0x00800000;
  for (let n = length; n > 0; n = Math.floor(n / 2)) {
    if (n % 2 === 1) result = multiply(square, result);
    square = multiply(square, square);
  }
  return result;
}

/** CRC-32 of bytes, or of more bytes after those that gave `previous`. Unsigned. */
export function crc32(bytes: Uint8Array, previous = 0): number {
  let crc = ~previous;
  let done = 0;
  if (bytes.length >= WORTH_CUTTING) {
    done = (4 - (bytes.byteOffset & 3)) & 3;
    crc = bytewise(crc, bytes, 0, done);
    const length = Math.floor((bytes.length - done) / (4 * PARTS));
    crc = fourParts(crc, new Int32Array(bytes.buffer, bytes.byteOffset + done, length * PARTS), length);
    done += length * 4 * PARTS;
  }
  return ~bytewise(crc, bytes, done, bytes.length) >>> 0;
}
