import type { DType } from "@sconce/tensor";
import { expect, test } from "vitest";
import { BINARY, COMPARE, UNARY } from "../ir/scalar-functions.js";
import type { Element } from "./functions.js";
import { JAVASCRIPT_INLINE } from "./inline.js";
import { javaScriptFunction } from "./named-function.js";
import { roundingOf } from "./rounding.js";

const FLOATS = [0, -0, 1, -1, 0.5, -2.5, 3, 1e-30, 1e30, 3.4e38, Infinity, -Infinity, Number.NaN];
const INTEGERS = [0, 1, -1, 2, 7, -128, 127, 255, 65_535, 2 ** 31 - 1, -(2 ** 31)];
const VALUES: Readonly<Partial<Record<DType, readonly Element[]>>> = {
  float64: FLOATS,
  float32: FLOATS.map(Math.fround),
  float16: FLOATS.map(roundingOf("float16")),
  int8: INTEGERS.filter((one) => Math.abs(one) < 128),
  uint8: INTEGERS.filter((one) => one >= 0 && one < 256),
  int32: INTEGERS,
  int64: [...INTEGERS.map(BigInt), 2n ** 63n - 1n, -(2n ** 63n)],
  bool: [false, true],
};
const DTYPES = Object.keys(VALUES) as DType[];

/** The value of a text of `a` and `b`. */
const evaluated = (text: string, a: Element, b: Element): unknown =>
  new Function("a", "b", `return ${text};`)(a, b) as unknown;

test.each(DTYPES)("operations of %s are those of the functions", (dtype) => {
  let checked = 0;
  for (const op of [...UNARY, ...BINARY, ...COMPARE, "and", "or", "xor", "not", "isnan"]) {
    const isTruth = [...COMPARE, "and", "or", "xor", "not", "isnan"].includes(op as never);
    if (["and", "or", "xor", "not"].includes(op) !== (dtype === "bool") && !isComparison(op)) continue;
    const to = isTruth ? "bool" : dtype;
    const text = JAVASCRIPT_INLINE.operation(op, dtype, to, isUnary(op) ? ["a"] : ["a", "b"]);
    const call = text === undefined ? undefined : javaScriptFunction({ op, from: dtype, to });
    if (text === undefined || call === undefined) continue;
    for (const a of VALUES[dtype]!)
      for (const b of VALUES[dtype]!) {
        const want = isUnary(op) ? call(a) : call(a, b);
        expect(evaluated(text, a, b), `${op}(${String(a)}, ${String(b)}) as ${text}`).toBe(want);
        checked++;
      }
  }
  expect(checked).toBeGreaterThan(20);
});

test.each(DTYPES)("conversions of %s are those of the functions", (from) => {
  for (const to of DTYPES) {
    const text = JAVASCRIPT_INLINE.cast("a", from, to);
    const call = javaScriptFunction({ op: "cast", from, to })!;
    if (text === undefined) continue;
    for (const a of VALUES[from]!)
      expect(evaluated(text, a, a), `${String(a)} to ${to} as ${text}`).toBe(call(a));
  }
});

const isComparison = (op: string): boolean => (COMPARE as readonly string[]).includes(op);
const isUnary = (op: string): boolean =>
  (UNARY as readonly string[]).includes(op) || op === "not" || op === "isnan";
