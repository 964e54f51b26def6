/** @file Tensors one after the other along a dimension, in several nests where one may not read as many buffers. */
import type { DType } from "@sconce/tensor";
import { add, constant, type Index, subtract, ZERO } from "../../ir/index-expr.js";
import { apply, cast, constantScalar, indexScalar, type Scalar, select } from "../../ir/scalar.js";
import {
  dimension,
  type Lowering,
  type LoweringCall,
  type LoweringTable,
  outOf,
  shapeOf,
  tensorList,
} from "../call.js";
import { type CellOf, LazyTensor } from "../lazy.js";
import { made } from "./gather.js";

const cat: Lowering = {
  rule: (of) => {
    const { shape } = outOf(of);
    const tensors = tensorList(of, "tensors").filter((tensor) => !isEmpty(tensor) || shape.length === 1);
    return joined(of, partsOfResult(of, tensors), dimensionOf(of));
  },
};
/** What `cat` takes along with tensors of any shape. */
const isEmpty = ({ shape: [first, ...rest] }: LazyTensor): boolean =>
  rest.length === 0 && first !== undefined && first.terms.length === 0 && first.constant === 0;

const stack: Lowering = {
  rule: (of) => {
    const dim = dimensionOf(of);
    const tensors = partsOfResult(of, tensorList(of, "tensors"));
    const stacked =
      (run: readonly LazyTensor[]): CellOf =>
      (at) => {
        const rest = at.filter((_, d) => d !== dim);
        const cells = run.map((tensor) => cast(tensor.cell(rest), outOf(of).dtype));
        return cells.reduceRight((otherwise, cell, i) =>
          select(apply("eq", indexScalar(at[dim]!), constantScalar(i, "int64")), cell, otherwise),
        );
      };
    const runs = of.context.runsWithin(tensors);
    if (runs.length === 1)
      return made(of, {
        inputs: tensors,
        operations: tensors.length,
        cell: stacked(tensors),
      });
    const pieces = runs.map((run) => piece(of, run, dim, constant(run.length), stacked(run)));
    return joined(of, pieces, dim);
  },
};

const dimensionOf = (of: LoweringCall): number =>
  dimension(Number(of.args["dim"] ?? 0), outOf(of).shape.length);

/** Tensors of which each makes some of the cells: a cell must not carry the reductions of all of them. */
function partsOfResult({ context }: LoweringCall, tensors: readonly LazyTensor[]): readonly LazyTensor[] {
  for (const tensor of tensors) {
    context.once(tensor);
    if (tensor.heavy) context.materialise(tensor);
  }
  context.fit(tensors, tensors.length);
  return tensors;
}

/** All tensors joined; as many as a nest may read become one, until those that are left are few enough. */
function joined(of: LoweringCall, tensors: readonly LazyTensor[], dim: number): LazyTensor {
  const { dtype } = outOf(of);
  const cellOf =
    (parts: readonly LazyTensor[]): CellOf =>
    (at) =>
      cellIn(parts, at, dim, ZERO, dtype);
  let parts = tensors;
  for (;;) {
    const runs = of.context.runsWithin(parts);
    if (runs.length <= 1 || runs.length === parts.length) break;
    parts = runs.map((run) => {
      const extent = add(...run.map(({ shape }) => shape[dim]!));
      return run.length === 1 ? run[0]! : piece(of, run, dim, extent, cellOf(run));
    });
  }
  return made(of, {
    inputs: parts,
    operations: parts.length,
    cell: cellOf(parts),
  });
}
/** A part of the result, with memory of its own. */
function piece(
  of: LoweringCall,
  inputs: readonly LazyTensor[],
  dim: number,
  extent: Index,
  cell: CellOf,
): LazyTensor {
  const out = outOf(of);
  const shape = shapeOf(out).map((whole, d) => (d === dim ? extent : whole));
  const { node } = of;
  const part = new LazyTensor({
    dtype: out.dtype,
    shape,
    node,
    inputs,
    operations: inputs.length,
    cell,
  });
  of.context.materialise(part);
  return part;
}

function cellIn(
  [first, ...rest]: readonly LazyTensor[],
  at: readonly Index[],
  dim: number,
  start: Index,
  dtype: DType,
): Scalar {
  if (first === undefined) return constantScalar(0, dtype);
  const own = cast(first.cell(at.map((index, d) => (d === dim ? subtract(index, start) : index))), dtype);
  if (rest.length === 0) return own;
  const end = add(start, first.shape[dim]!);
  return select(apply("lt", indexScalar(at[dim]!), indexScalar(end)), own, cellIn(rest, at, dim, end, dtype));
}

export const JOINED: LoweringTable = {
  "aten.cat.default": cat,
  "aten.stack.default": stack,
};
