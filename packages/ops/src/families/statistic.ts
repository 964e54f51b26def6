/** @file Covariance, and correlation made of it (`Correlation.cpp`). */
import type { FakeTensor, IntLike } from "@sconce/ir";
import { sub, symMax } from "@sconce/symbolic";
import { isComplexDType, isFloatDType } from "@sconce/tensor";
import { defineOp, type OpDefinition } from "../rows/define-op.js";
import type { Emit } from "../rows/emit.js";
import { dtypeMismatch, invalidArgument, shapeMismatch } from "../rows/errors.js";
import { Arithmetic } from "../rules/arithmetic.js";
import { isEqual, mayDiffer } from "../rules/comparison.js";
import { numelOf } from "../rules/fake.js";

interface CovarianceArgs {
  readonly self: FakeTensor;
  readonly correction: IntLike;
  readonly fweights: FakeTensor | null;
  readonly aweights: FakeTensor | null;
}

function checkWeights(emit: Emit, weights: FakeTensor, name: string, observations: IntLike): void {
  if (weights.ndim > 1) {
    throw shapeMismatch(
      `cov(): expected ${name} to have one or fewer dimensions but got ${name} with ${weights.ndim} dimensions`,
    );
  }
  const count = numelOf(weights.shape);
  if (mayDiffer(emit.env, count, observations)) {
    throw shapeMismatch(
      `cov(): expected ${name} to have the same numel as there are observations in the input but got ` +
        `${String(count)} != ${String(observations)}`,
    );
  }
}

function checkCovariance(
  emit: Emit,
  { self, fweights, aweights }: CovarianceArgs,
  observations: IntLike,
): void {
  if (self.ndim > 2) {
    throw shapeMismatch(
      `cov(): expected input to have two or fewer dimensions but got an input with ${self.ndim} dimensions`,
    );
  }
  if (self.dtype === "bool") throw dtypeMismatch("cov(): bool dtype is not supported for input");
  if (fweights !== null) {
    checkWeights(emit, fweights, "fweights", observations);
    if (isFloatDType(fweights.dtype) || isComplexDType(fweights.dtype) || fweights.dtype === "bool") {
      throw dtypeMismatch(
        `cov(): expected fweights to have integral dtype but got fweights with ${fweights.dtype} dtype`,
      );
    }
  }
  if (aweights !== null) {
    checkWeights(emit, aweights, "aweights", observations);
    if (!isFloatDType(aweights.dtype)) {
      throw dtypeMismatch(
        `cov(): expected aweights to have floating point dtype but got aweights with ${aweights.dtype} dtype`,
      );
    }
  }
}

/** Weights are data: whether they are negative shows when the program runs. */
function requireNonNegative(emit: Emit, weights: FakeTensor, name: string): void {
  const valid = emit("aten.ge.Scalar", [emit("aten.min.default", [weights]), 0]);
  emit.value("aten._assert_async.msg", [valid, `cov(): ${name} cannot be negative`]);
}

const sumOf = (emit: Emit, tensor: FakeTensor): FakeTensor => emit("aten.sum.default", [tensor]);

const countOf = (emit: Emit, self: FakeTensor, count: IntLike): FakeTensor =>
  emit("aten.scalar_tensor.default", [count], { dtype: "int64", device: self.device });

/**
 * Returns what the products are divided by: the observations, weighted, less the correction; at
 * least 0.
 */
function degrees(
  emit: Emit,
  { self, correction, aweights }: CovarianceArgs,
  observations: IntLike,
  weights: FakeTensor | null,
  total: FakeTensor,
): FakeTensor {
  if (weights === null) return countOf(emit, self, symMax(sub(observations, correction), 0));
  const t = new Arithmetic(emit);
  if (isEqual(emit.env, correction, 0)) return emit("aten.clamp_min.default", [total, 0]);
  if (aweights === null) {
    return emit("aten.clamp_min.default", [emit("aten.sub.Scalar", [total, correction]), 0]);
  }
  const squares = sumOf(emit, t.mul(weights, aweights));
  const bias = t.div(emit("aten.mul.Scalar", [squares, correction]), total);
  return emit("aten.clamp_min.default", [t.sub(total, bias), 0]);
}

/**
 * PyTorch looks at the weights and at the degrees of freedom while it runs, which is why
 * `torch.export` refuses this operator; here the least number of degrees is a maximum, which gives
 * the same values.
 */
function covariance(emit: Emit, args: CovarianceArgs): FakeTensor {
  const { self, fweights, aweights } = args;
  const observations = self.ndim === 0 ? 1 : self.shape.at(-1)!;
  checkCovariance(emit, args, observations);
  const t = new Arithmetic(emit);
  const input = self.ndim < 2 ? emit("aten.view.default", [self, [1, -1]]) : self;
  const weights = fweights !== null && aweights !== null ? t.mul(fweights, aweights) : (fweights ?? aweights);
  if (fweights !== null) requireNonNegative(emit, fweights, "fweights");
  if (aweights !== null) requireNonNegative(emit, aweights, "aweights");
  const total = weights === null ? countOf(emit, self, observations) : sumOf(emit, weights);
  if (weights !== null) {
    const some = emit("aten.ne.Scalar", [total, 0]);
    emit.value("aten._assert_async.msg", [some, "cov(): weights sum to zero, can't be normalized"]);
  }
  const weighted = weights === null ? input : t.mul(input, weights);
  const mean = t.div(emit("aten.sum.dim_IntList", [weighted, [1]]), total);
  const divisor = degrees(emit, args, observations, weights, total);
  const centered = t.sub(input, emit("aten.unsqueeze.default", [mean, 1]));
  const other = emit("aten.t.default", [weights === null ? centered : t.mul(centered, weights)]);
  const conjugate = emit("aten.conj.default", [other]);
  const products = emit("aten.mm.default", [centered, conjugate]);
  return emit("aten.squeeze.default", [t.div(products, divisor)]);
}

const cov = defineOp({
  schema:
    "aten::cov(Tensor self, *, int correction=1, Tensor? fweights=None, Tensor? aweights=None) -> Tensor",
  tags: ["composite"],
  decompose: covariance,
});

function correlation(emit: Emit, self: FakeTensor): FakeTensor {
  if (self.ndim > 2) {
    throw invalidArgument(
      `corrcoef(): expected input to have two or fewer dimensions but got an input with ${self.ndim} dimensions`,
    );
  }
  const t = new Arithmetic(emit);
  const c = emit("aten.cov.default", [self]);
  if (c.ndim === 0) return t.div(c, c);
  const variances = emit("aten.diagonal.default", [c]);
  const complex = isComplexDType(c.dtype);
  const deviations = emit("aten.sqrt.default", [
    complex ? emit("aten.real.default", [variances]) : variances,
  ]);
  const rows = t.div(c, emit("aten.view.default", [deviations, [-1, 1]]));
  const result = t.div(rows, emit("aten.view.default", [deviations, [1, -1]]));
  const clip = (part: FakeTensor): FakeTensor => emit("aten.clamp.default", [part, -1, 1]);
  if (!complex) return clip(result);
  const imaginary = clip(emit("aten.imag.default", [result]));
  return emit("aten.complex.default", [clip(emit("aten.real.default", [result])), imaginary]);
}

const corrcoef = defineOp({
  schema: "aten::corrcoef(Tensor self) -> Tensor",
  tags: ["composite"],
  decompose: (emit, { self }) => correlation(emit, self),
});

export const statisticOps: readonly OpDefinition[] = [cov, corrcoef];
