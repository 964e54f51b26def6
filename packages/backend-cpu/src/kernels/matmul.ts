/** @file Matrix products. */

import { FakeTensor, type ScalarLiteral, toNumber } from "@sconce/ir";
import { broadcastStrides, contiguousStrides, dtypeInfo, isBigIntDType, type Tensor } from "@sconce/tensor";
import type { GatherMatrix } from "../gemm/gemm.js";
import {
  type Epilogue,
  finishTarget,
  matrixOf,
  multiplyInto,
  type NumberView,
  numberTarget,
  numberView,
  stacked,
} from "../gemm/operands.js";
import { detached } from "../kernel/copy.js";
import { readBigInts, readComplex, readFloat64, writeBigInts, writeComplex } from "../kernel/dense.js";
import { defineKernels, emptyOutput, type KernelContext, kernel } from "../kernel/kernel.js";
import { withFloat32Overflow } from "../kernel/overflow.js";
import { scratch } from "../kernel/scratch.js";

interface Added {
  readonly self: Tensor;
  readonly beta: ScalarLiteral;
  readonly alpha: ScalarLiteral;
}

/** Returns the factors, cut to integers for an integer result. */
function factorsOf(out: Tensor, added: Added | undefined): readonly [alpha: number, beta: number] {
  if (added === undefined) return [1, 0];
  const factors = [toNumber(added.alpha), toNumber(added.beta)] as const;
  return dtypeInfo(out.dtype).kind === "int" ? [Math.trunc(factors[0]), Math.trunc(factors[1])] : factors;
}

const isComplexNumber = (value: ScalarLiteral): boolean =>
  typeof value === "object" && value.kind === "complex";
/** Multiplications from which PyTorch gives batches of matrices to BLAS (`bmm_out_or_baddbmm_`). */
const BATCHES = 400;
/**
 * Returns whether BLAS leaves the product out, so that NaN in it does not count: its factor is
 * zero.
 */
function isLeftOut({ dtype, shape, ndim }: Tensor, inner: number, added: Added | undefined): boolean {
  if (added === undefined || isComplexNumber(added.alpha) || toNumber(added.alpha) !== 0) return false;
  const { kind } = dtypeInfo(dtype);
  if (kind !== "complex" && dtype !== "float32" && dtype !== "float64") return false;
  return ndim === 2 || shape[1]! * shape[2]! * inner >= BATCHES;
}
/** Returns a matrix, or several, with no elements along a dimension. */
const emptied = (tensor: Tensor, dim: number): Tensor =>
  tensor.asStrided(tensor.shape.with(dim, 0), tensor.strides, tensor.storageOffset);

/**
 * `alpha * a @ b + beta * self` for matrices or batches of them; `self` is not read when beta is 0.
 */
function product(context: KernelContext, first: Tensor, second: Tensor, added?: Added): Tensor {
  const out = emptyOutput(context);
  if (out.numel === 0) return out;
  const isEmpty = isLeftOut(out, first.shape.at(-1)!, added);
  const [a, b] = isEmpty ? [emptied(first, -1), emptied(second, -2)] : [first, second];
  if (dtypeInfo(out.dtype).kind === "complex") return complexProduct(out, a, b, added);
  const isWide = isBigIntDType(out.dtype) || out.dtype === "int32" || out.dtype === "uint32";
  if (isWide && !fitsDouble(a, b, added)) return exactProduct(out, a, b, added);
  const isShared = out.ndim === 3 && b.strides[0] === 0;
  const [left, target] = [numberView(a), numberTarget(out)];
  const right = numberView(isShared ? b.asStrided(b.shape.slice(1), b.strides.slice(1), b.storageOffset) : b);
  const [alpha, beta] = factorsOf(out, added);
  const self = added === undefined || beta === 0 ? undefined : numberView(added.self);
  const plain = self === undefined && alpha === 1;
  const addStrides = self && broadcastStrides(self.shape, self.strides, out.shape);
  const addend = self && { ...self, shape: out.shape, strides: addStrides! };
  const scaled = (into: GatherMatrix, matrix: (view: NumberView) => GatherMatrix): Epilogue | undefined =>
    plain
      ? undefined
      : { scale: alpha, addScale: beta, addend: addend === undefined ? into : matrix(addend) };
  if (isShared) {
    const into = stacked(target);
    multiplyInto(into, stacked(left), matrixOf(right), out.dtype, scaled(into, stacked));
    return finishTarget(out, target);
  }
  for (let n = 0; n < (out.ndim === 3 ? out.shape[0]! : 1); n++) {
    const part = (view: NumberView): GatherMatrix =>
      matrixOf(view, view.storageOffset + (out.ndim === 3 ? n * view.strides[0]! : 0));
    const into = part(target);
    multiplyInto(into, part(left), part(right), out.dtype, scaled(into, part));
  }
  return finishTarget(out, target);
}

/** Returns whether products of integers stay exact in doubles. */
function fitsDouble(a: Tensor, b: Tensor, added: Added | undefined): boolean {
  const most = (tensor: Tensor): number =>
    readFloat64(tensor).reduce((max, x) => Math.max(max, Math.abs(x)), 0);
  const sum = most(a) * most(b) * a.shape[a.ndim - 1]! * (added ? Math.abs(toNumber(added.alpha)) : 1);
  return sum + (added ? most(added.self) * Math.abs(toNumber(added.beta)) : 0) < Number.MAX_SAFE_INTEGER;
}

function exactProduct(out: Tensor, a: Tensor, b: Tensor, added: Added | undefined): Tensor {
  const [m, k, n] = [out.shape[out.ndim - 2]!, a.shape[a.ndim - 1]!, out.shape[out.ndim - 1]!];
  const [x, y] = [readBigInts(a), readBigInts(b)];
  const self = added && readBigInts(added.self, out.shape);
  const [alpha, beta] = factorsOf(out, added).map(BigInt) as [bigint, bigint];
  const values = scratch(BigInt64Array, out.numel);
  for (let at = 0; at < values.length; at++) {
    const row = Math.floor(at / n);
    const batch = Math.floor(row / m);
    let sum = 0n;
    for (let p = 0; p < k; p++) sum += x[row * k + p]! * y[(batch * k + p) * n + (at % n)]!;
    values[at] = alpha * sum + (self ? beta * self[at]! : 0n);
  }
  writeBigInts(out, values);
  return out;
}

const complexFactor = (value: ScalarLiteral): readonly [re: number, im: number] =>
  typeof value === "object" && value.kind === "complex" ? [value.re, value.im] : [toNumber(value), 0];

function complexProduct(out: Tensor, a: Tensor, b: Tensor, added: Added | undefined): Tensor {
  const [m, k, n] = [out.shape[out.ndim - 2]!, a.shape[a.ndim - 1]!, out.shape[out.ndim - 1]!];
  const [x, y] = [readComplex(a), readComplex(b)];
  const [alpha, alphaIm] = complexFactor(added?.alpha ?? 1);
  const isOne = alpha === 1 && alphaIm === 0;
  const [beta, betaIm] = complexFactor(added?.beta ?? 0);
  const self = added && (beta !== 0 || betaIm !== 0) ? readComplex(added.self, out.shape) : undefined;
  const isKept = beta === 1 && betaIm === 0;
  const values = scratch(Float64Array, 2 * out.numel);
  const limit = out.dtype === "complex128" ? (value: number): number => value : withFloat32Overflow;
  for (let at = 0; at < out.numel; at++) {
    const row = Math.floor(at / n);
    let [re, im] = [0, 0];
    for (let p = 0; p < k; p++) {
      const i = 2 * (row * k + p);
      const j = 2 * ((Math.floor(row / m) * k + p) * n + (at % n));
      re = limit(re + limit(x[i]! * y[j]!) - limit(x[i + 1]! * y[j + 1]!));
      im = limit(im + limit(x[i]! * y[j + 1]!) + limit(x[i + 1]! * y[j]!));
    }
    const [addRe, addIm] = self ? [self[2 * at]!, self[2 * at + 1]!] : [0, 0];
    // A factor of one is left out: its imaginary part would make NaN of an infinity.
    const [outRe, outIm] = isOne ? [re, im] : [alpha * re - alphaIm * im, alpha * im + alphaIm * re];
    const [ownRe, ownIm] = isKept
      ? [addRe, addIm]
      : [beta * addRe - betaIm * addIm, beta * addIm + betaIm * addRe];
    values[2 * at] = outRe + (self ? ownRe : 0);
    values[2 * at + 1] = outIm + (self ? ownIm : 0);
  }
  writeComplex(out, values);
  return out;
}

/** Returns a row-major copy with dimensions permuted, seen with another shape. */
function joined(tensor: Tensor, order: readonly number[], shape: readonly number[]): Tensor {
  const permuted = tensor.asStrided(
    order.map((d) => tensor.shape[d]!),
    order.map((d) => tensor.strides[d]!),
  );
  return detached(permuted).asStrided(shape, contiguousStrides(shape), 0);
}

/** Returns a vector as a matrix of one column or one row. */
const column = (v: Tensor): Tensor => v.asStrided([v.shape[0]!, 1], [v.strides[0]!, 1]);
const row = (v: Tensor): Tensor => v.asStrided([1, v.shape[0]!], [1, v.strides[0]!]);

/** Runs a product whose result has fewer dimensions than the matrix form of it. */
function reshaped(
  context: KernelContext,
  shape: readonly number[],
  run: (inner: KernelContext) => Tensor,
): Tensor {
  const out = emptyOutput(context);
  const fake = new FakeTensor({ dtype: out.dtype, shape, strides: contiguousStrides(shape) });
  const result = run({ ...context, meta: fake });
  return result.asStrided(out.shape, out.strides);
}

/** Rounds halves after each batch, because PyTorch adds the products one after another. */
function addedInOrder(context: KernelContext, batch1: Tensor, batch2: Tensor, added: Added): Tensor {
  const part = (tensor: Tensor, n: number): Tensor =>
    tensor.asStrided(
      tensor.shape.slice(1),
      tensor.strides.slice(1),
      tensor.storageOffset + n * tensor.strides[0]!,
    );
  let sum = product(context, part(batch1, 0), part(batch2, 0), added);
  for (let n = 1; n < batch1.shape[0]!; n++)
    sum = product(context, part(batch1, n), part(batch2, n), { ...added, self: sum, beta: 1 });
  return sum;
}

export const matmulKernels = defineKernels([
  kernel("aten::mm(Tensor self, Tensor mat2) -> Tensor", ({ self, mat2 }, context) =>
    product(context, self, mat2),
  ),
  kernel("aten::bmm(Tensor self, Tensor mat2) -> Tensor", ({ self, mat2 }, context) =>
    product(context, self, mat2),
  ),
  kernel(
    "aten::addmm(Tensor self, Tensor mat1, Tensor mat2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    (args, context) => product(context, args.mat1, args.mat2, args),
  ),
  kernel(
    "aten::baddbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    (args, context) => product(context, args.batch1, args.batch2, args),
  ),
  kernel(
    "aten::addbmm(Tensor self, Tensor batch1, Tensor batch2, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    ({ batch1, batch2, ...added }, context) => {
      if (added.self.dtype === "float16" || added.self.dtype === "bfloat16")
        return addedInOrder(context, batch1, batch2, added);
      // The sum over batches is one product: batches lie side by side along the summed dimension.
      const [b, m, k] = batch1.shape;
      const left = joined(batch1, [1, 0, 2], [m, b * k]);
      return product(context, left, joined(batch2, [0, 1, 2], [b * k, batch2.shape[2]!]), added);
    },
  ),
  kernel("aten::mv(Tensor self, Tensor vec) -> Tensor", ({ self, vec }, context) =>
    reshaped(context, [self.shape[0]!, 1], (inner) => product(inner, self, column(vec))),
  ),
  kernel(
    "aten::addmv(Tensor self, Tensor mat, Tensor vec, *, Scalar beta=1, Scalar alpha=1) -> Tensor",
    ({ self, mat, vec, beta, alpha }, context) => {
      const addend = self.ndim === 0 ? self : self.asStrided([self.shape[0]!, 1], [self.strides[0]!, 0]);
      // For complex numbers PyTorch multiplies by a factor of zero.
      const isReal = dtypeInfo(self.dtype).kind !== "complex" || isComplexNumber(alpha);
      const factor: ScalarLiteral = isReal ? alpha : { kind: "complex", re: toNumber(alpha), im: 0 };
      return reshaped(context, [mat.shape[0]!, 1], (inner) =>
        product(inner, mat, column(vec), { self: addend, beta, alpha: factor }),
      );
    },
  ),
  kernel("aten::dot(Tensor self, Tensor tensor) -> Tensor", ({ self, tensor }, context) =>
    reshaped(context, [1, 1], (inner) => product(inner, row(self), column(tensor))),
  ),
]);
