import { cond, exportProgram, float, nn, torch } from "@sconce/capture";
import { describe, expect, test } from "vitest";

/** A function whose text is kept: tools write `2` for `2.0`. */
const written = (code: string): ((...args: readonly unknown[]) => unknown) =>
  new Function("torch", "nn", "cond", "float", `return (x) => ${code};`)(torch, nn, cond, float) as never;

function warningsOf(fn: (...args: never[]) => unknown): string[] {
  const warnings: string[] = [];
  exportProgram(fn as never, [torch.ones(3)], { onWarning: (text) => warnings.push(text) });
  return warnings;
}

const PROGRAM = "the program has the integer, where PyTorch's has a float; write `float(";

describe("numbers that are written as floats and are integers", () => {
  test.each([
    ["x.mul(2.0)", "2.0", PROGRAM],
    ["x.add(x, { alpha: 2.0 })", "2.0", PROGRAM],
    ["x.clone().fill_(-3.)", "-3.", PROGRAM],
    ["x.newFull([3], 1_0.0)", "1_0.0", PROGRAM],
    ["torch.where(x.gt(0), x, 0.0)", "0.0", PROGRAM],
    ["torch.fullLike(x, 2.0e1)", "2.0e1", PROGRAM],
    ["nn.functional.leakyRelu(x, 1.0)", "1.0", PROGRAM],
    ["cond(x.sum().gt(0), (y) => y.mul(4.0), (y) => y.mul(3), [x])", "4.0", PROGRAM],
    [
      "torch.full([7], -1.0e6)",
      "-1.0e6",
      '`full` makes integers of it, where PyTorch makes floats; write `dtype: "float32"`',
    ],
    ["torch.arange(0, 5.0)", "5.0", "`arange` makes integers of it"],
    ["torch.tensor([[1.0], [2]])", "1.0", "`tensor` makes integers of it"],
  ])("%s", (code, number, message) => {
    const [warning, ...others] = warningsOf(written(code));
    expect(warning).toContain(`: ${number}: JavaScript has no float \`${number}\`: `);
    expect(warning).toContain(message);
    expect(others).toEqual([]);
  });

  test.each([
    "x.mul(2)",
    "x.mul(2.5).add(1e-3).mul(1e30)",
    "x.mul(float(2.0))",
    "x.sum(0.0)",
    "torch.full([3], 2)",
    'torch.full([3], -1e9, { dtype: "float32" })',
    "torch.full([3], 2.5)",
    "torch.tensor([1.0, 2.5])",
    'torch.tensor([1.0], { dtype: "int32" })',
    "nn.functional.dropout(x, 1.0)",
    "nn.functional.pad(x, [1, 1], { value: 0.0 })",
    "x.mul(Math.max(1.0, 2.0))",
  ])("no warning of %s", (code) => {
    expect(warningsOf(written(code))).toEqual([]);
  });

  test("what a tool shortens is not a float: the source has `1000`", () => {
    expect(warningsOf((x: ReturnType<typeof torch.ones>) => x.mul(1000000))).toEqual([]);
    const [warning] = warningsOf((x: ReturnType<typeof torch.ones>) => x.maskedFill(x.gt(0), -1e9));
    expect(warning).toMatch(/float-literals\.test\.ts:\d+: -1e9: JavaScript has no float `-1e9`/);
  });

  test("`checkSource: false` looks at no text", () => {
    const warnings: string[] = [];
    const onWarning = (text: string): void => void warnings.push(text);
    exportProgram(written("x.mul(2.0)"), [torch.ones(3)], { checkSource: false, onWarning });
    expect(warnings).toEqual([]);
  });
});
