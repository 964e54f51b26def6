/**
 * @file Philox4x32-10, a random generator without state: a block of four words for each key and
 * counter. Salmon et al., "Parallel random numbers: as easy as 1, 2, 3" (2011).
 */
import type { RandomSource } from "../kernel/kernel.js";

/** High 32 bits of the product of two unsigned 32-bit numbers. */
function multiplyHigh(a: number, b: number): number {
  const [aLow, aHigh, bLow, bHigh] = [a & 0xffff, a >>> 16, b & 0xffff, b >>> 16];
  const middle = aHigh * bLow + ((aLow * bLow) >>> 16);
  const carry = aLow * bHigh + (middle & 0xffff);
  return (aHigh * bHigh + Math.floor(middle / 65536) + Math.floor(carry / 65536)) >>> 0;
}

/** Writes the four words of a 64-bit key and a 64-bit counter. */
export function philoxBlock(key: bigint, counter: bigint, words: Uint32Array): void {
  let [key0, key1] = halves(key);
  const [low, high] = halves(counter);
  words.set([low, high, 0, 0]);
  for (let round = 0; round < 10; round++) {
    const [a, b, c, d] = words as unknown as readonly [number, number, number, number];
    words[0] = multiplyHigh(0xcd9e8d57, c) ^ b ^ key0;
    words[1] = Math.imul(0xcd9e8d57, c);
    words[2] = multiplyHigh(0xd2511f53, a) ^ d ^ key1;
    words[3] = Math.imul(0xd2511f53, a);
    key0 = (key0 + 0x9e3779b9) >>> 0;
    key1 = (key1 + 0xbb67ae85) >>> 0;
  }
}

const halves = (value: bigint): [low: number, high: number] => [
  Number(value & 0xffffffffn),
  Number((value >> 32n) & 0xffffffffn),
];

/**
 * Returns a source of random bits that runs through the blocks of a seed, for
 * `cpuBackend({ random })`. Its numbers are those of PyTorch's `_philox_*` operators for the key
 * `[seed, 0]` and of no generator of PyTorch's CPU, which is the Mersenne Twister of
 * `createRandomSource`.
 */
export function createPhiloxSource(seed: number | bigint): RandomSource {
  const words = new Uint32Array(4);
  let key = 0n;
  let counter = 0n;
  let next = 4;
  const source: RandomSource = {
    spareNormal: undefined,
    seed(value) {
      source.spareNormal = undefined;
      key = BigInt.asUintN(64, BigInt(value));
      counter = 0n;
      next = 4;
    },
    uint32() {
      if (next === 4) {
        philoxBlock(key, counter, words);
        counter = BigInt.asUintN(64, counter + 1n);
        next = 0;
      }
      return words[next++]!;
    },
  };
  source.seed(seed);
  return source;
}
