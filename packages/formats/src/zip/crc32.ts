/** @file CRC-32 as zip uses it, sixteen bytes a step from tables (slicing by 16). */
const POLYNOMIAL = 0xedb88320;
const SLICES = 16;

/** `TABLE[256 * k + byte]`: the effect of a byte that k more bytes follow. */
const TABLE: Int32Array = /* @__PURE__ */ makeTable();

function makeTable(): Int32Array {
  const table = new Int32Array(256 * SLICES);
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

/** Sixteen bytes a step over aligned little-endian words. */
function wordwise(crc: number, words: Int32Array): number {
  const t = TABLE;
  for (let i = 0; i + 3 < words.length; i += 4) {
    const a = words[i]! ^ crc;
    const b = words[i + 1]!;
    const c = words[i + 2]!;
    const d = words[i + 3]!;
    crc =
      t[3840 + (a & 0xff)]! ^ t[3584 + ((a >>> 8) & 0xff)]! ^ t[3328 + ((a >>> 16) & 0xff)]! ^ t[3072 + (a >>> 24)]! ^
      t[2816 + (b & 0xff)]! ^ t[2560 + ((b >>> 8) & 0xff)]! ^ t[2304 + ((b >>> 16) & 0xff)]! ^ t[2048 + (b >>> 24)]! ^
      t[1792 + (c & 0xff)]! ^ t[1536 + ((c >>> 8) & 0xff)]! ^ t[1280 + ((c >>> 16) & 0xff)]! ^ t[1024 + (c >>> 24)]! ^
      t[768 + (d & 0xff)]! ^ t[512 + ((d >>> 8) & 0xff)]! ^ t[256 + ((d >>> 16) & 0xff)]! ^ t[d >>> 24]!;
  }
  return crc;
}

/** CRC-32 of bytes, or of more bytes after those that gave `previous`. Unsigned. */
export function crc32(bytes: Uint8Array, previous = 0): number {
  let crc = ~previous;
  const head = Math.min((4 - (bytes.byteOffset & 3)) & 3, bytes.length);
  crc = bytewise(crc, bytes, 0, head);
  const blocks = (bytes.length - head) >>> 4;
  if (blocks > 0) crc = wordwise(crc, new Int32Array(bytes.buffer, bytes.byteOffset + head, blocks * 4));
  return ~bytewise(crc, bytes, head + blocks * 16, bytes.length) >>> 0;
}
