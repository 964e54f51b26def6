import { isSconceError } from "@sconce/errors";
import { describe, expect, test } from "vitest";
import { JAVASCRIPT } from "../javascript/print.js";
import { parseKernel } from "../kernel/parse.js";
import type { Target } from "../kernel/target.js";
import { verifyKernel } from "../kernel/verify.js";
import { loopsOf, textOfKernel } from "../programs.fixture.js";
import { elementKernel } from "./element.js";

const WORKGROUPS: Target = { ...JAVASCRIPT, threads: "workgroups", sumsIn: "float32" };
const GRID: Target = {
  ...WORKGROUPS,
  threads: "grid",
  unroll: 4,
  exactIndex: 2 ** 24,
  dividesInFloats: true,
  speculation: { operations: 4, loads: true },
};

/** The kernels of a graph's nests as text. */
function kernelsOf(graph: string, target: Target): string[] {
  const program = loopsOf(graph);
  return program.nests.map((nest) => textOfKernel(elementKernel(nest, program, new Map(), target)));
}

const SOFTMAX_SUM = `graph(%x: f32[2, 3]) {
  %a: f32[2, 3] = aten._softmax.default(%x, 1, false)
  return (%a,)
}`;

test("what does not change in a loop is computed before it", () => {
  expect(kernelsOf(SOFTMAX_SUM, WORKGROUPS)[1]).toMatchInlineSnapshot(`
    "kernel grid(1, 1, 1) size 64 {
      @b0: global read f32[6] of b0
      @b1: global read f32[2] of b1
      @b2: global write f32[2] of b2
      %0: index = workgroup
      %1: index = local
      %2: index = mul %0, 64
      %3: index = add %2, %1
      %4: b8 = lt %3, 2
      %5: index = mul %3, 3
      if %4 {
        var $0: f32 = 0:f32
        %6: f32 = load @b1[%3]
        for %7: index = 0 to 3 step 1 {
          %8: index = add %5, %7
          %9: f32 = load @b0[%8]
          %10: f32 = sub %9, %6
          %11: f32 = exp %10
          %12: f32 = add $0, %11
          $0 = %12
        }
        %13: f32 = reciprocal $0
        @b2[%3] = %13
      }
    }
    "
  `);
});

test("a thread of a grid stores the element at its own place", () => {
  const product = `graph(%x: f32[4, 32], %y: f32[32, 8]) {
    %a: f32[4, 8] = aten.mm.default(%x, %y)
    return (%a,)
  }`;
  expect(kernelsOf(product, GRID)[0]).toMatchInlineSnapshot(`
    "kernel grid(8, 4, 1) size 1 {
      @b0: global read f32[128] of b0
      @b1: global read f32[256] of b1
      @b2: global write f32[32] of b2
      var $0: f32 = 0:f32
      %0: index = thread 1
      %1: index = mul %0, 32
      %2: index = thread 0
      for %3: index = 0 to 8 step 1 {
        %4: index = mul %3, 4
        %5: index = add %1, %4
        %6: f32 = load @b0[%5]
        %7: index = mul %3, 32
        %8: index = add %2, %7
        %9: f32 = load @b1[%8]
        %10: f32 = mul %6, %9
        %11: index = add %5, 1
        %12: f32 = load @b0[%11]
        %13: index = add %8, 8
        %14: f32 = load @b1[%13]
        %15: f32 = mul %12, %14
        %16: index = add %5, 2
        %17: f32 = load @b0[%16]
        %18: index = add %8, 16
        %19: f32 = load @b1[%18]
        %20: f32 = mul %17, %19
        %21: index = add %5, 3
        %22: f32 = load @b0[%21]
        %23: index = add %8, 24
        %24: f32 = load @b1[%23]
        %25: f32 = mul %22, %24
        %26: f32 = add %10, %15
        %27: f32 = add %26, %20
        %28: f32 = add %27, %25
        %29: f32 = add $0, %28
        $0 = %29
      }
      @b2[0] = $0
    }
    "
  `);
});

test("one thread has loops over the axes, and sums floats in doubles", () => {
  const sum = `graph(%x: f32[4, 8]) {
    %a: f32[4] = aten.sum.dim_IntList(%x, [1])
    return (%a,)
  }`;
  expect(kernelsOf(sum, JAVASCRIPT)[0]).toMatchInlineSnapshot(`
    "kernel grid(1, 1, 1) size 1 {
      @b0: global read f32[32] of b0
      @b1: global write f32[4] of b1
      for %0: index = 0 to 4 step 1 {
        var $0: f64 = 0:f64
        %1: index = mul %0, 8
        for %2: index = 0 to 8 step 1 {
          %3: index = add %1, %2
          %4: f32 = load @b0[%3]
          %5: f64 = cast %4
          %6: f64 = add $0, %5
          $0 = %6
        }
        %7: f32 = cast $0
        @b1[%0] = %7
      }
    }
    "
  `);
});

test("branches keep reads that may lie outside of memory", () => {
  const padded = `graph(%x: f32[3]) {
    %a: f32[5] = aten.constant_pad_nd.default(%x, [1, 1], 0.5)
    return (%a,)
  }`;
  expect(kernelsOf(padded, WORKGROUPS)[0]).toMatchInlineSnapshot(`
    "kernel grid(1, 1, 1) size 64 {
      @b0: global read f32[3] of b0
      @b1: global write f32[5] of b1
      %0: index = workgroup
      %1: index = local
      %2: index = mul %0, 64
      %3: index = add %2, %1
      %4: b8 = lt %3, 5
      if %4 {
        %5: index = sub %3, 1
        %6: b8 = ge %5, 0
        %7: b8 = lt %5, 3
        %8: b8 = and %6, %7
        var $0: f32 = 0:f32
        if %8 {
          %9: f32 = load @b0[%5]
          $0 = %9
        } else {
          $0 = 0.5:f32
        }
        @b1[%3] = $0
      }
    }
    "
  `);
});

test("what both branches of a choice need is computed once, before them", () => {
  const choice = `graph(%x: f32[4]) {
    %e: f32[4] = aten.exp.default(%x)
    %c: b8[4] = aten.gt.Scalar(%x, 0.0)
    %a: f32[4] = aten.sin.default(%e)
    %b: f32[4] = aten.cos.default(%e)
    %r: f32[4] = aten.where.self(%c, %a, %b)
    return (%r,)
  }`;
  const [text] = kernelsOf(choice, WORKGROUPS);
  expect(text!.match(/= exp /g)).toHaveLength(1);
  expect(text!.indexOf("= exp ")).toBeLessThan(text!.indexOf("= sin "));
});

test("places beyond the integers of a target are made by wide operations", () => {
  const long = `graph(%x: f32[5000, 5000]) {
    %a: f32[5000, 5000] = aten.flip.default(%x, [0])
    return (%a,)
  }`;
  expect(kernelsOf(long, GRID)[0]).toMatchInlineSnapshot(`
    "kernel grid(5000, 5000, 1) size 1 {
      @b0: global read f32[25000000] of b0
      @b1: global write f32[25000000] of b1
      %0: index = thread 0
      %1: index = wide_add %0, 1, 24995000
      %2: index = thread 1
      %3: index = wide_sub %2, 5000, %1
      %4: f32 = load @b0[%3]
      @b1[0] = %4
    }
    "
  `);
});

test("where there is no infinity the first value is the greatest so far", () => {
  const greatest = `graph(%x: f32[4, 8]) {
    %a: f32[4] = aten.amax.default(%x, [1])
    return (%a,)
  }`;
  expect(kernelsOf(greatest, { ...GRID, hasInfinity: false })[0]).toMatchInlineSnapshot(`
    "kernel grid(4, 1, 1) size 1 {
      @b0: global read f32[32] of b0
      @b1: global write f32[4] of b1
      var $0: f32 = 0:f32
      var $1: b8 = false
      %0: index = thread 0
      %1: index = mul %0, 8
      for %2: index = 0 to 8 step 1 {
        %3: index = add %1, %2
        %4: f32 = load @b0[%3]
        %5: f32 = max $0, %4
        %6: f32 = select $1, %5, %4
        $0 = %6
        $1 = true
      }
      @b1[0] = $0
    }
    "
  `);
  expect(kernelsOf(greatest, GRID)[0]).toContain("-Infinity:f32");
});

test("any and all stop at nothing, and change their result only where a value decides", () => {
  const test = `graph(%x: b8[4, 8]) {
    %a: b8[4] = aten.all.dim(%x, 1)
    return (%a,)
  }`;
  expect(kernelsOf(test, GRID)[0]).toMatchInlineSnapshot(`
    "kernel grid(4, 1, 1) size 1 {
      @b0: global read b8[32] of b0
      @b1: global write b8[4] of b1
      var $0: b8 = true
      %0: index = thread 0
      %1: index = mul %0, 8
      for %2: index = 0 to 8 step 1 {
        %3: index = add %1, %2
        %4: b8 = load @b0[%3]
        %5: b8 = not %4
        if %5 {
          $0 = false
        }
      }
      @b1[0] = $0
    }
    "
  `);
});

describe("malformed texts and invalid kernels", () => {
  const problem = (
    body: string,
    memory = "@b0: global read f32[4] of b0\n@b1: global write f32[4]",
  ): string => {
    try {
      verifyKernel(parseKernel(`kernel grid(1, 1, 1) size 64 {\n${memory}\n${body}\n}`));
      return "none";
    } catch (error) {
      if (!isSconceError(error)) throw error;
      return `${error.code} ${error.where}: ${error.message}`;
    }
  };

  test.each([
    ["%0: f32 = load @b0[0]\n@b1[0] = %0", "none"],
    ["%0: f32 = load @b9[0]", /KERNEL_TEXT line 4: .*no memory @b9/],
    ["%0: f32 = frob 1:f32", /no operation frob/],
    ["%0: f99 = add 1, 2", /no type f99/],
    ["@b1[0] = %3", /%3 is not there yet/],
    ["%0: index = add 1, 2\n%0: index = add 1, 2", /%0 is there already/],
    ["@b1[0] = 1", /KERNEL_INVALID statement "store": .*index is not float32/],
    ["@b0[0] = 1:f32", /only read/],
    ["%0: f32 = load @b1[0]", /only written/],
    ["break if true", /in no loop/],
    ["if 1 {\n}", /index is not bool/],
    ["if true {\n%0: index = add 1, 2\n}\n%1: index = add %0, 1", /KERNEL_INVALID .*not computed before/],
    ["%0: index = local\n%1: b8 = lt %0, 3\nif %1 {\nbarrier\n}", /may not come to it/],
    ["loop {\nbarrier\nbreak if true\n}", "none"],
    ["%0: i64 = max -Infinity:i64, 9223372036854775807:i64", "none"],
    ["%0: index = add 1:, 2", /no type/],
    ["%0: index = add 1", /KERNEL_INVALID statement "add": .*another number of operands/],
    ["%0: index = add 1, 2:f32", /KERNEL_INVALID statement "add": .*float32 is not index/],
    ["%0: f32 = add 1, 2", /index is not float32/],
    ["%0: f32 = lt 1, 2", /float32 is not bool/],
    ["%0: i32 = exp 1:i32", /int32 has no exp/],
    ["%0: f32 = select 1, 1:f32, 2:f32", /index is not bool/],
    ["%0: f32 = select true, 1:f32, 2", /index is not float32/],
    ["%0: f32 = lane 1 2:f32", /float32 is not float32x4/],
    ["%0: f32 = lane 4 %1", /%1 is not there/],
    ["%0: f32x4 = cast 1", /changes how many elements/],
    ["%0: index = thread 3", /names no axis/],
    ["%0: i32 = add 1.5:i32, 1:i32", /not a number of its type/],
    ["%0: index = add 1e99, 1", /not a number of its type/],
    ["for %0: index = 0 to 2 step 0 {\n}", /0 is not a count/],
    ["", /@b0 is there already/, "@b0: global read f32[1]\n@b0: global read f32[2]"],
    ["", /not a count/, `@b0: global read f32[${"9".repeat(400)}]`],
  ])("%s", (body, expected, memory?: string) => {
    expect(problem(body, memory)).toMatch(expected);
  });
  test("values of other types are refused", () => {
    expect(() => parseKernel(5 as unknown as string)).toThrow(/KERNEL_TEXT|not a kernel/);
  });
  test("blocks that nest too deep", () => {
    const text = (depth: number) => "if true {\n".repeat(depth) + "}\n".repeat(depth);
    expect(problem(text(199))).toBe("none");
    expect(problem(text(10_000))).toMatch(/KERNEL_TEXT .*nest more than 200 deep/);
  });
});
