import { atom, constant, type Index, type Scalar } from "@sconce/codegen";
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

test("comparisons of floats bound the places that the floats become", () => {
  const input = [{ dtype: "float32", numel: 4 }] as const;
  const picked = (least: "ge" | "ne", most: "lt" | "le") => (i: Index) => {
    const x = load(0, i, "float32");
    const place: Scalar = { kind: "cast", dtype: "int64", value: x };
    const bound = constant(4);
    const then = load(0, atom({ kind: "value", scalar: place, key: "place", bound }), "float32");
    const condition = call(
      "and",
      "bool",
      call(least, "bool", x, fixed(0, "float32")),
      call(most, "bool", x, fixed(4, "float32")),
    );
    return { kind: "select", dtype: "float32", condition, then, otherwise: x } satisfies Scalar;
  };
  const problemOf = (value: (i: Index) => Scalar): string | undefined => {
    const program = elementProgram(input, 4, "float32", value);
    return judge(program.nests, program, new Map(), FLOAT_INTEGERS).problems.values().next().value;
  };
  expect(problemOf(picked("ge", "lt"))).toBeUndefined();
  expect(problemOf(picked("ge", "le"))).toMatch(/outside/);
  expect(problemOf(picked("ne", "lt"))).toBeDefined();
});
