import { describe, expect, test } from "vitest";
import { guardFloats } from "./guard-floats.js";
import type { Kernel } from "./kernel.js";
import { parseKernel } from "./parse.js";
import { printKernel } from "./print.js";
import { withoutDead } from "./rewrite.js";
import { roundFloats } from "./round-floats.js";
import { verifyKernel } from "./verify.js";

/** The statements of a kernel after a transform; `%0` and `%1` are elements of the inputs. */
function after(transform: (kernel: Kernel) => Kernel, body: string): string {
  const kernel = parseKernel(`kernel grid(1, 1, 1) size 64 {
    @b0: global read f32[64] of b0
    @out: global write f32[64]
    %at: index = local
    %0: f32 = load @b0[%at]
    %1: f32 = load @b0[0]
    ${body}
  }`);
  verifyKernel(kernel);
  const made = transform(kernel);
  verifyKernel(made);
  const lines = printKernel(made).trimEnd().split("\n").slice(3, -1);
  const isInput = (line: string): boolean => / = (local|load )/.test(line) && !line.startsWith("    ");
  return lines
    .filter((line) => !isInput(line))
    .map((line) => line.slice(2))
    .join("\n");
}

describe("guardFloats", () => {
  const guarded = (body: string): string => after(guardFloats, `${body}\n@out[%at] = %9`);

  test.each([
    ["%9: f32 = mul %0, 0:f32", "call f_known_zero %1, 0:f32"],
    ["%9: f32 = add %0, 0:f32", "call f_pluszero %1"],
    ["%9: f32 = mul %0, 1e-40:f32", "call f_tiny %1, 1.8446"],
    ["%9: f32 = mul %0, %1", "call f_mul %1, %2"],
    ["%9: f32 = mul %0, 2:f32", "mul %1, 2:f32"],
    ["%9: f32 = mul %0, %0", "mul %1, %1"],
  ])("%s", (body, expected) => {
    expect(guarded(body)).toContain(expected);
  });

  test("what adds nothing to any float goes", () => {
    expect(guarded("%9: f32 = sub %0, 0:f32")).toBe("@out[%0] = %1");
    expect(guarded("%9: f32 = add %0, -0:f32")).toBe("@out[%0] = %1");
    expect(guarded("%9: f32 = sub -0:f32, %0")).toBe("%2: f32 = neg %1\n@out[%0] = %2");
  });

  test("products of sums stay: a call for each term would cost too much", () => {
    const body = `var $0: f32 = 0:f32
      for %k: index = 0 to 8 step 1 {
        %2: f32 = load @b0[%k]
        %3: f32 = mul %2, %1
        %4: f32 = add $0, %3
        $0 = %4
      }
      %9: f32 = neg $0`;
    expect(guarded(body)).toContain("= mul ");
  });

  test("a variable that may change is not read in place of a value", () => {
    const body = "var $0: f32 = 0:f32\n$0 = %0\n%2: f32 = sub $0, 0:f32\n$0 = %1\n%9: f32 = neg %2";
    expect(guarded(body)).toContain("= sub $0, 0:f32");
    const total = "var $0: f64 = 0:f64\n%2: f32 = cast $0\n$0 = 1:f64\n%9: f32 = mul %2, %1\n@out[%at] = %9";
    expect(after(roundFloats, total)).toContain("= cast $0");
  });

  test("a comparison with itself asks for NaN", () => {
    const body = "%2: b8 = ne %0, %0\n%9: f32 = select %2, 1:f32, 2:f32";
    expect(guarded(body)).toContain("%2: b8 = isnan %1\n%3: f32 = select %2");
  });

  test("a choice between the sides of its comparison looks for NaN first", () => {
    expect(
      guarded("%2: b8 = gt %0, %1\n%3: b8 = not %2\n%9: f32 = select %3, %1, %0"),
    ).toMatchInlineSnapshot(`
      "%3: b8 = gt %1, %2
      %4: b8 = not %3
      %5: b8 = isnan %1
      %6: b8 = isnan %2
      %7: b8 = or %5, %6
      %8: f32 = select %4, %2, %1
      %9: f32 = select %7, %2, %8
      @out[%0] = %9"
    `);
    expect(guarded("%2: b8 = gt %0, %1\n%9: f32 = select %2, %0, 3:f32")).not.toContain("isnan");
  });
});

describe("roundFloats", () => {
  const rounded = (body: string): string => after(roundFloats, body);

  test("a total of halves stays a half where it goes to memory", () => {
    const kernel = parseKernel(`kernel grid(1, 1, 1) size 1 {
  @out: global write f16[1]
  var $0: f64 = 0:f64
  %0: f16 = cast $0
  @out[0] = %0
}`);
    const made = roundFloats(kernel);
    verifyKernel(made);
    expect(printKernel(made)).toContain("f16 = cast $0");
  });

  test("results of arithmetic are cast from doubles, but for those that are stored", () => {
    const body = "%2: f32 = mul %0, %1\n%3: f32 = add %2, %1\n@out[%at] = %3";
    expect(rounded(body)).toMatchInlineSnapshot(`
      "%3: f64 = mul %1, %2
      %4: f32 = cast %3
      %5: f64 = add %4, %2
      @out[%0] = %5"
    `);
  });

  test("totals in doubles and functions that saturate take what is not rounded", () => {
    const body = `var $0: f64 = 0:f64
      for %k: index = 0 to 8 step 1 {
        %2: f32 = mul %0, %1
        %3: f64 = cast %2
        %4: f64 = add $0, %3
        $0 = %4
      }
      %5: f32 = cast $0
      %6: f32 = sub %5, %1
      %7: f32 = exp %6
      @out[%at] = %7`;
    expect(rounded(body)).toMatchInlineSnapshot(`
      "var $0: f64 = 0:f64
      for %3: index = 0 to 8 step 1 {
        %4: f64 = mul %1, %2
        %5: f64 = add $0, %4
        $0 = %5
      }
      %6: f64 = sub $0, %2
      %7: f64 = exp %6
      @out[%0] = %7"
    `);
  });

  test("a total that more than a bias is applied to is rounded first, so that it overflows", () => {
    for (const further of ["div %5, %1", "mul %5, %1", "sqrt %5", "rsqrt %5"]) {
      const body = `var $0: f64 = 0:f64
        for %k: index = 0 to 8 step 1 {
          %3: f64 = cast %0
          %4: f64 = add $0, %3
          $0 = %4
        }
        %5: f32 = cast $0
        %6: f32 = ${further}
        @out[%at] = %6`;
      expect(rounded(body)).toContain("f32 = cast $0");
    }
  });
});

test("what nothing reads goes, with what only it has read", () => {
  const body = "%2: f32 = mul %0, %1\n%3: f32 = neg %2\n@out[%at] = %0";
  expect(after(withoutDead, body)).toBe("@out[%0] = %1");
});
