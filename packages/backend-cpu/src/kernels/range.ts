/**
 * @file Values that rise in steps, and places: `arange`, `linspace`, `logspace`, `eye`,
 * `tril_indices`.
 */

import { type ScalarLiteral, toNumber } from "@sconce/ir";
import { integerOf } from "@sconce/ops";
import { type DType, dtypeInfo, isIntegralDType, Tensor } from "@sconce/tensor";
import { readComplex, writeBigInts, writeComplex, writeNumbers } from "../kernel/dense.js";
import { defineKernels, emptyOutput, type Kernel, kernel } from "../kernel/kernel.js";
import { scratch } from "../kernel/scratch.js";
import { complexLoops } from "./complex-loops.js";
import { fillWith } from "./creation-fill.js";
import { laneRounder } from "./pointwise-lanes.js";
import { complexOf } from "./pointwise-loop.js";

type Range = { readonly end: ScalarLiteral; readonly start?: ScalarLiteral; readonly step?: ScalarLiteral };

const arange: Kernel<Range> = ({ start = 0, step = 1 }, context) => {
  const out = emptyOutput(context);
  if (isIntegralDType(out.dtype)) {
    const [first, by] = [integerOf(start), integerOf(step)];
    const last = Number(first) + Number(by) * out.numel;
    if (Number.isSafeInteger(Number(first)) && Number.isSafeInteger(last)) {
      writeNumbers(out, rising(Number(first), Number(by), out.numel));
      return out;
    }
    writeBigInts(
      out,
      BigInt64Array.from({ length: out.numel }, (_, i) => first + BigInt(i) * by),
    );
    return out;
  }
  writeNumbers(out, risingFloats(toNumber(start), toNumber(step), out));
  return out;
};

function rising(first: number, by: number, count: number): Float64Array {
  const values = scratch(Float64Array, count);
  for (let i = 0; i < count; i++) values[i] = first + i * by;
  return values;
}

/** Elements of PyTorch's vectors, of those dtypes that it rounds to between them. */
const LANES: Partial<Record<DType, number>> = { float16: 16, bfloat16: 16, float32: 8, float64: 4 };
/**
 * PyTorch computes elements in pairs of vectors. The first element of a vector is rounded to the
 * dtype, and the others count from it; elements that fill no pair count from the start
 * (`Vectorized<T>::arange`, `vectorized_loop`). Halves count in float32, other floats in float64.
 */
function risingFloats(first: number, by: number, { dtype, numel }: Tensor): Float64Array {
  const isHalf = dtype === "float16" || dtype === "bfloat16";
  const [from, step] = isHalf ? [Math.fround(first), Math.fround(by)] : [first, by];
  const values = rising(from, step, numel);
  const lanes = LANES[dtype] ?? 1;
  const [toFloat, toDtype] = [isHalf ? laneRounder("float32") : undefined, laneRounder(dtype)];
  toFloat?.(values, numel);
  toDtype?.(values, numel);
  const end = numel - (numel % (2 * lanes));
  for (let base = 0; base < end; base += lanes)
    for (let lane = 1; lane < lanes; lane++) values[base + lane] = values[base]! + lane * step;
  toFloat?.(values, end);
  return values;
}

/** Real and imaginary part of a number or a tensor of one element. */
function partsOf(value: Tensor | ScalarLiteral): readonly [number, number] {
  if (value instanceof Tensor) return readComplex(value) as unknown as [number, number];
  const { re, im } = complexOf(value);
  return [re, im];
}

/**
 * Counts up from the start in the first half and down from the end in the second, as PyTorch's.
 * Both ends are converted to the dtype first, and the step and its multiples too unless that is an
 * integer (`linspace_kernel` in RangeFactoriesKernel.cpp).
 */
function evenSteps(start: number, end: number, steps: number, dtype: DType): Float64Array {
  const values = scratch(Float64Array, steps);
  const whole = isIntegralDType(dtype);
  const ends = whole ? Float64Array.of(Math.trunc(start), Math.trunc(end)) : Float64Array.of(start, end);
  const round = laneRounder(dtype);
  round?.(ends, 2);
  const [first, last] = ends as unknown as [number, number];
  if (steps === 1) return values.fill(first);
  const step = Float64Array.of((last - first) / (steps - 1));
  if (!whole) round?.(step, 1);
  const by = step[0]!;
  const half = Math.floor(steps / 2);
  for (let i = 0; i < steps; i++) {
    step[0] = by * (i < half ? i : steps - i - 1);
    if (!whole) round?.(step, 1);
    const value = i < half ? first + step[0] : last - step[0];
    values[i] = whole ? Math.trunc(value) : value;
  }
  return values;
}

/** Interleaved pairs, each part with its own steps. */
function evenPairs(
  start: readonly number[],
  end: readonly number[],
  steps: number,
  dtype: DType,
): Float64Array {
  const [re, im] = [0, 1].map((part) => evenSteps(start[part]!, end[part]!, steps, dtype));
  const pairs = scratch(Float64Array, 2 * steps);
  for (let i = 0; i < steps; i++) {
    pairs[2 * i] = re![i]!;
    pairs[2 * i + 1] = im![i]!;
  }
  return pairs;
}

const linspace = kernel(
  [
    "aten::linspace(Scalar start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    "aten::linspace.Tensor_Tensor(Tensor start, Tensor end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    "aten::linspace.Tensor_Scalar(Tensor start, Scalar end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    "aten::linspace.Scalar_Tensor(Scalar start, Tensor end, int steps, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
  ],
  ({ start, end, steps }, context) => {
    const out = emptyOutput(context);
    const [first, last] = [partsOf(start), partsOf(end)];
    if (dtypeInfo(out.dtype).kind === "complex") writeComplex(out, evenPairs(first, last, steps, out.dtype));
    else writeNumbers(out, evenSteps(first[0], last[0], steps, out.dtype));
    return out;
  },
);

/** Both ends of a sequence of integers are converted to its dtype before they become exponents. */
const logspace = kernel(
  [
    "aten::logspace(Scalar start, Scalar end, int steps, float base=10., *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    "aten::logspace.Tensor_Tensor(Tensor start, Tensor end, int steps, float base=10., *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    "aten::logspace.Tensor_Scalar(Tensor start, Scalar end, int steps, float base=10., *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    "aten::logspace.Scalar_Tensor(Scalar start, Tensor end, int steps, float base=10., *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
  ],
  ({ start, end, steps, base }, context) => {
    const out = emptyOutput(context);
    const [first, last] = [partsOf(start), partsOf(end)];
    if (dtypeInfo(out.dtype).kind === "complex") {
      const powers = evenPairs(first, last, steps, "complex128");
      complexLoops.pow(
        powers,
        [scratch(Float64Array, 2 * steps).map((_, i) => (i % 2 ? 0 : base)), powers],
        steps,
        false,
      );
      writeComplex(out, powers);
      return out;
    }
    const ends = Float64Array.of(first[0], last[0]);
    if (isIntegralDType(out.dtype)) {
      ends.forEach((end, i) => {
        ends[i] = Math.trunc(end);
      });
      laneRounder(out.dtype)?.(ends, 2);
    }
    const powers = evenSteps(ends[0]!, ends[1]!, steps, "float64");
    writeNumbers(
      out,
      powers.map((power) => base ** power),
    );
    return out;
  },
);

const eye = kernel(
  [
    "aten::eye(SymInt n, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    "aten::eye.m(SymInt n, SymInt m, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
  ],
  (_, context) => {
    const out = emptyOutput(context);
    const length = Math.min(out.shape[0]!, out.shape[1]!);
    fillWith(out.asStrided([length], [out.strides[0]! + out.strides[1]!]), 1);
    return out;
  },
);

type Triangle = { readonly row: number; readonly col: number; readonly offset: number };

/** Coordinates of a triangle's elements, row by row: [2, count]. */
const triangleIndices =
  (isLower: boolean): Kernel<Triangle> =>
  ({ row, col, offset }, context) => {
    const out = emptyOutput(context);
    const count = out.shape[1]!;
    const values = scratch(Float64Array, 2 * count);
    // Rows before the first one, or from the last one on, have no element.
    const [first, end] = isLower ? [Math.max(0, -offset), row] : [0, Math.min(row, col - offset)];
    let at = 0;
    for (let i = first; i < end && at < count; i++) {
      const [from, to] = isLower ? [0, Math.min(col, i + offset + 1)] : [Math.max(0, i + offset), col];
      for (let j = from; j < to; j++) {
        values[at] = i;
        values[count + at++] = j;
      }
    }
    writeNumbers(out, values);
    return out;
  };

export const rangeKernels = defineKernels([
  kernel(
    [
      "aten::arange(Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
      "aten::arange.start(Scalar start, Scalar end, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
      "aten::arange.start_step(Scalar start, Scalar end, Scalar step=1, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    ],
    arange,
  ),
  linspace,
  logspace,
  eye,
  kernel(
    "aten::tril_indices(int row, int col, int offset=0, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    triangleIndices(true),
  ),
  kernel(
    "aten::triu_indices(int row, int col, int offset=0, *, ScalarType? dtype=4, Layout? layout=None, Device? device=None, bool? pin_memory=None) -> Tensor",
    triangleIndices(false),
  ),
]);
