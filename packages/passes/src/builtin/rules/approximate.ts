/**
 * @file Identities of real numbers that floats keep only nearly: rounding, NaN, infinities or the
 * sign of zero may come out otherwise. Used only when asked for.
 */
import { FakeTensor, float } from "@sconce/ir";
import { defineRule, type Rule } from "../../rewrite/rule.js";
import { VALUE_CLASSES } from "../../sampling/number-change.js";
import { isFloating } from "./guards.js";

/** `(x op a) op b` with two numbers is `x op (a op b)`. */
const fold = (name: string, doc: string, operator: string, join: (a: number, b: number) => number): Rule =>
  defineRule({
    name,
    doc,
    match: `${operator}(${operator}($x, $a), $b)`,
    where: ({ x }, { number }) =>
      isFloating(x) && number("a") !== undefined && number("b") !== undefined
        ? true
        : "not a float and two numbers",
    replace: (emit, { x }, { number }) => emit(operator, [x, float(join(number("a")!, number("b")!))]),
  });

export const approximateRules: readonly Rule[] = [
  defineRule({
    name: "add-0",
    doc: "x + 0 is x but for -0.0.",
    match: "aten.add.Tensor|aten.add.Scalar($x, 0)",
    changesNumbers: { valueClasses: ["signed-zero"] },
    replace: "$x",
  }),
  defineRule({
    name: "mul-0",
    doc: "x * 0 is 0 but for NaN, infinities and the sign.",
    match: "aten.mul.Tensor|aten.mul.Scalar($x, 0)",
    changesNumbers: { valueClasses: ["signed-zero", "infinity", "nan"] },
    where: ({ x }) => (x instanceof FakeTensor ? true : "x is not a tensor"),
    replace: (emit, { x }) => emit("aten.full_like.default", [x, 0]),
  }),
  defineRule({
    name: "sub-same",
    doc: "x - x is 0 but for NaN and infinities.",
    match: "aten.sub.Tensor($x, $x)",
    changesNumbers: { valueClasses: ["infinity", "nan"] },
    where: ({ x }) => (x instanceof FakeTensor ? true : "x is not a tensor"),
    replace: (emit, { x }) => emit("aten.full_like.default", [x, 0]),
  }),
  fold("add-numbers", "(x + a) + b is x + (a + b) up to rounding.", "aten.add.Tensor", (a, b) => a + b),
  fold("mul-numbers", "(x * a) * b is x * (a * b) up to rounding.", "aten.mul.Tensor", (a, b) => a * b),
  defineRule({
    name: "div-number",
    doc: "x / c is x * (1 / c) up to rounding.",
    match: "aten.div.Tensor|aten.div.Scalar($x, $n)",
    where: ({ x }, { number }) => {
      const n = number("n");
      return isFloating(x) && n !== undefined && n !== 0 && Number.isFinite(1 / n)
        ? true
        : "not a float by a number";
    },
    replace: (emit, { x }, { number }) => emit("aten.mul.Tensor", [x, float(1 / number("n")!)]),
  }),
  defineRule({
    name: "exp-log",
    doc: "exp(log(x)) is x for positive x.",
    match: "aten.exp.default(aten.log.default($x))",
    // Every class but one has negative values.
    changesNumbers: { valueClasses: VALUE_CLASSES.filter((one) => one !== "nan") },
    replace: "$x",
  }),
  defineRule({
    name: "rsqrt",
    doc: "1 / sqrt(x) is rsqrt(x) up to rounding.",
    match: "aten.reciprocal.default(aten.sqrt.default($x))",
    replace: "aten.rsqrt.default($x)",
  }),
];
