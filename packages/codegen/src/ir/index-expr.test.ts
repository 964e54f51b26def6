/** @file Compares index arithmetic with plain numbers: simplification never changes the value. */
import { evaluateInt, type SymExpr, symbol } from "@sconce/symbolic";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  add,
  atom,
  axis,
  boundsOf,
  constant,
  coordinatesOf,
  divide,
  flatIndex,
  type Index,
  type IndexAtom,
  isWithin,
  multiply,
  remainder,
  same,
  scale,
  size,
  substituteIndex,
  subtract,
} from "./index-expr.js";

const N = symbol("s0", { integer: true, positive: true }) as SymExpr;
const M = symbol("s1", { integer: true, positive: true }) as SymExpr;
/**
 * What expressions are made of: axes of fixed and of symbolic extents, and the sizes themselves.
 */
const AXES = [
  axis("i0", constant(4)),
  axis("i1", constant(3)),
  axis("i2", size(N)),
  axis("i3", multiply(size(M), constant(2))),
] as const;

/** Values of everything that an expression may read. */
type Point = Readonly<Record<string, number>>;
const SIZES = [1, 2, 3, 5];

function valueAt(index: Index, point: Point): number {
  return index.terms.reduce(
    (total, { coefficient, atoms }) =>
      total + atoms.reduce((product, item) => product * atomAt(item, point), coefficient),
    index.constant,
  );
}
function atomAt(item: IndexAtom, point: Point): number {
  if (item.kind === "axis") return point[item.name]!;
  if (item.kind === "size") return evaluateInt(item.expr, new Map(Object.entries(point)));
  if (item.kind === "value") throw new Error("no tensors here");
  const [a, b] = [valueAt(item.numerator, point), valueAt(item.denominator, point)];
  return item.kind === "quotient" ? Math.floor(a / b) : a - Math.floor(a / b) * b;
}

/** Points within the axes: all corners, and what is drawn. */
const points: fc.Arbitrary<Point> = fc
  .tuple(fc.constantFrom(...SIZES), fc.constantFrom(...SIZES), fc.nat(), fc.nat(), fc.nat(), fc.nat())
  .map(([s0, s1, ...places]) => {
    const sizes = { s0, s1 };
    const values = AXES.map(({ name, extent }, i) => [name, places[i]! % valueAt(extent, sizes)] as const);
    return { ...sizes, ...Object.fromEntries(values) };
  });

/** An expression, and what it is by plain arithmetic. */
interface Case {
  readonly index: Index;
  readonly at: (point: Point) => number;
  readonly text: string;
}
const leaf = (index: Index): Case => ({ index, at: (point) => valueAt(index, point), text: index.text });
const leaves = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(...AXES.map((one) => leaf(atom(one)))) },
  { weight: 1, arbitrary: fc.constantFrom(leaf(size(N)), leaf(size(M))) },
  { weight: 2, arbitrary: fc.integer({ min: -7, max: 12 }).map((value) => leaf(constant(value))) },
);
/** Divisors are positive. */
const divisors: fc.Arbitrary<Case> = fc.oneof(
  fc.constantFrom(1, 2, 3, 4, 6, 12).map((value) => leaf(constant(value))),
  fc
    .constantFrom(size(N), scale(size(M), 2), multiply(size(N), size(M)), add(size(N), constant(1)))
    .map(leaf),
);
const floorOf = (a: number, b: number): number => Math.floor(a / b);

const { expression } = fc.letrec<{ expression: Case }>((tie) => {
  const two = fc.tuple(tie("expression"), tie("expression"));
  const divided = fc.tuple(tie("expression"), divisors);
  return {
    expression: fc.oneof(
      { maxDepth: 5, depthSize: "small" },
      leaves,
      two.map(([a, b]) => ({
        index: add(a.index, b.index),
        at: (point: Point) => a.at(point) + b.at(point),
        text: `(${a.text} + ${b.text})`,
      })),
      two.map(([a, b]) => ({
        index: subtract(a.index, b.index),
        at: (point: Point) => a.at(point) - b.at(point),
        text: `(${a.text} - ${b.text})`,
      })),
      fc.tuple(tie("expression"), divisors).map(([a, b]) => ({
        index: multiply(a.index, b.index),
        at: (point: Point) => a.at(point) * b.at(point),
        text: `(${a.text} * ${b.text})`,
      })),
      divided.map(([a, b]) => ({
        index: divide(a.index, b.index),
        at: (point: Point) => floorOf(a.at(point), b.at(point)),
        text: `floor(${a.text} / ${b.text})`,
      })),
      divided.map(([a, b]) => ({
        index: remainder(a.index, b.index),
        at: (point: Point) => a.at(point) - floorOf(a.at(point), b.at(point)) * b.at(point),
        text: `(${a.text} mod ${b.text})`,
      })),
    ),
  };
});

const RUNS = { numRuns: 800 };

describe("simplified index expressions", () => {
  test("have the value that plain arithmetic gives", () => {
    fc.assert(
      fc.property(expression, fc.array(points, { minLength: 8, maxLength: 8 }), (made, at) => {
        for (const point of at)
          expect(valueAt(made.index, point) + 0, `${made.text} as ${made.index.text}`).toBe(
            made.at(point) + 0,
          );
      }),
      RUNS,
    );
  });

  test("lie within their bounds, and within the bound of `isWithin`", () => {
    fc.assert(
      fc.property(
        expression,
        divisors,
        fc.array(points, { minLength: 8, maxLength: 8 }),
        (made, limit, at) => {
          const { min, max } = boundsOf(made.index);
          const within = isWithin(made.index, limit.index);
          for (const point of at) {
            const value = made.at(point);
            if (min !== undefined) expect(value, made.index.text).toBeGreaterThanOrEqual(min);
            if (max !== undefined) expect(value, made.index.text).toBeLessThanOrEqual(max);
            if (!within) continue;
            expect(value, `${made.index.text} in ${limit.text}`).toBeGreaterThanOrEqual(0);
            expect(value, `${made.index.text} in ${limit.text}`).toBeLessThan(limit.at(point));
          }
        },
      ),
      RUNS,
    );
  });

  test("keep their value when axes are replaced", () => {
    fc.assert(
      fc.property(expression, expression, points, (made, by, point) => {
        const axes = new Map([["i0", by.index]]);
        const swapped = substituteIndex(
          made.index,
          axes,
          (scalar) => scalar,
          () => "",
        );
        // The replacement stays within the axis, which simplifications rely on.
        const value = by.at(point);
        fc.pre(value >= 0 && value < 4);
        expect(valueAt(swapped, point) + 0).toBe(made.at({ ...point, i0: value }) + 0);
      }),
      RUNS,
    );
  });

  test("are equal texts only for equal values", () => {
    fc.assert(
      fc.property(expression, expression, points, (a, b, point) => {
        if (same(a.index, b.index)) expect(a.at(point) + 0).toBe(b.at(point) + 0);
      }),
      RUNS,
    );
  });
});

describe("places of a shape", () => {
  const extents = fc.array(
    fc.oneof(fc.integer({ min: 1, max: 4 }).map(constant), fc.constantFrom(size(N), size(M))),
    { minLength: 1, maxLength: 4 },
  );
  test("become coordinates and back", () => {
    fc.assert(
      fc.property(extents, points, fc.nat(), (shape, sizes, seed) => {
        const axes = shape.map((extent, d) => axis(`a${d}`, extent));
        const point: Record<string, number> = { ...sizes };
        axes.forEach(({ name, extent }, d) => {
          point[name] = Math.floor(seed / 7 ** d) % valueAt(extent, sizes);
        });
        const flat = flatIndex(axes.map(atom), shape);
        const back = coordinatesOf(flat, shape);
        const values = back.map((index) => valueAt(index, point));
        expect(values, flat.text).toEqual(axes.map(({ name }) => point[name]));
      }),
      RUNS,
    );
  });

  test("of an axis over the whole are within each extent", () => {
    fc.assert(
      fc.property(extents, points, fc.nat(), (shape, sizes, seed) => {
        const whole = shape.reduce(multiply);
        const place = axis("p", whole);
        const point = { ...sizes, p: seed % valueAt(whole, sizes) };
        let total = 0;
        coordinatesOf(atom(place), shape).forEach((index, d) => {
          const [value, extent] = [valueAt(index, point), valueAt(shape[d]!, point)];
          expect(value).toBeLessThan(extent);
          total = total * extent + value;
        });
        expect(total).toBe(point.p);
      }),
      RUNS,
    );
  });
});
