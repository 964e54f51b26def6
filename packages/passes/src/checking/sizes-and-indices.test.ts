/**
 * @file Wrong rules that show at some sizes and indices only: ends of ranges, literals, rows far
 * down a table.
 */
import type { ExportedProgram } from "@sconce/ir";
import { describe, expect, test } from "vitest";
import { bisect } from "../bisect/bisect.js";
import { checkPasses } from "../bisect/check-passes.js";
import { programOf } from "../programs.fixture.js";
import { owned, rule, rules } from "./planted.fixture.js";

const RANGE = { rangeConstraints: new Map([["s0", { min: 2, max: 64 }]]), symbolHints: new Map([["s0", 4]]) };
const ROUGH = { changesNumbers: { rtol: 1e-3, atol: 1e-3 } };

const dynamic = (text: string, range = RANGE): ExportedProgram => programOf(text).with(range);

const SUM = dynamic(`graph(%x: f32[s0, 4]) {
  %m: f32[4] = aten.sum.dim_IntList(%x, [0])
  %o: f32[4] = aten.sin.default(%m)
  return (%o)
}`);

/** `sin` of the sum of the first rows. */
const firstRows = (count: number) =>
  rule(
    "first-rows",
    "aten.sin.default(aten.sum.dim_IntList($x, [0]))",
    `aten.cos.default(aten.sub.Tensor(aten.sum.dim_IntList(aten.slice.Tensor($x, 0, 0, ${count}), [0]), 1.5707963267948966))`,
    ROUGH,
  );

const culpritOf = (program: ExportedProgram, wrong: Parameters<typeof rules>[1]) =>
  bisect(program, [rules("bad", wrong)], owned, { maxTries: 20 }).culprit;

describe("a rule that is right for small sizes", () => {
  test.each([4, 8, 16, 32, 48, 63])("up to %i of 64", (count) => {
    const culprit = culpritOf(SUM, firstRows(count));
    expect([culprit?.kind, culprit?.pass, culprit?.rewrite?.rule]).toEqual(["numbers", "bad", "first-rows"]);
  });

  test.each([64, 100])("up to %i of 64 is right", (count) => {
    expect(culpritOf(SUM, firstRows(count))).toBeUndefined();
  });

  test("in a range without an end: the literal is tried", () => {
    const range = {
      ...RANGE,
      rangeConstraints: new Map([["s0", { min: 2, max: Number.POSITIVE_INFINITY }]]),
    };
    expect(culpritOf(SUM.with(range), firstRows(5000))?.kind).toBe("numbers");
  });

  test("named by a size that is twice the symbol", () => {
    const program = dynamic(`graph(%x: f32[2*s0, 4]) {
  %m: f32[4] = aten.sum.dim_IntList(%x, [0])
  %o: f32[4] = aten.sin.default(%m)
  return (%o)
}`);
    expect(culpritOf(program, firstRows(126))?.kind).toBe("numbers");
    expect(culpritOf(program, firstRows(128))).toBeUndefined();
  });

  test("sizes that the range leaves out are not tried", () => {
    const range = { ...RANGE, rangeConstraints: new Map([["s0", { min: 2, max: 16 }]]) };
    expect(culpritOf(SUM.with(range), firstRows(16))).toBeUndefined();
  });

  test("at sizes that are affordable only", () => {
    const program = dynamic(
      `graph(%x: f32[s0, 512]) {
  %m: f32[512] = aten.sum.dim_IntList(%x, [0])
  %o: f32[512] = aten.sin.default(%m)
  return (%o)
}`,
      { ...RANGE, rangeConstraints: new Map([["s0", { min: 2, max: 1_000_000_000 }]]) },
    );
    const { reports } = checkPasses(program, [rules("right", firstRows(1_000_000_000))], owned);
    expect(reports[0]?.coverage?.checkedRegions).toBe(1);
  });
});

const narrowed = (dtype: string) =>
  rule(
    "narrow-index",
    "aten.embedding.default($w, $i)",
    `aten.index.Tensor($w, [aten._to_copy.default(aten._to_copy.default($i, dtype=${dtype}), dtype=int64)])`,
  );

/** A lookup in a table of rows, by indices that a remainder gives. */
const lookup = (rows: number, count: number, type = `f32[${rows}, 2]`): ExportedProgram =>
  programOf(`graph(%w: ${type}, %i: i64[${count}]) {
  %r: i64[${count}] = aten.remainder.Scalar(%i, ${rows})
  %m: f32[${count}, 2] = aten.embedding.default(%w, %r)
  %o: f32[${count}, 2] = aten.sin.default(%m)
  return (%o)
}`);

describe("an index of too few bits", () => {
  test.each([
    ["int8", 129, 8],
    ["int8", 200, 8],
    ["int8", 200, 1],
    ["uint8", 300, 300],
    ["uint8", 257, 2],
    ["int8", 5000, 8],
    ["int16", 40_000, 8],
  ])("%s for %i rows, %i indices", (dtype, rows, count) => {
    const culprit = culpritOf(lookup(rows, count), narrowed(dtype));
    expect([culprit?.kind, culprit?.rewrite?.rule]).toEqual(["numbers", "narrow-index"]);
  });

  test.each([
    ["int8", 128],
    ["uint8", 256],
    ["int16", 300],
  ])("%s for %i rows is enough", (dtype, rows) => {
    expect(culpritOf(lookup(rows, 8), narrowed(dtype))).toBeUndefined();
  });

  test("of a gather through a view", () => {
    const program = programOf(`graph(%x: f32[200], %i: i64[2, 4]) {
  %r: i64[2, 4] = aten.remainder.Scalar(%i, 200)
  %v: i64[8] = aten.view.default(%r, [8])
  %m: f32[8] = aten.gather.default(%x, 0, %v)
  return (%m)
}`);
    const narrow = rule(
      "narrow-gather",
      "aten.gather.default($x, 0, aten.view.default($i, [8]))",
      "aten.index_select.default($x, 0, aten._to_copy.default(aten._to_copy.default(aten.view.default($i, [8]), dtype=int8), dtype=int64))",
    );
    expect(culpritOf(program, narrow)?.rewrite?.rule).toBe("narrow-gather");
  });
});
