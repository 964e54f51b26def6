import { describe, expect, test } from "vitest";
import { gammaP, gammaQ } from "./incomplete-gamma.js";

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
      expect(gammaQ(a, x) / wholeQ(a, x)).toBeCloseTo(1, 12);
      expect(gammaP(a, x) + gammaQ(a, x)).toBeCloseTo(1, 14);
    }
  });

  test("of one half are error functions", () => {
    expect(gammaP(0.5, 1)).toBeCloseTo(0.8427007929497149, 14);
    expect(gammaQ(0.5, 4)).toBeCloseTo(0.004677734981047265, 15);
  });

  test("meet where the method changes", () => {
    const [below, above] = [gammaQ(1e6, 1e6 + 500), gammaQ(1e6 + 1e-3, 1e6 + 500 + 1e-3)];
    expect(above).toBeCloseTo(below, 8);
    expect(gammaQ(1e12, 1e12)).toBeCloseTo(0.5, 5);
  });

  test("have limits at the borders of their domain", () => {
    expect([gammaP(0, 1), gammaP(1, 0), gammaP(Infinity, 1), gammaP(1, Infinity)]).toEqual([1, 0, 0, 1]);
    expect([gammaQ(0, 1), gammaQ(1, 0), gammaQ(Infinity, 1), gammaQ(1, Infinity)]).toEqual([0, 1, 1, 0]);
    expect([gammaP(0, 0), gammaP(-1, 1), gammaP(1, -1), gammaP(Infinity, Infinity)]).toEqual(
      new Array(4).fill(Number.NaN),
    );
  });
});
