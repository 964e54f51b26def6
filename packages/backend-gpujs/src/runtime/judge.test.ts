import { atom, type Index, type Scalar } from "@sconce/codegen";
import { between, judge, type Range } from "@sconce/device-runtime";
import { expect, test } from "vitest";
import { FLOAT_INTEGERS } from "../emit/dialect.js";
import { call, elementProgram, fixed, load } from "../webgpu/device.fixture.js";
import { WGSL_INTEGERS } from "../webgpu/support.js";

const INPUT = { dtype: "int64", numel: 4 } as const;
const problem = (
  value: (i: Index) => Scalar,
  range: Range,
  integers = WGSL_INTEGERS,
  dtype: "int64" | "int32" = "int64",
): string | undefined => {
  const program = elementProgram([{ ...INPUT, dtype }], 4, dtype, value);
  return judge(program.nests, program, new Map([[0, range]]), integers)
    .problems.values()
    .next().value;
};
const square = (dtype: "int64" | "int32") => (i: Index) =>
  call("mul", dtype, load(0, i, dtype), load(0, i, dtype));

test("devices differ in the integers that they compute with", () => {
  const range = between(-5000, 5000);
  expect(problem(square("int64"), range)).toBeUndefined();
  expect(problem(square("int64"), range, FLOAT_INTEGERS)).toMatch(/beyond 2\^24/);
  expect(problem(square("int64"), between(0, 50_000))).toMatch(/beyond 2\^31/);
});

test("int32 may wrap where it wraps as it should", () => {
  expect(problem(square("int32"), between(0, 50_000), WGSL_INTEGERS, "int32")).toBeUndefined();
  expect(problem(square("int32"), between(0, 50_000), FLOAT_INTEGERS, "int32")).toBeDefined();
});

test("what a condition rules out is left out of account", () => {
  const index = (i: Index): Scalar => ({ kind: "index", dtype: "int64", index: atom(i.terms[0]!.atoms[0]!) });
  const wrapped = (i: Index): Scalar => {
    const at = index(i);
    return {
      kind: "select",
      dtype: "int64",
      condition: call("lt", "bool", at, fixed(0, "int64")),
      // biome-ignore lint/suspicious/noThenProperty: the name that loop IR gives it
      then: call("add", "int64", at, fixed(2 ** 31 - 1, "int64")),
      otherwise: at,
    };
  };
  expect(problem(wrapped, between(0, 0))).toBeUndefined();
});
