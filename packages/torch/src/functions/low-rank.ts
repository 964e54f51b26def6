/** @file `torch.svd_lowrank` and `torch.pca_lowrank`, as `torch/_lowrank.py` writes them. */
import { isComplexDType, isFloatDType, type Tensor } from "@sconce/tensor";
import { callOperator } from "../trace/dispatch.js";
import type { Size } from "../trace/sym-int.js";
import { deviceOfTensor } from "./conversions.js";
import { invalidArgument } from "./errors.js";
import { callMethod, callTorch } from "./function-tables.js";
import { type PythonArguments, pythonFunction } from "./python-function.js";
import { sizeOf, sizesOf, sizeText } from "./sizes.js";
import { guard, sym } from "./sym.js";

type MaybeTensor = Tensor | null;

const matmul = (a: Tensor, b: Tensor): Tensor => callTorch("matmul", [a, b]) as Tensor;
const subtract = (a: Tensor, b: Tensor): Tensor => callMethod(a, "sub", [b]) as Tensor;
const adjoint = (a: Tensor): Tensor => callOperator("aten.mH.default", [a]) as Tensor;
const orthonormal = (a: Tensor): Tensor =>
  (callOperator("aten.linalg_qr.default", [a]) as readonly Tensor[])[0]!;

const applied = (a: Tensor, mean: MaybeTensor, to: Tensor, isAdjoint: boolean): Tensor => {
  const product = matmul(isAdjoint ? adjoint(a) : a, to);
  return mean === null ? product : subtract(product, matmul(isAdjoint ? adjoint(mean) : mean, to));
};

function approximateBasis(a: Tensor, q: Size, iterations: number, mean: MaybeTensor): Tensor {
  const dtype = isFloatDType(a.dtype) || isComplexDType(a.dtype) ? a.dtype : "float32";
  const random = callTorch("randn", [[sizeOf(a, -1), q]], { dtype, device: deviceOfTensor(a) }) as Tensor;
  let basis = orthonormal(applied(a, mean, random, false));
  for (let i = 0; i < iterations; i++) {
    basis = orthonormal(applied(a, mean, basis, true));
    basis = orthonormal(applied(a, mean, basis, false));
  }
  return basis;
}

function svdLowRank(given: Tensor, q: Size, iterations: number, givenMean: MaybeTensor): readonly Tensor[] {
  let [a, mean] = [given, givenMean];
  if (mean !== null) mean = callMethod(mean, "broadcast_to", [sizesOf(a)]) as Tensor;
  const isWide = guard(sym.lt(sizeOf(a, -2), sizeOf(a, -1)));
  if (isWide) {
    a = adjoint(a);
    if (mean !== null) mean = adjoint(mean);
  }
  const basis = approximateBasis(a, q, iterations, mean);
  let small = matmul(adjoint(basis), a);
  if (mean !== null) small = subtract(small, matmul(adjoint(basis), mean));
  const [u, s, vh] = callOperator("aten.linalg_svd.default", [small, false]) as readonly Tensor[];
  const v = adjoint(vh!);
  const left = callMethod(basis, "matmul", [u!]) as Tensor;
  return isWide ? [v, s!, left] : [left, s!, v];
}

function pcaLowRank({ A: a, q, center, niter }: PythonArguments): unknown {
  const most = sym.min(6, sizeOf(a, -2), sizeOf(a, -1));
  const rank = (q ?? most) as Size;
  if (q !== null && !guard(sym.and(sym.ge(rank, 0), sym.le(rank, sym.min(sizeOf(a, -2), sizeOf(a, -1))))))
    throw invalidArgument(
      "torch.pcaLowrank",
      `q ${sizeText(q)} is out of range`,
      "use a whole number up to both sizes",
    );
  if (!center) return svdLowRank(a, rank, niter, null);
  const mean = callMethod(a, "mean", [], { dim: [-2], keepdim: true }) as Tensor;
  return svdLowRank(subtract(a, mean), rank, niter, null);
}

/** The functions by camelCase name. */
export const LOW_RANK: Readonly<Record<string, (...given: readonly unknown[]) => unknown>> = {
  svdLowrank: pythonFunction(
    "torch",
    "svd_lowrank(A: Tensor, q: int = 6, niter: int = 2, M: Tensor|None = None)",
    ({ A, q, niter, M }) => svdLowRank(A, q ?? 6, niter ?? 2, M),
  ),
  pcaLowrank: pythonFunction(
    "torch",
    "pca_lowrank(A: Tensor, q: int|None = None, center: bool = True, niter: int = 2)",
    pcaLowRank,
  ),
};
