/**
 * @file Writes into a tensor: each element of the result is a reduction over the sources that point
 * at it, so that elements stay independent.
 */
import { type DType, isFloatDType } from "@sconce/tensor";
import type { Index } from "../../ir/index-expr.js";
import { apply, cast, constantScalar, type ReduceKind, type Scalar, select, TRUE } from "../../ir/scalar.js";
import { type LoweringCall, outOf } from "../core/call.js";
import type { LazyTensor } from "../core/lazy.js";
import { computeType } from "../core/numbers.js";
import { made } from "./made.js";
import { kindFor } from "./reduce.js";

/** How sources are combined. */
export interface Writing {
  readonly reduce: ReduceKind;
  /** Whether the element that was there takes part. */
  readonly includesSelf: boolean;
  readonly isMean?: boolean;
  /** Whether halves are rounded after each step, and not once. */
  readonly roundsSteps?: boolean;
  /** The same of the count of a mean. */
  readonly roundsCounts?: boolean;
}
/** The sources of a write. */
export interface Sources {
  readonly inputs: readonly LazyTensor[];
  /**
   * The axis of the sources of one element, what they hold and which of them point at the element.
   */
  readonly extents: readonly Index[];
  readonly value: (at: readonly Index[], source: readonly Index[]) => Scalar;
  readonly points: (at: readonly Index[], source: readonly Index[]) => Scalar;
  /** Whether an element has sources at all; where it does not they may not be read. */
  readonly within?: (at: readonly Index[]) => Scalar;
}

/** The tensor after sources have been written into it. */
export function written(
  call: LoweringCall,
  self: LazyTensor,
  sources: Sources,
  writing: Writing,
): LazyTensor {
  const { context } = call;
  const { dtype } = outOf(call);
  const compute = writing.reduce === "last" || writing.roundsSteps === true ? dtype : computeType(dtype);
  context.many(self);
  const result = made(call, {
    inputs: [self, ...sources.inputs],
    operations: 4,
    heavy: true,
    element: (at) => {
      const own = self.element(at);
      const { axes, at: source } = context.axes(sources.extents);
      const when = sources.points(at, source);
      const reduction = (kind: ReduceKind, body: Scalar, initial?: Scalar): Scalar => ({
        kind: "reduce",
        dtype: body.dtype,
        reduce: kind,
        axes,
        body,
        when,
        initial,
      });
      const body = cast(sources.value(at, source), compute);
      const initial = writing.includesSelf ? cast(own, compute) : undefined;
      const total = reduction(kindFor(writing.reduce, compute), body, initial);
      const countIn = (type: DType): Scalar => {
        const one = constantScalar(1, type);
        return reduction("sum", one, writing.includesSelf ? one : undefined);
      };
      const count = (): Scalar => countIn("int64");
      const divisor = (): Scalar => (writing.roundsCounts === true ? countIn(dtype) : count());
      const mean = writing.isMean ? meanOf(total, divisor(), dtype) : total;
      const value = writing.includesSelf
        ? mean
        : select(apply("gt", count(), constantScalar(0, "int64")), mean, cast(own, compute));
      return select(sources.within?.(at) ?? TRUE, cast(value, dtype), own);
    },
  });
  context.materialize(result, { hint: { kind: "scatter" } });
  return result;
}
/**
 * As in PyTorch sum and count have the dtype of the result: those of halves are rounded, those of
 * narrow integers wrap, and a count of zero is one.
 */
function meanOf(total: Scalar, count: Scalar, dtype: DType): Scalar {
  const own = (value: Scalar): Scalar => cast(cast(value, dtype), total.dtype);
  if (isFloatDType(dtype)) return apply("div", own(total), own(count));
  const wrapped = own(count);
  const one = constantScalar(1, total.dtype);
  const divisor = select(apply("eq", wrapped, constantScalar(0, total.dtype)), one, wrapped);
  return apply("floor_div", own(total), divisor);
}
