import { describe, expect, test } from "vitest";
import { AlwaysComputed, fitsInto } from "./always.js";
import { axis, constant, ONE } from "./index-expr.js";
import { apply, constantScalar, load, type ReduceScalar, type Scalar, select } from "./scalar.js";

const x = load(0, ONE, "float32");
const zero = constantScalar(0, "float32");
const isPositive = apply("gt", x, zero);
const LIMITS = { values: 1000, choices: 64, nested: 12 };

describe("what an expression always computes", () => {
  const always = new AlwaysComputed();
  const product = apply("mul", x, x);

  test("both branches of a choice, not one of them", () => {
    const choice = select(isPositive, apply("neg", product), apply("add", product, x));
    expect([...always.of(choice)]).toEqual([x, zero, isPositive, product, choice]);
    const one = select(isPositive, product, zero);
    expect(always.of(one).has(product)).toBe(false);
  });

  test("nothing inside a reduction, which may have no elements", () => {
    const reduce: ReduceScalar = {
      kind: "reduce",
      dtype: "float32",
      reduce: "sum",
      axes: [axis("r0", constant(4))],
      body: product,
    };
    expect([...always.of(apply("neg", reduce))]).toHaveLength(2);
  });
});

describe("the size of code", () => {
  const chain = (count: number, step: (value: Scalar) => Scalar): Scalar =>
    Array.from({ length: count }).reduce<Scalar>(step, x);

  test("a value that is read twice counts once", () => {
    const squares = chain(500, (value) => apply("mul", value, value));
    expect(fitsInto(squares, LIMITS)).toBe(true);
    expect(fitsInto(squares, { ...LIMITS, values: 400 })).toBe(false);
  });

  test("what only some branches compute counts in each of them", () => {
    // Each value is in one branch of two choices, so that neither is computed before the other.
    const halves = (value: Scalar): Scalar =>
      apply(
        "add",
        select(apply("gt", x, zero), apply("neg", value), zero),
        select(apply("lt", x, zero), apply("abs", value), zero),
      );
    expect(fitsInto(chain(4, halves), LIMITS)).toBe(true);
    expect(fitsInto(chain(9, halves), { ...LIMITS, choices: 10_000 })).toBe(false);
  });

  test("choices, and how deep they are nested", () => {
    const nested = chain(8, (value) => select(apply("gt", x, value), value, zero));
    expect(fitsInto(nested, LIMITS)).toBe(true);
    expect(fitsInto(nested, { ...LIMITS, choices: 7 })).toBe(false);
    const deep = chain(20, (value) => select(isPositive, apply("neg", value), zero));
    expect(fitsInto(deep, LIMITS)).toBe(false);
  });
});
