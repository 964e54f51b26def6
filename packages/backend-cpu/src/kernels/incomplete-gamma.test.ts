import { describe, expect, test } from "vitest";
import { gammaP, gammaQ } from "./incomplete-gamma.js";

const [lower, upper] = [gammaP("float64"), gammaQ("float64")];
/** For whole `a` a finite sum: the chance of fewer than `a` events of a Poisson process. */
function wholeQ(a: number, x: number): number {
  let term = Math.exp(-x);
  let sum = term;
  for (let k = 1; k < a; k++) {
    term *= x / k;
    sum += term;
  }
  return sum;
}

describe("incomplete gamma functions", () => {
  test("of whole numbers are finite sums", () => {
    for (const [a, x] of [
      [1, 0.3],
      [3, 9],
      [21, 19],
      [50, 60],
      [100, 90],
    ] as const) {
      expect(upper(a, x) / wholeQ(a, x)).toBeCloseTo(1, 12);
      expect(lower(a, x) + upper(a, x)).toBeCloseTo(1, 14);
    }
  });

  test("of one half are error functions", () => {
    expect(lower(0.5, 1)).toBeCloseTo(0.8427007929497149, 14);
    expect(upper(0.5, 4)).toBeCloseTo(0.004677734981047265, 15);
  });

  test("meet where the method changes", () => {
    const [below, above] = [upper(1e6, 1e6 + 500), upper(1e6 + 1e-3, 1e6 + 500 + 1e-3)];
    expect(above).toBeCloseTo(below, 8);
    expect(upper(1e12, 1e12)).toBeCloseTo(0.5, 5);
  });

  test("have limits at the borders of their domain", () => {
    expect([lower(0, 1), lower(1, 0), lower(Infinity, 1), lower(1, Infinity)]).toEqual([1, 0, 0, 1]);
    expect([upper(0, 1), upper(1, 0), upper(Infinity, 1), upper(1, Infinity)]).toEqual([0, 1, 1, 0]);
    expect([lower(0, 0), lower(-1, 1), lower(1, -1), lower(Infinity, Infinity)]).toEqual(
      new Array(4).fill(Number.NaN),
    );
  });
});
