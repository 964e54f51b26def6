import { forEachStatement, type KernelOperand, parseKernel, printKernel } from "@sconce/codegen";
import { expect, test } from "vitest";
import { knownPlaces, withOffsets } from "./offsets.js";

const kernel = parseKernel(`kernel grid(4, 1, 1) size 1 {
  @b0: global read f32[64] of b0
  @b1: global write f32[64] of b1
  %0: index = thread 0
  %1: index = mul %0, 16
  for %2: index = 0 to 16 step 8 {
    %3: index = add %1, %2
    %4: f32x4 = load @b0[%3]
    @b1[%3] = %4
    %5: index = add %2, 4
    %6: index = add %1, %5
    %7: f32x4 = load @b0[%6]
    @b1[%6] = %7
    %8: index = mul %2, -1
    %9: index = add %8, 60
    %10: f32x4 = load @b0[%9]
    @b1[%6] = %10
  }
}
`);

test("known numbers are added last, to places that are not less than zero", () => {
  const made = withOffsets(kernel);
  expect(printKernel(made)).toContain(`    %5: index = add %3, 4
    %6: f32x4 = load @b0[%5]`);
  const placeOf = knownPlaces(made.body);
  const places: KernelOperand[] = [];
  forEachStatement(made.body, (one) => {
    if (one.kind === "load") places.push(one.at);
  });
  const [first, second, last] = places as [KernelOperand, KernelOperand, KernelOperand];
  expect([first, second, last].map(placeOf)).toEqual([
    { from: first, known: 0 },
    { from: first, known: 4 },
    { from: last, known: 0 },
  ]);
});
