/** @file Orthogonal factors of matrices: QR, and the Householder reflections it is made of. */
import type { FakeTensor } from "@sconce/ir";
import { defineOp, type MetaContext, type OpDefinition } from "../rows/define-op.js";
import { dtypeMismatch, requireWord, shapeMismatch } from "../rows/errors.js";
import { mayDiffer } from "../rules/comparison.js";
import { describeSizes } from "../rules/describe.js";
import { fake } from "../rules/fake.js";
import {
  matrices,
  matrixSizes,
  nothing,
  requireFloat,
  requireLapack,
  requireMatrices,
  sameSizes,
  smallerOf,
} from "../rules/matrix.js";

const qr = defineOp({
  schema: 'aten::linalg_qr(Tensor A, str mode="reduced") -> (Tensor Q, Tensor R)',
  meta: ({ A, mode }) => {
    requireMatrices("linalg.qr", A);
    requireFloat("linalg.qr", A);
    requireWord(
      mode,
      ["reduced", "r", "complete"],
      `qr received unrecognized mode '${mode}' but expected one of 'reduced' (default), 'r', or 'complete'`,
    );
    requireLapack("geqrf_cpu", A);
    const { rows, columns, count, batch } = matrixSizes(A);
    const width = mode === "complete" ? rows : count;
    return [
      mode === "r" ? nothing(A) : matrices(A, [...batch, rows, width]),
      matrices(A, [...batch, width, columns]),
    ];
  },
});

const geqrf = defineOp({
  schema: "aten::geqrf(Tensor self) -> (Tensor a, Tensor tau)",
  meta: ({ self }) => {
    if (self.ndim < 2) throw shapeMismatch("torch.geqrf: input must have at least 2 dimensions.");
    requireLapack("geqrf_cpu", self);
    const { count, batch } = matrixSizes(self);
    return [matrices(self, self.shape), fake({ dtype: self.dtype, shape: [...batch, count], like: self })];
  },
});

/** What is asked of the factors of reflections. */
function requireTaus(name: string, input: FakeTensor, tau: FakeTensor, { env }: MetaContext): void {
  if (input.ndim - tau.ndim !== 1) {
    throw shapeMismatch(
      `${name}: Expected tau to have one dimension less than input, but got tau.ndim equal to ${tau.ndim} and ` +
        `input.ndim is equal to ${input.ndim}`,
    );
  }
  if (!sameSizes(input.shape.slice(0, -2), tau.shape.slice(0, -1), env)) {
    throw shapeMismatch(
      `${name}: Expected batch dimensions of tau to be equal to input.shape[:-2], but got ${describeSizes(tau.shape.slice(0, -1))}`,
    );
  }
}

const householderProduct = defineOp({
  schema: "aten::linalg_householder_product(Tensor input, Tensor tau) -> Tensor",
  meta: ({ input, tau }, context) => {
    const name = "torch.linalg.householder_product";
    if (input.ndim < 2) throw shapeMismatch(`${name}: input must have at least 2 dimensions.`);
    const { rows, columns } = matrixSizes(input);
    const { env } = context;
    if (smallerOf(env, columns, rows) !== columns) {
      throw shapeMismatch(`${name}: input.shape[-2] must be greater than or equal to input.shape[-1]`);
    }
    const taus = tau.shape.at(-1) ?? 0;
    if (tau.ndim > 0 && smallerOf(env, taus, columns) !== taus) {
      throw shapeMismatch(`${name}: input.shape[-1] must be greater than or equal to tau.shape[-1]`);
    }
    requireTaus(name, input, tau, context);
    if (tau.dtype !== input.dtype) {
      throw dtypeMismatch(`${name}: tau dtype ${tau.dtype} does not match input dtype ${input.dtype}`);
    }
    requireLapack("orgqr_cpu", input);
    return matrices(input, input.shape);
  },
});

const orgqr = defineOp({
  schema: "aten::orgqr(Tensor self, Tensor input2) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self, input2 }) => emit("aten.linalg_householder_product.default", [self, input2]),
});

const ormqr = defineOp({
  schema:
    "aten::ormqr(Tensor self, Tensor input2, Tensor input3, bool left=True, bool transpose=False) -> Tensor",
  meta: ({ self, input2: tau, input3: other, left }, context) => {
    requireReflected(self, tau, other, left, context);
    requireTaus("torch.ormqr", self, tau, context);
    if (!sameSizes(self.shape.slice(0, -2), other.shape.slice(0, -2), context.env)) {
      throw shapeMismatch(
        `torch.ormqr: Expected batch dimensions of other to be equal to input.shape[:-2], but got ${describeSizes(other.shape.slice(0, -2))}`,
      );
    }
    for (const [name, tensor] of [["tau", tau] as const, ["other", other] as const]) {
      if (tensor.dtype === self.dtype) continue;
      throw dtypeMismatch(
        `torch.ormqr: Expected input and ${name} to have the same dtype, but input has dtype${self.dtype} and ${name} has dtype ${tensor.dtype}`,
      );
    }
    requireLapack("ormqr_cpu", self);
    return matrices(other, other.shape);
  },
});

function requireReflected(
  self: FakeTensor,
  tau: FakeTensor,
  other: FakeTensor,
  left: boolean,
  context: MetaContext,
): void {
  const { env } = context;
  if (self.ndim < 2) throw shapeMismatch("torch.ormqr: input must have at least 2 dimensions.");
  if (other.ndim < 2) throw shapeMismatch("torch.ormqr: other must have at least 2 dimensions.");
  const side = left ? -2 : -1;
  const length = other.shape.at(side)!;
  const columns = self.shape.at(-1)!;
  const least = smallerOf(env, length, columns);
  const taus = tau.shape.at(-1) ?? 0;
  if (smallerOf(env, taus, length) !== taus) {
    throw shapeMismatch(`torch.ormqr: other.shape[${side}] must be greater than or equal to tau.shape[-1]`);
  }
  if (tau.ndim === 0 || mayDiffer(env, least, taus)) {
    throw shapeMismatch(
      `torch.ormqr: tau.shape[-1] must be equal to min(other.shape[${side}], input.shape[-1])`,
    );
  }
  if (mayDiffer(env, length, self.shape.at(-2)!)) {
    throw shapeMismatch(`torch.ormqr: other.shape[${side}] must be equal to input.shape[-2]`);
  }
  if (self.ndim !== other.ndim) {
    throw shapeMismatch(
      "torch.ormqr: Expected other to have the same number of dimensions as input, but got other.ndim equal to " +
        `${other.ndim} and input.ndim is equal to ${self.ndim}`,
    );
  }
}

/** Orthogonal factors. */
export const matrixOrthogonalOps: readonly OpDefinition[] = [qr, geqrf, householderProduct, orgqr, ormqr];
