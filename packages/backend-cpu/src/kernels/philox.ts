/**
 * @file PyTorch's random operators without a generator. A key is a pair of 64-bit numbers: the key
 * of Philox and the counter of its first block.
 */
import { broadcastStrides, type Tensor } from "@sconce/tensor";
import { readBigInts, writeBigInts, writeNumbers } from "../kernel/dense.js";
import { defineKernels, emptyOutput, kernel } from "../kernel/kernel.js";
import { philoxBlock } from "./philox-source.js";

/** The two 64-bit words of a block, each with its first half low. */
function nextKey(seed: bigint, counter: bigint, words: Uint32Array, into: BigUint64Array, at: number): void {
  philoxBlock(seed, BigInt.asUintN(64, counter), words);
  into[at] = (BigInt(words[1]!) << 32n) | BigInt(words[0]!);
  into[at + 1] = (BigInt(words[3]!) << 32n) | BigInt(words[2]!);
}

const keySplit = kernel(
  "aten::_philox_key_split(Tensor key, int num_splits) -> Tensor",
  ({ key, num_splits: splits }, context) => {
    const out = emptyOutput(context);
    const keys = readBigInts(key);
    const words = new Uint32Array(4);
    const values = new BigUint64Array(splits * keys.length);
    for (let s = 0; s < splits; s++) {
      for (let k = 0; k < keys.length; k += 2)
        nextKey(keys[k]!, keys[k + 1]! + BigInt(s), words, values, s * keys.length + k);
    }
    writeBigInts(out, values);
    return out;
  },
);

const keyFoldIn = kernel(
  [
    "aten::_philox_key_fold_in(Tensor key, int data) -> Tensor",
    "aten::_philox_key_fold_in.Tensor(Tensor key, Tensor data) -> Tensor",
  ],
  ({ key, data }, context) => {
    const out = emptyOutput(context);
    const keys = readBigInts(key);
    const added = typeof data === "number" ? BigInt(data) : readBigInts(data)[0]!;
    const words = new Uint32Array(4);
    const values = new BigUint64Array(keys.length);
    for (let k = 0; k < keys.length; k += 2) nextKey(keys[k]!, keys[k + 1]! + added, words, values, k);
    writeBigInts(out, values);
    return out;
  },
);

/** Bits of the significand that uniform numbers of a dtype have. */
const BITS: Readonly<Record<string, number>> = { float16: 11, bfloat16: 8, float32: 24 };

/** Converts the words of one block to numbers: four, or two of float64. */
type FromBlock = (words: Uint32Array, numbers: Float64Array) => void;

function uniformOf(dtype: string): FromBlock {
  if (dtype === "float64") {
    return (words, numbers) => {
      for (let i = 0; i < 2; i++)
        numbers[i] = ((words[2 * i]! & 0x1fffff) * 2 ** 32 + words[2 * i + 1]!) * 2 ** -53;
    };
  }
  const bits = BITS[dtype]!;
  return (words, numbers) => {
    for (let i = 0; i < 4; i++) numbers[i] = (words[i]! & (2 ** bits - 1)) * 2 ** -bits;
  };
}

/**
 * Box and Muller's pairs from numbers in the open interval; narrow dtypes compute as float32 does.
 */
function normalOf(dtype: string): FromBlock {
  const { fround } = Math;
  if (dtype === "float64") {
    return (words, numbers) => {
      const [first, second] = [wideOpen(words[0]!, words[1]!), wideOpen(words[2]!, words[3]!)];
      const radius = Math.sqrt(-2 * Math.log(first));
      numbers[0] = radius * Math.cos(2 * Math.PI * second);
      numbers[1] = radius * Math.sin(2 * Math.PI * second);
    };
  }
  const open = (word: number): number => fround(fround(word) * 2 ** -32 + 2 ** -33);
  return (words, numbers) => {
    for (let i = 0; i < 4; i += 2) {
      const radius = fround(Math.sqrt(fround(-2 * fround(Math.log(open(words[i]!))))));
      const angle = fround(open(words[i + 1]!) * fround(2 * Math.PI));
      numbers[i] = fround(radius * fround(Math.cos(angle)));
      numbers[i + 1] = fround(radius * fround(Math.sin(angle)));
    }
  };
}

/** 64 bits as a number between 0 and 1. */
const wideOpen = (high: number, low: number): number => (high * 2 ** 32 + low) * 2 ** -64 + 2 ** -65;

/**
 * Each key starts a new sequence for its region of the output: everything after the last dimension
 * along which keys differ. Equal keys so give equal regions.
 */
function fill(out: Tensor, key: Tensor, fromBlock: FromBlock, map: (x: number) => number): Tensor {
  const batch = key.shape.slice(0, -1);
  const own = batch.findLastIndex((size) => size !== 1) + 1;
  const lead = out.shape.slice(0, own);
  const strides = broadcastStrides(batch.slice(0, own), key.strides, lead);
  const keys = readBigInts(key.asStrided([...lead, 2], [...strides, key.strides.at(-1)!]));
  const values = new Float64Array(out.numel);
  const length = (2 * values.length) / keys.length;
  const drawn = new Float64Array(out.dtype === "float64" ? 2 : 4);
  const words = new Uint32Array(4);
  for (let k = 0; k < keys.length; k += 2) {
    const start = (k / 2) * length;
    let counter = keys[k + 1]!;
    for (let i = 0; i < length; i += drawn.length, counter++) {
      philoxBlock(keys[k]!, BigInt.asUintN(64, counter), words);
      fromBlock(words, drawn);
      for (let j = 0; j < drawn.length && i + j < length; j++) values[start + i + j] = map(drawn[j]!);
    }
  }
  writeNumbers(out, values);
  return out;
}

const uniform = kernel(
  "aten::_philox_uniform(Tensor self, Tensor key, float low=0., float high=1.) -> Tensor",
  ({ key, low, high }, context) => {
    const out = emptyOutput(context);
    return fill(out, key, uniformOf(out.dtype), (x) => x * (high - low) + low);
  },
);

const normal = kernel(
  "aten::_philox_normal(Tensor self, Tensor key, float mean=0., float std=1.) -> Tensor",
  ({ key, mean, std }, context) => {
    const out = emptyOutput(context);
    return fill(out, key, normalOf(out.dtype), (x) => x * std + mean);
  },
);

export const philoxKernels = defineKernels([keySplit, keyFoldIn, uniform, normal]);
