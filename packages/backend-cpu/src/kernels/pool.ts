/**
 * @file Pooling of one to three dimensions, forward and backward. All are done as
 * three-dimensional.
 */

import type { FakeTensor } from "@sconce/ir";
import { type DType, dtypeInfo, isBigIntDType, numel, type Tensor } from "@sconce/tensor";
import {
  type BigArray,
  finishOutput,
  isBigArray,
  type NumberArray,
  openOutput,
  readBigInts,
  readExact,
  readNumbers,
  writeBigInts,
} from "../kernel/dense.js";
import {
  defineKernels,
  emptyOutput,
  emptyOutputs,
  type Kernel,
  type KernelContext,
  kernel,
} from "../kernel/kernel.js";
import { numbersOf } from "../kernel/meta-number.js";
import { scratch } from "../kernel/scratch.js";
import { roundingOf } from "./reduction-sum.js";

/** Windows along one dimension: input positions `start[o], start[o] + step, ...` below `end[o]`. */
interface Windows {
  readonly size: number;
  readonly count: number;
  readonly start: Int32Array;
  readonly end: Int32Array;
  readonly step: number;
  /** Length with padding counted, but not what lies beyond it. */
  readonly span: Int32Array;
}

export interface PoolGeometry {
  readonly planes: number;
  readonly dims: readonly [Windows, Windows, Windows];
}

export function windows(
  size: number,
  count: number,
  rangeAt: (o: number) => readonly [start: number, end: number],
  step: number,
  padding = 0,
): Windows {
  const [start, end, span] = [
    scratch(Int32Array, count),
    scratch(Int32Array, count),
    scratch(Int32Array, count),
  ];
  for (let o = 0; o < count; o++) {
    const [from, to] = rangeAt(o);
    span[o] = Math.min(to, size + padding) - from;
    start[o] = from < 0 ? from + Math.ceil(-from / step) * step : from;
    end[o] = Math.min(to, size);
  }
  return { size, count, start, end, step, span };
}

/** A window over all of a dimension of size one, for the dimensions that a tensor lacks. */
const SINGLE = windows(1, 1, () => [0, 1], 1);

export function geometry(input: readonly number[], rank: number, dims: readonly Windows[]): PoolGeometry {
  const lead = [SINGLE, SINGLE, SINGLE].slice(rank);
  return {
    planes: numel(input.slice(0, input.length - rank)),
    dims: [...lead, ...dims] as unknown as [Windows, Windows, Windows],
  };
}

export interface PoolArgs {
  readonly self: Tensor;
  readonly kernel_size: readonly number[];
  readonly stride: readonly number[];
  readonly padding: readonly number[];
  readonly dilation?: readonly number[];
  readonly count_include_pad?: boolean;
  readonly divisor_override?: number | null;
}

/** One value for all dimensions represents each. */
const at = (values: readonly number[], d: number): number => values[values.length === 1 ? 0 : d]!;

function slidingGeometry(args: PoolArgs, rank: number, out: readonly number[]): PoolGeometry {
  const { self, kernel_size: size, padding, dilation = [1] } = args;
  const stride = args.stride.length === 0 ? size : args.stride;
  const first = self.ndim - rank;
  const dims = Array.from({ length: rank }, (_, d) => {
    const reach = (at(size, d) - 1) * at(dilation, d) + 1;
    const start = (o: number): number => o * at(stride, d) - at(padding, d);
    return windows(
      self.shape[first + d]!,
      out[first + d]!,
      (o) => [start(o), start(o) + reach],
      at(dilation, d),
      at(padding, d),
    );
  });
  return geometry(self.shape, rank, dims);
}

/**
 * Handles one window: the plane's first position, its number, and where it lies in each dimension.
 */
type Visit = (base: number, output: number, d: number, h: number, w: number) => void;

function eachWindow({ planes, dims: [depth, height, width] }: PoolGeometry, visit: Visit): void {
  const plane = depth.size * height.size * width.size;
  let output = 0;
  for (let p = 0; p < planes; p++) {
    for (let d = 0; d < depth.count; d++) {
      for (let h = 0; h < height.count; h++) {
        for (let w = 0; w < width.count; w++) visit(p * plane, output++, d, h, w);
      }
    }
  }
}

/** What a window of padding alone has. */
const LEAST_INT64 = -(2n ** 63n);
function leastOf(dtype: DType): number {
  const { kind, itemSize } = dtypeInfo(dtype);
  if (kind === "float") return Number.NEGATIVE_INFINITY;
  return kind === "int" && !dtype.startsWith("u") ? -(2 ** (8 * itemSize - 1)) : 0;
}

export function maxPool(
  x: NumberArray | BigArray,
  geometryOf: PoolGeometry,
  context: KernelContext<readonly [FakeTensor, FakeTensor]>,
): [values: Tensor, indices: Tensor] {
  const [out, indices] = emptyOutputs(context);
  const [values, places] = [openOutput(out), openOutput(indices)];
  const exact = isBigArray(x) ? scratch(BigInt64Array, out.numel) : undefined;
  const [depth, height, width] = geometryOf.dims;
  const least = leastOf(out.dtype);
  eachWindow(geometryOf, (base, output, d, h, w) => {
    let best = (depth.start[d]! * height.size + height.start[h]!) * width.size + width.start[w]!;
    let max: number | bigint = least;
    for (let i = depth.start[d]!; i < depth.end[d]!; i += depth.step) {
      for (let j = height.start[h]!; j < height.end[h]!; j += height.step) {
        const row = (i * height.size + j) * width.size;
        for (let k = width.start[w]!; k < width.end[w]!; k += width.step) {
          const value: number | bigint = x[base + row + k]!;
          if (value > max || Number.isNaN(value)) {
            max = value;
            best = row + k;
          }
        }
      }
    }
    if (exact === undefined) values[output] = max as number;
    else exact[output] = typeof max === "bigint" ? max : LEAST_INT64;
    places[output] = best;
  });
  if (exact === undefined) finishOutput(out, values);
  else writeBigInts(out, exact);
  return [out, finishOutput(indices, places)];
}

type Divisor = (d: number, h: number, w: number) => number;

export function divisorOf({ dims: [depth, height, width] }: PoolGeometry, args?: PoolArgs): Divisor {
  const override = args?.divisor_override;
  if (override != null) return () => override;
  if (args?.count_include_pad === true) return (d, h, w) => depth.span[d]! * height.span[h]! * width.span[w]!;
  const length = (along: Windows, o: number): number => along.end[o]! - along.start[o]!;
  return (d, h, w) => length(depth, d) * length(height, h) * length(width, w);
}

export function averagePool(
  self: Tensor,
  geometryOf: PoolGeometry,
  divisor: Divisor,
  context: KernelContext,
  round?: (x: number) => number,
): Tensor {
  const out = emptyOutput(context);
  const x = readExact(self, numel(self.shape));
  if (isBigArray(x)) return averageBig(x, geometryOf, divisor, out);
  const values = openOutput(out);
  const [depth, height, width] = geometryOf.dims;
  const step = round ?? roundingOf(out.dtype);
  const thirds = (sum: number, rounded: (x: number) => number, at: readonly number[]): number =>
    geometryOf.dims.reduce(
      (part, along, d) => rounded(part / (along.end[at[d]!]! - along.start[at[d]!]!)),
      sum,
    );
  eachWindow(geometryOf, (base, output, d, h, w) => {
    let sum = 0;
    for (let i = depth.start[d]!; i < depth.end[d]!; i++) {
      for (let j = height.start[h]!; j < height.end[h]!; j++) {
        const row = base + (i * height.size + j) * width.size;
        for (let k = width.start[w]!; k < width.end[w]!; k++) sum = step(sum + x[row + k]!);
      }
    }
    values[output] = round === undefined ? sum / divisor(d, h, w) : thirds(sum, round, [d, h, w]);
  });
  return finishOutput(out, values);
}

/** Averages of 64-bit integers, whose sums wrap. */
function averageBig(x: BigArray, geometryOf: PoolGeometry, divisor: Divisor, out: Tensor): Tensor {
  const values = scratch(BigInt64Array, out.numel);
  const [depth, height, width] = geometryOf.dims;
  eachWindow(geometryOf, (base, output, d, h, w) => {
    let sum = 0n;
    for (let i = depth.start[d]!; i < depth.end[d]!; i++) {
      for (let j = height.start[h]!; j < height.end[h]!; j++) {
        const row = base + (i * height.size + j) * width.size;
        for (let k = width.start[w]!; k < width.end[w]!; k++) sum += x[row + k]!;
      }
    }
    values[output] = BigInt.asIntN(64, sum) / BigInt(divisor(d, h, w));
  });
  writeBigInts(out, values);
  return out;
}

/** Gradients of averages of 64-bit integers: each window's share is cut to an integer. */
function averageBigBackward(grad: Tensor, geometryOf: PoolGeometry, divisor: Divisor, out: Tensor): Tensor {
  const sums = scratch(BigInt64Array, out.numel);
  const g = readBigInts(grad);
  const [depth, height, width] = geometryOf.dims;
  eachWindow(geometryOf, (base, output, d, h, w) => {
    const share = g[output]! / BigInt(divisor(d, h, w));
    for (let i = depth.start[d]!; i < depth.end[d]!; i++) {
      for (let j = height.start[h]!; j < height.end[h]!; j++) {
        const row = base + (i * height.size + j) * width.size;
        for (let k = width.start[w]!; k < width.end[w]!; k++) sums[row + k]! += share;
      }
    }
  });
  writeBigInts(out, sums);
  return out;
}

export function averagePoolBackward(
  grad: Tensor,
  geometryOf: PoolGeometry,
  divisor: Divisor,
  context: KernelContext,
): Tensor {
  const out = emptyOutput(context);
  if (isBigIntDType(out.dtype)) return averageBigBackward(grad, geometryOf, divisor, out);
  const sums = scratch(Float64Array, out.numel);
  const g = readNumbers(grad);
  const [depth, height, width] = geometryOf.dims;
  eachWindow(geometryOf, (base, output, d, h, w) => {
    const share = g[output]! / divisor(d, h, w);
    for (let i = depth.start[d]!; i < depth.end[d]!; i++) {
      for (let j = height.start[h]!; j < height.end[h]!; j++) {
        const row = base + (i * height.size + j) * width.size;
        for (let k = width.start[w]!; k < width.end[w]!; k++) sums[row + k]! += share;
      }
    }
  });
  return finishOutput(out, sums);
}

/** Adds each gradient at the place in its plane that the forward pass took. */
function scatterBackward(grad: Tensor, indices: Tensor, rank: number, context: KernelContext): Tensor {
  const out = emptyOutput(context);
  const sums = scratch(Float64Array, out.numel);
  const [g, places] = [readNumbers(grad), readNumbers(indices)];
  const from = numel(grad.shape.slice(grad.ndim - rank));
  const to = numel(out.shape.slice(out.ndim - rank));
  for (let i = 0; i < g.length; i++) sums[Math.floor(i / from) * to + places[i]!]! += g[i]!;
  return finishOutput(out, sums);
}

export const outShape = ({ meta }: KernelContext): readonly number[] => numbersOf(meta.shape);

export type Grad = { readonly grad_output: Tensor };
export type MaxPool<A> = Kernel<A, readonly [Tensor, Tensor]>;

const sliding =
  (rank: number): MaxPool<PoolArgs> =>
  (args, context) => {
    const shape = numbersOf(context.meta[0].shape);
    return maxPool(readExact(args.self), slidingGeometry(args, rank, shape), context);
  };

const average =
  (rank: number): Kernel<PoolArgs> =>
  (args, context) => {
    const shape = slidingGeometry(args, rank, outShape(context));
    return averagePool(args.self, shape, divisorOf(shape, args), context);
  };

const averageBackward =
  (rank: number): Kernel<PoolArgs & Grad> =>
  (args, context) => {
    const shape = slidingGeometry(args, rank, args.grad_output.shape);
    return averagePoolBackward(args.grad_output, shape, divisorOf(shape, args), context);
  };

export const maxBackward =
  (rank: number): Kernel<{ readonly indices: Tensor } & Grad> =>
  (args, context) =>
    scatterBackward(args.grad_output, args.indices, rank, context);

export const poolKernels = defineKernels([
  kernel(
    "aten::max_pool2d_with_indices(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, int[2] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)",
    sliding(2),
  ),
  kernel(
    "aten::max_pool3d_with_indices(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, int[3] dilation=1, bool ceil_mode=False) -> (Tensor, Tensor)",
    sliding(3),
  ),
  kernel(
    "aten::max_pool2d_with_indices_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, int[2] dilation, bool ceil_mode, Tensor indices) -> Tensor",
    maxBackward(2),
  ),
  kernel(
    "aten::max_pool3d_with_indices_backward(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] stride, int[3] padding, int[3] dilation, bool ceil_mode, Tensor indices) -> Tensor",
    maxBackward(3),
  ),
  kernel(
    "aten::avg_pool1d(Tensor self, int[1] kernel_size, int[1] stride=[], int[1] padding=[0], bool ceil_mode=False, bool count_include_pad=True) -> Tensor",
    average(1),
  ),
  kernel(
    "aten::avg_pool2d(Tensor self, int[2] kernel_size, int[2] stride=[], int[2] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor",
    average(2),
  ),
  kernel(
    "aten::avg_pool3d(Tensor self, int[3] kernel_size, int[3] stride=[], int[3] padding=0, bool ceil_mode=False, bool count_include_pad=True, int? divisor_override=None) -> Tensor",
    average(3),
  ),
  kernel(
    "aten::avg_pool2d_backward(Tensor grad_output, Tensor self, int[2] kernel_size, int[2] stride, int[2] padding, bool ceil_mode, bool count_include_pad, int? divisor_override) -> Tensor",
    averageBackward(2),
  ),
  kernel(
    "aten::avg_pool3d_backward(Tensor grad_output, Tensor self, int[3] kernel_size, int[3] stride, int[3] padding, bool ceil_mode, bool count_include_pad, int? divisor_override) -> Tensor",
    averageBackward(3),
  ),
]);
