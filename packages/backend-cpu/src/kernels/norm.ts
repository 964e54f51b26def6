/** @file Norms of tensors, over all or some dimensions. */
import { type ScalarLiteral, toNumber } from "@sconce/ir";
import { castTensor, type DType, dtypeInfo, type Tensor } from "@sconce/tensor";
import { finishOutput, openOutput, readComplex, readNumbers } from "../kernel/dense.js";
import { defineKernels, emptyOutput, type Kernel, kernel } from "../kernel/kernel.js";
import { broadcastShape } from "./index-elements.js";
import { sumOfSizes, sumOfSquares } from "./norm-sums.js";
import { type Dims, reductionAxes, rowsInOrder } from "./reduction-axes.js";
import { roundingOf } from "./reduction-sum.js";

/** How PyTorch's kernels compute a norm. */
interface Method {
  readonly p: number;
  /** Rounds a number to the precision in which PyTorch computes. */
  readonly round: (value: number) => number;
  /** 1, or a multiple of 4: sums of squares that run beside each other. */
  readonly lanes: number;
}

const methodOf = (p: number, dtype: DType, lanes: number): Method => ({ p, round: roundingOf(dtype), lanes });

/** Lanes of the vectors of 256 bits in which PyTorch sums squares. */
const vectorLanes = (dtype: DType): number =>
  dtype === "float32" || dtype === "float64" ? 32 / dtypeInfo(dtype).itemSize : 1;

/** Vectors are of elements that lie side by side. */
function lanesOf(self: Tensor, dims: Dims): number {
  const [inner, outer] = reductionAxes(self, dims);
  const isRow = inner?.to === 0 && inner.from === 1 && outer?.to !== 0;
  return isRow ? vectorLanes(self.dtype) : 1;
}

/** Returns the p-norm of a row of magnitudes, in PyTorch's order. */
function normOf(data: ArrayLike<number>, start: number, length: number, method: Method): number {
  const { p, round, lanes } = method;
  // The norm of one element is its size, whatever its powers are.
  if (length === 1 && p !== 0) return Math.abs(data[start]!);
  const single = round === Math.fround;
  if (p === 2) return Math.sqrt(sumOfSquares(data, start, start + length, single, lanes));
  if (p === 1) return sumOfSizes(data, start, start + length, single);
  const power = round(p);
  let result = p === -Infinity ? Infinity : 0;
  for (let i = start; i < start + length; i++) {
    const size = Math.abs(data[i]!);
    if (p === Infinity) result = Math.max(result, size);
    else if (p === -Infinity) result = Math.min(result, size);
    else if (p === 0) result = round(result + (size === 0 ? 0 : 1));
    else result = round(result + round(size ** power));
  }
  return p === 0 || !Number.isFinite(p) ? result : result ** round(1 / power);
}

function magnitudes(tensor: Tensor): ArrayLike<number> {
  if (dtypeInfo(tensor.dtype).kind !== "complex") return readNumbers(tensor);
  const pairs = readComplex(tensor);
  return Float64Array.from({ length: pairs.length / 2 }, (_, i) =>
    Math.hypot(pairs[2 * i]!, pairs[2 * i + 1]!),
  );
}

function norm(self: Tensor, p: number, dims: Dims, dtype: DType | null, out: Tensor): Tensor {
  const given = dtype === null ? self : castTensor(self, dtype);
  const { tensor, count, length } = rowsInOrder(given, dims);
  const data = magnitudes(tensor);
  const method = methodOf(p, given.dtype, p === 2 ? lanesOf(given, dims) : 1);
  const results = openOutput(out);
  for (let r = 0; r < count; r++) results[r] = normOf(data, r * length, length, method);
  return finishOutput(out, results);
}

const vectorNorm = kernel(
  "aten::linalg_vector_norm(Tensor self, Scalar ord=2, int[1]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
  ({ self, ord, dim, dtype }, context) => norm(self, toNumber(ord), dim, dtype, emptyOutput(context)),
);

interface Norm {
  readonly self: Tensor;
  readonly p: ScalarLiteral | null;
  readonly dim?: Dims;
  readonly dtype?: DType | null;
}
const pNorm: Kernel<Norm> = ({ self, p, dim = null, dtype = null }, context) =>
  norm(self, p === null ? 2 : toNumber(p), dim, dtype, emptyOutput(context));

/** Differences of elements, as PyTorch rounds them; of complex ones their sizes. */
function distances(
  self: Tensor,
  other: Tensor,
  shape: readonly number[],
  round: Method["round"],
): ArrayLike<number> {
  if ([self, other].every(({ dtype }) => dtypeInfo(dtype).kind !== "complex")) {
    const [a, b] = [readNumbers(self, shape), readNumbers(other, shape)];
    return Float64Array.from(a as Float64Array, (x, i) => round(x - b[i]!));
  }
  const [a, b] = [readComplex(self, shape), readComplex(other, shape)];
  return Float64Array.from({ length: a.length / 2 }, (_, i) =>
    Math.hypot(a[2 * i]! - b[2 * i]!, a[2 * i + 1]! - b[2 * i + 1]!),
  );
}

/** The p-norm of the difference of two tensors. */
const dist = kernel(
  "aten::dist(Tensor self, Tensor other, Scalar p=2) -> Tensor",
  ({ self, other, p }, context) => {
    const out = emptyOutput(context);
    const shape = broadcastShape(self.shape, other.shape);
    const method = methodOf(toNumber(p), out.dtype, vectorLanes(out.dtype));
    const difference = distances(self, other, shape, method.round);
    const results = openOutput(out);
    results[0] = normOf(difference, 0, difference.length, method);
    return finishOutput(out, results);
  },
);

export const normKernels = defineKernels([
  vectorNorm,
  kernel(
    [
      "aten::norm.Scalar(Tensor self, Scalar p=2) -> Tensor",
      "aten::norm.ScalarOpt_dim(Tensor self, Scalar? p, int[1] dim, bool keepdim=False) -> Tensor",
      "aten::norm.ScalarOpt_dtype(Tensor self, Scalar? p, *, ScalarType dtype) -> Tensor",
      "aten::norm.ScalarOpt_dim_dtype(Tensor self, Scalar? p, int[1] dim, bool keepdim, *, ScalarType dtype) -> Tensor",
    ],
    pNorm,
  ),
  dist,
]);
