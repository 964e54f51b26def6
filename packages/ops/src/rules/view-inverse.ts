import type { FakeTensor, IntLike } from "@sconce/ir";
import { add } from "@sconce/symbolic";
import type { BoundArgs } from "../rows/define-op.js";
import type { Emit, EmitArg } from "../rows/emit.js";
import { internalOverlap, noViewInverse } from "../rows/errors.js";
import { isEqual, mayDiffer } from "./comparison.js";
import { wrapDim } from "./dims.js";
import { sizeMath } from "./size-math.js";

/** What one view operator needs to be undone. */
interface Inversion {
  readonly emit: Emit;
  readonly base: FakeTensor;
  readonly mutated: FakeTensor;
  /** The arguments of the view call, by name. */
  readonly args: BoundArgs;
  /** Which of several results was written to. */
  readonly index: number;
}
type Inverse = (inversion: Inversion) => FakeTensor;

const arg = <T extends EmitArg>(inversion: Inversion, name: string): T => inversion.args[name] as T;
const int = (inversion: Inversion, name: string): number => Number(inversion.args[name]);

const reshaped =
  (target: string): Inverse =>
  ({ emit, base, mutated }) =>
    emit(target, [mutated, base.shape]);
const scattered =
  (target: string, ...names: readonly string[]): Inverse =>
  (inversion) =>
    inversion.emit(target, [inversion.base, inversion.mutated, ...names.map((name) => arg(inversion, name))]);
const again =
  (target: string, ...names: readonly string[]): Inverse =>
  (inversion) =>
    inversion.emit(target, [inversion.mutated, ...names.map((name) => arg(inversion, name))]);
const unchanged: Inverse = ({ mutated }) => mutated;

const permuted: Inverse = ({ emit, base, mutated, args }) => {
  const inverse = new Array<number>(base.ndim);
  for (const [at, dim] of (args["dims"] as readonly number[]).entries())
    inverse[wrapDim(dim, base.ndim)] = at;
  return emit("aten.permute.default", [mutated, inverse]);
};

/** Puts the dropped dimensions of size 1 back, one at a time. */
const unsqueezed =
  (dims: (inversion: Inversion) => readonly number[]): Inverse =>
  (inversion) => {
    const { emit, base, mutated } = inversion;
    const dropped = new Set(dims(inversion).map((dim) => wrapDim(dim, base.ndim)));
    let result = mutated;
    base.shape.forEach((size, dim) => {
      if (dropped.has(dim) && isEqual(emit.env, size, 1))
        result = emit("aten.unsqueeze.default", [result, dim]);
    });
    return result;
  };

/**
 * `base + sum_to_size(mutated - base)`: what each repetition gained is gathered in the element that
 * it repeats.
 */
const expanded: Inverse = ({ emit, base, mutated }) => {
  const gained = emit("aten.sub.Tensor", [mutated, base]);
  return emit("aten.add.Tensor", [base, sumToSize(emit, gained, base.shape)]);
};

function sumToSize(emit: Emit, tensor: FakeTensor, shape: readonly IntLike[]): FakeTensor {
  const lead = tensor.ndim - shape.length;
  const dims = tensor.shape
    .map((_, dim) => dim)
    .filter(
      (dim) =>
        dim < lead ||
        (isEqual(emit.env, shape[dim - lead]!, 1) && mayDiffer(emit.env, tensor.shape[dim]!, 1)),
    );
  const summed = dims.length === 0 ? tensor : emit("aten.sum.dim_IntList", [tensor, dims, true]);
  return lead > 0 ? emit("aten.view.default", [summed, shape]) : summed;
}

/** Writes one piece of a split back. */
const piece =
  (sizeAt: (inversion: Inversion, dim: number) => readonly [start: IntLike, end: IntLike]): Inverse =>
  (inversion) => {
    const { emit, base, mutated } = inversion;
    const dim = wrapDim(int(inversion, "dim"), base.ndim);
    const [start, end] = sizeAt(inversion, dim);
    return emit("aten.slice_scatter.default", [base, mutated, dim, start, end]);
  };

const evenPiece = piece(({ emit, base, args, index }, dim) => {
  const size = args["split_size"] as IntLike;
  const start = sizeMath(emit, "mul", size, index);
  const end = sizeMath(emit, "add", start, size);
  const limit = base.shape[dim]!;
  return [start, typeof end === "number" && typeof limit === "number" ? Math.min(end, limit) : end];
});

const sizedPiece = (name: string): Inverse =>
  piece(({ args, index }) => {
    const sizes = args[name] as readonly IntLike[];
    const ends = endsOf(sizes);
    return [ends[index - 1] ?? 0, ends[index]!];
  });

/**
 * Returns where the pieces of a split end. The answer is kept, because each piece of the split asks
 * for it.
 */
function endsOf(sizes: readonly IntLike[]): readonly IntLike[] {
  let ends = knownEnds.get(sizes);
  if (ends === undefined) {
    let sum: IntLike = 0;
    ends = sizes.map((size) => (sum = add(sum, size)));
    knownEnds.set(sizes, ends);
  }
  return ends;
}
const knownEnds = new WeakMap<readonly IntLike[], readonly IntLike[]>();

/** Views that negate or conjugate: a copy of the view takes the new values and is turned back. */
const turned = (target: string): Inverse => again(target);

/**
 * @throws SconceError `INTERNAL_OVERLAP` where windows share elements, with PyTorch's reason
 * (`unfold_inverse`)
 */
const unfolded: Inverse = ({ emit, base, mutated, args }) => {
  const { dimension, size, step } = args as Record<string, number>;
  if (size! > step!) {
    throw internalOverlap(
      "while executing unfold, functionalization encountered a tensor being mutated that has internal overlap " +
        `(windows of ${size} elements, step ${step})`,
    );
  }
  return emit("aten.unfold_backward.default", [mutated, base.shape, dimension!, size!, step!]);
};

const INVERSES: ReadonlyMap<string, Inverse> = new Map<string, Inverse>([
  ["aten.view.default", reshaped("aten.view.default")],
  ["aten._unsafe_view.default", reshaped("aten._unsafe_view.default")],
  [
    "aten._reshape_alias.default",
    ({ emit, base, mutated }) => emit("aten._reshape_alias.default", [mutated, base.shape, base.strides]),
  ],
  ["aten.permute.default", permuted],
  ["aten.transpose.int", again("aten.transpose.int", "dim0", "dim1")],
  ["aten.t.default", again("aten.t.default")],
  ["aten.select.int", scattered("aten.select_scatter.default", "dim", "index")],
  ["aten.slice.Tensor", scattered("aten.slice_scatter.default", "dim", "start", "end", "step")],
  ["aten.diagonal.default", scattered("aten.diagonal_scatter.default", "offset", "dim1", "dim2")],
  [
    "aten.as_strided.default",
    scattered("aten.as_strided_scatter.default", "size", "stride", "storage_offset"),
  ],
  ["aten.unsqueeze.default", again("aten.squeeze.dim", "dim")],
  ["aten.squeeze.default", unsqueezed(({ base }) => base.shape.map((_, dim) => dim))],
  ["aten.squeeze.dim", unsqueezed((inversion) => [int(inversion, "dim")])],
  ["aten.squeeze.dims", unsqueezed((inversion) => inversion.args["dim"] as readonly number[])],
  ["aten.expand.default", expanded],
  ["aten.split.Tensor", evenPiece],
  ["aten.split.sizes", sizedPiece("split_size")],
  ["aten.split_with_sizes.default", sizedPiece("split_sizes")],
  [
    "aten.unbind.int",
    ({ emit, base, mutated, args, index }) =>
      emit("aten.select_scatter.default", [base, mutated, wrapDim(Number(args["dim"]), base.ndim), index]),
  ],
  ["aten.unfold.default", unfolded],
  ["aten.view_as_real.default", again("aten.view_as_complex.default")],
  ["aten.view_as_complex.default", again("aten.view_as_real.default")],
  ["aten.view.dtype", ({ emit, base, mutated }) => emit("aten.view.dtype", [mutated, base.dtype])],
  ["aten.alias.default", again("aten.alias.default")],
  ["aten.detach.default", unchanged],
  ["aten.lift_fresh.default", unchanged],
  ["aten._conj.default", turned("aten._conj.default")],
  ["aten._neg_view.default", turned("aten._neg_view.default")],
]);

/** Returns whether writes to this view operator's results can be written back. */
export const hasViewInverse = (target: string): boolean => INVERSES.has(target);

/**
 * The new value of `base` after its view was written to.
 *
 * @param args The arguments of the view call by name, as bound from its schema.
 * @param index Which result was written to, for views with several; null for one.
 * @throws SconceError `VIEW_INVERSE` for a view operator that cannot be undone
 */
export function viewInverse(
  emit: Emit,
  target: string,
  base: FakeTensor,
  mutated: FakeTensor,
  args: BoundArgs,
  index: number | null = null,
): FakeTensor {
  const inverse = INVERSES.get(target);
  if (inverse === undefined) {
    throw noViewInverse(target);
  }
  return inverse({ emit, base, mutated, args, index: index ?? 0 });
}
