import { describe, expect, test } from "vitest";
import { parseKernel } from "../../kernel/parse.js";
import { textOfKernel } from "../../programs.fixture.js";
import type { Vectors } from "./lanes.js";
import { vectorize } from "./vectorize.js";

const VECTORS: Vectors = {
  holds: (type) => ["float32", "int32", "bool", "index"].includes(type),
  computes: (op, type) => op !== "div" && ["float32", "int32", "bool", "index"].includes(type),
};
/** The body of a vectorized kernel over float32, int64 and a result. */
function body(text: string, result = "f32[64]", access = "write"): string {
  const kernel = parseKernel(`kernel grid(1, 1, 1) size 1 {
@b0: global read f32[64] of b0
@b1: global read i64[64] of b1
@b2: global ${access} ${result} of b2
${text}
}`);
  return textOfKernel(vectorize(kernel, VECTORS)).split("\n").slice(4, -2).join("\n");
}

test("four elements at once, and the rest one by one", () => {
  expect(
    body(`%0: f32 = load @b0[0]
    for %1: index = 0 to 10 step 1 {
      %2: f32 = load @b0[%1]
      %3: f32 = mul %2, %0
      @b2[%1] = %3
    }`),
  ).toMatchInlineSnapshot(`
    "  %0: f32 = load @b0[0]
      %1: f32x4 = splat %0
      for %2: index = 0 to 8 step 4 {
        %3: f32x4 = load @b0[%2]
        %4: f32x4 = mul %3, %1
        @b2[%2] = %4
      }
      for %5: index = 8 to 10 step 1 {
        %6: f32 = load @b0[%5]
        %7: f32 = mul %6, %0
        @b2[%5] = %7
      }"
  `);
});

test("sums have four totals of four lanes", () => {
  expect(
    body(`var $0: f32 = 0:f32
    for %1: index = 0 to 64 step 1 {
      %2: f32 = load @b0[%1]
      %3: f32 = add $0, %2
      $0 = %3
    }
    @b2[0] = $0`),
  ).toMatchInlineSnapshot(`
    "  var $0: f32 = 0:f32
      var $1: f32x4 = 0:f32x4
      var $2: f32x4 = 0:f32x4
      var $3: f32x4 = 0:f32x4
      var $4: f32x4 = 0:f32x4
      for %0: index = 0 to 64 step 16 {
        %1: f32x4 = load @b0[%0]
        %2: f32x4 = add $1, %1
        $1 = %2
        %3: index = add %0, 4
        %4: f32x4 = load @b0[%3]
        %5: f32x4 = add $2, %4
        $2 = %5
        %6: index = add %0, 8
        %7: f32x4 = load @b0[%6]
        %8: f32x4 = add $3, %7
        $3 = %8
        %9: index = add %0, 12
        %10: f32x4 = load @b0[%9]
        %11: f32x4 = add $4, %10
        $4 = %11
      }
      %12: f32x4 = add $1, $2
      %13: f32x4 = add $3, $4
      %14: f32x4 = add %12, %13
      %15: f32 = lane 0 %14
      %16: f32 = lane 1 %14
      %17: f32 = lane 2 %14
      %18: f32 = lane 3 %14
      %19: f32 = add %15, %16
      %20: f32 = add %17, %18
      %21: f32 = add %19, %20
      %22: f32 = add $0, %21
      $0 = %22
      @b2[0] = $0"
  `);
});

test("a choice that does not hold for all is made one by one", () => {
  const text = body(`for %1: index = 0 to 8 step 1 {
    var $0: f32 = 0:f32
    %2: b8 = lt %1, 5
    if %2 {
      %3: f32 = load @b0[%1]
      $0 = %3
    }
    @b2[%1] = $0
  }`);
  expect(text).toContain("%3: b8 = every %2");
  expect(text).toContain("%5: f32x4 = load @b0[%0]");
  expect(text.match(/: f32 = load @b0/g)).toHaveLength(4);
  expect(text).toContain("f32x4 = pack $1, $2, $3, $4");
});

describe("loops that stay as they are", () => {
  test.each([
    [
      "iterations that depend on each other",
      "%2: f32 = load @b0[%1]\n%3: f32 = add $0, %2\n$0 = %3\n@b2[%1] = %3",
    ],
    ["one place for all", "%2: f32 = load @b0[%1]\n@b2[0] = %2"],
    [
      "places that elements hold",
      "%2: i64 = load @b1[%1]\n%3: index = cast %2\n%4: f32 = load @b0[%3]\n@b2[%3] = %4",
    ],
    ["strides alone", "%2: index = mul %1, 2\n%3: f32 = load @b0[%2]\n@b2[%2] = %3"],
  ])("%s", (_, statements) => {
    const text = `var $0: f32 = 0:f32\nfor %1: index = 0 to 32 step 1 {\n${statements}\n}`;
    expect(body(text)).not.toContain("x4");
  });
});

test("a loop over columns is taken four at once where rows are read across", () => {
  const text = body(`for %0: index = 0 to 8 step 1 {
    var $0: f32 = 0:f32
    for %1: index = 0 to 8 step 1 {
      %2: index = mul %1, 8
      %3: index = add %2, %0
      %4: f32 = load @b0[%3]
      %5: f32 = add $0, %4
      $0 = %5
    }
    @b2[%0] = $0
  }`);
  expect(text).toContain("for %0: index = 0 to 8 step 4");
  expect(text).toContain("var $0: f32x4 = 0:f32x4");
});

test("the end of a loop that is computed", () => {
  const text = body(`%0: index = thread 0
  %1: index = add %0, 9
  for %2: index = %0 to %1 step 1 {
    %3: f32 = load @b0[%2]
    %4: f32 = neg %3
    @b2[%2] = %4
  }`);
  expect(text).toContain("bitwise_and");
});

test("elements that several iterations may change are changed one after the other", () => {
  const text = `for %0: index = 0 to 64 step 1 {
      %1: i64 = load @b1[%0]
      %2: index = cast %1
      %3: f32 = load @b0[%0]
      %4: f32 = mul %3, %3
      %5: f32 = exp %4
      %6: f32 = load @b2[%2]
      %7: f32 = add %6, %5
      @b2[%2] = %7
    }`;
  expect(body(text, "f32[64]", "read_write")).not.toContain("x4");
});
