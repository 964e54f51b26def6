/**
 * @file Orthogonal polynomials: a degree and a place for each element, either of which may be a
 * Python number.
 */
import type { DType } from "@sconce/tensor";
import type { OpDefinition } from "../rows/define-op.js";
import { dtypeMismatch } from "../rows/errors.js";
import { promoteOperands, toFloatDType } from "../rules/promote.js";
import { binary, type DTypeRule } from "./binary-pointwise.js";

const NAMES = [
  "chebyshev_polynomial_t",
  "chebyshev_polynomial_u",
  "chebyshev_polynomial_v",
  "chebyshev_polynomial_w",
  "hermite_polynomial_h",
  "hermite_polynomial_he",
  "laguerre_polynomial_l",
  "legendre_polynomial_p",
  "shifted_chebyshev_polynomial_t",
  "shifted_chebyshev_polynomial_u",
  "shifted_chebyshev_polynomial_v",
  "shifted_chebyshev_polynomial_w",
];

const singleOrDouble =
  (name: string): DTypeRule =>
  (operands): DType => {
    const dtype = toFloatDType(promoteOperands(operands));
    if (dtype !== "float32" && dtype !== "float64") {
      throw dtypeMismatch(`"${name}_cpu" not implemented for '${dtype}'`);
    }
    return dtype;
  };

export const polynomialOps: readonly OpDefinition[] = NAMES.flatMap((name) => {
  const dtype = singleOrDouble(name);
  return [
    binary(`special_${name}`, { args: "Tensor x, Tensor n", dtype }),
    binary(`special_${name}`, { overload: "x_scalar", args: "Scalar x, Tensor n", dtype }),
    binary(`special_${name}`, { overload: "n_scalar", args: "Tensor x, Scalar n", dtype }),
  ];
});
