import { parseKernel } from "@sconce/codegen";
import { ModuleBuilder } from "@sconce/wasm";
import { expect, test } from "vitest";
import { Helpers } from "./helpers.js";
import { withNonpositive } from "./nonpositive.js";
import { constantsInPlace } from "./vector/constants.js";
import { VectorWriter } from "./vector/lines.js";
import { floats } from "./vector/math.fixture.js";
import { exp, expOfNonpositive } from "./vector/math-powers.js";

/** Rows of 8: the greatest of `first`, and sums of `exp(second - greatest)`. */
const rows = (first: string, second: string, start = "-Infinity:f32", end = 8) =>
  parseKernel(`kernel grid(4, 1, 1) size 1 {
  @b0: global read f32[32] of b0
  @b1: global read f32[32] of b1
  @b2: global read_write f32[32] of b2
  %0: index = thread 0
  %1: index = mul %0, 8
  var $0: f32 = ${start}
  for %2: index = 0 to 8 step 1 {
    %3: index = add %1, %2
    %4: f32 = load ${first}[%3]
    %5: f32 = mul %4, 2:f32
    %6: f32 = max $0, %5
    $0 = %6
  }
  for %7: index = 0 to ${end} step 1 {
    %8: index = add %1, %7
    %9: f32 = load ${second}[%8]
    %10: f32 = mul %9, 2:f32
    %11: f32 = sub %10, $0
    %12: f32 = exp %11
    @b2[%8] = %12
  }
}
`);

const isMarked = (kernel: ReturnType<typeof rows>): boolean =>
  JSON.stringify(withNonpositive(kernel)).includes('"nonpositive"');

test("what is less the greatest of all is not positive", () => {
  expect(isMarked(rows("@b0", "@b0"))).toBe(true);
  expect(isMarked(rows("@b0", "@b1"))).toBe(false);
  expect(isMarked(rows("@b2", "@b2"))).toBe(false);
  expect(isMarked(rows("@b0", "@b0", "0:f32"))).toBe(false);
  expect(isMarked(rows("@b0", "@b0", "-Infinity:f32", 9))).toBe(false);
});

test.each([false, true])("its exponential has the bits of any other, relaxed: %s", (relaxed) => {
  const module = new ModuleBuilder({ relaxed });
  const helpers = new Helpers(module, new Map());
  for (const [name, math] of [
    ["any", exp],
    ["nonpositive", expOfNonpositive],
  ] as const) {
    const index = module.func({ params: ["f32"], results: ["f32"] }, (f, x) => {
      const w = new VectorWriter(f, helpers, constantsInPlace(f));
      math(
        w,
        w.let(() => void f.get(x!).op("f32x4.splat")),
      )();
      f.lane("f32x4.extract_lane", 0);
    });
    module.exportFunction(name, index);
  }
  const bytes = module.build();
  // Engines without relaxed SIMD cannot run it.
  if (!WebAssembly.validate(bytes)) {
    expect(relaxed).toBe(true);
    return;
  }
  const { exports } = new WebAssembly.Instance(new WebAssembly.Module(bytes));
  const [any, nonpositive] = [exports["any"], exports["nonpositive"]] as ((x: number) => number)[];
  const different = (x: number): boolean => !Object.is(any!(x), nonpositive!(x));
  const numbers = [...floats(20_011)].filter((x) => x <= 0);
  expect([...numbers, 0, Number.NEGATIVE_INFINITY, Number.NaN].filter(different)).toEqual([]);
});
