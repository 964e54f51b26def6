/** @file Sums of products: matrix products and convolutions. */
import type { DType } from "@sconce/tensor";
import {
  add,
  atom,
  constant,
  divide,
  type Index,
  isWithin,
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
import {
  computeType,
  flag,
  type Lowering,
  type LoweringCall,
  type LoweringTable,
  numberScalar,
  numbers,
  optionalTensor,
  outOf,
  shapeOf,
  tensorArg,
} from "../call.js";
import { broadcastTo, LazyTensor } from "../lazy.js";

export const sumOf = (
  axes: ReturnType<LoweringCall["context"]["axis"]>[],
  body: Scalar,
  when?: Scalar,
): Scalar => ({
  kind: "reduce",
  dtype: body.dtype,
  reduce: "sum",
  axes,
  body,
  when,
});

/** A tensor whose elements are sums of products of two tensors' elements. */
function contraction(
  call: LoweringCall,
  inputs: readonly LazyTensor[],
  element: (at: readonly Index[]) => Scalar,
  extra: readonly LazyTensor[] = [],
): LazyTensor {
  const { context, node } = call;
  const out = outOf(call);
  const operands = inputs.map((input) => context.many(input));
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
function matmulElement(
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
const matmul = (left: string, right: string): Lowering => ({
  rule: (call) => {
    const [a, b] = [tensorArg(call, left), tensorArg(call, right)];
    return contraction(call, [a, b], matmulElement(call, a, b, computeType(outOf(call).dtype)));
  },
});
/** `beta * self + alpha * (a @ b)`; `self` is not read when beta is 0. */
const added = (left: string, right: string): Lowering => ({
  rule: (call) => {
    const [a, b] = [tensorArg(call, left), tensorArg(call, right)];
    const out = outOf(call);
    const dtype = computeType(out.dtype);
    const { beta = 1, alpha = 1 } = call.args;
    const product = matmulElement(call, a, b, dtype);
    const isSkipped = beta === 0;
    const bias = broadcastTo(tensorArg(call, "self"), call.node, shapeOf(out));
    if (!isSkipped) call.context.once(bias);
    if (bias.heavy) call.context.materialize(bias);
    const element = (at: readonly Index[]): Scalar => {
      const scaled = alpha === 1 ? product(at) : apply("mul", numberScalar(alpha, dtype), product(at));
      if (isSkipped) return scaled;
      const start = cast(bias.element(at), dtype);
      return apply("add", beta === 1 ? start : apply("mul", numberScalar(beta, dtype), start), scaled);
    };
    return contraction(call, [a, b], element, isSkipped ? [] : [bias]);
  },
});
const linear: Lowering = {
  rule: (call) => {
    const [x, weight, bias] = [
      tensorArg(call, "input"),
      tensorArg(call, "weight"),
      optionalTensor(call, "bias"),
    ];
    const dtype = computeType(outOf(call).dtype);
    if (bias !== undefined) call.context.many(bias);
    const element = (at: readonly Index[]): Scalar => {
      const k = call.context.axis(x.shape.at(-1)!);
      const left = cast(x.element([...at.slice(0, -1), atom(k)]), dtype);
      const right = cast(
        weight.element(weight.shape.length === 1 ? [atom(k)] : [at.at(-1)!, atom(k)]),
        dtype,
      );
      const sum = sumOf([k], apply("mul", left, right));
      return bias === undefined ? sum : apply("add", sum, cast(bias.element([at.at(-1)!]), dtype));
    };
    return contraction(call, [x, weight], element, bias === undefined ? [] : [bias]);
  },
};
/** Vectors: `dot`, `mv`. */
const vectors = (left: string, right: string): Lowering => ({
  rule: (call) => {
    const [a, b] = [tensorArg(call, left), tensorArg(call, right)];
    const dtype = computeType(outOf(call).dtype);
    return contraction(call, [a, b], (at) => {
      const k = call.context.axis(b.shape[0]!);
      return sumOf(
        [k],
        apply("mul", cast(a.element([...at, atom(k)]), dtype), cast(b.element([atom(k)]), dtype)),
      );
    });
  },
});

export interface Window {
  readonly stride: readonly number[];
  readonly padding: readonly number[];
  readonly dilation: readonly number[];
}
/** One number stands for all dimensions. */
export const perDim = (values: readonly number[], rank: number): number[] =>
  values.length === rank ? [...values] : new Array<number>(rank).fill(values[0] ?? 0);

/** Whether an index is within an extent; nothing to ask when that is certain. */
export function inside(index: Index, extent: Index): Scalar {
  if (isWithin(index, extent)) return TRUE;
  const value = indexScalar(index);
  return both(apply("ge", value, constantScalar(0, "int64")), apply("lt", value, indexScalar(extent)));
}
/** What a window reads: `value` within the tensor, `outside` in the padding. */
export const padded = (guard: Scalar, value: Scalar, outside: Scalar): Scalar =>
  select(guard, value, outside);

/** What a convolution multiplies at one place of its kernel. */
interface Tap {
  readonly value: Scalar;
  readonly weight: Scalar;
  /** Whether the place lies in the tensor. */
  readonly guard: Scalar;
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
    const { value, weight, guard } = tap({ n, channel, group, place, c, k });
    return sumOf(axes, apply("mul", value, weight), guard.kind === "constant" ? undefined : guard);
  };

/**
 * `x[n, g*ci + c, o*stride - padding + k*dilation] * w[o, c, k]` over channels and kernel elements.
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
    return {
      value: cast(x.element([n, add(multiply(group, inPerGroup), c), ...from]), compute),
      weight: cast(weight.element([channel, c, ...k]), compute),
      guard: from.reduce((all, index, d) => both(all, inside(index, x.shape[d + 2]!)), TRUE as Scalar),
    };
  });
}
/** The transposed one: input element `i` reaches output `i*stride - padding + k*dilation`. */
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
export const windowOf = (call: LoweringCall, rank: number): Window => ({
  stride: perDim(numbers(call, "stride"), rank),
  padding: perDim(numbers(call, "padding"), rank),
  dilation: perDim(numbers(call, "dilation"), rank),
});
const convolution: Lowering = {
  rule: (call) => {
    const [given, weight, bias] = [
      tensorArg(call, "input"),
      tensorArg(call, "weight"),
      optionalTensor(call, "bias"),
    ];
    const rank = weight.shape.length - 2;
    const window = windowOf(call, rank);
    const groups = Number(call.args["groups"]);
    if (bias !== undefined) call.context.many(bias);
    const x = given;
    const compute = computeType(outOf(call).dtype);
    const isBatched = x.shape.length === weight.shape.length;
    const make = flag(call, "transposed") ? transposedElement : convolutionElement;
    const image = isBatched ? x : unbatched(x, call.node);
    const sum = make(call, image, weight, groups, window);
    const element = (at: readonly Index[]): Scalar => {
      const full = isBatched ? at : [ZERO, ...at];
      return bias === undefined
        ? sum(full)
        : apply("add", sum(full), cast(bias.element([full[1]!]), compute));
    };
    return contraction(call, [image, weight], element, bias === undefined ? [] : [bias]);
  },
};
const unbatched = (x: LazyTensor, node: string): LazyTensor => broadcastTo(x, node, [ONE, ...x.shape]);

export const CONTRACTIONS: LoweringTable = {
  "aten.mm.default": matmul("self", "mat2"),
  "aten.bmm.default": matmul("self", "mat2"),
  "aten.addmm.default": added("mat1", "mat2"),
  "aten.baddbmm.default": added("batch1", "batch2"),
  "aten.linear.default": linear,
  "aten.dot.default": vectors("self", "tensor"),
  "aten.mv.default": vectors("self", "vec"),
  "aten.convolution.default": convolution,
};
