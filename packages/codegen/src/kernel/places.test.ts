import { expect, test } from "vitest";
import type { KernelValue } from "./kernel.js";
import { parseKernel } from "./parse.js";
import { placesOf } from "./places.js";

test("places of values: expressions pass on theirs, loops read what is outside of them often", () => {
  const { body } = parseKernel(`kernel grid(1, 1, 1) size 1 {
    @b0: global read f32[64] of b0
    @out: global write f32[64]
    %0: f32 = load @b0[0]
    %1: index = cast %0
    %2: index = add %1, 1
    %3: f32 = load @b0[%1]
    %4: f32 = load @b0[%2]
    %5: f32 = add %3, %4
    %6: f32 = neg %5
    var $0: f32 = 0:f32
    for %7: index = 0 to 4 step 1 {
      %8: f32 = load @b0[%7]
      %9: f32 = mul %8, %5
      $0 = %9
    }
    @out[0] = $0
  }`);
  const places = placesOf(body, ({ type }) => type === "index");
  const made = (at: number): KernelValue => (body[at] as { readonly value: KernelValue }).value;
  const counts = [0, 1, 2, 3, 4, 5, 6].map((at) => places.get(made(at)));
  // The first is in the texts of both places that are read from it.
  expect(counts).toEqual([2, 2, 1, 1, 1, Number.POSITIVE_INFINITY, 0]);
});
