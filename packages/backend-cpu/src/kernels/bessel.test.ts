import { expect, test } from "vitest";
import { besselK } from "./bessel.js";

test("K1 near 0 is the reciprocal", () => {
  expect(besselK(1, 1e-300)).toBeCloseTo(1e300, -285);
  expect(besselK(1, 1e-320)).toBe(Number.POSITIVE_INFINITY);
  // The last values from the integral, and the first from the reciprocal, meet.
  expect(besselK(1, 1.01e-100) / besselK(1, 0.99e-100)).toBeCloseTo(0.99 / 1.01, 12);
});
