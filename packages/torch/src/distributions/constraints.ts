/**
 * @file What parameters and values of distributions satisfy (`torch.distributions.constraints`).
 */
import { float } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { torch } from "../functions/torch.js";
import { valueText } from "./distribution-text.js";

/** A condition on each value, or on each of the last `eventDim` dimensions. */
export interface Constraint {
  /** PyTorch's text of it. */
  readonly text: string;
  /** Returns a tensor of bools, true where the condition holds. */
  check(value: Tensor): Tensor;
}

const both = (a: Tensor, b: Tensor): Tensor => torch.ops.aten.__and__.Tensor(a, b);
const either = (a: Tensor, b: Tensor): Tensor => torch.ops.aten.__or__.Tensor(a, b);

/** Any number, but not NaN. */
export const real: Constraint = { text: "Real()", check: (value) => value.eq(value) };
/** Above 0. */
export const positive: Constraint = {
  text: "GreaterThan(lower_bound=0.0)",
  check: (value) => value.gt(float(0)),
};
/** 0 or above. */
export const nonnegative: Constraint = {
  text: "GreaterThanEq(lower_bound=0.0)",
  check: (value) => value.ge(float(0)),
};
/** From 0 to 1. */
export const unitInterval: Constraint = {
  text: "Interval(lower_bound=0.0, upper_bound=1.0)",
  check: (value) => both(value.ge(float(0)), value.le(float(1))),
};
/** 0 or 1. */
export const boolean: Constraint = {
  text: "Boolean()",
  check: (value) => either(value.eq(0), value.eq(1)),
};
/** Numbers from 0 on that add up to 1 in the last dimension. */
export const simplex: Constraint = {
  text: "Simplex()",
  check: (value) => both(value.ge(0).all(-1), value.sum(-1).sub(1).abs().lt(1e-6)),
};
/** Integers from 0 to a number. */
export const integersTo = (last: number): Constraint => ({
  text: `IntegerInterval(lower_bound=0, upper_bound=${last})`,
  check: (value) => both(both(value.remainder(1).eq(0), value.ge(0)), value.le(last)),
});
/** Between two tensors. */
export const between = (low: Tensor, high: Tensor): Constraint => ({
  get text() {
    return `Interval(lower_bound=${valueText(low)}, upper_bound=${valueText(high)})`;
  },
  check: (value) => both(low.le(value), value.le(high)),
});
/** Above a tensor. */
export const greaterThan = (low: Tensor): Constraint => ({
  get text() {
    return `GreaterThan(lower_bound=${valueText(low)})`;
  },
  check: (value) => value.gt(low),
});
/** Below a tensor. */
export const lessThan = (high: Tensor): Constraint => ({
  get text() {
    return `LessThan(upper_bound=${valueText(high)})`;
  },
  check: (value) => value.lt(high),
});
/** Returns a constraint on each value of a vector. */
export const ofVectors = ({ text, check }: Constraint): Constraint => ({
  text: `IndependentConstraint(${text}, 1)`,
  check,
});
/** Lower triangular with a positive diagonal. */
export const lowerCholesky: Constraint = {
  text: "LowerCholesky()",
  check: (value) =>
    both(value.tril().eq(value).flatten(-2).all(-1), value.diagonal({ dim1: -2, dim2: -1 }).gt(0).all(-1)),
};
/** Symmetric, with positive eigenvalues. */
export const positiveDefinite: Constraint = {
  text: "PositiveDefinite()",
  check: (value) =>
    both(value.isclose(value.mT, { atol: 1e-6 }).all(-2).all(-1), torch.linalg.choleskyEx(value)[1].eq(0)),
};
