/**
 * @file Tensors one after the other along a dimension, in several nests where one may not read as
 * many buffers.
 */
import { type DType, wrapDimension } from "@sconce/tensor";
import { add, constant, type Index, subtract, ZERO } from "../../ir/index-expr.js";
import { apply, cast, constantScalar, indexScalar, type Scalar, select } from "../../ir/scalar.js";
import { type LoweringCall, outOf, shapeOf } from "../core/call.js";
import { type ElementOf, LazyTensor } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { made } from "../rules/made.js";

/** Returns whether a tensor is what `cat` takes along with tensors of any shape. */
const isEmpty = ({ shape: [first, ...rest] }: LazyTensor): boolean =>
  rest.length === 0 && first !== undefined && first.terms.length === 0 && first.constant === 0;

/** Returns the dimension of the result that tensors are joined along. */
const dimensionOf = (call: LoweringCall, dim: number): number => wrapDimension(dim, outOf(call).shape.length);
/**
 * Tensors of which each makes some of the elements: an element must not carry the reductions of all
 * of them.
 */
function partsOfResult({ context }: LoweringCall, tensors: readonly LazyTensor[]): readonly LazyTensor[] {
  for (const tensor of tensors) {
    context.once(tensor);
    if (tensor.heavy) context.materialize(tensor);
  }
  context.fit(tensors, tensors.length);
  return tensors;
}

/**
 * Returns all tensors joined; as many as a nest may read become one, until those that are left are
 * few enough.
 */
function joined(call: LoweringCall, tensors: readonly LazyTensor[], dim: number): LazyTensor {
  const { dtype } = outOf(call);
  const elementOf =
    (parts: readonly LazyTensor[]): ElementOf =>
    (at) =>
      elementIn(parts, at, dim, ZERO, dtype);
  let parts = tensors;
  for (;;) {
    const runs = call.context.runsWithin(parts);
    if (runs.length <= 1 || runs.length === parts.length) break;
    parts = runs.map((run) => {
      const extent = add(...run.map(({ shape }) => shape[dim]!));
      return run.length === 1 ? run[0]! : piece(call, run, dim, extent, elementOf(run));
    });
  }
  return made(call, {
    inputs: parts,
    operations: parts.length,
    element: elementOf(parts),
  });
}
/** Returns a part of the result, with its own memory. */
function piece(
  call: LoweringCall,
  inputs: readonly LazyTensor[],
  dim: number,
  extent: Index,
  element: ElementOf,
): LazyTensor {
  const out = outOf(call);
  const shape = shapeOf(out).map((whole, d) => (d === dim ? extent : whole));
  const { node } = call;
  const part = new LazyTensor({
    dtype: out.dtype,
    shape,
    node,
    inputs,
    operations: inputs.length,
    element,
  });
  call.context.materialize(part);
  return part;
}

/** Among more parts an element is looked for by halves: part by part, it nests as deep. */
const SHORT = 8;

/** Returns the element of the part in which an index along `dim` lies. */
function elementIn(
  parts: readonly LazyTensor[],
  at: readonly Index[],
  dim: number,
  start: Index,
  dtype: DType,
): Scalar {
  let end = start;
  const choices = parts.map((part): Choice => {
    const from = end;
    end = add(end, part.shape[dim]!);
    const place = at.map((index, d) => (d === dim ? subtract(index, from) : index));
    return { element: cast(part.element(place), dtype), end };
  });
  return choices.length === 0 ? constantScalar(0, dtype) : chosen(choices, indexScalar(at[dim]!));
}

/** An element, and the index that is the first behind its part. */
interface Choice {
  readonly element: Scalar;
  readonly end: Index;
}

function chosen(choices: readonly Choice[], index: Scalar): Scalar {
  if (choices.length === 1) return choices[0]!.element;
  const half = choices.length > SHORT ? choices.length >> 1 : 1;
  return select(
    apply("lt", index, indexScalar(choices[half - 1]!.end)),
    chosen(choices.slice(0, half), index),
    chosen(choices.slice(half), index),
  );
}

function stacked(call: LoweringCall, given: readonly LazyTensor[], dim: number): LazyTensor {
  const tensors = partsOfResult(call, given);
  const elementOf =
    (run: readonly LazyTensor[]): ElementOf =>
    (at) => {
      const rest = at.filter((_, d) => d !== dim);
      const elements = run.map((tensor) => cast(tensor.element(rest), outOf(call).dtype));
      const index = indexScalar(at[dim]!);
      if (elements.length > SHORT)
        return chosen(
          elements.map((element, i) => ({ element, end: constant(i + 1) })),
          index,
        );
      return elements.reduceRight((otherwise, element, i) =>
        select(apply("eq", index, constantScalar(i, "int64")), element, otherwise),
      );
    };
  const runs = call.context.runsWithin(tensors);
  if (runs.length === 1)
    return made(call, { inputs: tensors, operations: tensors.length, element: elementOf(tensors) });
  const pieces = runs.map((run) => piece(call, run, dim, constant(run.length), elementOf(run)));
  return joined(call, pieces, dim);
}

export const JOINS = defineLowerings([
  lowering("aten::cat(Tensor[] tensors, int dim=0) -> Tensor", ({ tensors, dim }, call) => {
    const { shape } = outOf(call);
    const parts = tensors.filter((tensor) => !isEmpty(tensor) || shape.length === 1);
    return joined(call, partsOfResult(call, parts), dimensionOf(call, dim));
  }),
  lowering("aten::stack(Tensor[] tensors, int dim=0) -> Tensor", ({ tensors, dim }, call) =>
    stacked(call, tensors, dimensionOf(call, dim)),
  ),
]);
