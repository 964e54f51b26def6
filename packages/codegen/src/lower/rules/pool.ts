/** @file Means and greatest elements of the windows of a pool, and their gradients. */
import { type DType, isFloatDType } from "@sconce/tensor";
import {
  add,
  atom,
  divide,
  flatIndex,
  type Index,
  multiply,
  ONE,
  remainder,
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
import { scalarText } from "../../ir/scalar-text.js";
import { type LoweringCall, outOf, shapeOf } from "../core/call.js";
import { LazyTensor } from "../core/lazy.js";
import { computeType } from "../core/numbers.js";
import { made } from "./made.js";
import type { Windows, WindowsOf } from "./pool-windows.js";

/** Returns a reduction over a window of each element of the result. */
function windowed(
  call: LoweringCall,
  self: LazyTensor,
  windows: readonly Windows[],
  kind: ReduceKind,
  dtype: DType,
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
 * Returns the place of the last NaN in a window, as PyTorch's pools remember it; -1 where there is
 * none.
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
/** Returns the divisor of the sum over a window. */
function divisorAt(
  given: number | null,
  windows: readonly Windows[],
  at: readonly Index[],
  dtype: DType,
): Scalar {
  if (given !== null) return constantScalar(given, dtype);
  const count = product(windows.map((window, d) => window.elements(at[at.length - windows.length + d]!)));
  return count.kind === "constant" ? constantScalar(count.value, dtype) : cast(count, dtype);
}

/** Integers are divided as in C. */
const quotient = (sum: Scalar, by: Scalar): Scalar =>
  apply(isFloatDType(sum.dtype) ? "div" : "trunc_div", sum, by);

/** Returns the mean of each window; `divisor` overrides the number of elements. */
export function averages(
  call: LoweringCall,
  tensor: LazyTensor,
  rank: number,
  windowsOf: WindowsOf,
  divisor: number | null = null,
): LazyTensor {
  const self = call.context.many(tensor, 2);
  const { dtype } = outOf(call);
  const compute = computeType(dtype);
  const windows = windowsOf(self.shape.slice(-rank), shapeOf(outOf(call)).slice(-rank));
  const sum = windowed(call, self, windows, "sum", compute);
  return made(call, {
    inputs: [self],
    operations: 3,
    heavy: true,
    element: (at) => cast(quotient(sum(at), divisorAt(divisor, windows, at, compute)), dtype),
  });
}

/** Returns the greatest element of each window, and its row-major place in the input's plane. */
export function greatest(
  call: LoweringCall,
  tensor: LazyTensor,
  rank: number,
  windowsOf: WindowsOf,
): readonly [LazyTensor, LazyTensor] {
  const { context, node } = call;
  const self = context.many(tensor, 2);
  const plane = self.shape.slice(-rank);
  const shape = shapeOf(outOf(call));
  const windows = windowsOf(plane, shape.slice(-rank));
  const value = windowed(call, self, windows, "max", computeType(self.dtype));
  const values = made(call, {
    inputs: [self],
    operations: 2,
    heavy: true,
    element: (at) => cast(value(at), self.dtype),
  });
  const place = placeOfGreatest(call, self, windows);
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
}
/** Returns the place in a window of its greatest element: of the last NaN where there is one. */
function placeOfGreatest(
  call: LoweringCall,
  self: LazyTensor,
  windows: readonly Windows[],
): (at: readonly Index[]) => Scalar {
  const first = windowed(call, self, windows, "argmax", computeType(self.dtype));
  const notNumber = lastNaN(call, self, windows);
  return (at) => {
    if (!isFloatDType(self.dtype)) return first(at);
    const last = notNumber(at);
    return select(apply("ge", last, constantScalar(0, "int64")), last, first(at));
  };
}
/** Returns the place in the plane of the element at a row-major place in a window. */
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

/** What a window gives to one of its elements, and whether it gives anything. */
interface Share {
  readonly value: Scalar;
  readonly is: Scalar;
}
interface GradientInit {
  readonly grad: LazyTensor;
  readonly rank: number;
  readonly windowsOf: WindowsOf;
  readonly inputs: readonly LazyTensor[];
  readonly share: (windows: readonly Windows[], at: readonly Index[], window: readonly Index[]) => Share;
}
/**
 * Returns the gradient of a pool: each element of the input sums what the windows that contain it
 * give back to it.
 */
function gradient(call: LoweringCall, { grad, rank, windowsOf, inputs, share }: GradientInit): LazyTensor {
  const out = outOf(call);
  const windows = windowsOf(shapeOf(out).slice(-rank), grad.shape.slice(-rank));
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

/** Returns the gradient of {@link averages}. */
export function averagesBackward(
  call: LoweringCall,
  gradOutput: LazyTensor,
  rank: number,
  windowsOf: WindowsOf,
  divisor: number | null = null,
): LazyTensor {
  const grad = call.context.many(gradOutput);
  const compute = computeType(outOf(call).dtype);
  return gradient(call, {
    grad,
    rank,
    windowsOf,
    inputs: [grad],
    share: (windows, _, window) => ({
      value: quotient(cast(grad.element(window), compute), divisorAt(divisor, windows, window, compute)),
      is: TRUE,
    }),
  });
}

/**
 * Returns the gradient of {@link greatest}: a window gives its gradient to the element that it
 * chose.
 */
export function greatestBackward(
  call: LoweringCall,
  gradOutput: LazyTensor,
  places: LazyTensor,
  rank: number,
  windowsOf: WindowsOf,
): LazyTensor {
  const [grad, indices] = [call.context.many(gradOutput), call.context.many(places)];
  const plane = shapeOf(outOf(call)).slice(-rank);
  const compute = computeType(outOf(call).dtype);
  return gradient(call, {
    grad,
    rank,
    windowsOf,
    inputs: [grad, indices],
    share: (_, at, window) => {
      const place = at.slice(-rank).reduce((total, index, d) => add(multiply(total, plane[d]!), index), ZERO);
      return {
        value: cast(grad.element(window), compute),
        is: apply("eq", cast(indices.element(window), "int64"), indexScalar(place)),
      };
    },
  });
}
