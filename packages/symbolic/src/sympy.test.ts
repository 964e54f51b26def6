import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { printGuardExpr } from "./guards/print-expression.js";
import {
  expand,
  parseGuard,
  parseSrepr,
  printExpr,
  printGuard,
  type SymExpr,
  symEquals,
  toSrepr,
} from "./index.js";

interface Row {
  readonly srepr: string;
  readonly text: string;
  readonly expanded: string | null;
  readonly python: string;
  readonly guard: string;
}

const FILE = new URL("../../testing/fixtures/symbolic/expressions.json.gz", import.meta.url);
const rows = JSON.parse(gunzipSync(readFileSync(FILE)).toString()) as readonly Row[];

/** The rows for which `actual` is not what PyTorch gives. */
const differences = (
  want: (row: Row) => string | null,
  actual: (row: Row, e: SymExpr) => string,
): readonly unknown[] =>
  rows.flatMap((row) => {
    const expected = want(row);
    const got = actual(row, parseSrepr(row.srepr) as SymExpr);
    return expected === null || expected === got ? [] : [{ srepr: row.srepr, expected, got }];
  });

describe("agreement with PyTorch's sympy on random expressions", () => {
  test("annotations", () => {
    expect(
      differences(
        (row) => row.text,
        (_, e) => printExpr(e),
      ),
    ).toEqual([]);
  });
  test("srepr text", () => {
    expect(
      differences(
        (row) => row.srepr,
        (_, e) => toSrepr(e),
      ),
    ).toEqual([]);
  });
  test("expansion", () => {
    expect(
      differences(
        (row) => row.expanded,
        (_, e) => printExpr(expand(e)),
      ),
    ).toEqual([]);
  });
  test("guards as written", () => {
    expect(
      differences(
        (row) => row.python,
        (_, e) => printGuardExpr(e, (name) => name) ?? "",
      ),
    ).toEqual([]);
  });
  test("normalized guards", () => {
    expect(
      differences(
        (row) => row.guard,
        (row) => printGuard(parseGuard(row.python)),
      ),
    ).toEqual([]);
  });
  test("reading back what was written", () => {
    for (const { srepr } of rows)
      expect(symEquals(parseSrepr(toSrepr(parseSrepr(srepr))), parseSrepr(srepr))).toBe(true);
  });
});
