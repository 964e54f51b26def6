/** @file Random integers and permutations. */

import { type DType, dtypeInfo, type Tensor } from "@sconce/tensor";
import { readNumbers, writeBigInts, writeNumbers } from "../kernel/dense.js";
import { invalidArgument } from "../kernel/errors.js";
import { defineKernels, emptyOutput, type Kernel, kernel, type RandomSource } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import { inMemoryOrder, uint64 } from "./random-engine.js";

const INT64_MAX = (1n << 63n) - 1n;

/** Bounds come as numbers, which cannot hold the largest int64. */
const toInt64 = (value: number): bigint => (value >= 2 ** 63 ? INT64_MAX : BigInt(value));

/** How many integers there are from the lowest on; 2^64 takes all bits as they are. */
interface Range {
  readonly low: bigint;
  readonly count: bigint;
}

/**
 * Ranges from 2^28 on are drawn with 64 bits (`uniform_int_from_to_distribution`,
 * DistributionsHelper.h).
 */
function integers(out: Tensor, { low, count }: Range, random: RandomSource): Tensor {
  const wide = count >= 1n << 28n;
  const values = scratch(BigInt64Array, out.numel);
  for (let i = 0; i < values.length; i++) {
    const bits = wide ? uint64(random) : BigInt(random.uint32());
    values[i] = low + (bits % count);
  }
  return write(out, values);
}

function write(out: Tensor, values: BigInt64Array): Tensor {
  const ordered = inMemoryOrder(out);
  if (dtypeInfo(out.dtype).kind === "float") writeNumbers(ordered, Float64Array.from(values, Number));
  else writeBigInts(ordered, values);
  return out;
}

/** Largest integer of a dtype, with the name that PyTorch's refusals have for it. */
const BOUNDS: Partial<Record<DType, readonly [low: bigint, high: bigint, name: string]>> = {
  uint8: [0n, 255n, "unsigned char"],
  int8: [-128n, 127n, "signed char"],
  int16: [-32768n, 32767n, "short int"],
  int32: [-(1n << 31n), (1n << 31n) - 1n, "int"],
  bool: [0n, 1n, "bool"],
  float16: [-65504n, 65504n, "c10::Half"],
};

/** @throws SconceError `INVALID_ARGUMENT` where the dtype cannot hold the bounds */
function checkBounds(dtype: DType, low: bigint, last: bigint): void {
  const bounds = BOUNDS[dtype];
  if (bounds === undefined) return;
  const [lowest, highest, name] = bounds;
  if (low < lowest || low > highest) throw invalidArgument(`from is out of bounds for ${name}`);
  if (last < lowest || last > highest) throw invalidArgument(`to - 1 is out of bounds for ${name}`);
}

/** @throws SconceError `INVALID_ARGUMENT` for an empty range, or one outside of the dtype */
function between(out: Tensor, from: number, to: number): Range {
  const [low, high] = [toInt64(from), toInt64(to)];
  if (low >= high)
    throw invalidArgument(`random_ expects 'from' to be less than 'to', but got from=${low} >= to=${high}`);
  checkBounds(out.dtype, low, high - 1n);
  return { low, count: high - low };
}

const randint: Kernel<{ low?: number; high: number }> = ({ low = 0, high }, context) => {
  const out = emptyOutput(context);
  return integers(out, between(out, low, high), context.random);
};

const randintTensor = kernel(
  "aten::randint_like.Tensor(Tensor self, Tensor high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
  ({ high }, context) => {
    const out = emptyOutput(context);
    return integers(out, between(out, 0, Math.trunc(readNumbers(high)[0]!)), context.random);
  },
);

/**
 * Largest value that `random` without bounds gives: what a float dtype holds exactly, or the
 * integer maximum.
 */
const RANDOM_LIMITS: Partial<Record<DType, bigint>> = {
  float64: 1n << 53n,
  float32: 1n << 24n,
  float16: 1n << 11n,
  bfloat16: 1n << 8n,
  int64: (1n << 63n) - 1n,
  int32: (1n << 31n) - 1n,
  int16: (1n << 15n) - 1n,
  int8: 127n,
  uint8: 255n,
  bool: 1n,
};

const randomIntegers = kernel(
  "aten::random(Tensor self, *, Generator? generator=None) -> Tensor",
  (_, context) => {
    const { random } = context;
    const out = emptyOutput(context);
    const range = RANDOM_LIMITS[out.dtype]! + 1n;
    const wide = out.dtype === "float64" || out.dtype === "int64";
    const values = scratch(BigInt64Array, out.numel);
    for (let i = 0; i < values.length; i++)
      values[i] = (wide ? uint64(random) : BigInt(random.uint32())) % range;
    return write(out, values);
  },
);

type RandomBounds = { readonly from?: number; readonly to: number | null };
const randomBetween: Kernel<RandomBounds> = ({ from = 0, to }, context) => {
  const out = emptyOutput(context);
  if (to !== null) return integers(out, between(out, from, to), context.random);
  const low = toInt64(from);
  // From the lowest int64 on, the bits are the number.
  if (low === -(1n << 63n)) return integers(out, { low: 0n, count: 1n << 64n }, context.random);
  checkBounds(out.dtype, low, low);
  return integers(out, { low, count: RANDOM_LIMITS[out.dtype]! - low + 1n }, context.random);
};

const randperm = kernel(
  "aten::randperm(SymInt n, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
  ({ n }, context) => {
    const out = emptyOutput(context);
    const values = Float64Array.from({ length: n }, (_, i) => i);
    for (let i = 0; i < n - 1; i++) {
      const j = i + (context.random.uint32() % (n - i));
      [values[i], values[j]] = [values[j]!, values[i]!];
    }
    writeNumbers(out, values);
    return out;
  },
);

export const randomIntegersKernels = defineKernels([
  kernel(
    [
      "aten::randint(SymInt high, SymInt[] size, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
      "aten::randint.low(SymInt low, SymInt high, SymInt[] size, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    ],
    randint,
  ),
  kernel(
    [
      "aten::randint_like(Tensor self, SymInt high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
      "aten::randint_like.low_dtype(Tensor self, SymInt low, SymInt high, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, MemoryFormat? memory_format=None) -> Tensor",
    ],
    randint,
  ),
  randintTensor,
  randomIntegers,
  kernel(
    [
      "aten::random.from(Tensor self, int from, int? to, *, Generator? generator=None) -> Tensor",
      "aten::random.to(Tensor self, int to, *, Generator? generator=None) -> Tensor",
    ],
    randomBetween,
  ),
  randperm,
]);
