/**
 * @file Convolutions product by product: of integers that doubles cannot hold, and transposed ones
 * of weights that are not finite, which must not meet zeros that PyTorch does not multiply.
 */

import { contiguousStrides, isBigIntDType, isIntegralDType, numel, type Tensor } from "@sconce/tensor";
import { greatestMagnitude, readBigInts, readNumbers, writeBigInts, writeNumbers } from "../kernel/dense.js";
import { stepOf } from "../kernel/half.js";
import { scratch } from "../kernel/scratch.js";

/** A convolution with one number for each spatial dimension. */
export interface WholeConvolution {
  readonly input: Tensor;
  readonly weight: Tensor;
  readonly bias: Tensor | null;
  readonly stride: readonly number[];
  readonly padding: readonly number[];
  readonly dilation: readonly number[];
  readonly transposed: boolean;
  readonly groups: number;
}

/** Returns whether the sums are whole numbers that doubles may not hold. */
export function outgrowsDouble({ input, weight, bias, groups }: WholeConvolution, out: Tensor): boolean {
  const { dtype } = out;
  if (!isBigIntDType(dtype) && dtype !== "int32" && dtype !== "uint32") return false;
  const most = (tensor: Tensor): number => greatestMagnitude(readNumbers(tensor));
  const terms = (input.shape[1]! / groups) * numel(weight.shape.slice(2));
  const sum = most(input) * most(weight) * terms + (bias === null ? 0 : most(bias));
  return sum > Number.MAX_SAFE_INTEGER;
}

/** Returns whether a transposed convolution has weights that are not finite. */
export const hasUnboundedWeight = ({ weight, transposed }: WholeConvolution): boolean =>
  transposed && !isIntegralDType(weight.dtype) && !readNumbers(weight).every(Number.isFinite);

/**
 * Handles one product: its place in the result, in the input and in the weight, all row-major and
 * relative to the plane of a channel.
 */
type Visit = (out: number, input: number, weight: number) => void;

/** The products of a plane of the input with one of the weight, for a plane of the result. */
function eachTap(args: WholeConvolution, outSizes: readonly number[], visit: Visit): void {
  const { stride, padding, dilation, transposed } = args;
  const inSizes = args.input.shape.slice(2);
  const kernelSizes = args.weight.shape.slice(2);
  const [outStrides, inStrides, tapStrides] = [outSizes, inSizes, kernelSizes].map(contiguousStrides) as [
    number[],
    number[],
    number[],
  ];
  // A transposed convolution has the places of input and result the other way around.
  const [fixed, moving] = transposed ? [inSizes, outSizes] : [outSizes, inSizes];
  const along = (d: number, out: number, input: number, weight: number): void => {
    if (d === outSizes.length) {
      visit(out, input, weight);
      return;
    }
    for (let at = 0; at < fixed[d]!; at++) {
      for (let tap = 0; tap < kernelSizes[d]!; tap++) {
        const place = at * stride[d]! + tap * dilation[d]! - padding[d]!;
        if (place < 0 || place >= moving[d]!) continue;
        const [o, i] = transposed ? [place, at] : [at, place];
        along(d + 1, out + o * outStrides[d]!, input + i * inStrides[d]!, weight + tap * tapStrides[d]!);
      }
    }
  };
  along(0, 0, 0, 0);
}

/** Handles every product, with places in the whole tensors. */
function eachProduct(args: WholeConvolution, out: Tensor, visit: Visit): void {
  const { input, weight, transposed, groups } = args;
  const outSizes = out.shape.slice(2);
  const taps = numel(weight.shape.slice(2));
  const [inPlane, outPlane] = [numel(input.shape.slice(2)), numel(outSizes)];
  const [inChannels, outChannels] = [input.shape[1]! / groups, out.shape[1]! / groups];
  for (let n = 0; n < input.shape[0]!; n++) {
    for (let g = 0; g < groups; g++) {
      for (let o = 0; o < outChannels; o++) {
        const to = (n * out.shape[1]! + g * outChannels + o) * outPlane;
        for (let i = 0; i < inChannels; i++) {
          const from = (n * input.shape[1]! + g * inChannels + i) * inPlane;
          const by = transposed
            ? ((g * inChannels + i) * outChannels + o) * taps
            : ((g * outChannels + o) * inChannels + i) * taps;
          eachTap(args, outSizes, (a, b, c) => visit(to + a, from + b, by + c));
        }
      }
    }
  }
}

/** Returns the channel of each element of a result. */
const channelOf = (out: Tensor): ((at: number) => number) => {
  const plane = numel(out.shape.slice(2));
  return (at) => Math.floor(at / plane) % out.shape[1]!;
};

/** Convolves in 64-bit integers, which wrap. */
export function convolveBig(args: WholeConvolution, out: Tensor): Tensor {
  const [x, w] = [readBigInts(args.input), readBigInts(args.weight)];
  const bias = args.bias === null ? undefined : readBigInts(args.bias);
  const sums = scratch(BigInt64Array, out.numel);
  const channel = channelOf(out);
  if (bias !== undefined) for (let i = 0; i < sums.length; i++) sums[i] = bias[channel(i)]!;
  eachProduct(args, out, (to, from, by) => {
    sums[to]! += x[from]! * w[by]!;
  });
  writeBigInts(out, sums);
  return out;
}

/** Convolves floats, only with what is there. */
export function convolveSparse(args: WholeConvolution, out: Tensor): Tensor {
  const [x, w] = [readNumbers(args.input), readNumbers(args.weight)];
  const bias = args.bias === null ? undefined : readNumbers(args.bias);
  const sums = scratch(Float64Array, out.numel);
  const channel = channelOf(out);
  const step = stepOf(out.dtype);
  eachProduct(args, out, (to, from, by) => {
    sums[to] = step(sums[to]! + step(x[from]! * w[by]!));
  });
  if (bias !== undefined) for (let i = 0; i < sums.length; i++) sums[i]! += bias[channel(i)]!;
  writeNumbers(out, sums);
  return out;
}
