/**
 * @file Algebraic identities that keep every bit: dtype, NaN, infinities and the sign of zero. What
 * is true of numbers only up to rounding or zero's sign is in approximate.ts.
 */
import { FakeTensor, float } from "@sconce/ir";
import { dtypeInfo, isIntegralDType } from "@sconce/tensor";
import { defineRule, type Rule } from "../../rewrite/rule.js";
import { dtypeThat, type Guard, isExactly, isFloating, isReal, negatedLater } from "./guards.js";

const rule = (name: string, doc: string, match: string, replace: string, guard?: Guard): Rule =>
  defineRule({ name, doc, match, replace, ...(guard !== undefined && { where: guard }) });

/** `f(x)` is `x`. */
const identity = (name: string, doc: string, match: string, guard?: Guard): Rule =>
  rule(name, doc, match, "$x", guard);

const isWhole = dtypeThat(
  (dtype) => isIntegralDType(dtype, true),
  "no integer: x + 0 would lose the sign of a zero",
);
const isBool = dtypeThat((dtype) => dtype === "bool", "not bool");
const isBoolTensor = (value: unknown): boolean => value instanceof FakeTensor && value.dtype === "bool";
const isSigned = dtypeThat((dtype) => dtypeInfo(dtype).signed, "which has no negative numbers");

/** Rounding functions leave integers and their own results as they are. */
const rounding = ["floor", "ceil", "trunc", "round"].map((name) =>
  rule(
    `${name}-twice`,
    `${name} of a ${name} is the inner one.`,
    `aten.${name}.default(aten.${name}.default($x) as $inner)`,
    `aten.${name}.default($x)`,
  ),
);

/**
 * A number as first operand of a commutative call changes places with the tensor. PyTorch rounds
 * the first factor to a half precision dtype before it multiplies, but not the second
 * (`binary_kernel_reduced_floating_vec_opmath_support`).
 */
const numberLast = ["add", "mul"].map((name) =>
  defineRule({
    name: `${name}-number-last`,
    doc: "A number stands behind the tensor.",
    match: `aten.${name}.Tensor($n, $x)`,
    where: (captures, match) => {
      const { n, x } = captures;
      if (n instanceof FakeTensor || !(x instanceof FakeTensor)) return "the first operand is not a number";
      const { kind, itemSize } = dtypeInfo(x.dtype);
      // The second summand is multiplied by alpha, which makes NaN of complex infinities. Float8 is
      // multiplied as first only.
      if (kind === "complex" || (kind === "float" && itemSize === 1)) return `x is ${x.dtype}`;
      if (name === "add" || kind !== "float" || itemSize > 2) return true;
      const value = match.number("n");
      return value !== undefined && isExactly(value, x.dtype) ? true : `the number is rounded to ${x.dtype}`;
    },
    replace: `aten.${name}.Tensor($x, $n)`,
  }),
);

/** Division by a power of two is multiplication by its inverse, to the last bit. */
const divideByPowerOfTwo = defineRule({
  name: "div-power-of-two",
  doc: "x / 2**k is x * 2**-k: both round the same number.",
  match: "aten.div.Tensor|aten.div.Scalar($x, $n)",
  where: ({ x }, { number }) => {
    const n = number("n");
    if (!isFloating(x)) return "x is not a float tensor";
    if (n === undefined) return "the divisor is not a number";
    // The logarithm of a neighbor of a power rounds to the same exponent.
    const exponent = Math.round(Math.log2(Math.abs(n)));
    return 2 ** exponent === Math.abs(n) && Math.abs(exponent) <= 14 && exponent !== 0
      ? true
      : `${n} is not a power of two between 2**-14 and 2**14`;
  },
  replace: (emit, { x }, { number }) => emit("aten.mul.Tensor", [x, float(1 / number("n")!)]),
});

export const identityRules: readonly Rule[] = [
  ...numberLast,
  identity("mul-1", "x * 1 is x.", "aten.mul.Tensor|aten.mul.Scalar($x, 1)", isReal),
  identity("div-1", "x / 1 is x.", "aten.div.Tensor|aten.div.Scalar($x, 1)", isReal),
  identity("sub-0", "x - 0 is x, for -0.0 too.", "aten.sub.Tensor|aten.sub.Scalar($x, 0)", isReal),
  identity("add-negative-0", "x + -0.0 is x.", "aten.add.Tensor|aten.add.Scalar($x, -0.0)", isReal),
  identity(
    "add-0-integer",
    "x + 0 is x for integers.",
    "aten.add.Tensor|aten.add.Scalar($x, 0, ...)",
    isWhole,
  ),
  identity("pow-1", "x ** 1 is x.", "aten.pow.Tensor_Scalar($x, 1)", isReal),
  identity("where-same", "A choice between x and x is x.", "aten.where.self(_, $x, $x)"),
  identity(
    "maximum-same",
    "The greater of x and x is x.",
    "aten.maximum.default|aten.minimum.default($x, $x)",
  ),
  identity("and-same", "x and x is x.", "aten.logical_and.default|aten.logical_or.default($x, $x)", isBool),
  identity("bitwise-same", "x & x is x.", "aten.bitwise_and.Tensor|aten.bitwise_or.Tensor($x, $x)"),
  // PyTorch's complex negation is 0 - x where it is vectorized, and loses the sign of a zero.
  identity("neg-twice", "-(-x) is x.", "aten.neg.default(aten.neg.default($x))", isReal),
  identity("bitwise-not-twice", "~~x is x.", "aten.bitwise_not.default(aten.bitwise_not.default($x))"),
  identity(
    "logical-not-twice",
    "Not not x is x, for bools.",
    "aten.logical_not.default(aten.logical_not.default($x))",
    isBool,
  ),
  rule("abs-twice", "||x|| is |x|.", "aten.abs.default(aten.abs.default($x))", "aten.abs.default($x)"),
  rule("abs-neg", "|-x| is |x|.", "aten.abs.default(aten.neg.default($x))", "aten.abs.default($x)", isSigned),
  rule(
    "relu-twice",
    "relu of a relu is the inner one.",
    "aten.relu.default(aten.relu.default($x))",
    "aten.relu.default($x)",
  ),
  ...rounding,
  rule(
    "add-neg",
    "x + (-y) is x - y, for floats.",
    "aten.add.Tensor($x, aten.neg.default($y))",
    "aten.sub.Tensor($x, $y)",
    (captures, match) => {
      if (!isFloating(captures["y"])) return "y is not a float tensor";
      // PyTorch has no difference with a bool.
      if (isBoolTensor(captures["x"])) return "x is a bool tensor";
      return negatedLater("y")(captures, match);
    },
  ),
  rule(
    "sub-neg",
    "x - (-y) is x + y.",
    "aten.sub.Tensor($x, aten.neg.default($y))",
    "aten.add.Tensor($x, $y)",
    negatedLater("y"),
  ),
  rule(
    "mul-neg-neg",
    "(-x) * (-y) is x * y.",
    "aten.mul.Tensor(aten.neg.default($x), aten.neg.default($y))",
    "aten.mul.Tensor($x, $y)",
    negatedLater("x", "y"),
  ),
  divideByPowerOfTwo,
];
