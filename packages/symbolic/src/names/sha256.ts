/**
 * @file SHA-256, synchronous and small: PyTorch names a symbol by the hash of where it comes from,
 * and pages without a secure context have no `crypto.subtle`.
 */

const FRACTIONS = (root: (n: number) => number, count: number): Uint32Array => {
  const primes: number[] = [];
  for (let n = 2; primes.length < count; n++) if (primes.every((p) => n % p !== 0)) primes.push(n);
  return Uint32Array.from(primes, (p) => (root(p) % 1) * 2 ** 32);
};
const START = FRACTIONS(Math.sqrt, 8);
const ROUNDS = FRACTIONS(Math.cbrt, 64);

const rotate = (x: number, by: number): number => (x >>> by) | (x << (32 - by));

/** Returns the digest of bytes, or of a text's UTF-8 bytes, as eight big-endian words. */
export function sha256(content: string | Uint8Array): Uint32Array {
  const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
  const padded = new Uint8Array((((bytes.length + 8) >> 6) + 1) * 64);
  padded.set(bytes);
  padded[bytes.length] = 0x80;
  const blocks = new DataView(padded.buffer);
  blocks.setUint32(padded.length - 8, Math.floor(bytes.length / 2 ** 29));
  blocks.setUint32(padded.length - 4, bytes.length * 8);
  const state = START.slice();
  const w = new Uint32Array(64);
  for (let at = 0; at < padded.length; at += 64) {
    expand(w, blocks, at);
    addBlock(state, w);
  }
  return state;
}

function expand(w: Uint32Array, blocks: DataView, at: number): void {
  for (let i = 0; i < 16; i++) w[i] = blocks.getUint32(at + 4 * i);
  for (let i = 16; i < 64; i++) {
    const a = w[i - 15]!;
    const b = w[i - 2]!;
    const low = rotate(a, 7) ^ rotate(a, 18) ^ (a >>> 3);
    const high = rotate(b, 17) ^ rotate(b, 19) ^ (b >>> 10);
    w[i] = w[i - 16]! + low + w[i - 7]! + high;
  }
}

function addBlock(state: Uint32Array, w: Uint32Array): void {
  let [a, b, c, d, e, f, g, h] = state as unknown as [
    number,
    number,
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  for (let i = 0; i < 64; i++) {
    const mixed = rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25);
    const first = (h + mixed + ((e & f) ^ (~e & g)) + ROUNDS[i]! + w[i]!) | 0;
    const second = ((rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    [h, g, f, e, d, c, b, a] = [g, f, e, (d + first) | 0, c, b, a, (first + second) | 0];
  }
  for (const [i, value] of [a, b, c, d, e, f, g, h].entries()) state[i] = state[i]! + value;
}
