import {
  add,
  constant,
  divide,
  fixedValue,
  type Index,
  isWithin,
  multiply,
  ONE,
  remainder,
  same,
  scale,
  subtract,
  ZERO,
} from "../../ir/index-expr.js";
import { apply, both, constantScalar, indexScalar, type Scalar, TRUE } from "../../ir/scalar.js";
import { cannot } from "../core/call.js";
import { inside, perDim } from "./window.js";

const zero = constantScalar(0, "int64");

/** The windows of one dimension. */
export interface Windows {
  /** The greatest number of elements of a window. */
  readonly length: Index;
  /** The number of windows. */
  readonly count: Index;
  /** Where the `k`th element of window `o` is, and whether it has one there. */
  readonly element: (o: Index, k: Index) => { readonly at: Index; readonly is: Scalar };
  /** How many elements a mean of window `o` is over. */
  readonly elements: (o: Index) => Scalar;
  /** The windows that an element may be in: for each `k`, one and whether it is. */
  readonly reach: (place: Index, k: Index) => { readonly window: Index; readonly is: Scalar };
  /** How many `k` there are in {@link reach}. */
  readonly reaches: Index;
}

interface Strided {
  readonly kernel: number;
  readonly stride: number;
  readonly padding: number;
  readonly dilation: number;
  readonly countsPadding: boolean;
}
function strided(extent: Index, count: Index, call: Strided): Windows {
  const { kernel, stride, padding, dilation } = call;
  const place = (o: Index, k: Index): Index => add(scale(o, stride), scale(k, dilation), constant(-padding));
  const length = constant(kernel);
  return {
    length,
    count,
    reaches: length,
    element: (o, k) => ({ at: place(o, k), is: inside(place(o, k), extent) }),
    elements: (o) => elementsOf(scale(o, stride), extent, call),
    reach: (at, k) => {
      const offset = add(at, constant(padding), scale(k, -dilation));
      const window = divide(offset, constant(stride));
      const isStep = remainder(offset, constant(stride));
      const is = same(isStep, ZERO) ? TRUE : apply("eq", indexScalar(isStep), zero);
      return { window, is: both(is, inside(window, count)) };
    },
  };
}
/** Elements of the window from `from - padding`, padding counted or not (`AvgPoolKernel.cpp`). */
function elementsOf(from: Index, extent: Index, { kernel, padding, countsPadding }: Strided): Scalar {
  const start = add(from, constant(-padding));
  const end = add(start, constant(kernel));
  const limit = countsPadding ? add(extent, constant(padding)) : extent;
  // `isWithin` is asked of the last element, and of the first where padding does not count.
  const fits = isWithin(add(from, constant(kernel - 1)), add(limit, constant(padding)));
  const isWhole = fits && (countsPadding || isWithin(start, extent));
  if (isWhole) return constantScalar(kernel, "int64");
  const last = apply("min", indexScalar(end), indexScalar(limit));
  return apply("sub", last, countsPadding ? indexScalar(start) : apply("max", indexScalar(start), zero));
}

/** Window `o` of `count` from `floor(o * extent / count)` to `ceil((o + 1) * extent / count)`. */
function adaptive(extent: Index, count: Index): Windows {
  const start = (o: Index): Index => divide(multiply(o, extent), count);
  const end = (o: Index): Index => divide(add(multiply(add(o, ONE), extent), subtract(count, ONE)), count);
  const [size, windows] = [fixedValue(extent), fixedValue(count)];
  const whole = divide(extent, count);
  const isEven = same(count, ONE) || (size !== undefined && windows !== undefined && size % windows === 0);
  if (!isEven && (size === undefined || windows === undefined))
    return cannot("adaptive pooling of a dimension of symbolic size");
  const element = (o: Index, k: Index): { at: Index; is: Scalar } => {
    const at = add(start(o), k);
    return { at, is: isEven ? TRUE : apply("lt", indexScalar(at), indexScalar(end(o))) };
  };
  return {
    length: isEven ? whole : constant(windows === 0 ? 0 : Math.ceil(size! / windows!) + 1),
    count,
    reaches: count,
    element,
    elements: (o) => indexScalar(isEven ? whole : subtract(end(o), start(o))),
    reach: (place, k) => ({
      window: k,
      is: both(
        apply("ge", indexScalar(place), indexScalar(start(k))),
        apply("lt", indexScalar(place), indexScalar(end(k))),
      ),
    }),
  };
}

/**
 * The windows of each dimension, given the extents of the tensor and how many windows there are.
 */
export type WindowsOf = (extents: readonly Index[], counts: readonly Index[]) => Windows[];

/**
 * The arguments of a pool that describe its windows; the stride is the kernel's size when empty.
 */
interface PoolArgs {
  readonly kernel_size: readonly number[];
  readonly stride: readonly number[];
  readonly padding: readonly number[];
  readonly dilation?: readonly number[];
  readonly count_include_pad?: boolean;
}
/** Windows of one size at equal distances. */
export function stridedWindows(args: PoolArgs, rank: number): WindowsOf {
  const kernel = perDim(args.kernel_size, rank);
  const stride = args.stride.length === 0 ? kernel : perDim(args.stride, rank);
  const padding = perDim(args.padding, rank);
  const dilation = perDim(args.dilation ?? [1], rank);
  return (extents, counts) =>
    extents.map((extent, d) =>
      strided(extent, counts[d]!, {
        kernel: kernel[d]!,
        stride: stride[d]!,
        padding: padding[d]!,
        dilation: dilation[d]!,
        countsPadding: args.count_include_pad === true,
      }),
    );
}
/** Windows that divide each dimension as evenly as possible. */
export const adaptiveWindows: WindowsOf = (extents, counts) =>
  extents.map((extent, d) => adaptive(extent, counts[d]!));
