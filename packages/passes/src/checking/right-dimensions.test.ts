/** @file Right rules for integers, sums, products, views and indices. */
import { describe, expect, test } from "vitest";
import { bisect } from "../bisect/bisect.js";
import { owned, programOfRow, type RuleRow, ruleOfRow, rules } from "./planted.fixture.js";

const ROWS: readonly RuleRow[] = [
  {
    name: "neg twice",
    inputs: "x: f32[4]",
    calls: "%a: f32[4] = aten.neg.default(%x); %y: f32[4] = aten.neg.default(%a)",
    match: "aten.neg.default(aten.neg.default($x))",
    replace: "aten.mul.Tensor($x, 1)",
  },
  {
    name: "not < of integers",
    inputs: "x: i64[4]; z: i64[4]",
    calls: "%l: b8[4] = aten.lt.Tensor(%x, %z); %y: b8[4] = aten.logical_not.default(%l)",
    match: "aten.logical_not.default(aten.lt.Tensor($x, $y))",
    replace: "aten.ge.Tensor($x, $y)",
  },
  {
    name: "a maximum of integers as a choice",
    inputs: "x: i64[4]; w: i64[4]",
    calls:
      "%a: i64[4] = aten.neg.default(%x); %b: i64[4] = aten.neg.default(%w); %y: i64[4] = aten.maximum.default(%a, %b)",
    match: "aten.maximum.default($x, $y)",
    replace: "aten.where.self(aten.gt.Tensor($x, $y), $x, $y)",
  },
  {
    name: "not both as not one or not the other",
    inputs: "x: b8[4]; z: b8[4]",
    calls: "%l: b8[4] = aten.logical_and.default(%x, %z); %y: b8[4] = aten.logical_not.default(%l)",
    match: "aten.logical_not.default(aten.logical_and.default($x, $y))",
    replace: "aten.logical_or.default(aten.logical_not.default($x), aten.logical_not.default($y))",
  },
  {
    name: "a shift rounds down as floor does",
    inputs: "x: i64[4]",
    calls: `%a: i64[4] = aten.neg.default(%x); %y: i64[4] = aten.div.Tensor_mode(%a, 2, rounding_mode="floor")`,
    match: `aten.div.Tensor_mode($x, 2, rounding_mode="floor")`,
    replace: "aten.__rshift__.Scalar($x, 1)",
  },
  {
    name: "a remainder by its quotient",
    inputs: "x: i64[4]",
    calls: "%a: i64[4] = aten.neg.default(%x); %y: i64[4] = aten.remainder.Scalar(%a, 3)",
    match: "aten.remainder.Scalar($x, 3)",
    replace: `aten.sub.Tensor($x, aten.mul.Tensor(aten.div.Tensor_mode($x, 3, rounding_mode="floor"), 3))`,
  },
  {
    name: "a minimum of integers that wrap",
    inputs: "x: i64[4]; w: i64[4]",
    calls:
      "%a: i64[4] = aten.neg.default(%x); %b: i64[4] = aten.neg.default(%w); %y: i64[4] = aten.minimum.default(%a, %b)",
    match: "aten.minimum.default($x, $y)",
    replace: "aten.sub.Tensor(aten.add.Tensor($x, $y), aten.maximum.default($x, $y))",
  },
  {
    name: "a negation of wider integers",
    inputs: "x: i32[4]",
    calls: "%a: i32[4] = aten.neg.default(%x); %y: i32[4] = aten.neg.default(%a)",
    match: "aten.neg.default($x)",
    replace:
      "aten._to_copy.default(aten.rsub.Scalar(aten._to_copy.default($x, dtype=int64), 0), dtype=int32)",
  },
  {
    name: "bounds of int8",
    inputs: "x: i8[6]",
    calls: "%a: i8[6] = aten.neg.default(%x); %y: i8[6] = aten.clamp.default(%a, -3, 3)",
    match: "aten.clamp.default($x, -3, 3)",
    replace: "aten.clamp_min.default(aten.clamp_max.default($x, 3), -3)",
  },
  {
    name: "any as not all not",
    inputs: "x: b8[4, 6]",
    calls: "%y: b8[4] = aten.any.dim(%x, 1)",
    match: "aten.any.dim($x, 1)",
    replace: "aten.logical_not.default(aten.all.dim(aten.logical_not.default($x), 1))",
  },
  {
    name: "a mean as a sum",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4] = aten.mean.dim(%a, [1])",
    match: "aten.mean.dim($x, [1])",
    replace: "aten.div.Tensor(aten.sum.dim_IntList($x, [1]), 6)",
  },
  {
    name: "a variance from differences",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4] = aten.var.correction(%a, [1])",
    match: "aten.var.correction($x, [1])",
    replace:
      "aten.div.Tensor(aten.sum.dim_IntList(aten.pow.Tensor_Scalar(aten.sub.Tensor($x, aten.mean.dim($x, [1], true)), 2), [1]), 5)",
  },
  {
    name: "a deviation as a root",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4] = aten.std.correction(%a, [1])",
    match: "aten.std.correction($x, [1])",
    replace: "aten.sqrt.default(aten.var.correction($x, [1]))",
  },
  {
    name: "a norm as a root",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4] = aten.linalg_vector_norm.default(%a, 2, [1])",
    match: "aten.linalg_vector_norm.default($x, 2, [1])",
    replace: "aten.sqrt.default(aten.sum.dim_IntList(aten.mul.Tensor($x, $x), [1]))",
  },
  {
    name: "a layer norm by its parts",
    inputs: "x: f32[4, 6]",
    calls: "%a: f32[4, 6] = aten.neg.default(%x); %y: f32[4, 6] = aten.layer_norm.default(%a, [6])",
    match: "aten.layer_norm.default($x, [6])",
    replace:
      "aten.mul.Tensor(aten.sub.Tensor($x, aten.mean.dim($x, [1], true)), aten.rsqrt.default(aten.add.Tensor(aten.var.correction($x, [1], correction=0, keepdim=true), 0.00001)))",
  },
  {
    name: "a linear layer as a product",
    inputs: "x: f32[4, 6]; z: f32[3, 6]",
    calls: "%y: f32[4, 3] = aten.linear.default(%x, %z)",
    match: "aten.linear.default($x, $z)",
    replace: "aten.mm.default($x, aten.permute.default($z, [1, 0]))",
  },
  {
    name: "addmm as two calls",
    inputs: "x: f32[4, 6]; z: f32[6, 3]; b: f32[3]",
    calls: "%y: f32[4, 3] = aten.addmm.default(%b, %x, %z)",
    match: "aten.addmm.default($b, $x, $z)",
    replace: "aten.add.Tensor(aten.mm.default($x, $z), $b)",
  },
  {
    name: "a product as a sum",
    inputs: "x: f32[4, 6]; z: f32[6, 3]",
    calls: "%y: f32[4, 3] = aten.mm.default(%x, %z)",
    match: "aten.mm.default($x, $z)",
    replace: "aten.sum.dim_IntList(aten.mul.Tensor(aten.unsqueeze.default($x, 2), $z), [1])",
  },
  {
    name: "a scale behind a product",
    inputs: "x: f32[4, 6]; z: f32[6, 3]",
    calls: "%m: f32[4, 6] = aten.mul.Tensor(%x, 0.3); %y: f32[4, 3] = aten.mm.default(%m, %z)",
    match: "aten.mm.default(aten.mul.Tensor($x, 0.3), $z)",
    replace: "aten.mul.Tensor(aten.mm.default($x, $z), 0.3)",
  },
  {
    name: "a pooling of everything",
    inputs: "x: f32[1, 2, 4, 4]",
    calls: "%y: f32[1, 2, 1, 1] = aten.avg_pool2d.default(%x, [4, 4])",
    match: "aten.avg_pool2d.default($x, [4, 4])",
    replace: "aten.mean.dim($x, [2, 3], true)",
  },
  {
    name: "a part of a split as a slice",
    inputs: "x: f32[6, 2]",
    calls:
      "%a: f32[6, 2] = aten.neg.default(%x); %s: (f32[3, 2], f32[3, 2]) = aten.split.Tensor(%a, 3); %y: f32[3, 2] = operator.getitem(%s, 1)",
    match: "operator.getitem(aten.split.Tensor($x, 3), 1)",
    replace: "aten.slice.Tensor($x, 0, 3, 6)",
  },
  {
    name: "parts of a split, put together",
    inputs: "x: f32[6, 2]",
    calls:
      "%a: f32[6, 2] = aten.neg.default(%x); %s: (f32[3, 2], f32[3, 2]) = aten.split.Tensor(%a, 3); %g: f32[3, 2] = operator.getitem(%s, 0); %h: f32[3, 2] = operator.getitem(%s, 1); %y: f32[6, 2] = aten.cat.default([%g, %h])",
    match:
      "aten.cat.default([operator.getitem(aten.split.Tensor($x, 3), 0), operator.getitem(aten.split.Tensor($x, 3), 1)])",
    replace: "aten.clone.default($x)",
  },
  {
    name: "a sum of a transposed tensor",
    inputs: "x: f32[4, 6]",
    calls:
      "%a: f32[4, 6] = aten.neg.default(%x); %b: f32[6, 4]{1, 6} = aten.permute.default(%a, [1, 0]); %y: f32[6] = aten.sum.dim_IntList(%b, [1])",
    match: "aten.sum.dim_IntList(aten.permute.default($x, [1, 0]), [1])",
    replace: "aten.sum.dim_IntList($x, [0])",
  },
  {
    name: "rows by their indices",
    inputs: "x: f32[4, 6]; i: i64[3]",
    calls: "%y: f32[3, 6] = aten.embedding.default(%x, %i)",
    match: "aten.embedding.default($x, $i)",
    replace: "aten.index_select.default($x, 0, $i)",
  },
  {
    name: "a mask as a choice",
    inputs: "c: b8[4]; x: f32[4]",
    calls: "%y: f32[4] = aten.masked_fill.Scalar(%x, %c, 0.0)",
    match: "aten.masked_fill.Scalar($x, $c, 0.0)",
    replace: "aten.where.ScalarSelf($c, 0.0, $x)",
  },
  {
    name: "the largest of the top",
    inputs: "x: f32[6]",
    calls: "%s: (f32[1], i64[1]) = aten.topk.default(%x, 1); %y: f32[1] = operator.getitem(%s, 0)",
    match: "operator.getitem(aten.topk.default($x, 1), 0)",
    replace: "aten.amax.default($x, [0], true)",
  },
];

describe("right rules over dimensions raise no alarm", () => {
  test.each(ROWS)("$name", (row) => {
    const { culprit, reports } = bisect(programOfRow(row), [rules("good", ruleOfRow("right", row))], owned);
    expect(culprit?.error.message).toBeUndefined();
    expect(reports[0]!.coverage).toMatchObject({ unchecked: [] });
    expect(reports[0]!.coverage!.checkedRegions).toBeGreaterThan(0);
  });
});
