/** @file `softmax` and its logarithm over one dimension: rows in nests of one group. */
import { type Index, ZERO } from "../../ir/index-expr.js";
import { apply, cast, constantScalar, type Scalar } from "../../ir/scalar.js";
import { dimensions, type LoweringCall, outOf } from "../core/call.js";
import { LazyTensor } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { computeType } from "../core/numbers.js";
import { isNothing, made } from "../rules/made.js";
import { keptAt, reduceOver } from "../rules/reduce.js";

/** Greatest of the row, sum of exponentials, quotient. */
function softmax(call: LoweringCall, self: LazyTensor, dim: number, isLog: boolean): LazyTensor {
  const { context, node } = call;
  const { dtype } = outOf(call);
  const compute = computeType(dtype);
  const dims = dimensions([dim], self.shape.length);
  if (isNothing(self)) return made(call, { inputs: [], element: () => constantScalar(0, dtype) });
  const group = context.group("softmax");
  context.many(self, 2);
  const row = { dims, keepdim: true, dtype: compute };
  const elementOf = (element: Scalar): Scalar => cast(element, compute);
  const greatest = reduceOver(call, self, { ...row, kind: "max", body: elementOf });
  context.materialize(greatest, { group });
  const shifted = (element: Scalar, at: readonly Index[]): Scalar =>
    apply("sub", elementOf(element), greatest.element(keptAt(at, dims, ZERO)));
  // PyTorch keeps the sum in the dtype when it takes logarithms of halves along the last dimension.
  const isRounded = isLog && dims[0] === self.shape.length - 1;
  // One quotient a row in place of one an element: the sum is at least 1, so that its reciprocal is
  // a normal number.
  const total = reduceOver(call, self, {
    ...row,
    kind: "sum",
    finish: (sum) => (isRounded ? cast(cast(sum, dtype), compute) : isLog ? sum : apply("reciprocal", sum)),
    body: (element, at) => apply("exp", shifted(element, at)),
  });
  context.materialize(total, { group });
  const result = new LazyTensor({
    dtype,
    shape: self.shape,
    node,
    inputs: [self, greatest, total],
    operations: 4,
    element: (at) => {
      const value = shifted(self.element(at), at);
      const ofRow = total.element(keptAt(at, dims, ZERO));
      const element = isLog
        ? apply("sub", value, apply("log", ofRow))
        : apply("mul", apply("exp", value), ofRow);
      return cast(element, dtype);
    },
  });
  context.made(result);
  return result;
}

export const SOFTMAXES = defineLowerings([
  lowering("aten::_softmax(Tensor self, int dim, bool half_to_float) -> Tensor", ({ self, dim }, call) =>
    softmax(call, self, dim, false),
  ),
  lowering("aten::_log_softmax(Tensor self, int dim, bool half_to_float) -> Tensor", ({ self, dim }, call) =>
    softmax(call, self, dim, true),
  ),
]);
