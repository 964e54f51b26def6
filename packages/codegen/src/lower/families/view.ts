/**
 * @file Operators that show elements of a tensor in another order or shape: index arithmetic, no
 * kernel.
 */

import type { IntLike } from "@sconce/symbolic";
import { wrapDimension } from "@sconce/tensor";
import { add, constant, type Index, multiply, size, ZERO } from "../../ir/index-expr.js";
import { cannot, type LoweringCall, outOf, shapeOf } from "../core/call.js";
import { broadcastTo, type LazyTensor, reshaped, viewOf } from "../core/lazy.js";
import { defineLowerings, viewLowering } from "../core/lowering.js";
import { sliceOf } from "../rules/slice.js";
import { strided } from "../rules/strided.js";

const outShape = (call: LoweringCall, at = 0): Index[] => shapeOf(outOf(call, at));

interface OneTensor {
  readonly self: LazyTensor;
}
/** Row-major order kept under another shape. */
const reshape = ({ self }: OneTensor, call: LoweringCall): LazyTensor =>
  reshaped(self, call.node, outShape(call));

/** Returns a permutation: dimension `d` of the result is `order[d]` of the tensor. */
const permuted = (call: LoweringCall, base: LazyTensor, order: readonly number[]): LazyTensor =>
  viewOf(base, call.node, outShape(call), (at) => base.shape.map((_, d) => at[order.indexOf(d)]!));
function swapped(call: LoweringCall, base: LazyTensor, a: number, b: number): LazyTensor {
  const order = base.shape.map((_, d) => (d === a ? b : d === b ? a : d));
  return permuted(call, base, order);
}

/** Parts along a dimension; each starts where the one before ends. */
function parts({ self, dim }: AlongDim, call: LoweringCall): LazyTensor[] {
  const along = wrapDimension(dim, self.shape.length);
  const count = (call.value as readonly unknown[]).length;
  let start = ZERO;
  return Array.from({ length: count }, (_, part) => {
    const shape = outShape(call, part);
    const from = start;
    start = add(start, shape[along]!);
    return viewOf(self, call.node, shape, (at) =>
      at.map((index, d) => (d === along ? add(from, index) : index)),
    );
  });
}
interface AlongDim extends OneTensor {
  readonly dim: number;
}

interface SelectArgs extends AlongDim {
  readonly index: IntLike;
}
function selected({ self, dim, index }: SelectArgs, call: LoweringCall): LazyTensor {
  const along = wrapDimension(dim, self.shape.length);
  const given = size(index);
  if (given.terms.length > 0) return cannot("its index is not a fixed number");
  const place = given.constant < 0 ? add(self.shape[along]!, given) : given;
  return viewOf(self, call.node, outShape(call), (at) => [...at.slice(0, along), place, ...at.slice(along)]);
}

interface DiagonalArgs extends OneTensor {
  readonly offset: number;
  readonly dim1: number;
  readonly dim2: number;
}
function diagonal({ self, offset, dim1, dim2 }: DiagonalArgs, call: LoweringCall): LazyTensor {
  const rank = self.shape.length;
  const [a, b] = [wrapDimension(dim1, rank), wrapDimension(dim2, rank)];
  const [down, right] = [constant(Math.max(0, -offset)), constant(Math.max(0, offset))];
  const rest = self.shape.map((_, d) => d).filter((d) => d !== a && d !== b);
  return viewOf(self, call.node, outShape(call), (at) => {
    const along = at[at.length - 1]!;
    return self.shape.map((_, d) =>
      d === a ? add(down, along) : d === b ? add(right, along) : at[rest.indexOf(d)]!,
    );
  });
}

export const VIEWS = defineLowerings([
  viewLowering(
    [
      "aten::view(Tensor(a) self, SymInt[] size) -> Tensor(a)",
      "aten::_unsafe_view(Tensor self, SymInt[] size) -> Tensor",
      "aten::reshape(Tensor(a) self, SymInt[] shape) -> Tensor(a)",
      "aten::unsqueeze(Tensor(a) self, int dim) -> Tensor(a)",
      "aten::squeeze(Tensor(a) self) -> Tensor(a)",
      "aten::squeeze.dim(Tensor(a) self, int dim) -> Tensor(a)",
      "aten::squeeze.dims(Tensor(a) self, int[] dim) -> Tensor(a)",
      "aten::alias(Tensor(a) self) -> Tensor(a)",
      "aten::detach(Tensor(a) self) -> Tensor(a)",
      "aten::detach_(Tensor(a!) self) -> Tensor(a!)",
      "aten::flatten.using_ints(Tensor(a) self, int start_dim=0, int end_dim=-1) -> Tensor(a)",
      "aten::view_copy(Tensor self, SymInt[] size) -> Tensor",
      "aten::alias_copy(Tensor self) -> Tensor",
      "aten::squeeze_copy.dims(Tensor self, int[] dim) -> Tensor",
      "aten::unsqueeze_copy(Tensor self, int dim) -> Tensor",
    ],
    reshape,
  ),
  viewLowering(
    [
      "aten::permute(Tensor(a) self, int[] dims) -> Tensor(a)",
      "aten::permute_copy(Tensor self, int[] dims) -> Tensor",
    ],
    ({ self, dims }, call) =>
      permuted(
        call,
        self,
        dims.map((dim) => wrapDimension(dim, self.shape.length)),
      ),
  ),
  viewLowering(
    [
      "aten::transpose.int(Tensor(a) self, int dim0, int dim1) -> Tensor(a)",
      "aten::transpose_copy.int(Tensor self, int dim0, int dim1) -> Tensor",
    ],
    ({ self, dim0, dim1 }, call) => {
      const rank = self.shape.length;
      return swapped(call, self, wrapDimension(dim0, rank), wrapDimension(dim1, rank));
    },
  ),
  viewLowering(["aten::t(Tensor(a) self) -> Tensor(a)"], ({ self }, call) =>
    self.shape.length < 2 ? reshape({ self }, call) : swapped(call, self, 0, 1),
  ),
  viewLowering(
    [
      "aten::slice.Tensor(Tensor(a) self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor(a)",
      "aten::slice_copy.Tensor(Tensor self, int dim=0, SymInt? start=None, SymInt? end=None, SymInt step=1) -> Tensor",
    ],
    (args, call) => {
      const base = args.self;
      const dim = wrapDimension(args.dim, base.shape.length);
      const { start, step } = sliceOf(args, base.shape[dim]!, call);
      return viewOf(base, call.node, outShape(call), (at) =>
        at.map((index, d) => (d === dim ? add(start, multiply(index, step)) : index)),
      );
    },
  ),
  viewLowering(
    [
      "aten::select.int(Tensor(a) self, int dim, SymInt index) -> Tensor(a)",
      "aten::select_copy.int(Tensor self, int dim, SymInt index) -> Tensor",
    ],
    selected,
  ),
  viewLowering(
    [
      "aten::expand(Tensor(a) self, SymInt[] size, *, bool implicit=False) -> Tensor(a)",
      "aten::expand_copy(Tensor self, SymInt[] size, *, bool implicit=False) -> Tensor",
    ],
    ({ self }, call) => broadcastTo(self, call, outShape(call)),
  ),
  viewLowering(
    [
      "aten::split.Tensor(Tensor(a -> *) self, SymInt split_size, int dim=0) -> Tensor(a)[]",
      "aten::split_with_sizes(Tensor(a -> *) self, SymInt[] split_sizes, int dim=0) -> Tensor(a)[]",
      "aten::split_with_sizes_copy(Tensor self, SymInt[] split_sizes, int dim=0) -> Tensor[]",
      "aten::chunk(Tensor(a -> *) self, int chunks, int dim=0) -> Tensor(a)[]",
    ],
    parts,
  ),
  viewLowering(["aten::unbind.int(Tensor(a -> *) self, int dim=0) -> Tensor(a)[]"], ({ self, dim }, call) => {
    const along = wrapDimension(dim, self.shape.length);
    return (call.value as readonly unknown[]).map((_, part) =>
      viewOf(self, call.node, outShape(call, part), (at) => [
        ...at.slice(0, along),
        constant(part),
        ...at.slice(along),
      ]),
    );
  }),
  viewLowering(
    [
      "aten::diagonal(Tensor(a) self, int offset=0, int dim1=0, int dim2=1) -> Tensor(a)",
      "aten::diagonal_copy(Tensor self, int offset=0, int dim1=0, int dim2=1) -> Tensor",
    ],
    diagonal,
  ),
  // Windows of a dimension, their elements last: elements repeat when windows overlap.
  viewLowering(
    [
      "aten::unfold(Tensor(a) self, int dimension, int size, int step) -> Tensor(a)",
      "aten::unfold_copy(Tensor self, int dimension, int size, int step) -> Tensor",
    ],
    (args, call) => {
      const { self, size: length, step } = args;
      const dim = wrapDimension(args.dimension, self.shape.length);
      const placeOf = (index: Index, within: Index): Index => add(multiply(index, constant(step)), within);
      return viewOf(
        self,
        call.node,
        outShape(call),
        (at) => at.slice(0, -1).map((index, d) => (d === dim ? placeOf(index, at.at(-1)!) : index)),
        step < length,
      );
    },
  ),
  viewLowering(
    [
      "aten::as_strided(Tensor(a) self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor(a)",
      "aten::as_strided_copy(Tensor self, SymInt[] size, SymInt[] stride, SymInt? storage_offset=None) -> Tensor",
    ],
    ({ self, stride, storage_offset }, call) =>
      strided(call, self, { fake: call.fakes().self, strides: stride, offset: storage_offset }),
  ),
]);
