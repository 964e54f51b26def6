/**
 * @file Algebraic identities that keep every bit: dtype, NaN, infinities and the sign of zero. What is true of numbers
 * only up to rounding or zero's sign is in approximate.ts.
 */
import { FakeTensor, float } from "@sconce/ir";
import { isFloatDType } from "@sconce/tensor";
import { defineRule, type Match, type Rule } from "../../rewrite/rule.js";
import { isFloating, mayStandFor } from "./guards.js";

/** `f(x)` is `x`. */
const identity = (name: string, doc: string, match: string, where?: (match: Match) => true | string): Rule =>
  defineRule({
    name,
    doc,
    match,
    where: (_, found) => {
      const verdict = where?.(found) ?? true;
      return verdict === true ? mayStandFor(found) : verdict;
    },
    replace: "$x",
  });

/** `f(g(x))` is `h(x)`. */
const pair = (name: string, doc: string, match: string, replace: string): Rule =>
  defineRule({
    name,
    doc,
    match,
    replace,
    where: (_, found) => (replace === "$x" ? mayStandFor(found) : true),
  });

const isWhole = ({ tensor }: Match): true | string =>
  isFloating(tensor("x")) ? "x + 0 loses the sign of a zero in floats" : true;

const isBool = ({ tensor }: Match): true | string =>
  tensor("x").dtype === "bool" ? true : `x is ${tensor("x").dtype}, not bool`;

/** Rounding functions leave integers and their own results as they are. */
const rounding = ["floor", "ceil", "trunc", "round"].map((name) =>
  pair(
    `${name}-twice`,
    `${name} of a ${name} is the inner one.`,
    `aten.${name}.default(aten.${name}.default($x) as $inner)`,
    `aten.${name}.default($x)`,
  ),
);

/** A number as first operand of a commutative call changes places with the tensor. */
const numberLast = ["add", "mul"].map((name) =>
  defineRule({
    name: `${name}-number-last`,
    doc: "A number stands behind the tensor.",
    match: `aten.${name}.Tensor($n, $x)`,
    where: ({ n, x }) =>
      !(n instanceof FakeTensor) && x instanceof FakeTensor ? true : "the first operand is no number",
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
    if (!isFloating(x)) return "x is no float";
    if (n === undefined) return "the divisor is no number";
    const exponent = Math.log2(Math.abs(n));
    return Number.isInteger(exponent) && Math.abs(exponent) <= 14 && exponent !== 0
      ? true
      : `${n} is no power of two between 2**-14 and 2**14`;
  },
  replace: (emit, { x }, { number }) => emit("aten.mul.Tensor", [x, float(1 / number("n")!)]),
});

export const identityRules: readonly Rule[] = [
  ...numberLast,
  identity("mul-1", "x * 1 is x.", "aten.mul.Tensor|aten.mul.Scalar($x, 1)"),
  identity("div-1", "x / 1 is x.", "aten.div.Tensor|aten.div.Scalar($x, 1)"),
  identity("sub-0", "x - 0 is x, for -0.0 too.", "aten.sub.Tensor|aten.sub.Scalar($x, 0)"),
  identity("add-negative-0", "x + -0.0 is x.", "aten.add.Tensor|aten.add.Scalar($x, -0.0)"),
  identity(
    "add-0-integer",
    "x + 0 is x for integers.",
    "aten.add.Tensor|aten.add.Scalar($x, 0, ...)",
    isWhole,
  ),
  identity("pow-1", "x ** 1 is x.", "aten.pow.Tensor_Scalar($x, 1)"),
  identity("where-same", "A choice between x and x is x.", "aten.where.self(_, $x, $x)"),
  identity(
    "maximum-same",
    "The greater of x and x is x.",
    "aten.maximum.default|aten.minimum.default($x, $x)",
  ),
  identity("and-same", "x and x is x.", "aten.logical_and.default|aten.logical_or.default($x, $x)", isBool),
  identity("bitwise-same", "x & x is x.", "aten.bitwise_and.Tensor|aten.bitwise_or.Tensor($x, $x)"),
  identity("neg-twice", "-(-x) is x.", "aten.neg.default(aten.neg.default($x))"),
  identity("bitwise-not-twice", "~~x is x.", "aten.bitwise_not.default(aten.bitwise_not.default($x))"),
  identity(
    "logical-not-twice",
    "Not not x is x, for bools.",
    "aten.logical_not.default(aten.logical_not.default($x))",
    isBool,
  ),
  pair("abs-twice", "||x|| is |x|.", "aten.abs.default(aten.abs.default($x))", "aten.abs.default($x)"),
  pair("abs-neg", "|-x| is |x|.", "aten.abs.default(aten.neg.default($x))", "aten.abs.default($x)"),
  pair(
    "relu-twice",
    "relu of a relu is the inner one.",
    "aten.relu.default(aten.relu.default($x))",
    "aten.relu.default($x)",
  ),
  ...rounding,
  defineRule({
    name: "add-neg",
    doc: "x + (-y) is x - y.",
    match: "aten.add.Tensor($x, aten.neg.default($y))",
    where: ({ x, y }) =>
      x instanceof FakeTensor && y instanceof FakeTensor && isFloatDType(y.dtype)
        ? true
        : "not a sum of float tensors",
    replace: "aten.sub.Tensor($x, $y)",
  }),
  defineRule({
    name: "sub-neg",
    doc: "x - (-y) is x + y.",
    match: "aten.sub.Tensor($x, aten.neg.default($y))",
    replace: "aten.add.Tensor($x, $y)",
  }),
  defineRule({
    name: "mul-neg-neg",
    doc: "(-x) * (-y) is x * y.",
    match: "aten.mul.Tensor(aten.neg.default($x), aten.neg.default($y))",
    replace: "aten.mul.Tensor($x, $y)",
  }),
  divideByPowerOfTwo,
];
