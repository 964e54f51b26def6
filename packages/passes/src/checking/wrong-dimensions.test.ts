/** @file Wrong rules for sums, products, views and indices. */
import { describe, expect, test } from "vitest";
import { bisect } from "../bisect/bisect.js";
import { doubleNegation, owned, programOfRow, type RuleRow, ruleOfRow, rules } from "./planted.fixture.js";

const ROWS: readonly RuleRow[] = [
  {
    name: "a variance from the mean of squares",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4] = aten.var.correction(%a, [1], correction=0)",
    match: "aten.var.correction($x, [1], correction=0)",
    replace:
      "aten.sub.Tensor(aten.mean.dim(aten.mul.Tensor($x, $x), [1]), aten.mul.Tensor(aten.mean.dim($x, [1]), aten.mean.dim($x, [1])))",
  },
  {
    name: "the square of a difference, multiplied out",
    inputs: "x: f32[4]; z: f32[4]",
    calls: "%a: f32[4] = aten.sub.Tensor(%x, %z); %y: f32[4] = aten.pow.Tensor_Scalar(%a, 2)",
    match: "aten.pow.Tensor_Scalar(aten.sub.Tensor($x, $z), 2)",
    replace:
      "aten.add.Tensor(aten.sub.Tensor(aten.mul.Tensor($x, $x), aten.mul.Tensor(aten.mul.Tensor($x, $z), 2)), aten.mul.Tensor($z, $z))",
  },
  {
    name: "a mean of one number fewer",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4] = aten.mean.dim(%a, [1])",
    match: "aten.mean.dim($x, [1])",
    replace: "aten.div.Tensor(aten.sum.dim_IntList($x, [1]), 5)",
  },
  {
    name: "a variance without correction",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4] = aten.var.correction(%a, [1])",
    match: "aten.var.correction($x, [1])",
    replace: "aten.var.correction($x, [1], correction=0)",
  },
  {
    name: "the last of equal maxima",
    inputs: "x: i64[4, 6]",
    calls: "%a: i64[4, 6] = aten.neg.default(%x); %y: i64[4] = aten.argmax.default(%a, 1)",
    match: "aten.argmax.default($x, 1)",
    replace: "aten.rsub.Scalar(aten.argmax.default(aten.flip.default($x, [1]), 1), 5)",
  },
  {
    name: "the largest magnitude",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4] = aten.amax.default(%a, [1])",
    match: "aten.amax.default($x, [1])",
    replace: "aten.amax.default(aten.abs.default($x), [1])",
  },
  {
    name: "any as a sum",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: b8[4] = aten.any.dim(%a, 1)",
    match: "aten.any.dim($x, 1)",
    replace: "aten.gt.Scalar(aten.sum.dim_IntList($x, [1]), 0)",
  },
  {
    name: "a softmax over another dimension",
    inputs: "x: f32[6, 6]",
    calls: "%a: f32[6, 6] = aten.neg.default(%x); %y: f32[6, 6] = aten._softmax.default(%a, 1, false)",
    match: "aten._softmax.default($x, 1, false)",
    replace: "aten._softmax.default($x, 0, false)",
  },
  {
    name: "running sums of another dimension",
    inputs: "x: f32[6, 6]",
    calls: "%a: f32[6, 6] = aten.neg.default(%x); %y: f32[6, 6] = aten.cumsum.default(%a, 1)",
    match: "aten.cumsum.default($x, 1)",
    replace: "aten.cumsum.default($x, 0)",
  },
  {
    name: "another epsilon",
    inputs: "x: f32[4, 6]",
    calls:
      "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.layer_norm.default(%a, [6], eps=0.00001)",
    match: "aten.layer_norm.default($x, [6], eps=0.00001)",
    replace: "aten.layer_norm.default($x, [6], eps=0.000011)",
  },
  {
    name: "other groups",
    inputs: "x: f32[2, 6, 4]",
    calls: "%a: f32[2, 6, 4] = aten.neg.default(%x); %y: f32[2, 6, 4] = aten.group_norm.default(%a, 2)",
    match: "aten.group_norm.default($x, 2)",
    replace: "aten.group_norm.default($x, 3)",
  },
  {
    name: "a transposition as a view",
    inputs: "x: f32[6, 6]",
    calls: "%a: f32[6, 6] = aten.neg.default(%x); %y: f32[6, 6] = aten.permute.default(%a, [1, 0])",
    match: "aten.permute.default($x, [1, 0])",
    replace: "aten.view.default($x, [6, 6])",
  },
  {
    name: "a slice from the next row",
    inputs: "x: f32[6, 6]",
    calls: "%a: f32[6, 6] = aten.neg.default(%x); %y: f32[3, 6] = aten.slice.Tensor(%a, 0, 1, 4)",
    match: "aten.slice.Tensor($x, 0, 1, 4)",
    replace: "aten.slice.Tensor($x, 0, 2, 5)",
  },
  {
    name: "the first for the last",
    inputs: "x: f32[6, 6]",
    calls: "%a: f32[6, 6] = aten.neg.default(%x); %y: f32[6] = aten.select.int(%a, 0, -1)",
    match: "aten.select.int($x, 0, -1)",
    replace: "aten.select.int($x, 0, 0)",
  },
  {
    name: "a reversal as a rotation",
    inputs: "x: f32[6, 6]",
    calls: "%a: f32[6, 6] = aten.neg.default(%x); %y: f32[6, 6] = aten.flip.default(%a, [0])",
    match: "aten.flip.default($x, [0])",
    replace: "aten.roll.default($x, [1], [0])",
  },
  {
    name: "another diagonal",
    inputs: "x: f32[6, 6]",
    calls: "%a: f32[6, 6] = aten.neg.default(%x); %y: f32[6, 6] = aten.tril.default(%a)",
    match: "aten.tril.default($x)",
    replace: "aten.tril.default($x, -1)",
  },
  {
    name: "the other part of a split",
    inputs: "x: f32[6]",
    calls:
      "%a: f32[6] = aten.neg.default(%x); %s: (f32[3], f32[3]) = aten.split.Tensor(%a, 3); %y: f32[3] = operator.getitem(%s, 0)",
    match: "operator.getitem(aten.split.Tensor($x, 3), 0)",
    replace: "operator.getitem(aten.split.Tensor($x, 3), 1)",
  },
  {
    name: "parts in another order",
    inputs: "x: f32[3, 6]; z: f32[3, 6]",
    calls: "%y: f32[6, 6] = aten.cat.default([%x, %z])",
    match: "aten.cat.default([$x, $z])",
    replace: "aten.cat.default([$z, $x])",
  },
  {
    name: "choices change places",
    inputs: "c: b8[4]; x: f32[4]; z: f32[4]",
    calls: "%y: f32[4] = aten.where.self(%c, %x, %z)",
    match: "aten.where.self($c, $x, $z)",
    replace: "aten.where.self($c, $z, $x)",
  },
  {
    name: "factors change places",
    inputs: "x: f32[6, 6]; z: f32[6, 6]",
    calls: "%y: f32[6, 6] = aten.mm.default(%x, %z)",
    match: "aten.mm.default($x, $z)",
    replace: "aten.mm.default($z, $x)",
  },
  {
    name: "beta is forgotten",
    inputs: "b: f32[6]; x: f32[6, 6]; z: f32[6, 6]",
    calls: "%y: f32[6, 6] = aten.addmm.default(%b, %x, %z, beta=2)",
    match: "aten.addmm.default($b, $x, $z, beta=2)",
    replace: "aten.addmm.default($b, $x, $z)",
  },
  {
    name: "a bias is dropped",
    inputs: "x: f32[4, 6]; z: f32[3, 6]; b: f32[3]",
    calls: "%y: f32[4, 3] = aten.linear.default(%x, %z, %b)",
    match: "aten.linear.default($x, $z, $b)",
    replace: "aten.linear.default($x, $z)",
  },
  {
    name: "a kernel is reversed",
    inputs: "x: f32[1, 2, 6, 6]; w: f32[2, 2, 3, 3]",
    calls: "%y: f32[1, 2, 4, 4] = aten.conv2d.default(%x, %w)",
    match: "aten.conv2d.default($x, $w)",
    replace: "aten.conv2d.default($x, aten.flip.default($w, [2, 3]))",
  },
  {
    name: "an average counts its padding",
    inputs: "x: f32[1, 1, 6, 6]",
    calls: "%y: f32[1, 1, 4, 4] = aten.avg_pool2d.default(%x, [2, 2], [2, 2], [1, 1], false, true)",
    match: "aten.avg_pool2d.default($x, [2, 2], [2, 2], [1, 1], false, true)",
    replace: "aten.avg_pool2d.default($x, [2, 2], [2, 2], [1, 1], false, false)",
  },
  {
    name: "indices are bounded",
    inputs: "x: f32[4, 6]; i: i64[4, 6]",
    calls: "%y: f32[4, 6] = aten.gather.default(%x, 1, %i)",
    match: "aten.gather.default($x, 1, $i)",
    replace: "aten.gather.default($x, 1, aten.clamp.default($i, 0, 2))",
  },
  {
    name: "repeated indices are added once",
    inputs: "x: f32[4, 6]; i: i64[4, 6]; s: f32[4, 6]",
    calls: "%y: f32[4, 6] = aten.scatter_add.default(%x, 1, %i, %s)",
    match: "aten.scatter_add.default($x, 1, $i, $s)",
    replace: "aten.scatter.src($x, 1, $i, $s)",
  },
  {
    name: "ends of an interpolation change places",
    inputs: "x: f32[4, 6]; w: f32[4, 6]",
    calls:
      "%a: f32[4, 6] = aten.neg.default(%x); %b: f32[4, 6] = aten.neg.default(%w); %y: f32[4, 6] = aten.lerp.Scalar(%a, %b, 0.3)",
    match: "aten.lerp.Scalar($x, $z, 0.3)",
    replace: "aten.lerp.Scalar($z, $x, 0.3)",
  },
];

describe("wrong rules over dimensions are attributed", () => {
  test.each(ROWS)("$name", (row) => {
    const passes = [rules("good", doubleNegation), rules("bad", ruleOfRow("wrong", row))];
    const { culprit } = bisect(programOfRow(row), passes, owned);
    expect(culprit).toMatchObject({
      kind: "numbers",
      pass: "bad",
      plugin: "mine",
      rewrite: { rule: "wrong" },
    });
  });
});
