/** @file Inputs of random programs: of sizes that fit, and of others. */
import type { Value } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import type { Random } from "../support/random.js";
import type { Given } from "./program.js";

const FITTING = [2, 3, 4, 6];
const OTHER = [0, 1, 2, 3, 5, 8, 17, 40];
const NUMBERS: readonly (number | bigint)[] = [
  ...[0, 1, 2, 3, 4, 6, 7, 12, 24, 40, -1, -2, -3, -7, -100],
  ...[2 ** 31 - 1, 2 ** 31, 2 ** 32, 2 ** 32 + 3, 2 ** 53, -(2 ** 31) - 1],
  ...[2n ** 63n - 1n, -(2n ** 63n), 2n ** 62n],
];
const PLACES = [-1000n, -7n, -1n, 1000n, 2n ** 31n, 2n ** 40n, -(2n ** 63n)];

/**
 * Makes the inputs of one run. A quarter of the runs, or all if `fits`, have sizes and places that
 * often fit.
 */
export function inputsOf(given: readonly Given[], random: Random, fits = false): Value[] {
  const isFitting = random.once(4) || fits;
  const sizes = new Map<string, number>();
  const sizeOf = (symbol: string): number => {
    const known = sizes.get(symbol);
    if (known !== undefined && (isFitting || !random.once(50))) return known;
    const size = random.pick(isFitting ? FITTING : OTHER);
    sizes.set(symbol, size);
    return size;
  };
  return given.map(({ kind, shape }): Value => {
    if (kind === "number") return isFitting ? random.below(7) : random.pick(NUMBERS);
    const dims = shape.map(sizeOf);
    if (kind === "floats") return laidOut(dims, random);
    const place = (): bigint =>
      isFitting || !random.once(8) ? BigInt(random.below(3)) : random.pick(kind === "count" ? BIG : PLACES);
    const count = dims.reduce((product, size) => product * size, 1);
    return Tensor.fromData(BigInt64Array.from({ length: count }, place), "int64", dims);
  });
}
const BIG = NUMBERS.map(BigInt);

/** Returns a tensor of small integers: row-major, transposed, with gaps, or behind an offset. */
function laidOut(shape: readonly number[], random: Random): Tensor {
  const count = shape.reduce((product, size) => product * size, 1);
  const element = (_: unknown, i: number): number => (i % 9) + 1;
  const whole = Tensor.fromData(Float32Array.from({ length: 2 * count + 3 }, element), "float32", [
    2 * count + 3,
  ]);
  const rowMajor = shape.map((_, d) => shape.slice(d + 1).reduce((product, size) => product * size, 1));
  switch (random.below(6)) {
    case 0:
      return whole.asStrided(shape, rowMajor, 3);
    case 1:
      return whole.asStrided(
        shape,
        rowMajor.map((stride) => 2 * stride),
        0,
      );
    case 2:
      return whole.asStrided(
        shape,
        shape.map((_, d) => shape.slice(0, d).reduce((product, size) => product * size, 1)),
        1,
      );
    default:
      return Tensor.fromData(Float32Array.from({ length: count }, element), "float32", shape);
  }
}
