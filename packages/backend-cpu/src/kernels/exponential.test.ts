import fc from "fast-check";
import { expect, test } from "vitest";
import { expSingle, tanhSingle } from "./exponential.js";

function within(
  tolerance: number,
  got: (x: number) => number,
  want: (x: number) => number,
  most: number,
): void {
  fc.assert(
    fc.property(fc.double({ min: -most, max: most, noNaN: true }), (x) => {
      expect(Math.abs(got(x) - want(x))).toBeLessThanOrEqual(tolerance * Math.abs(want(x)));
    }),
    { seed: 1, numRuns: 2000 },
  );
}

test("the exponential is right to nine digits where float32 has room for it", () => {
  within(1e-9, expSingle, Math.exp, 109);
  expect([0, -200, 200, -Infinity, Infinity, Number.NaN].map(expSingle)).toEqual([
    1,
    0,
    Infinity,
    0,
    Infinity,
    Number.NaN,
  ]);
});

test("so is the hyperbolic tangent", () => {
  within(1e-9, tanhSingle, Math.tanh, 50);
  expect([-0, -Infinity, Infinity, Number.NaN].map(tanhSingle)).toEqual([-0, -1, 1, Number.NaN]);
});
