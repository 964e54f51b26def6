/** Everything that an environment concludes from guards holds for all sizes that satisfy them. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import {
  add,
  asLinear,
  type BoolLike,
  eq,
  evaluate,
  floorDiv,
  ge,
  gt,
  type IntLike,
  joinCongruences,
  le,
  lt,
  mul,
  ne,
  printExpr,
  pythonMod,
  ShapeEnv,
  SymExpr,
  solveUnivariate,
  sub,
  substitute,
  symbol,
  symMax,
  symMin,
  trySolve,
  withoutDivisions,
} from "./index.js";

const NAMES = ["s77", "s17"] as const;
const [a, b] = NAMES.map((name) => symbol(name)) as [SymExpr, SymExpr];
/** Sizes up to here are tried, in all combinations. */
const MOST = 14;

const leaf = fc.oneof(
  fc.constantFrom<IntLike>(a, b),
  fc.integer({ min: 1, max: 6 }) as fc.Arbitrary<IntLike>,
);
const { expression } = fc.letrec<{ expression: IntLike }>((tie) => ({
  expression: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    leaf,
    fc
      .tuple(fc.constantFrom(add, sub, mul, symMax, symMin), tie("expression"), tie("expression"))
      .map(([op, x, y]) => op(x, y)),
    fc
      .tuple(fc.constantFrom(floorDiv, pythonMod), tie("expression"), fc.integer({ min: 1, max: 5 }))
      .map(([op, x, y]) => op(x, y)),
  ),
}));
const condition = fc
  .tuple(
    fc.constantFrom(eq, ne, lt, le, gt, ge),
    expression,
    fc.oneof(expression, fc.integer({ min: 0, max: 20 })),
  )
  .map(([op, x, y]) => op(x, y));
const hints = fc.tuple(fc.integer({ min: 2, max: MOST }), fc.integer({ min: 2, max: MOST }));

type Sizes = ReadonlyMap<string, number>;
const sizesOf = (x: number, y: number): Sizes =>
  new Map([
    [NAMES[0], x],
    [NAMES[1], y],
  ]);
const ALL: readonly Sizes[] = Array.from({ length: (MOST - 1) ** 2 }, (_, i) =>
  sizesOf(2 + (i % (MOST - 1)), 2 + Math.floor(i / (MOST - 1))),
);

/** An environment after guards, and all sizes for which the guards decide as for the example. */
function guarded(
  conditions: readonly BoolLike[],
  [x, y]: readonly [number, number],
): { readonly env: ShapeEnv; readonly allowed: readonly Sizes[] } {
  const env = new ShapeEnv({ hints: sizesOf(x, y) });
  for (const each of conditions) env.guard(each);
  const path = (sizes: Sizes): string => conditions.map((each) => evaluate(each, sizes)).join();
  const example = path(sizesOf(x, y));
  return { env, allowed: ALL.filter((sizes) => path(sizes) === example) };
}

const RUNS = { numRuns: 80, seed: 14 };

describe("after guards on random sizes", () => {
  test("a verdict holds for all sizes that take the same branches", () => {
    const verdicts = { true: 0, false: 0, undefined: 0 };
    fc.assert(
      fc.property(fc.array(condition, { maxLength: 3 }), hints, condition, (conditions, example, asked) => {
        const { env, allowed } = guarded(conditions, example);
        const verdict = env.staticallyKnown(asked);
        verdicts[`${verdict}`]++;
        if (verdict === undefined) return;
        expect(allowed.filter((sizes) => evaluate(asked, sizes) !== verdict)).toEqual([]);
      }),
      RUNS,
    );
    expect(verdicts.true).toBeGreaterThan(8);
    expect(verdicts.false).toBeGreaterThan(5);
    expect(verdicts.undefined).toBeGreaterThan(8);
  });
  test("a simplified expression has the value of the unsimplified one", () => {
    fc.assert(
      fc.property(fc.array(condition, { maxLength: 3 }), hints, expression, (conditions, example, value) => {
        const { env, allowed } = guarded(conditions, example);
        const simple = env.simplify(value);
        expect(allowed.filter((sizes) => evaluate(simple, sizes) !== evaluate(value, sizes))).toEqual([]);
      }),
      RUNS,
    );
  });
  test("values lie in their ranges, and replacements equal what they replace", () => {
    fc.assert(
      fc.property(fc.array(condition, { maxLength: 3 }), hints, expression, (conditions, example, value) => {
        const { env, allowed } = guarded(conditions, example);
        const { min, max } = env.range(value);
        const isOutside = (sizes: Sizes): boolean => {
          const size = Number(evaluate(value, sizes));
          return size < min || size > max;
        };
        expect(allowed.filter(isOutside), printExpr(value)).toEqual([]);
        const differs = (sizes: Sizes): boolean =>
          [...env.replacements].some(([name, other]) => evaluate(other, sizes) !== sizes.get(name));
        expect(allowed.filter(differs)).toEqual([]);
      }),
      RUNS,
    );
  });
});

describe("solvers", () => {
  test("a relation that is solved for a symbol holds for the same sizes", () => {
    let solved = 0;
    fc.assert(
      fc.property(condition, (relation) => {
        if (!(relation instanceof SymExpr)) return;
        const solution = trySolve(relation, a);
        if (solution === undefined) return;
        solved++;
        const isolated = relationOf(solution.op, a, solution.rhs);
        const differs = (sizes: Sizes): boolean =>
          (truthOf(isolated, sizes) ?? evaluate(relation, sizes)) !== evaluate(relation, sizes);
        expect(ALL.filter(differs)).toEqual([]);
      }),
      RUNS,
    );
    expect(solved).toBeGreaterThan(8);
  });
  test("an expression without divisions equals the original where the congruences hold", () => {
    const single = fc.tuple(
      fc.integer({ min: 1, max: 4 }),
      fc.integer({ min: -3, max: 9 }),
      fc.integer({ min: 2, max: 6 }),
      fc.integer({ min: 2, max: 40 }),
    );
    fc.assert(
      fc.property(single, ([factor, offset, divisor, hint]) => {
        const base = add(mul(factor, a), offset);
        for (const value of [floorDiv(base, divisor), pythonMod(base, divisor)]) {
          const rewritten = withoutDivisions(value, sizesOf(hint, 2));
          for (let size = 2; size < 60; size++) {
            const holds = rewritten.congruences.every(
              ({ solution: c }) => c !== undefined && size % c.modulus === c.remainder,
            );
            if (!holds) continue;
            const [after, before] = [rewritten.value, value].map((e) => evaluate(e, sizesOf(size, 2)));
            expect(after).toBeCloseTo(Number(before), 9);
          }
        }
      }),
      RUNS,
    );
  });
  test("joined congruences hold where all hold, and nowhere else", () => {
    const item = fc
      .tuple(fc.integer({ min: 1, max: 9 }), fc.nat({ max: 8 }))
      .map(([modulus, rest]) => ({ modulus, remainder: rest % modulus }));
    fc.assert(
      fc.property(fc.array(item, { minLength: 1, maxLength: 3 }), (items) => {
        const joined = joinCongruences(items);
        const isAll = (size: number): boolean =>
          items.every(({ modulus, remainder }) => size % modulus === remainder);
        const isJoined = (size: number): boolean =>
          joined !== undefined && size % joined.modulus === joined.remainder;
        const sizes = Array.from({ length: 600 }, (_, size) => size);
        expect(sizes.filter((size) => isAll(size) !== isJoined(size))).toEqual([]);
      }),
      RUNS,
    );
  });
  test("linear relations of one symbol are solved exactly", () => {
    const linear = fc.tuple(
      fc.constantFrom(lt, le, gt, ge),
      fc.integer({ min: -4, max: 4 }).filter((factor) => factor !== 0),
      fc.integer({ min: -20, max: 20 }),
    );
    fc.assert(
      fc.property(fc.array(linear, { minLength: 1, maxLength: 3 }), (parts) => {
        const relations = parts
          .map(([op, factor, bound]) => op(mul(factor, a), bound))
          .filter((relation) => relation instanceof SymExpr);
        const { min, max } = solveUnivariate(relations, a, 2);
        for (let size = 1; size < 40; size++) {
          const all = relations.every((relation) => evaluate(relation, sizesOf(size, 2)));
          expect(size >= min && size <= max).toBe(all);
        }
      }),
      RUNS,
    );
  });
});

/**
 * The truth of a relation that was solved. Its right-hand side may have fractions, which
 * substitution keeps exact. Undefined where a factor that was divided by is 0: PyTorch divides by
 * those too.
 */
function truthOf(isolated: BoolLike, sizes: Sizes): unknown {
  try {
    return substitute(isolated, sizes);
  } catch (error) {
    expect(error).toMatchObject({ code: "SYM_DIVISION_BY_ZERO" });
    return undefined;
  }
}

function relationOf(op: string, left: IntLike, right: IntLike): BoolLike {
  const build = {
    Equality: eq,
    Unequality: ne,
    StrictLessThan: lt,
    LessThan: le,
    StrictGreaterThan: gt,
    GreaterThan: ge,
  };
  return build[op as keyof typeof build](left, right);
}

test("a linear expression is read with its factor and offset", () => {
  expect(asLinear(add(mul(3, a), 4))).toEqual({ symbol: a, coefficient: 3, offset: 4 });
  expect(asLinear(mul(a, b))).toBeUndefined();
});
