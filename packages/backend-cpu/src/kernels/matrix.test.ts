import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  adjoint,
  copyOf,
  identity,
  type Matrix,
  multiply,
  resized,
  scale,
  transposed,
  triangle,
  zeros,
} from "./matrix.js";
import { generalEigenpairs } from "./matrix-eig.js";
import { eigenpairs } from "./matrix-eigh.js";
import { exponential } from "./matrix-exponential.js";
import { applyReflections, factorQR, formQ, mirrorLower } from "./matrix-householder.js";
import { factorLDL, solveLDL } from "./matrix-ldl.js";
import { factorCholesky, factorLU, permuteRows, solveFactored } from "./matrix-lu.js";
import { singularValues } from "./matrix-svd.js";

const EPSILON = 2 ** -52;
/** Zeros and equal numbers are frequent, so that deficient matrices and ties are met. */
const element = fc.oneof(
  fc.constantFrom(0, 1, -1, 2),
  fc.double({ min: -4, max: 4, noNaN: true }).map((x) => Math.round(x * 64) / 64),
);
const side = fc.integer({ min: 0, max: 9 });

const matrixOf = (rows: number, columns: number, complex: boolean): fc.Arbitrary<Matrix> => {
  const list = fc.array(element, { minLength: rows * columns, maxLength: rows * columns });
  return fc.tuple(list, list).map(([re, im]) => ({
    rows,
    columns,
    re: Float64Array.from(re),
    im: complex ? Float64Array.from(im) : undefined,
  }));
};
const anyMatrix = fc.tuple(side, side, fc.boolean()).chain(([r, c, complex]) => matrixOf(r, c, complex));
const squareMatrix = fc.tuple(side, fc.boolean()).chain(([n, complex]) => matrixOf(n, n, complex));
/** Long enough for blocks to split and for all kinds of steps. */
const largeMatrix = fc
  .tuple(fc.integer({ min: 20, max: 32 }), fc.boolean())
  .chain(([n, complex]) => matrixOf(n, n, complex));

/** The largest difference of elements. */
function distance(a: Matrix, b: Matrix): number {
  expect([b.rows, b.columns]).toEqual([a.rows, a.columns]);
  return a.re.reduce((most, x, p) => {
    const size = Math.hypot(x - b.re[p]!, (a.im?.[p] ?? 0) - (b.im?.[p] ?? 0));
    return size <= most ? most : size;
  }, 0);
}

function diagonal(values: ArrayLike<number>): Matrix {
  const result = zeros(values.length, values.length, false);
  for (let k = 0; k < values.length; k++) result.re[k * (values.length + 1)] = values[k]!;
  return result;
}

function hermitian(matrix: Matrix): Matrix {
  const result = copyOf(matrix);
  mirrorLower(result);
  return result;
}

const expectOrthonormal = (q: Matrix): void =>
  expect(distance(multiply(adjoint(q), q), identity(q.columns, q.columns, false))).toBeLessThan(1e-12);
const check = <T>(arbitrary: fc.Arbitrary<T>, property: (value: T) => void, numRuns = 100): void =>
  fc.assert(fc.property(arbitrary, property), { numRuns });

describe("factors multiply to the matrix", () => {
  test("LU", () => {
    check(anyMatrix, (a) => {
      const lu = copyOf(a);
      const { pivots } = factorLU(lu);
      const count = Math.min(a.rows, a.columns);
      const lower = triangle(resized(lu, a.rows, count), "lower", -1);
      for (let k = 0; k < count; k++) lower.re[k * a.rows + k] = 1;
      const product = multiply(lower, triangle(resized(lu, count, a.columns), "upper"));
      permuteRows(product, pivots, true);
      expect(distance(product, a)).toBeLessThan(1e-11);
    });
  });

  test("QR", () => {
    check(anyMatrix, (a) => {
      const work = copyOf(a);
      const factors = factorQR(work);
      const q = formQ(factors, a.rows);
      expectOrthonormal(q);
      expect(distance(multiply(q, triangle(work, "upper")), a)).toBeLessThan(1e-12);
      const turned = copyOf(a);
      applyReflections(factors, turned, true, true);
      expect(distance(turned, triangle(work, "upper"))).toBeLessThan(1e-12);
      const other = adjoint(a);
      applyReflections(factors, other, false, false);
      expect(distance(other, multiply(adjoint(a), q))).toBeLessThan(1e-12);
    });
  });

  test("Cholesky", () => {
    check(squareMatrix, (a) => {
      const positive = multiply(a, adjoint(a));
      for (let k = 0; k < a.rows; k++) positive.re[k * (a.rows + 1)]! += 1;
      const lower = copyOf(positive);
      expect(factorCholesky(lower)).toBe(0);
      expect(distance(multiply(lower, adjoint(lower)), positive)).toBeLessThan(1e-10);
    });
  });

  test.each([squareMatrix, largeMatrix])("eigenvalues of Hermitian matrices", (arbitrary) => {
    check(
      fc.tuple(arbitrary, fc.boolean()),
      ([matrix, upper]) => {
        const a = hermitian(matrix);
        const { values, vectors, code } = eigenpairs(
          upper ? triangle(a, "upper") : triangle(a, "lower"),
          upper,
          EPSILON,
          true,
        );
        expect(code).toBe(0);
        expectOrthonormal(vectors!);
        expect([...values]).toEqual([...values].sort((x, y) => x - y));
        expect(distance(multiply(a, vectors!), multiply(vectors!, diagonal(values)))).toBeLessThan(1e-11);
        const alone = eigenpairs(copyOf(a), upper, EPSILON, false).values;
        expect(Math.max(0, ...values.map((value, k) => Math.abs(value - alone[k]!)))).toBeLessThan(1e-11);
      },
      40,
    );
  });

  test.each([anyMatrix, largeMatrix])("singular values", (arbitrary) => {
    check(
      fc.tuple(arbitrary, fc.constantFrom("full" as const, "reduced" as const)),
      ([a, wanted]) => {
        const { values, u, v, code } = singularValues(copyOf(a), EPSILON, wanted);
        expect(code).toBe(0);
        expectOrthonormal(u!);
        expectOrthonormal(v!);
        expect([...values]).toEqual([...values].map(Math.abs).sort((x, y) => y - x));
        const middle = resized(diagonal(values), u!.columns, v!.columns);
        expect(distance(multiply(multiply(u!, middle), adjoint(v!)), a)).toBeLessThan(1e-11);
      },
      60,
    );
  });

  test.each([squareMatrix, largeMatrix])("eigenvalues of any square matrix", (arbitrary) => {
    check(
      arbitrary,
      (a) => {
        const { values, vectors, code } = generalEigenpairs(copyOf(a), EPSILON);
        expect(code).toBe(0);
        const scaled = copyOf(vectors);
        for (let k = 0; k < a.rows; k++) scale(a.rows, values.re[k]!, values.im![k]!, scaled, k * a.rows, 1);
        expect(
          distance(multiply({ ...a, im: a.im ?? new Float64Array(a.re.length) }, vectors), scaled),
        ).toBeLessThan(1e-10);
        for (let k = 0; k < a.rows; k++) {
          const size = Math.hypot(
            ...vectors.re.slice(k * a.rows, (k + 1) * a.rows),
            ...vectors.im!.slice(k * a.rows, (k + 1) * a.rows),
          );
          expect(size).toBeCloseTo(1, 12);
        }
      },
      60,
    );
  });
});

describe("solutions", () => {
  /** Far from singular: the diagonal outweighs the rest. */
  const dominant = fc.tuple(squareMatrix, fc.boolean()).chain(([a]) => {
    const strong = copyOf(a);
    for (let k = 0; k < a.rows; k++) strong.re[k * (a.rows + 1)]! += k % 2 === 0 ? 60 : -60;
    return fc.tuple(fc.constant(strong), matrixOf(a.rows, 2, a.im !== undefined));
  });

  test("of factored systems", () => {
    check(dominant, ([a, x]) => {
      const [b, c] = [multiply(a, x), multiply(adjoint(a), x)];
      const lu = copyOf(a);
      const { pivots } = factorLU(lu);
      solveFactored(lu, pivots, b);
      solveFactored(lu, pivots, c, true);
      expect(distance(b, x)).toBeLessThan(1e-12);
      expect(distance(c, x)).toBeLessThan(1e-12);
    });
  });

  test("of symmetric and Hermitian systems, blocks of two rows included", () => {
    check(fc.tuple(dominant, fc.boolean(), fc.boolean()), ([[matrix, x], conjugate, hollow]) => {
      const a = hermitian(matrix);
      const symmetric = conjugate
        ? a
        : {
            ...a,
            im:
              a.im &&
              triangle(a, "lower").im!.map((y, p) => y || (transposed(triangle(a, "lower")).im![p] ?? 0)),
          };
      // Without a diagonal no single row can be a pivot; the identity beside it keeps the matrix
      // regular.
      if (hollow)
        for (let k = 0; k + 1 < a.rows; k += 2) {
          for (const p of [k, k + 1]) symmetric.re[p * (a.rows + 1)] = 0;
          symmetric.re[k * a.rows + k + 1] = symmetric.re[(k + 1) * a.rows + k] = 60;
        }
      const b = multiply(symmetric, x);
      const factors = triangle(symmetric, "lower");
      const { pivots } = factorLDL(factors, conjugate);
      solveLDL(factors, pivots, b, conjugate);
      expect(distance(b, x)).toBeLessThan(1e-11);
    });
  });
});

test("the exponential of the negative matrix is the inverse", () => {
  check(squareMatrix, (a) => {
    scale(a.re.length, 0.25, 0, a, 0, 1);
    const negative = copyOf(a);
    scale(a.re.length, -1, 0, negative, 0, 1);
    const [one, two] = [exponential(a), exponential(negative)];
    const size = [...one.re, ...two.re].reduce((most, x) => Math.max(most, Math.abs(x)), 1);
    expect(distance(multiply(one, two), identity(a.rows, a.rows, false))).toBeLessThan(
      1e-13 * size * size * 10,
    );
  });
});
