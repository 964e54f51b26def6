import { apply, constant, type Index, type LoopNest, type Scalar, select } from "@sconce/codegen";
import { expect, test } from "vitest";
import { analyzeNest } from "./analyze.js";
import { between } from "./interval.js";

const HERE: Index = constant(0);
const number = (value: number): Scalar => ({ kind: "constant", dtype: "int64", value });
const x: Scalar = { kind: "load", dtype: "int64", buffer: 0, index: HERE };
/** `x > 10 ? x - 10 : x + 3`, so many times. */
function choices(count: number): LoopNest {
  let value = x;
  for (let at = 0; at < count; at++)
    value = select(
      apply("gt", value, number(10)),
      apply("sub", value, number(10)),
      apply("add", value, number(3)),
    );
  return { id: 0, output: 1, axes: [], value, nodes: [] };
}
const integers = { low: -(2 ** 53), high: 2 ** 53, wraps: true };

/** The range of a nest, and how often a buffer was looked at. */
function analyzed(nest: LoopNest) {
  let looks = 0;
  const { range, problem } = analyzeNest(
    nest,
    () => {
      looks++;
      return between(0, 20);
    },
    integers,
  );
  return { range, problem, looks };
}

test("a condition bounds a value in each branch", () => {
  expect(analyzed(choices(1))).toMatchObject({ range: { low: 1, high: 13, nan: false }, problem: undefined });
});

test("choices that hold the choice before are not looked at twice each time", () => {
  const { range, problem, looks } = analyzed(choices(60));
  expect(problem).toBeUndefined();
  expect(range.low).toBeGreaterThan(-1000);
  expect(range.high).toBeLessThan(1000);
  expect(looks).toBeLessThan(10_000);
});
