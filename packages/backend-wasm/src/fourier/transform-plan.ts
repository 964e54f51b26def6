/** @file Recognizes nests that transform lines. */
import { extentOf, type LoopNest, type LoopProgram, readsOf } from "@sconce/codegen";
import { isComplexDType } from "@sconce/tensor";

/** Lines of one length in a buffer, and those that they become. */
export interface FourierPlan {
  /** Positions of the buffers in the program. */
  readonly input: number;
  readonly output: number;
  /** Lines lie `inner` elements wide, and so `outer` times. */
  readonly outer: number;
  readonly inner: number;
  /** Elements of a line, and of a result. */
  readonly size: number;
  readonly kept: number;
  /** Whether the elements are complex. */
  readonly isComplex: { readonly input: boolean; readonly output: boolean };
  readonly sign: 1 | -1;
  readonly scale: number;
  /** The factors of the size, in the order of the passes. */
  readonly radices: readonly number[];
}

/** Factors with code of their own or the general one, the best first. */
const RADICES = [4, 2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31] as const;

/** Returns the factors of a size; undefined if it has greater ones. */
function radicesOf(size: number): readonly number[] | undefined {
  const radices: number[] = [];
  let left = size;
  for (const radix of RADICES) for (; left % radix === 0; left /= radix) radices.push(radix);
  return left === 1 ? radices : undefined;
}

/** Returns the plan of a nest whose sizes are bound; undefined for other nests. */
export function fourierPlan(
  { hint, axes, value, output }: LoopNest,
  { buffers }: LoopProgram,
): FourierPlan | undefined {
  if (hint?.kind !== "fourier") return undefined;
  const { dim, size, sign, scale } = hint;
  const [input] = readsOf(value);
  const radices = radicesOf(size);
  if (input === undefined || radices === undefined) return undefined;
  const extents = axes.map(extentOf);
  const product = (some: readonly number[]): number => some.reduce((all, one) => all * one, 1);
  return {
    input,
    output,
    outer: product(extents.slice(0, dim)),
    inner: product(extents.slice(dim + 1)),
    size,
    kept: extents[dim]!,
    isComplex: {
      input: isComplexDType(buffers[input]!.dtype),
      output: isComplexDType(buffers[output]!.dtype),
    },
    sign,
    scale,
    radices,
  };
}
