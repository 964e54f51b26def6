/** @file Matrix products. */
import type { ScalarArg } from "@sconce/ops";
import { type Axis, atom, fixedValue, type Index, product } from "../../ir/index-expr.js";
import { apply, cast, type Scalar } from "../../ir/scalar.js";
import { type LoweringCall, outOf, shapeOf } from "../core/call.js";
import { broadcastTo, type LazyTensor } from "../core/lazy.js";
import { defineLowerings, lowering } from "../core/lowering.js";
import { computeType, numberScalar } from "../core/numbers.js";
import { contraction, matmulElement } from "../rules/contract.js";
import { constantLike } from "../rules/elements.js";
import { made } from "../rules/made.js";
import { pointwise } from "../rules/pointwise.js";
import { sumOf } from "../rules/reduce.js";

const matmul = (call: LoweringCall, a: LazyTensor, b: LazyTensor): LazyTensor =>
  contraction(call, [a, b], matmulElement(call, a, b, computeType(outOf(call).dtype)), [], { summed: -2 });

interface Added {
  readonly self: LazyTensor;
  readonly beta: ScalarArg;
  readonly alpha: ScalarArg;
}
/** Returns a factor that is a plain number, whatever it was written as. */
const factorOf = (value: ScalarArg): ScalarArg =>
  typeof value === "object" && value.kind === "float" ? value.value : value;
/** Multiplications from which PyTorch gives batches of matrices to BLAS (`bmm_out_or_baddbmm_`). */
const BATCHES = 400;
/**
 * Returns whether BLAS leaves the product out, so that NaN in it does not count: its factor is
 * zero.
 */
function isLeftOut(call: LoweringCall, { alpha }: Added, a: LazyTensor, isBatched: boolean): boolean {
  const { dtype } = outOf(call);
  if (factorOf(alpha) !== 0 || (dtype !== "float32" && dtype !== "float64")) return false;
  const [, ...sizes] = shapeOf(outOf(call));
  const count = fixedValue(product([...sizes, a.shape.at(-1)!]));
  return !isBatched || (count !== undefined && count >= BATCHES);
}
/** `beta * self` in the shape of the result. */
const onlyAdded = (call: LoweringCall, { self, beta }: Added): LazyTensor =>
  pointwise(call, [self], ([x]) =>
    factorOf(beta) === 0 ? constantLike(0, x!) : apply("mul", numberScalar(beta, x!.dtype), x!),
  );

/** `beta * self + alpha * (a @ b)`; `self` is not read when beta is 0. */
function addedMatmul(call: LoweringCall, args: Added, a: LazyTensor, b: LazyTensor): LazyTensor {
  const [beta, alpha] = [factorOf(args.beta), factorOf(args.alpha)];
  if (isLeftOut(call, args, a, a.shape.length === 3)) return onlyAdded(call, args);
  const out = outOf(call);
  const dtype = computeType(out.dtype);
  const productAt = matmulElement(call, a, b, dtype);
  const isSkipped = beta === 0;
  const bias = broadcastTo(args.self, call, shapeOf(out));
  if (!isSkipped) call.context.once(bias);
  if (bias.heavy) call.context.materialize(bias);
  const element = (at: readonly Index[]): Scalar => {
    const scaled = alpha === 1 ? productAt(at) : apply("mul", numberScalar(alpha, dtype), productAt(at));
    if (isSkipped) return scaled;
    const start = cast(bias.element(at), dtype);
    return apply("add", beta === 1 ? start : apply("mul", numberScalar(beta, dtype), start), scaled);
  };
  return contraction(call, [a, b], element, isSkipped ? [] : [bias], { summed: -2 });
}

function linear(call: LoweringCall, x: LazyTensor, weight: LazyTensor, bias: LazyTensor | null): LazyTensor {
  const dtype = computeType(outOf(call).dtype);
  if (bias !== null) call.context.many(bias);
  const element = (at: readonly Index[]): Scalar => {
    const k = call.context.axis(x.shape.at(-1)!);
    const left = cast(x.element([...at.slice(0, -1), atom(k)]), dtype);
    const row = weight.shape.length === 1 ? [atom(k)] : [at.at(-1)!, atom(k)];
    const sum = sumOf([k], apply("mul", left, cast(weight.element(row), dtype)));
    return bias === null ? sum : apply("add", sum, cast(bias.element([at.at(-1)!]), dtype));
  };
  return contraction(call, [x, weight], element, bias === null ? [] : [bias], { summed: -1 });
}

/** Returns a matrix or a vector by a vector. */
function byVector(call: LoweringCall, a: LazyTensor, b: LazyTensor): LazyTensor {
  const dtype = computeType(outOf(call).dtype);
  return contraction(call, [a, b], (at) => {
    const k = call.context.axis(b.shape[0]!);
    const left = cast(a.element([...at, atom(k)]), dtype);
    return sumOf([k], apply("mul", left, cast(b.element([atom(k)]), dtype)));
  });
}

/** The axes of a sum of products, and the two factors at a place of the result. */
type ProductAt = (
  a: LazyTensor,
  b: LazyTensor,
  at: readonly Index[],
) => { readonly axes: Axis[]; readonly factors: readonly [Scalar, Scalar] };

/** `beta * self + alpha * sum` over axes of products of two tensors. */
function addedProducts(
  call: LoweringCall,
  args: Added,
  tensors: readonly [LazyTensor, LazyTensor],
  productAt: ProductAt,
): LazyTensor {
  const [beta, alpha] = [factorOf(args.beta), factorOf(args.alpha)];
  if (isLeftOut(call, args, tensors[0], false)) return onlyAdded(call, args);
  const out = outOf(call);
  const compute = computeType(out.dtype);
  const [a, b] = [call.context.many(tensors[0]), call.context.many(tensors[1])];
  const self = call.context.many(broadcastTo(args.self, call, shapeOf(out)));
  return made(call, {
    inputs: [a, b, self],
    operations: 4,
    heavy: true,
    element: (at) => {
      const { axes, factors } = productAt(a, b, at);
      const sum = sumOf(axes, apply("mul", cast(factors[0], compute), cast(factors[1], compute)));
      const scaled = alpha === 1 ? sum : apply("mul", numberScalar(alpha, compute), sum);
      // What is multiplied by 0 is not read: NaN in it does not count.
      if (beta === 0) return cast(scaled, out.dtype);
      const own = apply("mul", numberScalar(beta, compute), cast(self.element(at), compute));
      return cast(apply("add", own, scaled), out.dtype);
    },
  });
}

export const MATRIX_PRODUCTS = defineLowerings([
  lowering("aten::mm(Tensor self, Tensor mat2) -> Tensor", ({ self, mat2 }, call) =>
    matmul(call, self, mat2),
  ),
  lowering("aten::bmm(Tensor self, Tensor mat2) -> Tensor", ({ self, mat2 }, call) =>
    matmul(call, self, mat2),
  ),
  lowering(
    "aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    (args, call) => addedMatmul(call, args, args.mat1, args.mat2),
  ),
  lowering(
    "aten::baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    (args, call) => addedMatmul(call, args, args.batch1, args.batch2),
  ),
  lowering(
    "aten::linear(Tensor input, Tensor weight, Tensor? bias=None) -> Tensor",
    ({ input, weight, bias }, call) => linear(call, input, weight, bias),
  ),
  lowering("aten::dot(Tensor self, Tensor tensor) -> Tensor", ({ self, tensor }, call) =>
    byVector(call, self, tensor),
  ),
  lowering("aten::mv(Tensor self, Tensor vec) -> Tensor", ({ self, vec }, call) => byVector(call, self, vec)),
  lowering(
    "aten::addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    (args, call) =>
      addedProducts(call, args, [args.mat, args.vec], (a, b, [row]) => {
        const along = call.context.axis(b.shape[0]!);
        return { axes: [along], factors: [a.element([row!, atom(along)]), b.element([atom(along)])] };
      }),
  ),
  lowering(
    "aten::addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    (args, call) =>
      addedProducts(call, args, [args.batch1, args.batch2], (a, b, [row, column]) => {
        const { axes, at } = call.context.axes([a.shape[0]!, a.shape[2]!]);
        const [batch, k] = at as [Index, Index];
        return { axes, factors: [a.element([batch, row!, k]), b.element([batch, k, column!])] };
      }),
  ),
]);
