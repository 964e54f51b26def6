/** @file Sums of products: matrix products and convolutions. */
import type { DType } from "@sconce/tensor";
import {
  add,
  atom,
  constant,
  divide,
  type Index,
  multiply,
  ONE,
  remainder,
  same,
  scale,
  ZERO,
} from "../../ir/index-expr.js";
import {
  apply,
  both,
  cast,
  constantScalar,
  indexScalar,
  type Scalar,
  select,
  TRUE,
} from "../../ir/scalar.js";
import { type LoweringCall, outOf, shapeOf } from "../core/call.js";
import { LazyTensor } from "../core/lazy.js";
import { computeType } from "../core/numbers.js";
import { sumOf } from "./reduce.js";
import { inside, type Window } from "./window.js";

/** A dimension of the last factor that is summed over, for products that may compute the factor. */
export interface SummedFactor {
  readonly summed: number;
}

/** Returns a tensor whose elements are sums of products of two tensors' elements. */
export function contraction(
  call: LoweringCall,
  inputs: readonly LazyTensor[],
  element: (at: readonly Index[]) => Scalar,
  extra: readonly LazyTensor[] = [],
  factor?: SummedFactor,
): LazyTensor {
  const { context, node } = call;
  const out = outOf(call);
  const operands = inputs.map((input, at) =>
    factor !== undefined && at === inputs.length - 1
      ? context.factor(input, factor.summed)
      : context.many(input),
  );
  const made = new LazyTensor({
    dtype: out.dtype,
    shape: shapeOf(out),
    node,
    inputs: [...operands, ...extra],
    heavy: true,
    operations: 2,
    element: (at) => cast(element(at), out.dtype),
  });
  context.made(made);
  return made;
}

/** `a[..., i, k] * b[..., k, j]` summed over `k`. */
export function matmulElement(
  call: LoweringCall,
  a: LazyTensor,
  b: LazyTensor,
  dtype: DType,
): (at: readonly Index[]) => Scalar {
  return (at) => {
    const k = call.context.axis(a.shape.at(-1)!);
    const [batch, row, column] = [at.slice(0, -2), at.at(-2)!, at.at(-1)!];
    const left = cast(a.element([...batch, row, atom(k)]), dtype);
    const right = cast(b.element([...batch, atom(k), column]), dtype);
    return sumOf([k], apply("mul", left, right));
  };
}
/** The factors of a convolution at one place of its kernel. */
interface Tap {
  readonly value: Scalar;
  readonly weight: Scalar;
  /** Whether the product is part of the sum; all are where it is missing. */
  readonly guard?: Scalar;
}
/** A place in the result, the channel within its group and the place in the kernel. */
interface TapPlace {
  readonly n: Index;
  readonly channel: Index;
  readonly group: Index;
  readonly place: readonly Index[];
  readonly c: Index;
  readonly k: readonly Index[];
}
/** Sums taps over the channels of a group and the elements of the kernel. */
const overKernel =
  (
    { context }: LoweringCall,
    extents: readonly Index[],
    outPerGroup: Index | undefined,
    tap: (at: TapPlace) => Tap,
  ) =>
  (at: readonly Index[]): Scalar => {
    const [n, channel, ...place] = at as [Index, Index, ...Index[]];
    const { axes, at: inner } = context.axes(extents);
    const [c, ...k] = inner as [Index, ...Index[]];
    const group = outPerGroup === undefined ? ZERO : divide(channel, outPerGroup);
    const { value, weight, guard = TRUE } = tap({ n, channel, group, place, c, k });
    return sumOf(axes, apply("mul", value, weight), guard.kind === "constant" ? undefined : guard);
  };

/**
 * `x[n, g*ci + c, o*stride - padding + k*dilation] * w[o, c, k]` over channels and kernel elements.
 * The zeros of the padding are factors too: beside a weight that is not finite, they give NaN.
 */
export function convolutionElement(
  call: LoweringCall,
  x: LazyTensor,
  weight: LazyTensor,
  groups: number,
  { stride, padding, dilation }: Window,
) {
  const compute = computeType(x.dtype);
  const [outChannels, inPerGroup, ...kernel] = weight.shape as [Index, Index, ...Index[]];
  const outPerGroup = groups === 1 ? undefined : divide(outChannels, constant(groups));
  return overKernel(call, [inPerGroup, ...kernel], outPerGroup, ({ n, channel, group, place, c, k }) => {
    const from = place.map((o, d) =>
      add(scale(o, stride[d]!), scale(k[d]!, dilation[d]!), constant(-padding[d]!)),
    );
    const isInside = from.reduce(
      (all, index, d) => both(all, inside(index, x.shape[d + 2]!)),
      TRUE as Scalar,
    );
    const value = cast(x.element([n, add(multiply(group, inPerGroup), c), ...from]), compute);
    return {
      value: select(isInside, value, constantScalar(0, compute)),
      weight: cast(weight.element([channel, c, ...k]), compute),
    };
  });
}
/**
 * The element of a transposed convolution: input element `i` reaches output
 * `i*stride - padding + k*dilation`.
 */
export function transposedElement(
  call: LoweringCall,
  x: LazyTensor,
  weight: LazyTensor,
  groups: number,
  { stride, padding, dilation }: Window,
) {
  const compute = computeType(x.dtype);
  const [inChannels, perGroup, ...kernel] = weight.shape as [Index, Index, ...Index[]];
  const inPerGroup = divide(inChannels, constant(groups));
  const outPerGroup = groups === 1 ? undefined : perGroup;
  return overKernel(call, [inPerGroup, ...kernel], outPerGroup, ({ n, channel, group, place, c, k }) => {
    const outChannel = outPerGroup === undefined ? channel : remainder(channel, outPerGroup);
    const inChannel = add(multiply(group, inPerGroup), c);
    let guard: Scalar = TRUE;
    const from = place.map((o, d) => {
      const offset = add(o, constant(padding[d]!), scale(k[d]!, -dilation[d]!));
      const step = constant(stride[d]!);
      if (!same(step, ONE))
        guard = both(guard, apply("eq", indexScalar(remainder(offset, step)), constantScalar(0, "int64")));
      const index = divide(offset, step);
      guard = both(guard, inside(index, x.shape[d + 2]!));
      return index;
    });
    return {
      value: cast(x.element([n, inChannel, ...from]), compute),
      weight: cast(weight.element([inChannel, outChannel, ...k]), compute),
      guard,
    };
  });
}
