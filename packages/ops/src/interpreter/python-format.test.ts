import { float } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { formatted } from "./python-format.js";

// What Python 3.13 gives for these formats and values.
const CASES: readonly (readonly [format: string, args: readonly unknown[], text: string])[] = [
  ["{}|{}", [1, float(2)], "1|2.0"],
  ["{0} {1} {0}", ["a", 1], "a 1 a"],
  ["{{}} {} {{{}}}", [5, 6], "{} 5 {6}"],
  ["{!r} {!s}", ["a'b", "c"], '"a\'b" c'],
  ["{:>8}|{:<8}|{:^8}", [1, "ab", 2.5], "       1|ab      |  2.5   "],
  ["{:08.3f} {:+d}", [Math.PI, 7], "0003.142 +7"],
  ["{:.2e} {:.3g}", [12345.678, 12345.678], "1.23e+04 1.23e+04"],
  ["{:,} {:x} {:b} {:o} {:X}", [1234567, 255, 5, 8, 255], "1,234,567 ff 101 10 FF"],
  ["{:10}|{:10}", ["x", 1], "x         |         1"],
  ["{:*^9}|{:=+9}", ["mid", 12.5], "***mid***|+    12.5"],
  ["{:.1%} {:g}", [0.256, float(1e20)], "25.6% 1e+20"],
  ["{:g} {:g} {:g}", [1e-5, float(123456), float(1234567)], "1e-05 123456 1.23457e+06"],
  ["{:5}{:<5}|", [true, "x"], "    1x    |"],
  ["{:d} {:d}", [true, 3], "1 3"],
  ["{:.3} {:.10}", ["abcdef", float(3)], "abc 3.0"],
  ["{: } {: }", [1, -1.5], " 1 -1.5"],
  ["{:E} {:G}", [12345.678, 1e-10], "1.234568E+04 1E-10"],
  ["{:.0f} {:.0f} {:.0f}", [0.5, 1.5, 2.5], "0 2 2"],
  ["{:012,.2f}", [1234567.891], "1,234,567.89"],
  [
    "{} {} {} {}",
    [null, [1, float(2), "a", null, true], float(1e16), Number.NaN],
    "None [1, 2.0, 'a', None, True] 1e+16 nan",
  ],
];

describe("formatted is Python's str.format", () => {
  test.each(CASES)("%s", (format, args, text) => {
    expect(formatted(format, args, {})).toBe(text);
  });

  test("tensors print as PyTorch prints them, those without dimensions as numbers", () => {
    const scalar = (value: number, dtype: "int64" | "float64" | "float16" | "bool"): Tensor =>
      Tensor.from([value], { dtype }).asStrided([], [], 0);
    const both = (tensor: Tensor): string => formatted("{} {!r}", [tensor, tensor], {});
    expect(both(Tensor.from([[1.5, -2]]))).toBe("tensor([[ 1.5000, -2.0000]]) tensor([[ 1.5000, -2.0000]])");
    expect(both(scalar(3, "int64"))).toBe("3 tensor(3)");
    expect(both(scalar(2.5, "float64"))).toBe("2.5 tensor(2.5000, dtype=torch.float64)");
    expect(both(scalar(0.1, "float16"))).toBe("0.0999755859375 tensor(0.1000, dtype=torch.float16)");
    expect(both(scalar(1, "bool"))).toBe("True tensor(True)");
    const three = scalar(3, "int64");
    expect(formatted("{x:.2f} {n:>6}|{n:05d}", [], { x: scalar(2.5, "float64"), n: three })).toBe(
      "2.50      3|00003",
    );
  });

  test.each([
    ["{", 'a "{" stands alone'],
    ["}", 'a "}" stands alone'],
    ["{} {}", "it has no positional argument 1"],
    ["{x}", 'it has no argument "x"'],
    ["{:q}", '":q" is not a format specification'],
    ["{0.shape}", "{0.shape} reads a part of a value"],
    ["{0[0]}", "{0[0]} reads a part of a value"],
    ["{} {0}", "some of its fields have numbers, and some have none"],
    ["{:s}", '":s" is not for the number 1'],
  ])("%s is refused, as in Python", (format, problem) => {
    const message = `the format ${JSON.stringify(format)} cannot be printed: ${problem}`;
    expect(() => formatted(format, [float(1)], {})).toThrow(
      expect.objectContaining({ code: "INVALID_FORMAT", message }),
    );
  });

  test("a specification is not for a tensor with dimensions", () => {
    expect(() => formatted("{:.2f}", [Tensor.from([1])], {})).toThrow('":.2f" is not for a tensor');
  });
});
