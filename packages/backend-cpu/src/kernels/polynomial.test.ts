import { float } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { evaluate } from "../interpreter/backend.js";

const at = (name: string, x: number, n: number): number => {
  const place = Tensor.from([x], [1], "float64");
  const result = evaluate(`aten.special_${name}.n_scalar`, [place, n]) as Tensor;
  return Number(result.toArray()[0]);
};

describe("orthogonal polynomials", () => {
  test("have their values of low degree", () => {
    const x = 0.3;
    expect(at("chebyshev_polynomial_t", x, 3)).toBeCloseTo(4 * x ** 3 - 3 * x, 14);
    expect(at("chebyshev_polynomial_u", x, 2)).toBeCloseTo(4 * x * x - 1, 14);
    expect(at("chebyshev_polynomial_v", x, 2)).toBeCloseTo(4 * x * x - 2 * x - 1, 14);
    expect(at("chebyshev_polynomial_w", x, 2)).toBeCloseTo(4 * x * x + 2 * x - 1, 14);
    expect(at("shifted_chebyshev_polynomial_t", x, 2)).toBeCloseTo(8 * x * x - 8 * x + 1, 14);
    expect(at("hermite_polynomial_h", x, 3)).toBeCloseTo(8 * x ** 3 - 12 * x, 14);
    expect(at("hermite_polynomial_he", x, 3)).toBeCloseTo(x ** 3 - 3 * x, 14);
    expect(at("laguerre_polynomial_l", x, 2)).toBeCloseTo((x * x - 4 * x + 2) / 2, 14);
    expect(at("legendre_polynomial_p", x, 3)).toBeCloseTo((5 * x ** 3 - 3 * x) / 2, 14);
  });

  test("of high degree follow the angle, and the recurrence at the ends", () => {
    for (const name of ["t", "u", "v", "w"].map((kind) => `chebyshev_polynomial_${kind}`)) {
      const next = 2 * 0.7 * at(name, 0.7, 8) - at(name, 0.7, 7);
      expect(at(name, 0.7, 9)).toBeCloseTo(next, 12);
    }
    expect(at("chebyshev_polynomial_u", 1, 50)).toBe(51);
    expect(at("chebyshev_polynomial_t", -1, 51)).toBe(-1);
  });

  // Values are PyTorch's, in float32.
  test.each([
    ["chebyshev_polynomial_t", 1, 1],
    ["chebyshev_polynomial_u", 1, 2147483648],
    ["chebyshev_polynomial_v", 1, 1],
    ["chebyshev_polynomial_w", 1, 4294967296],
    ["shifted_chebyshev_polynomial_t", 0, 1],
    ["shifted_chebyshev_polynomial_u", 0, 2147483648],
    ["shifted_chebyshev_polynomial_u", 1.5, Number.NaN],
    ["shifted_chebyshev_polynomial_v", 0, 4294967296],
    ["shifted_chebyshev_polynomial_w", 0, 1],
    ["laguerre_polynomial_l", 0, 1],
    ["legendre_polynomial_p", 1, 1],
  ])("%s of degree 2147483647 at %s", (name, x, value) => {
    const places = Tensor.from([x], [1], "float32");
    const result = evaluate(`aten.special_${name}.n_scalar`, [places, 2147483647]) as Tensor;
    expect(result.toArray()).toEqual([value]);
  });

  test("of negative degree are nothing; others are cut to whole ones", () => {
    expect(at("legendre_polynomial_p", 0.3, -1)).toBe(0);
    const degree = Tensor.from([2.7], [1], "float32");
    const result = evaluate("aten.special_legendre_polynomial_p.x_scalar", [float(1), degree]) as Tensor;
    expect(result.toArray()).toEqual([1]);
  });

  test("overflow where their dtype does, and refuse halves", () => {
    const single = Tensor.from([0.01], [1], "float32");
    const result = evaluate("aten.special_hermite_polynomial_h.n_scalar", [single, 127]) as Tensor;
    expect(result.toArray()).toEqual([Number.NaN]);
    const half = Tensor.from([0.5], [1], "float16");
    expect(() => evaluate("aten.special_hermite_polynomial_h.n_scalar", [half, 2])).toThrow(
      "not implemented",
    );
  });

  test("degrees that no int64 has are negative, as PyTorch converts them", () => {
    const names = ["laguerre_polynomial_l", "legendre_polynomial_p", "shifted_chebyshev_polynomial_t"];
    for (const name of names)
      for (const degree of [2 ** 63, 1e300, Number.POSITIVE_INFINITY, Number.NaN]) {
        const [x, n] = [0.3, degree].map((value) => Tensor.from([value], [1], "float64"));
        expect((evaluate(`aten.special_${name}.default`, [x!, n!]) as Tensor).toArray()).toEqual([0]);
      }
  });
});
