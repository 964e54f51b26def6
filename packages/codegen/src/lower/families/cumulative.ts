/** @file Cumulative operators but `logcumsumexp`. */
import { isFloatDType, wrapDimension } from "@sconce/tensor";
import type { Index } from "../../ir/index-expr.js";
import { apply, constantScalar, indexScalar, type Scalar } from "../../ir/scalar.js";
import { type LoweringCall, outOf } from "../core/call.js";
import type { LazyTensor } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { convertedElement } from "../core/numbers.js";
import { made, placeIn } from "../rules/made.js";
import { extremeOver, scanOver } from "../rules/scan.js";

interface ScanArgs {
  readonly self: LazyTensor;
  readonly dim: number;
}
const cumulative =
  (kind: "sum" | "prod") =>
  ({ self, dim }: ScanArgs, call: LoweringCall): LazyTensor => {
    const { dtype } = outOf(call);
    const along = wrapDimension(dim, self.shape.length);
    return scanOver(call, self, { kind, dim: along, body: (element) => convertedElement(element, dtype) });
  };

/**
 * The extreme so far, and its last place (`cummax_helper_cpu` moves on at equals and at each NaN).
 * An element was the extreme when it came: the last such place is the extreme's, whatever comes
 * after.
 */
const extremes =
  (kind: "max" | "min") =>
  (args: ScanArgs, call: LoweringCall): readonly [LazyTensor, LazyTensor] => {
    const { self } = args;
    const dim = wrapDimension(args.dim, self.shape.length);
    const values = extremeOver(call, self, kind, dim);
    const isReached = (own: Scalar, from: readonly Index[]): Scalar => {
      const isSame = apply("eq", own, values.element(from));
      return isFloatDType(own.dtype) ? apply("or", isSame, apply("isnan", own)) : isSame;
    };
    const places = scanOver(call, self, {
      kind: "max",
      dim,
      result: 1,
      initial: () => constantScalar(0, "int64"),
      body: (_, place) => indexScalar(place),
      when: isReached,
      inputs: [values],
    });
    if (!isFloatDType(self.dtype) || self.shape.length === 0) return [values, places];
    // Of zeros of both signs the last one is the extreme.
    const whole = call.context.many(self);
    call.context.materialize(places);
    const last = made(call, {
      inputs: [whole, places],
      operations: 1,
      element: (at) => whole.element(at.with(dim, placeIn(places.element(at), self.shape[dim]!, false))),
    });
    return [last, places];
  };

export const SCANS = defineLowerings([
  lowering("aten::cumsum(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", cumulative("sum")),
  lowering("aten::cumprod(Tensor self, int dim, *, ScalarType? dtype=None) -> Tensor", cumulative("prod")),
  lowering("aten::cummax(Tensor self, int dim) -> (Tensor values, Tensor indices)", extremes("max")),
  lowering("aten::cummin(Tensor self, int dim) -> (Tensor values, Tensor indices)", extremes("min")),
]);
