/**
 * @file Pooling: windows of the last dimensions, their greatest element or their mean, and the
 * gradients of both.
 */
import { isFloatDType } from "@sconce/tensor";
import {
  add,
  atom,
  constant,
  divide,
  fixedValue,
  flatIndex,
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
import {
  apply,
  both,
  cast,
  constantScalar,
  indexScalar,
  type ReduceKind,
  type ReduceScalar,
  type Scalar,
  select,
  TRUE,
} from "../../ir/scalar.js";
import { scalarText } from "../../text/scalar-text.js";
import {
  cannot,
  computeType,
  flag,
  type Lowering,
  type LoweringCall,
  type LoweringTable,
  numbers,
  outOf,
  shapeOf,
  tensorArg,
} from "../call.js";
import { LazyTensor } from "../lazy.js";
import { inside, perDim } from "./contract.js";
import { made } from "./gather.js";

const zero = constantScalar(0, "int64");

/** The windows of one dimension. */
interface Windows {
  /** Elements of a window, at most. */
  readonly length: Index;
  /** Windows there are. */
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
    length: isEven ? whole : constant(Math.ceil(size! / windows!) + 1),
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

const stridedWindows =
  (rank: number, hasDilation: boolean) =>
  (call: LoweringCall, extents: readonly Index[], counts: readonly Index[]): Windows[] => {
    const kernel = perDim(numbers(call, "kernel_size"), rank);
    const given = numbers(call, "stride");
    const stride = given.length === 0 ? kernel : perDim(given, rank);
    const padding = perDim(numbers(call, "padding"), rank);
    const dilation = hasDilation ? perDim(numbers(call, "dilation"), rank) : kernel.map(() => 1);
    return extents.map((extent, d) =>
      strided(extent, counts[d]!, {
        kernel: kernel[d]!,
        stride: stride[d]!,
        padding: padding[d]!,
        dilation: dilation[d]!,
        countsPadding: flag(call, "count_include_pad"),
      }),
    );
  };
const adaptiveWindows = (_: LoweringCall, extents: readonly Index[], counts: readonly Index[]): Windows[] =>
  extents.map((extent, d) => adaptive(extent, counts[d]!));
type WindowsOf = typeof adaptiveWindows;

/** A reduction over a window of each element of the result. */
function windowed(
  call: LoweringCall,
  self: LazyTensor,
  windows: readonly Windows[],
  kind: ReduceKind,
  dtype: LazyTensor["dtype"],
): (at: readonly Index[]) => Scalar {
  return (at) => {
    const lead = at.length - windows.length;
    const { axes, at: k } = call.context.axes(windows.map(({ length }) => length));
    const elements = windows.map((window, d) => window.element(at[lead + d]!, k[d]!));
    const when = elements.reduce<Scalar>((all, { is }) => both(all, is), TRUE);
    const body = cast(self.element([...at.slice(0, lead), ...elements.map((element) => element.at)]), dtype);
    const result = kind === "argmax" ? "int64" : dtype;
    const guard = when.kind === "constant" ? undefined : when;
    return { kind: "reduce", dtype: result, reduce: kind, axes, body, when: guard };
  };
}

/**
 * The place of the last NaN in a window, as PyTorch's pools remember it; -1 where there is none.
 */
function lastNaN(
  call: LoweringCall,
  self: LazyTensor,
  windows: readonly Windows[],
): (at: readonly Index[]) => Scalar {
  const none = constantScalar(-1, "int64");
  const elements = windowed(call, self, windows, "max", self.dtype);
  return (at) => {
    const reduce = elements(at) as ReduceScalar;
    const place = flatIndex(
      reduce.axes.map(atom),
      reduce.axes.map(({ extent }) => extent),
    );
    const body = select(apply("isnan", reduce.body), indexScalar(place), none);
    return { ...reduce, dtype: "int64", body, initial: none };
  };
}

const product = (factors: readonly Scalar[]): Scalar =>
  factors.reduce((a, b) =>
    a.kind === "constant" && b.kind === "constant"
      ? constantScalar(Number(a.value) * Number(b.value), "int64")
      : apply("mul", a, b),
  );
/** What the sum over a window is divided by. */
function divisorAt(
  call: LoweringCall,
  windows: readonly Windows[],
  at: readonly Index[],
  dtype: LazyTensor["dtype"],
): Scalar {
  const given = call.args["divisor_override"];
  if (typeof given === "number") return constantScalar(given, dtype);
  const count = product(windows.map((window, d) => window.elements(at[at.length - windows.length + d]!)));
  return count.kind === "constant" ? constantScalar(count.value, dtype) : cast(count, dtype);
}

/** Integers are divided as in C. */
const quotient = (sum: Scalar, by: Scalar): Scalar =>
  apply(isFloatDType(sum.dtype) ? "div" : "trunc_div", sum, by);

const averages = (rank: number, windowsOf: WindowsOf): Lowering => ({
  rule: (call) => {
    const self = call.context.many(tensorArg(call, "self"), 2);
    const { dtype } = outOf(call);
    const compute = computeType(dtype);
    const windows = windowsOf(call, self.shape.slice(-rank), shapeOf(outOf(call)).slice(-rank));
    const sum = windowed(call, self, windows, "sum", compute);
    return made(call, {
      inputs: [self],
      operations: 3,
      heavy: true,
      element: (at) => cast(quotient(sum(at), divisorAt(call, windows, at, compute)), dtype),
    });
  },
});

/** The greatest element of each window, and its row-major place in the input's plane. */
const greatest = (rank: number, windowsOf: WindowsOf): Lowering => ({
  rule: (call) => {
    const { context, node } = call;
    const self = context.many(tensorArg(call, "self"), 2);
    const plane = self.shape.slice(-rank);
    const shape = shapeOf(outOf(call));
    const windows = windowsOf(call, plane, shape.slice(-rank));
    const compute = computeType(self.dtype);
    const value = windowed(call, self, windows, "max", compute);
    const first = windowed(call, self, windows, "argmax", compute);
    const notNumber = lastNaN(call, self, windows);
    const place = (at: readonly Index[]): Scalar => {
      if (!isFloatDType(self.dtype)) return first(at);
      const last = notNumber(at);
      return select(apply("ge", last, constantScalar(0, "int64")), last, first(at));
    };
    const values = made(call, {
      inputs: [self],
      operations: 2,
      heavy: true,
      element: (at) => cast(value(at), self.dtype),
    });
    const places = new LazyTensor({
      dtype: "int64",
      shape,
      node,
      inputs: [self],
      heavy: true,
      operations: 2,
      element: (at) => indexScalar(placeInPlane(windows, plane, at, place(at))),
    });
    context.made(places);
    return [values, places];
  },
});
/** The place in the plane of the element at a row-major place in a window. */
function placeInPlane(
  windows: readonly Windows[],
  plane: readonly Index[],
  at: readonly Index[],
  found: Scalar,
): Index {
  const bound = windows.reduce((total, { length }) => multiply(total, length), ONE);
  let rest = atom({ kind: "value", scalar: found, key: `[${scalarText(found)}]`, bound });
  let [total, step] = [ZERO, ONE];
  for (let d = windows.length - 1; d >= 0; d--) {
    const { length, element } = windows[d]!;
    const k = d === 0 ? rest : remainder(rest, length);
    rest = divide(rest, length);
    total = add(total, multiply(element(at[at.length - windows.length + d]!, k).at, step));
    step = multiply(step, plane[d]!);
  }
  return total;
}

/** Each element of the input sums what the windows that it is in give back to it. */
function gradient(
  call: LoweringCall,
  rank: number,
  windowsOf: WindowsOf,
  share: (
    windows: readonly Windows[],
    at: readonly Index[],
    window: readonly Index[],
  ) => { value: Scalar; is: Scalar },
  inputs: readonly LazyTensor[],
): LazyTensor {
  const out = outOf(call);
  const grad = tensorArg(call, "grad_output");
  const windows = windowsOf(call, shapeOf(out).slice(-rank), grad.shape.slice(-rank));
  return made(call, {
    inputs,
    operations: 4,
    heavy: true,
    element: (at) => {
      const { axes, at: k } = call.context.axes(windows.map(({ reaches }) => reaches));
      const reached = windows.map((window, d) => window.reach(at[at.length - rank + d]!, k[d]!));
      const isIn = reached.reduce<Scalar>((all, { is }) => both(all, is), TRUE);
      const window = [...at.slice(0, -rank), ...reached.map((item) => item.window)];
      const { value, is } = share(windows, at, window);
      const when = both(isIn, is);
      const guard = when.kind === "constant" ? undefined : when;
      return cast(
        { kind: "reduce", dtype: value.dtype, reduce: "sum", axes, body: value, when: guard },
        out.dtype,
      );
    },
  });
}
const averagesBackward = (rank: number, windowsOf: WindowsOf): Lowering => ({
  rule: (call) => {
    const grad = call.context.many(tensorArg(call, "grad_output"));
    const compute = computeType(outOf(call).dtype);
    const share: Parameters<typeof gradient>[3] = (windows, _, window) => ({
      value: quotient(cast(grad.element(window), compute), divisorAt(call, windows, window, compute)),
      is: TRUE,
    });
    return gradient(call, rank, windowsOf, share, [grad]);
  },
});
/** A window gives its gradient to the element that it chose. */
const greatestBackward = (rank: number, windowsOf: WindowsOf): Lowering => ({
  rule: (call) => {
    const [grad, indices] = ["grad_output", "indices"].map((name) =>
      call.context.many(tensorArg(call, name)),
    );
    const plane = shapeOf(outOf(call)).slice(-rank);
    const compute = computeType(outOf(call).dtype);
    const share: Parameters<typeof gradient>[3] = (_, at, window) => {
      const place = at.slice(-rank).reduce((total, index, d) => add(multiply(total, plane[d]!), index), ZERO);
      return {
        value: cast(grad!.element(window), compute),
        is: apply("eq", cast(indices!.element(window), "int64"), indexScalar(place)),
      };
    };
    return gradient(call, rank, windowsOf, share, [grad!, indices!]);
  },
});

export const POOLS: LoweringTable = {
  "aten.avg_pool2d.default": averages(2, stridedWindows(2, false)),
  "aten.avg_pool3d.default": averages(3, stridedWindows(3, false)),
  "aten._adaptive_avg_pool2d.default": averages(2, adaptiveWindows),
  "aten._adaptive_avg_pool3d.default": averages(3, adaptiveWindows),
  "aten.max_pool2d_with_indices.default": greatest(2, stridedWindows(2, true)),
  "aten.max_pool3d_with_indices.default": greatest(3, stridedWindows(3, true)),
  "aten.adaptive_max_pool2d.default": greatest(2, adaptiveWindows),
  "aten.adaptive_max_pool3d.default": greatest(3, adaptiveWindows),
  "aten.avg_pool2d_backward.default": averagesBackward(2, stridedWindows(2, false)),
  "aten.avg_pool3d_backward.default": averagesBackward(3, stridedWindows(3, false)),
  "aten._adaptive_avg_pool2d_backward.default": averagesBackward(2, adaptiveWindows),
  "aten._adaptive_avg_pool3d_backward.default": averagesBackward(3, adaptiveWindows),
  "aten.max_pool2d_with_indices_backward.default": greatestBackward(2, stridedWindows(2, true)),
  "aten.max_pool3d_with_indices_backward.default": greatestBackward(3, stridedWindows(3, true)),
  "aten.adaptive_max_pool2d_backward.default": greatestBackward(2, adaptiveWindows),
  "aten.adaptive_max_pool3d_backward.default": greatestBackward(3, adaptiveWindows),
};
