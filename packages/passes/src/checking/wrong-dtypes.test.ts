/** @file Wrong rules for integers, casts and tensors of few elements. */
import { describe, expect, test } from "vitest";
import { bisect } from "../bisect/bisect.js";
import { doubleNegation, owned, programOfRow, type RuleRow, ruleOfRow, rules } from "./planted.fixture.js";

const ROWS: readonly RuleRow[] = [
  {
    name: "a bound of one number",
    inputs: "x: f32[]",
    calls: "%a: f32[] = aten.neg.default(%x); %y: f32[] = aten.clamp.default(%a, 0, 6)",
    match: "aten.clamp.default($x, 0, 6)",
    replace: "aten.relu.default($x)",
  },
  {
    name: "the sign of a remainder of one number",
    inputs: "x: i64[]",
    calls: "%a: i64[] = aten.neg.default(%x); %y: i64[] = aten.remainder.Scalar(%a, 3)",
    match: "aten.remainder.Scalar($x, 3)",
    replace: "aten.fmod.Scalar($x, 3)",
  },
  {
    name: "the least int8 has no absolute value",
    inputs: "x: i8[2]",
    calls: "%a: i8[2] = aten.neg.default(%x); %y: i8[2] = aten.abs.default(%a)",
    match: "aten.abs.default($x)",
    replace: "aten.clamp_min.default(aten.maximum.default($x, aten.neg.default($x)), 0)",
  },
  {
    name: "an int8 bound beyond the samples",
    inputs: "x: i8[1]",
    calls: "%a: i8[1] = aten.neg.default(%x); %y: i8[1] = aten.clamp_max.default(%a, 100)",
    match: "aten.clamp_max.default($x, 100)",
    replace: "$x",
  },
  {
    name: "a minimum by negation",
    inputs: "x: i8[4]; w: i8[4]",
    calls:
      "%a: i8[4] = aten.neg.default(%x); %b: i8[4] = aten.neg.default(%w); %y: i8[4] = aten.minimum.default(%a, %b)",
    match: "aten.minimum.default($x, $y)",
    replace: "aten.neg.default(aten.maximum.default(aten.neg.default($x), aten.neg.default($y)))",
  },
  {
    name: "a floor division that truncates",
    inputs: "x: f32[4, 6]; w: f32[4, 6]",
    calls: `%a: f32[4, 6] = aten.neg.default(%x); %b: f32[4, 6] = aten.neg.default(%w); %y: f32[4, 6] = aten.div.Tensor_mode(%a, %b, rounding_mode="floor")`,
    match: `aten.div.Tensor_mode($x, $y, rounding_mode="floor")`,
    replace: `aten.div.Tensor_mode($x, $y, rounding_mode="trunc")`,
  },
  {
    name: "a shift rounds down",
    inputs: "x: i64[4]",
    calls: `%a: i64[4] = aten.neg.default(%x); %y: i64[4] = aten.div.Tensor_mode(%a, 2, rounding_mode="trunc")`,
    match: `aten.div.Tensor_mode($x, 2, rounding_mode="trunc")`,
    replace: "aten.__rshift__.Scalar($x, 1)",
  },
  {
    name: "integers that go through 32 bits",
    inputs: "x: i64[4]",
    calls:
      "%a: i64[4] = aten.neg.default(%x); %h: i32[4] = aten._to_copy.default(%a, dtype=int32); %y: i64[4] = aten._to_copy.default(%h, dtype=int64)",
    match: "aten._to_copy.default(aten._to_copy.default($x, dtype=int32), dtype=int64)",
    replace: "$x",
  },
  {
    name: "integers that go through float64",
    inputs: "x: i64[4]",
    calls: "%a: i64[4] = aten.neg.default(%x); %y: i64[4] = aten.mul.Tensor(%a, 1)",
    match: "aten.mul.Tensor($x, 1)",
    replace: "aten._to_copy.default(aten._to_copy.default($x, dtype=float64), dtype=int64)",
  },
  {
    name: "float64 computed in float32",
    inputs: "x: f64[4]",
    calls: "%a: f64[4] = aten.neg.default(%x); %y: f64[4] = aten.add.Tensor(%a, 1)",
    match: "aten.add.Tensor($x, 1)",
    replace:
      "aten._to_copy.default(aten.add.Tensor(aten._to_copy.default($x, dtype=float32), 1), dtype=float64)",
  },
  {
    name: "a rounding to bfloat16 is lost",
    inputs: "x: f32[4]",
    calls:
      "%a: f32[4] = aten.neg.default(%x); %h: bf16[4] = aten._to_copy.default(%a, dtype=bfloat16); %y: f32[4] = aten._to_copy.default(%h, dtype=float32)",
    match: "aten._to_copy.default(aten._to_copy.default($x, dtype=bfloat16), dtype=float32)",
    replace: "$x",
  },
  {
    name: "a cast to integers truncates",
    inputs: "x: f32[4]",
    calls:
      "%h: i64[4] = aten._to_copy.default(%x, dtype=int64); %y: f32[4] = aten._to_copy.default(%h, dtype=float32)",
    match: "aten._to_copy.default(aten._to_copy.default($x, dtype=int64), dtype=float32)",
    replace: "aten.floor.default($x)",
  },
  {
    name: "and of bits is not a minimum",
    inputs: "x: i64[4]; w: i64[4]",
    calls:
      "%a: i64[4] = aten.neg.default(%x); %b: i64[4] = aten.neg.default(%w); %y: i64[4] = aten.bitwise_and.Tensor(%a, %b)",
    match: "aten.bitwise_and.Tensor($x, $y)",
    replace: "aten.minimum.default($x, $y)",
  },
  {
    name: "xor is not or",
    inputs: "x: b8[4]; z: b8[4]",
    calls: "%y: b8[4] = aten.logical_xor.default(%x, %z)",
    match: "aten.logical_xor.default($x, $y)",
    replace: "aten.logical_or.default($x, $y)",
  },
];

describe("wrong rules for integers and casts are attributed", () => {
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
