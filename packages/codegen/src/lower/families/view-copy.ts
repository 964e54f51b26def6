/** @file A tensor with a slice, an index or a diagonal of it overwritten by another tensor. */

import type { IntLike } from "@sconce/symbolic";
import { wrapDimension } from "@sconce/tensor";
import {
  add,
  constant,
  divide,
  type Index,
  multiply,
  remainder,
  size,
  subtract,
} from "../../ir/index-expr.js";
import {
  apply,
  both,
  cast,
  constantScalar,
  indexScalar,
  type Scalar,
  select,
  TRUE,
} from "../../ir/scalar.js";
import { type LoweringCall, outOf } from "../core/call.js";
import type { LazyTensor } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { made } from "../rules/made.js";
import { type SliceArgs, sliceOf } from "../rules/slice.js";
import { inside } from "../rules/window.js";

interface Overwrite {
  readonly self: LazyTensor;
  readonly src: LazyTensor;
}
/** Whether an element is overwritten, and by which element of the source. */
interface Source {
  readonly is: Scalar;
  readonly at: readonly Index[];
}
function overwritten(
  call: LoweringCall,
  args: Overwrite,
  sourceOf: (at: readonly Index[]) => Source,
): LazyTensor {
  const [self, source] = [call.context.reduced(args.self), call.context.reduced(args.src)];
  const { dtype } = outOf(call);
  return made(call, {
    inputs: [self, source],
    operations: 2,
    element: (at) => {
      const { is, at: from } = sourceOf(at);
      return select(is, cast(source.element(from), dtype), self.element(at));
    },
  });
}

interface SliceScatterArgs extends Overwrite, SliceArgs {
  readonly dim: number;
}
function sliceScatter(args: SliceScatterArgs, call: LoweringCall): LazyTensor {
  const { self, src } = args;
  const dim = wrapDimension(args.dim, self.shape.length);
  const { start, step } = sliceOf(args, self.shape[dim]!, call);
  return overwritten(call, args, (at) => {
    const offset = subtract(at[dim]!, start);
    const from = divide(offset, step);
    const isStep = remainder(offset, step);
    const is = both(
      inside(offset, multiply(src.shape[dim]!, step)),
      isStep.terms.length === 0 && isStep.constant === 0
        ? TRUE
        : apply("eq", indexScalar(isStep), constantScalar(0, "int64")),
    );
    return { is, at: at.map((index, d) => (d === dim ? from : index)) };
  });
}

const placeOf = (index: IntLike, extent: Index): Index =>
  typeof index === "number" && index < 0 ? add(extent, constant(index)) : size(index);

export const SCATTERED_VIEWS = defineLowerings([
  lowering(
    "aten::slice_scatter(Tensor self, Tensor src, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor",
    sliceScatter,
  ),
  lowering("aten::select_scatter(Tensor self, Tensor src, int dim, SymInt index) -> Tensor", (args, call) => {
    const dim = wrapDimension(args.dim, args.self.shape.length);
    const index = placeOf(args.index, args.self.shape[dim]!);
    call.context.assume(call.node, index);
    return overwritten(call, args, (at) => ({
      is: apply("eq", indexScalar(at[dim]!), indexScalar(index)),
      at: at.filter((_, d) => d !== dim),
    }));
  }),
  lowering(
    "aten::diagonal_scatter(Tensor self, Tensor src, int offset=0, int dim1=0, int dim2=1) -> Tensor",
    (args, call) => {
      const { self, offset } = args;
      const rank = self.shape.length;
      const [a, b] = [wrapDimension(args.dim1, rank), wrapDimension(args.dim2, rank)];
      return overwritten(call, args, (at) => ({
        is: apply("eq", indexScalar(add(at[a]!, constant(offset))), indexScalar(at[b]!)),
        at: [...at.filter((_, d) => d !== a && d !== b), offset < 0 ? at[b]! : at[a]!],
      }));
    },
  ),
]);
