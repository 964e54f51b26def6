/** @file Reductions over dimensions. */
import type { DType } from "@sconce/tensor";
import { apply, cast, type ReduceKind, type Scalar } from "../../ir/scalar.js";
import { dimensions, type LoweringCall, outOf, shapeOf } from "../core/call.js";
import type { LazyTensor } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { computeType, convertedElement } from "../core/numbers.js";
import { elementsAs } from "../rules/normalize.js";
import { countOf, reduceOver } from "../rules/reduce.js";

interface ReduceArgs {
  readonly self: LazyTensor;
  /** One dimension, several, or all. */
  readonly dim?: number | readonly number[] | null;
  readonly keepdim?: boolean;
}
const dimsOf = ({ self, dim = null }: ReduceArgs): number[] =>
  dimensions(typeof dim === "number" ? [dim] : dim, self.shape.length);

/**
 * Returns a reduction of elements in the dtype of the result, halves as float32, or of other
 * elements.
 */
function reduced(
  call: LoweringCall,
  kind: ReduceKind,
  args: ReduceArgs,
  body: (element: Scalar, dtype: DType) => Scalar = convertedElement,
): LazyTensor {
  const { dtype } = outOf(call);
  return reduceOver(call, args.self, {
    kind,
    dims: dimsOf(args),
    keepdim: args.keepdim === true,
    dtype,
    body: (element) => body(element, dtype),
  });
}
const asBool = (element: Scalar): Scalar => cast(element, "bool");
const simple =
  (kind: ReduceKind) =>
  (args: ReduceArgs, call: LoweringCall): LazyTensor =>
    reduced(call, kind, args);
const logical =
  (kind: "any" | "all") =>
  (args: ReduceArgs, call: LoweringCall): LazyTensor =>
    reduced(call, kind, args, asBool);
/** No dimensions are none here: each element is its own result. */
const logicalOver =
  (kind: "any" | "all") =>
  (args: ReduceArgs, call: LoweringCall): LazyTensor =>
    Array.isArray(args.dim) && args.dim.length === 0
      ? elementsAs(args.self, "bool", call.node)
      : reduced(call, kind, args, asBool);

function mean(args: ReduceArgs, call: LoweringCall): LazyTensor {
  const { self, keepdim = false } = args;
  const { dtype } = outOf(call);
  const dims = dimsOf(args);
  const compute = computeType(dtype);
  return reduceOver(call, self, {
    kind: "sum",
    dims,
    keepdim,
    dtype,
    // Means of halves are taken in float32, from what was given.
    body: (element) => cast(element, compute),
    finish: (sum) => apply("div", sum, countOf(self, dims, compute)),
  });
}

/** Returns the place of the extreme, as result `at` of the call. */
function placeOfExtreme(call: LoweringCall, kind: "argmax" | "argmin", args: ReduceArgs, at = 0): LazyTensor {
  const { self, keepdim = false } = args;
  const body = (element: Scalar): Scalar => cast(element, computeType(self.dtype));
  const shape = shapeOf(outOf(call, at));
  return reduceOver(call, self, { kind, dims: dimsOf(args), keepdim, dtype: "int64", body, shape });
}
/** `max.dim`: the extreme and where it is. */
const extremeWithPlace =
  (kind: "max" | "min") =>
  (args: ReduceArgs, call: LoweringCall): readonly [LazyTensor, LazyTensor] => {
    const { self, keepdim = false } = args;
    call.context.many(self);
    const values = reduceOver(call, self, { kind, dims: dimsOf(args), keepdim, dtype: self.dtype });
    return [values, placeOfExtreme(call, `arg${kind}`, args, 1)];
  };

export const REDUCTIONS = defineLowerings([
  lowering(
    [
      "aten::sum.dim_IntList(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
      "aten::sum(Tensor self, *, ScalarType? dtype=None) -> Tensor",
    ],
    simple("sum"),
  ),
  lowering(
    [
      "aten::amax(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor",
      "aten::max(Tensor self) -> Tensor",
    ],
    simple("max"),
  ),
  lowering(
    [
      "aten::amin(Tensor self, int[1] dim=[], bool keepdim=False) -> Tensor",
      "aten::min(Tensor self) -> Tensor",
    ],
    simple("min"),
  ),
  lowering(
    [
      "aten::prod(Tensor self, *, ScalarType? dtype=None) -> Tensor",
      "aten::prod.dim_int(Tensor self, int dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    ],
    simple("prod"),
  ),
  lowering(
    [
      "aten::mean(Tensor self, *, ScalarType? dtype=None) -> Tensor",
      "aten::mean.dim(Tensor self, int[1]? dim, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
    ],
    mean,
  ),
  lowering(
    ["aten::any(Tensor self) -> Tensor", "aten::any.dim(Tensor self, int dim, bool keepdim=False) -> Tensor"],
    logical("any"),
  ),
  lowering("aten::any.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor", logicalOver("any")),
  lowering(
    ["aten::all(Tensor self) -> Tensor", "aten::all.dim(Tensor self, int dim, bool keepdim=False) -> Tensor"],
    logical("all"),
  ),
  lowering("aten::all.dims(Tensor self, int[]? dim=None, bool keepdim=False) -> Tensor", logicalOver("all")),
  lowering("aten::argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", (args, call) =>
    placeOfExtreme(call, "argmax", args),
  ),
  lowering("aten::argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", (args, call) =>
    placeOfExtreme(call, "argmin", args),
  ),
  lowering(
    "aten::max.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
    extremeWithPlace("max"),
  ),
  lowering(
    "aten::min.dim(Tensor self, int dim, bool keepdim=False) -> (Tensor values, Tensor indices)",
    extremeWithPlace("min"),
  ),
]);
