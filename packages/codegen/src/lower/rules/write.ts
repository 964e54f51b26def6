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

/** How sources are combined. */
export interface Writing {
  readonly reduce: ReduceKind;
  /** Whether the element that was there takes part. */
  readonly includesSelf: boolean;
  readonly isMean?: boolean;
}
/** Sums and products of booleans are `any` and `all`. */
const kindFor = (kind: ReduceKind, dtype: DType): ReduceKind =>
  dtype !== "bool" ? kind : kind === "sum" ? "any" : kind === "prod" ? "all" : kind;

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
  const compute = writing.reduce === "last" ? dtype : computeType(dtype);
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
      const one = constantScalar(1, "int64");
      const count = (): Scalar => reduction("sum", one, writing.includesSelf ? one : undefined);
      const mean = writing.isMean ? meanOf(total, count()) : total;
      const value = writing.includesSelf
        ? mean
        : select(apply("gt", count(), constantScalar(0, "int64")), mean, cast(own, compute));
      return select(sources.within?.(at) ?? TRUE, cast(value, dtype), own);
    },
  });
  context.materialize(result, { hint: { kind: "scatter" } });
  return result;
}
const meanOf = (total: Scalar, count: Scalar): Scalar =>
  apply(isFloatDType(total.dtype) ? "div" : "floor_div", total, cast(count, total.dtype));
