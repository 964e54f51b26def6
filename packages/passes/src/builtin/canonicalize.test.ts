import { describe, expect, test } from "vitest";
import { programOf, run, textOf } from "../programs.fixture.js";
import { canonicalize } from "./canonicalize.js";

/**
 * The body of a graph of x: f32[2, 3], n: i64[2, 3], b: b8[2, 3], after the pass; the last value is
 * the result.
 */
function bodyAfter(lines: readonly string[], options = {}): string[] {
  const last = /^%(\w+)/.exec(lines.at(-1)!)![1]!;
  const program = programOf(
    `graph(%x: f32[2, 3], %y: f32[2, 3], %n: i64[2, 3], %b: b8[2, 3]) {\n${lines.join("\n")}\n%out: ${/: (.*?) =/.exec(lines.at(-1)!)![1]} = aten.clone.default(%${last})\nreturn (%out)\n}`,
  );
  const result = run(canonicalize, program, options);
  if (result === program) return ["unchanged"];
  return textOf(result)
    .split("\n")
    .slice(1, -2)
    .map((line) => line.trim());
}

describe("what keeps every bit", () => {
  test.each<[name: string, lines: string[], after: string]>([
    ["x * 1", ["%a: f32[2, 3] = aten.mul.Tensor(%x, 1.0)"], "clone.default(%x)"],
    ["1 * x", ["%a: f32[2, 3] = aten.mul.Tensor(1, %x)"], "clone.default(%x)"],
    ["n * 1", ["%a: i64[2, 3] = aten.mul.Tensor(%n, 1)"], "clone.default(%n)"],
    ["x / 1", ["%a: f32[2, 3] = aten.div.Tensor(%x, 1)"], "clone.default(%x)"],
    ["x - 0", ["%a: f32[2, 3] = aten.sub.Tensor(%x, 0.0)"], "clone.default(%x)"],
    ["x + -0.0", ["%a: f32[2, 3] = aten.add.Tensor(%x, -0.0)"], "clone.default(%x)"],
    ["n + 0", ["%a: i64[2, 3] = aten.add.Tensor(%n, 0)"], "clone.default(%n)"],
    ["x ** 1", ["%a: f32[2, 3] = aten.pow.Tensor_Scalar(%x, 1)"], "clone.default(%x)"],
    ["choice", ["%a: f32[2, 3] = aten.where.self(%b, %x, %x)"], "clone.default(%x)"],
    ["maximum", ["%a: f32[2, 3] = aten.maximum.default(%x, %x)"], "clone.default(%x)"],
    ["b and b", ["%a: b8[2, 3] = aten.logical_and.default(%b, %b)"], "clone.default(%b)"],
    ["n & n", ["%a: i64[2, 3] = aten.bitwise_and.Tensor(%n, %n)"], "clone.default(%n)"],
    [
      "-(-x)",
      ["%a: f32[2, 3] = aten.neg.default(%x)", "%c: f32[2, 3] = aten.neg.default(%a)"],
      "clone.default(%x)",
    ],
    [
      "not not b",
      ["%a: b8[2, 3] = aten.logical_not.default(%b)", "%c: b8[2, 3] = aten.logical_not.default(%a)"],
      "clone.default(%b)",
    ],
    ["x / 4", ["%a: f32[2, 3] = aten.div.Tensor(%x, 4)"], "mul.Tensor(%x, 0.25)"],
    [
      "|-x|",
      ["%a: f32[2, 3] = aten.neg.default(%x)", "%c: f32[2, 3] = aten.abs.default(%a)"],
      "abs.default(%x)",
    ],
    [
      "floor twice",
      ["%a: f32[2, 3] = aten.floor.default(%x)", "%c: f32[2, 3] = aten.floor.default(%a)"],
      "floor.default(%x)",
    ],
    [
      "y + (-x)",
      ["%a: f32[2, 3] = aten.neg.default(%x)", "%c: f32[2, 3] = aten.add.Tensor(%y, %a)"],
      "sub.Tensor(%y, %x)",
    ],
    [
      "y - (-x)",
      ["%a: f32[2, 3] = aten.neg.default(%x)", "%c: f32[2, 3] = aten.sub.Tensor(%y, %a)"],
      "add.Tensor(%y, %x)",
    ],
    ["number first", ["%a: f32[2, 3] = aten.add.Tensor(2, %x)"], "add.Tensor(%x, 2)"],
    [
      "permutations",
      [
        "%a: f32[3, 2]{1, 3} = aten.permute.default(%x, [1, 0])",
        "%c: f32[2, 3] = aten.permute.default(%a, [-1, 0])",
      ],
      "clone.default(%x)",
    ],
    [
      "views",
      ["%a: f32[6] = aten.view.default(%x, [6])", "%c: f32[3, 2] = aten.view.default(%a, [3, 2])"],
      "view.default(%x, [3, 2])",
    ],
    ["view of the same shape", ["%a: f32[2, 3] = aten.view.default(%x, [2, 3])"], "clone.default(%x)"],
    ["expand to the same shape", ["%a: f32[2, 3] = aten.expand.default(%x, [2, 3])"], "clone.default(%x)"],
    [
      "slice of everything",
      ["%a: f32[2, 3] = aten.slice.Tensor(%x, 1, 0, 9223372036854775807)"],
      "clone.default(%x)",
    ],
    [
      "unsqueeze and squeeze",
      ["%a: f32[2, 1, 3] = aten.unsqueeze.default(%x, 1)", "%c: f32[2, 3] = aten.squeeze.dims(%a, [1])"],
      "clone.default(%x)",
    ],
  ])("%s", (_, lines, after) => {
    const body = bodyAfter(lines);
    expect(body.filter((line) => line.includes(`aten.${after}`))).toHaveLength(1);
    expect(body.length).toBeLessThanOrEqual(2);
  });
});

describe("what does not, or cannot", () => {
  test.each<[name: string, lines: string[]]>([
    ["x + 0.0 loses -0.0", ["%a: f32[2, 3] = aten.add.Tensor(%x, 0.0)"]],
    ["x * 0", ["%a: f32[2, 3] = aten.mul.Tensor(%x, 0)"]],
    ["x - x", ["%a: f32[2, 3] = aten.sub.Tensor(%x, %x)"]],
    ["n * 1.0 is a float", ["%a: f32[2, 3] = aten.mul.Tensor(%n, 1.0)"]],
    ["n / 1 is a float", ["%a: f32[2, 3] = aten.div.Tensor(%n, 1)"]],
    ["b + 0 is an int", ["%a: i64[2, 3] = aten.add.Tensor(%b, 0)"]],
    ["x / 3", ["%a: f32[2, 3] = aten.div.Tensor(%x, 3)"]],
    ["x / 2 rounded", ['%a: f32[2, 3] = aten.div.Tensor_mode(%x, 2, rounding_mode="floor")']],
    ["x - 3 * 0 scaled", ["%a: f32[2, 3] = aten.sub.Tensor(%x, 0, alpha=3)"]],
    ["a real permutation", ["%a: f32[3, 2]{1, 3} = aten.permute.default(%x, [1, 0])"]],
    [
      "not of an int",
      ["%a: b8[2, 3] = aten.logical_not.default(%n)", "%c: b8[2, 3] = aten.logical_not.default(%a)"],
    ],
    ["part of a slice", ["%a: f32[2, 2]{3, 1} = aten.slice.Tensor(%x, 1, 0, 2)"]],
  ])("%s", (_, lines) => {
    expect(bodyAfter(lines)).toEqual(["unchanged"]);
  });

  test("an output is never the input itself", () => {
    const program = programOf(`graph(%x: f32[2]) {
  %a: f32[2] = aten.mul.Tensor(%x, 1)
  return (%a)
}`);
    expect(run(canonicalize, program)).toBe(program);
  });
});

describe("when asked to, what holds nearly", () => {
  test.each<[name: string, lines: string[], after: string]>([
    ["x + 0", ["%a: f32[2, 3] = aten.add.Tensor(%x, 0)"], "clone.default(%x)"],
    ["x * 0", ["%a: f32[2, 3] = aten.mul.Tensor(%x, 0)"], "full_like.default(%x, 0)"],
    ["x - x", ["%a: f32[2, 3] = aten.sub.Tensor(%x, %x)"], "full_like.default(%x, 0)"],
    ["x / 3", ["%a: f32[2, 3] = aten.div.Tensor(%x, 3)"], "mul.Tensor(%x, 0.3333333333333333)"],
    [
      "(x + 1) + 2",
      ["%a: f32[2, 3] = aten.add.Tensor(%x, 1)", "%c: f32[2, 3] = aten.add.Tensor(%a, 2)"],
      "add.Tensor(%x, 3.0)",
    ],
    [
      "exp(log x)",
      ["%a: f32[2, 3] = aten.log.default(%x)", "%c: f32[2, 3] = aten.exp.default(%a)"],
      "clone.default(%x)",
    ],
    [
      "1 / sqrt x",
      ["%a: f32[2, 3] = aten.sqrt.default(%x)", "%c: f32[2, 3] = aten.reciprocal.default(%a)"],
      "rsqrt.default(%x)",
    ],
  ])("%s", (_, lines, after) => {
    expect(bodyAfter(lines, { approximate: true }).join("\n")).toContain(`aten.${after}`);
  });
});
