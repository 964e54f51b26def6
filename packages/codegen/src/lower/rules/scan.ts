/** @file Scans: element `i` along a dimension reduces the elements up to `i`. */
import type { DType } from "@sconce/tensor";
import { atom, type Index, ZERO } from "../../ir/index-expr.js";
import { apply, cast, indexScalar, type ReduceKind, type Scalar } from "../../ir/scalar.js";
import { type LoweringCall, outOf, shapeOf } from "../core/call.js";
import { LazyTensor } from "../core/lazy.js";
import { computeType } from "../core/numbers.js";

export interface ScanInit {
  readonly kind: ReduceKind;
  readonly dim: number;
  /** Position of the result among the call's. */
  readonly result?: number;
  /** The result's dtype unless given. */
  readonly dtype?: DType;
  /** The value that is reduced at a place along the dimension. */
  readonly body: (element: Scalar, place: Index, at: readonly Index[]) => Scalar;
  /** Elements that are left out besides those after `i`, by their own coordinates. */
  readonly when?: (element: Scalar, at: readonly Index[]) => Scalar;
  readonly initial?: (at: readonly Index[]) => Scalar;
  readonly inputs?: readonly LazyTensor[];
}

/**
 * Returns a tensor whose elements reduce the elements of `self` up to them, in a nest with the hint
 * `scan`.
 */
export function scanOver(call: LoweringCall, self: LazyTensor, init: ScanInit): LazyTensor {
  const { context, node } = call;
  const { kind, dim, result = 0, body, when, initial, inputs = [] } = init;
  const out = outOf(call, result);
  const { dtype = out.dtype } = init;
  context.many(self);
  const tensor = new LazyTensor({
    dtype,
    shape: shapeOf(out),
    node,
    inputs: [self, ...inputs],
    heavy: true,
    operations: 2,
    element: (at) => {
      if (self.shape.length === 0) return cast(body(self.element([]), ZERO, at), dtype);
      const along = context.axis(self.shape[dim]!);
      const place = atom(along);
      const from = withPlace(at, dim, place);
      const element = self.element(from);
      const isBefore = apply("le", indexScalar(place), indexScalar(at[dim]!));
      const value = body(element, place, at);
      return cast(
        {
          kind: "reduce",
          dtype: value.dtype,
          reduce: kind,
          axes: [along],
          body: value,
          when: when === undefined ? isBefore : apply("and", isBefore, when(element, from)),
          initial: initial?.(at),
        },
        dtype,
      );
    },
  });
  context.made(tensor);
  context.materialize(tensor, { hint: { kind: "scan", axis: `i${dim}` } });
  return tensor;
}
/** Coordinates with another place along a dimension. */
export const withPlace = (at: readonly Index[], dim: number, place: Index): Index[] =>
  at.map((index, d) => (d === dim ? place : index));
/**
 * Returns the greatest or least so far, which is never of no elements: that it starts from the
 * first changes nothing.
 */
export function extremeOver(
  call: LoweringCall,
  self: LazyTensor,
  kind: "max" | "min",
  dim: number,
): LazyTensor {
  const compute = self.dtype === "bool" ? "int32" : computeType(self.dtype);
  return scanOver(call, self, {
    kind,
    dim,
    body: (element) => cast(element, compute),
    initial: (at) => cast(self.element(withPlace(at, dim, ZERO)), compute),
  });
}
