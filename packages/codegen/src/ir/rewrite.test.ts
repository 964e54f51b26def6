import { describe, expect, test } from "vitest";
import { add, atom, axis, constant, type Index } from "./index-expr.js";
import { Rewriter } from "./rewrite.js";
import { apply, constantScalar, type ReduceScalar, type Scalar } from "./scalar.js";
import { scalarText } from "./scalar-text.js";

const [i, r, other] = [axis("i0", constant(3)), axis("r0", constant(4)), axis("r1", constant(4))];
const load = (index: Index): Scalar => ({ kind: "load", buffer: 0, dtype: "float32", index });
const sumOver = (along: typeof r, body: Scalar, parts: Partial<ReduceScalar> = {}): ReduceScalar => ({
  kind: "reduce",
  reduce: "sum",
  dtype: "float32",
  axes: [along],
  body,
  ...parts,
});
const place = atom(axis("place", constant(4)));
const rewritten = (scalar: Scalar, axes: Readonly<Record<string, Index>>): string =>
  scalarText(new Rewriter({ axes: new Map(Object.entries(axes)) }).scalar(scalar));

describe("an axis that a reduction has by the same name is its own", () => {
  const own = sumOver(r, load(add(atom(r), atom(i))));

  test("beside the axis that is replaced", () => {
    const both = apply("add", load(atom(r)), own);
    expect(rewritten(both, { r0: place, i0: constant(2) })).toBe("(b0[place] + sum[r0 < 4](b0[r0 + 2]))");
  });

  test("in its condition, and in what it begins with", () => {
    const when = apply("gt", load(atom(r)), constantScalar(0, "float32"));
    const scalar = sumOver(r, load(atom(r)), { when, initial: load(atom(i)) });
    expect(rewritten(scalar, { r0: place, i0: place })).toBe(
      scalarText(sumOver(r, load(atom(r)), { when, initial: load(place) })),
    );
  });

  test("in reductions inside of it, and not in those beside it", () => {
    const nested = sumOver(r, apply("mul", load(atom(r)), sumOver(other, load(add(atom(r), atom(other))))));
    const beside = sumOver(other, load(add(atom(r), atom(other))));
    expect(rewritten(apply("add", nested, beside), { r0: place })).toBe(
      "(sum[r0 < 4](b0[r0] * sum[r1 < 4](b0[r0 + r1])) + sum[r1 < 4](b0[place + r1]))",
    );
  });

  test("of a scalar that stands inside and outside", () => {
    const shared = load(atom(r));
    expect(rewritten(apply("add", shared, sumOver(r, shared)), { r0: place })).toBe(
      "(b0[place] + sum[r0 < 4](b0[r0]))",
    );
  });
});
