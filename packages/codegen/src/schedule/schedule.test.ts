import { expect, test } from "vitest";
import { rowGroups } from "../analysis/row-groups.js";
import { JAVASCRIPT } from "../javascript/print.js";
import type { Target } from "../kernel/target.js";
import { loopsOf, textOfKernel } from "../programs.fixture.js";
import { scheduleNest, scheduleRows } from "./schedule.js";

const SOFTWARE: Target = { ...JAVASCRIPT, threads: "workgroups", sumsIn: "float32" };
const HARDWARE: Target = { ...SOFTWARE, isHardware: true };

/** The kernels of a graph's nests as text: of each, what runs before it first. */
function kernelsOf(graph: string, target: Target): string[] {
  const program = loopsOf(graph);
  return program.nests.flatMap((nest) => {
    const { kernel, first } = scheduleNest(nest, { program, sizes: new Map(), target });
    return [...(first === undefined ? [] : [first]), kernel].map(textOfKernel);
  });
}
/** The kernels of a graph's groups of nests over the same rows. */
function rowsOf(graph: string, target: Target): (string | undefined)[] {
  const program = loopsOf(graph);
  return rowGroups(program.nests, program).map((group) => {
    const kernel = scheduleRows(group, { program, sizes: new Map(), target });
    return kernel && textOfKernel(kernel);
  });
}
/** The lines of a text from one that holds a part to one that holds another. */
function excerpt(text: string, from: string, to: string): string {
  const lines = text.split("\n");
  const start = lines.findIndex((line) => line.includes(from));
  const end = lines.findIndex((line, at) => at >= start && line.includes(to));
  if (start < 0 || end < 0) throw new Error(`no ${from} before ${to} in ${text}`);
  return lines.slice(start, end + 1).join("\n");
}
const softmax = (shape: string): string => `graph(%x: f32[${shape}]) {
  %a: f32[${shape}] = aten._softmax.default(%x, 1, false)
  return (%a,)
}`;
const ranks = (length: number): string => `graph(%x: f32[${length}]) {
  %s: (f32[${length}], i64[${length}]) = aten.sort.default(%x, 0)
  %a: i64[${length}] = operator.getitem(%s, 1)
  return (%a,)
}`;

test("a product of matrices has a block of sums in each thread, and loads fours", () => {
  const product = `graph(%x: f32[2, 8], %y: f32[2, 8]) {
    %a: f32[2, 2] = aten.linear.default(%x, %y)
    return (%a,)
  }`;
  const [text] = kernelsOf(product, SOFTWARE);
  expect(text).toContain("@b0: global read f32x4[4] of b0\n");
  expect(excerpt(text!, "for ", "lane 1")).toMatchInlineSnapshot(`
    "    for %5: index = 0 to 2 step 1 {
          %6: f32x4 = load @b0[%5]
          %7: f32 = lane 0 %6
          %8: index = add %5, 2
          %9: f32x4 = load @b0[%8]
          %10: f32 = lane 0 %9
          %11: f32x4 = load @b1[%5]
          %12: f32 = lane 0 %11
          %13: f32x4 = load @b1[%8]
          %14: f32 = lane 0 %13
          %15: f32 = mul %7, %12
          %16: f32 = add $0, %15
          $0 = %16
          %17: f32 = mul %7, %14
          %18: f32 = add $1, %17
          $1 = %18
          %19: f32 = mul %10, %12
          %20: f32 = add $2, %19
          $2 = %20
          %21: f32 = mul %10, %14
          %22: f32 = add $3, %21
          $3 = %22
          %23: f32 = lane 1 %6"
  `);
  expect(excerpt(text!, "@sums[3]", "@b2[")).toMatchInlineSnapshot(`
    "    @sums[3] = $3
        for %59: index = 0 to 2 step 1 {
          %60: index = mul %59, 2
          for %61: index = 0 to 2 step 1 {
            %62: index = mul %59, 2
            %63: index = add %62, %61
            %64: f32 = load @sums[%63]
            %65: index = add %60, %61
            @b2[%65] = %64"
  `);
});

test("a long sum on hardware is halved in shared memory", () => {
  const sum = `graph(%x: f32[2, 1024]) {
    %a: f32[2] = aten.sum.dim_IntList(%x, [1])
    return (%a,)
  }`;
  expect(kernelsOf(sum, HARDWARE)[0]).toMatchInlineSnapshot(`
    "kernel grid(2, 1, 1) size 256 {
      @b0: global read f32[2048] of b0
      @b1: global write f32[2] of b1
      @parts: workgroup read_write f32[256]
      %0: index = workgroup
      %1: index = local
      var $0: f32 = 0:f32
      %2: index = mul %0, 1024
      %3: index = add %2, %1
      for %4: index = 0 to 4 step 1 {
        %5: index = mul %4, 256
        %6: index = add %3, %5
        %7: f32 = load @b0[%6]
        %8: f32 = add $0, %7
        $0 = %8
      }
      @parts[%1] = $0
      barrier
      var $1: index = 128
      loop {
        %9: b8 = lt $1, 1
        break if %9
        %10: b8 = lt %1, $1
        if %10 {
          %11: index = add %1, $1
          %12: f32 = load @parts[%1]
          %13: f32 = load @parts[%11]
          %14: f32 = add %12, %13
          @parts[%1] = %14
        }
        barrier
        %15: index = udiv $1, 2
        $1 = %15
      }
      %16: b8 = eq %1, 0
      if %16 {
        %17: f32 = load @parts[0]
        @b1[%0] = %17
      }
    }
    "
  `);
  expect(kernelsOf(sum, SOFTWARE)[0]).not.toContain("workgroup read_write");
});

test("in software a thread has a row, and keeps its exponentials", () => {
  expect(rowsOf(softmax("64, 8"), SOFTWARE)).toMatchInlineSnapshot(`
    [
      "kernel grid(16, 1, 1) size 4 {
      @b0: global read f32[512] of b0
      @b3: global read_write f32[512] of b3
      %0: index = workgroup
      %1: index = local
      %2: index = mul %0, 4
      %3: index = add %2, %1
      var $0: f32 = -Infinity:f32
      %4: index = mul %3, 8
      for %5: index = 0 to 8 step 1 {
        %6: index = add %4, %5
        %7: f32 = load @b0[%6]
        %8: f32 = max $0, %7
        $0 = %8
      }
      var $1: f32 = 0:f32
      for %9: index = 0 to 8 step 1 {
        %10: index = add %4, %9
        %11: f32 = load @b0[%10]
        %12: f32 = sub %11, $0
        %13: f32 = exp %12
        @b3[%10] = %13
        %14: f32 = add $1, %13
        $1 = %14
      }
      %15: f32 = reciprocal $1
      for %16: index = 0 to 8 step 1 {
        %17: index = add %4, %16
        %18: f32 = load @b3[%17]
        %19: f32 = mul %18, %15
        @b3[%17] = %19
      }
    }
    ",
    ]
  `);
});

test("on hardware several threads share a row", () => {
  const [text] = rowsOf(softmax("500, 8"), HARDWARE);
  expect(excerpt(text!, "local", "@parts0[%0]")).toMatchInlineSnapshot(`
    "  %0: index = local
      %1: index = udiv %0, 2
      %2: index = urem %0, 2
      %3: index = workgroup
      %4: index = mul %3, 128
      %5: index = add %4, %1
      %6: index = min %5, 499
      %7: b8 = lt %5, 500
      var $0: f32 = -Infinity:f32
      %8: index = mul %6, 8
      %9: index = add %2, %8
      for %10: index = 0 to 4 step 1 {
        %11: index = mul %10, 2
        %12: index = add %9, %11
        %13: f32 = load @b0[%12]
        %14: f32 = max $0, %13
        $0 = %14
      }
      @parts0[%0] = $0"
  `);
  expect(excerpt(text!, "reciprocal", "@b3[")).toMatchInlineSnapshot(`
    "  %39: f32 = reciprocal %38
      if %7 {
        for %40: index = %2 to 8 step 2 {
          %41: index = add %8, %40
          %42: f32 = load @b0[%41]
          %43: f32 = sub %42, %23
          %44: f32 = exp %43
          %45: f32 = mul %44, %39
          @b3[%41] = %45"
  `);
});

test("long rows, few of them, are left to several kernels", () => {
  expect(rowsOf(softmax("1, 5000"), SOFTWARE)).toEqual([undefined]);
  expect(rowsOf(softmax("2, 5000"), HARDWARE)).toEqual([undefined]);
});

test("a row is sorted in shared memory, and its elements go where their ranks are", () => {
  const [rank, place] = kernelsOf(ranks(128), HARDWARE);
  expect(excerpt(rank!, "@keys:", "barrier")).toMatchInlineSnapshot(`
    "  @keys: workgroup read_write index[128]
      @places: workgroup read_write index[128]
      %0: index = workgroup
      %1: index = local
      for %2: index = %1 to 128 step 64 {
        @places[%2] = %2
        @keys[%2] = Infinity
        %3: b8 = lt %2, 128
        if %3 {
          %4: f32 = load @b0[%2]
          %5: index = order %4
          @keys[%2] = %5
        }
      }
      barrier"
  `);
  expect(excerpt(rank!, "mul %0, 128", "@b1[")).toMatchInlineSnapshot(`
    "  %29: index = mul %0, 128
      for %30: index = %1 to 128 step 64 {
        %31: index = load @places[%30]
        %32: b8 = lt %31, 128
        if %32 {
          %33: index = add %29, %31
          %34: i64 = cast %30
          @b1[%33] = %34"
  `);
  expect(place).toMatchInlineSnapshot(`
    "kernel grid(2, 1, 1) size 64 {
      @b1: global read i64[128] of b1
      @b2: global write i64[128] of b2
      %0: index = workgroup
      %1: index = local
      %2: index = mul %0, 64
      %3: index = add %2, %1
      %4: i64 = load @b1[%3]
      %5: index = cast %4
      %6: b8 = ge %5, 0
      %7: b8 = lt %5, 128
      %8: b8 = and %6, %7
      if %8 {
        %9: i64 = cast %3
        %10: index = udiv %3, 128
        %11: index = mul %10, 128
        %12: index = add %11, %5
        @b2[%12] = %9
      }
    }
    "
  `);
});

test("pairs of a row are put in order, rising and falling alternately", () => {
  const [rank] = kernelsOf(ranks(128), HARDWARE);
  expect(excerpt(rank!, "= 2", "mul $0")).toMatchInlineSnapshot(`
    "  var $0: index = 2
      loop {
        %6: b8 = gt $0, 128
        break if %6
        %7: index = udiv $0, 2
        var $1: index = %7
        loop {
          %8: b8 = lt $1, 1
          break if %8
          %9: index = sub $1, 1
          for %10: index = %1 to 64 step 64 {
            %11: index = mul %10, 2
            %12: index = bitwise_and %10, %9
            %13: index = sub %11, %12
            %14: index = add %13, $1
            %15: index = load @keys[%13]
            %16: index = load @places[%13]
            %17: index = load @keys[%14]
            %18: index = load @places[%14]
            %19: index = bitwise_and %13, $0
            %20: b8 = eq %19, 0
            %21: b8 = lt %17, %15
            %22: b8 = eq %17, %15
            %23: b8 = lt %18, %16
            %24: b8 = and %22, %23
            %25: b8 = or %21, %24
            %26: b8 = eq %25, %20
            if %26 {
              @keys[%13] = %17
              @places[%13] = %18
              @keys[%14] = %15
              @places[%14] = %16
            }
          }
          barrier
          %27: index = udiv $1, 2
          $1 = %27
        }
        %28: index = mul $0, 2"
  `);
});

test("blocks of a longer row are sorted first, then each element is counted in all of them", () => {
  const [sort, count] = kernelsOf(ranks(2000), HARDWARE);
  expect(sort).toContain("@blocks: global read_write index[4096]\n");
  expect(sort).toContain("@keys: workgroup read_write index[1024]\n");
  expect(excerpt(count!, "for ", "}")).toMatchInlineSnapshot(`
    "    for %10: index = 0 to 2 step 1 {
          %11: index = add %9, %10
          %12: index = mul %11, 1024
          %13: index = mul %10, 1024
          %14: index = sub 2000, %13
          var $1: index = 0
          %15: index = min 1024, %14
          var $2: index = %15
          loop {
            %16: b8 = ge $1, $2
            break if %16
            %17: index = add $1, $2
            %18: index = udiv %17, 2
            %19: index = add %12, %18
            %20: index = mul %19, 2
            %21: index = add %20, 1
            %22: index = load @blocks[%21]
            %23: index = load @blocks[%20]
            %24: b8 = lt %23, %6
            %25: b8 = eq %23, %6
            %26: b8 = lt %22, %7
            %27: b8 = and %25, %26
            %28: b8 = or %24, %27
            if %28 {
              %29: index = add %18, 1
              $1 = %29
            } else {"
  `);
});
