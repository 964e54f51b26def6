import { symbol } from "@sconce/symbolic";
import { describe, expect, test } from "vitest";
import { bindNest } from "../ir/bind.js";
import { atom, axis, constant, divide, flatIndex, type Index, size } from "../ir/index-expr.js";
import type { LoopProgram } from "../ir/loop-program.js";
import { apply, cast, constantScalar, indexScalar, load, type Scalar, select } from "../ir/scalar.js";
import { scalarText } from "../text/scalar-text.js";
import { ProgramRanges } from "./ranges.js";

/** Programs whose nests each write one int64 tensor of 4 cells; buffer 0 is an input. */
function programOf(...values: ((i: Index) => Scalar)[]): LoopProgram {
  const i = axis("i0", constant(4));
  const buffer = (id: number) =>
    ({
      id,
      dtype: "int64",
      shape: [constant(4)],
      kind: id === 0 ? "input" : "value",
      node: `n${id}`,
    }) as const;
  return {
    buffers: [0, ...values.map((_, at) => at + 1)].map(buffer),
    nests: values.map((value, id) => ({ id, output: id + 1, axes: [i], value: value(atom(i)), nodes: [] })),
    inputs: [0],
    outputs: [],
  };
}
const OPTIONS = { input: { min: -100, max: 99 }, compute: { min: -200, max: 199 }, size: 50 };
const problems = (...values: ((i: Index) => Scalar)[]): (string | undefined)[] => {
  const program = programOf(...values);
  const ranges = new ProgramRanges(program, OPTIONS);
  return program.nests.map((nest) => ranges.problem(nest));
};
const x = (i: Index): Scalar => load(0, i, "int64");
const c = (value: number): Scalar => constantScalar(value, "int64");

describe("ranges of int64", () => {
  test("sums of two inputs fit, products do not", () => {
    expect(problems((i) => apply("add", x(i), x(i)))).toEqual([undefined]);
    expect(problems((i) => apply("mul", x(i), c(3)))[0]).toMatch(/"mul" may exceed 199/);
  });

  test("what a nest writes is known to the next", () => {
    const small = (i: Index): Scalar => apply("remainder", x(i), c(5));
    const times = (factor: number) => (i: Index) => apply("mul", load(1, i, "int64"), c(factor));
    expect(problems(small, times(49))).toEqual([undefined, undefined]);
    expect(problems(small, times(50))[1]).toBeDefined();
  });

  test("a condition narrows what is chosen by it", () => {
    const wrapped = (i: Index): Scalar => {
      const value = x(i);
      return select(apply("lt", value, c(0)), apply("add", value, c(150)), value);
    };
    expect(problems(wrapped)).toEqual([undefined]);
    expect(problems((i) => apply("add", x(i), c(150)))[0]).toBeDefined();
  });

  test("reductions count their cells; floats are cut to what fits", () => {
    const r = axis("r0", constant(150));
    const count = (body: Scalar): Scalar => ({
      kind: "reduce",
      dtype: "int64",
      reduce: "sum",
      axes: [r],
      body,
    });
    expect(problems(() => count(c(1)))).toEqual([undefined]);
    expect(problems(() => count(c(2)))[0]).toMatch(/"sum"/);
    expect(problems(() => cast(constantScalar(1e30, "float32"), "int64"))).toEqual([undefined]);
  });
});

test("binding sizes leaves numbers, and one object where one was", () => {
  const n = size(symbol("s0"));
  const [i, j] = [axis("i0", n), axis("i1", n)];
  const shared = load(0, flatIndex([atom(i), atom(j)], [n, n]), "float32");
  const value = apply("mul", shared, apply("add", shared, cast(indexScalar(divide(atom(j), n)), "float32")));
  const bound = bindNest({ id: 0, output: 1, axes: [i, j], value, nodes: [] }, new Map([["s0", 7]]));
  expect(bound.axes.map(({ extent }) => extent.text)).toEqual(["7", "7"]);
  expect(scalarText(bound.value)).toContain("i0*7");
  const product = bound.value as Extract<Scalar, { kind: "call" }>;
  expect(product.args[0]).toBe((product.args[1] as typeof product).args[0]);
});
