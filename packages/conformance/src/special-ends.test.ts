/**
 * @file Special functions and distances where an argument is NaN, infinite or at a pole, and parts
 * of results that only gradients read. All values are those of PyTorch 2.14.
 */
import { evaluate } from "@sconce/backend-cpu";
import { createSconce } from "@sconce/session";
import { loadBackend } from "@sconce/session/backends";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";

const session = createSconce({
  backends: [await loadBackend("wasm", { threads: 1 }), await loadBackend("gpujs:cpu")],
});
const [NAN, INF] = [Number.NaN, Number.POSITIVE_INFINITY];
type DType = "float32" | "float64";

const call = (target: string, args: readonly unknown[]): readonly Tensor[] => {
  const result = evaluate(`aten.${target}`, args as never);
  return (Array.isArray(result) ? result : [result]) as readonly Tensor[];
};
const vector = (values: readonly number[], dtype: DType = "float64"): Tensor =>
  Tensor.from([...values], [values.length], dtype);
const numbers = (tensor: Tensor | undefined): readonly number[] => Array.from(tensor!.toFloat64Array());

/** The arguments of the tables. */
const ENDS = [NAN, INF, -INF, 0, -0, 1, -1, 0.5, -2.5, 2, 1e-30, -20, 20];
/**
 * For each function: the first argument is NaN, then infinite; the second is NaN, then infinite.
 */
const TABLES: Readonly<Record<string, readonly (readonly number[])[]>> = {
  special_zeta: [
    [NAN, NAN, INF, INF, INF, NAN, INF, NAN, NAN, NAN, NAN, INF, NAN],
    [NAN, NAN, INF, INF, INF, 1, INF, INF, INF, NAN, INF, INF, NAN],
    [NAN, NAN, NAN, NAN, NAN, INF, NAN, NAN, NAN, NAN, NAN, NAN, NAN],
    [NAN, NAN, NAN, NAN, NAN, INF, NAN, NAN, NAN, NAN, NAN, NAN, NAN],
  ],
  special_gammainc: [
    [NAN, 1, NAN, 0, 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN],
    [0, NAN, NAN, 0, 0, 0, NAN, 0, NAN, 0, 0, NAN, 0],
    [NAN, 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN],
    [1, NAN, NAN, 1, 1, 1, NAN, 1, NAN, 1, 1, NAN, 1],
  ],
  special_gammaincc: [
    [NAN, 0, NAN, 1, 1, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN],
    [1, NAN, NAN, 1, 1, 1, NAN, 1, NAN, 1, 1, NAN, 1],
    [NAN, 1, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN],
    [0, NAN, NAN, 0, 0, 0, NAN, 0, NAN, 0, 0, NAN, 0],
  ],
};

describe.each(["float32", "float64"] as const)("of %s", (dtype) => {
  test.each(Object.entries(TABLES))("%s at its ends", (name, rows) => {
    const ends = vector(ENDS, dtype);
    const all = (value: number): Tensor =>
      vector(
        ENDS.map(() => value),
        dtype,
      );
    const results = [
      [all(NAN), ends],
      [all(INF), ends],
      [ends, all(NAN)],
      [ends, all(INF)],
    ].map((args) => numbers(call(`${name}.default`, args)[0]));
    expect(results).toEqual(rows);
  });

  test.each([
    ["special_i1", -0, 0],
    ["special_i1e", -0, 0],
    ["special_i1e", -INF, -0],
    ["special_modified_bessel_i1", -0, 0],
    ["special_bessel_j1", -0, -0],
    ["special_bessel_j1", 0, 0],
    ["special_ndtri", 0.5, 0],
  ])("the sign of zero of %s(%d)", (name, x, value) => {
    expect(numbers(call(`${name}.default`, [vector([x], dtype)])[0])).toEqual([value]);
  });

  test("powers that all are too small", () => {
    const [s, q] = [vector([1e30, 1e30, 2000], dtype), vector([2, 20, 2], dtype)];
    expect(numbers(call("special_zeta.default", [s, q])[0])).toEqual([NAN, NAN, 0]);
  });

  test.each(["cpu", "wasm", "gpujs:cpu"])("distances of NaN on %s", async (backend) => {
    const type = dtype === "float32" ? "f32" : "f64";
    const norms = ["0.0", "1.0", "2.0", "3.0", "inf"];
    const lines = norms.flatMap((p, i) => [
      `%c${i} = aten.cdist.default(%x, %y, ${p})`,
      `%p${i} = aten.pdist.default(%x, ${p})`,
    ]);
    const names = norms.flatMap((_, i) => [`%c${i}`, `%p${i}`]);
    const program = session.parseIr(`sconce-ir 1
program "TRAINING" {
  input %x: USER_INPUT input %y: USER_INPUT
  ${names.map((name) => `output ${name}: USER_OUTPUT`).join(" ")}
}
graph(%x: ${type}[2, 3], %y: ${type}[1, 3]) {
  ${lines.join("\n  ")}
  return (${names.join(", ")})
}`);
    using executable = await session.compile(program, backend);
    const x = Tensor.from([NAN, 2, 5, 0, NAN, 1], [2, 3], dtype);
    const y = Tensor.from([1, 1, 1], [1, 3], dtype);
    const results = (await executable.run([x, y])).map((value) => numbers(value as Tensor));
    const unknown = [[NAN, NAN], [NAN]];
    // The greatest difference of `cdist` leaves out NaN.
    expect(results).toEqual([...unknown, ...unknown, ...unknown, ...unknown, [4, 1], [NAN]]);
  });
});

test("factors that overflow in float32", () => {
  const x = [88, 90, -90];
  const results = ["0", "1"].map((order) =>
    numbers(call(`special_modified_bessel_i${order}.default`, [vector(x, "float32")])[0]),
  );
  expect(results.map(([, ...far]) => far)).toEqual([
    [INF, INF],
    [INF, -INF],
  ]);
  expect(results[0]![0]! / 7.034e36).toBeCloseTo(1, 4);
  expect(numbers(call("special_modified_bessel_i0.default", [vector([90])])[0])[0]).toBeLessThan(INF);
});

test.each([
  [1e-30, 1e-30, 6.907755278982138e-29],
  [1e-30, 0.3, 1.4828923165773804e-30],
  [1e-30, 1.05, 7.790884781217314e-31],
  [1e-10, 1e-10, 2.244863519226507e-9],
  [1e-10, 0.49, 5.720887883186744e-11],
  [1e-5, 1e-30, 0.0006847688921913045],
  [1e-5, 0.9, 2.6018639771714824e-6],
  [0.001, 0.51, 0.0005481166906216869],
  [0.001, 3, 1.3073139801213749e-5],
  [0.1, 1.2, 0.017661159265279548],
  [0.4, 1e-30, 0.9999999999988729],
  [0.4, 1.05, 0.11150256811372287],
])("gammaincc(%d, %d) keeps its digits", (a, x, value) => {
  const [result] = numbers(call("special_gammaincc.default", [vector([a]), vector([x])])[0]);
  expect(result! / value).toBeCloseTo(1, 10);
});

describe("what `_embedding_bag` gives beside the bags", () => {
  const weight = Tensor.from([...Array(28).keys()], [7, 4], "float32");
  const [indices, offsets] = [
    Tensor.from([0, 2, 6, 6, 1, 3], [6], "int64"),
    Tensor.from([0, 2, 2, 5], [4], "int64"),
  ];
  test.each([
    [0, -1, [0, 0, 0, 0], [0, 0, 0, 0]],
    [0, 6, [0, 0, 0, 0], [0, 0, 0, 0]],
    [1, -1, [2, 0, 3, 1], [2, 0, 3, 1]],
    [1, 6, [2, 0, 1, 1], [2, 0, 1, 1]],
    [2, -1, [2, 0, 3, 1], [2, 2, 2, 2, 0, 0, 0, 0, 6, 6, 6, 6, 3, 3, 3, 3]],
  ])("in mode %d, with padding %d", (mode, padding, sizes, most) => {
    const args = [weight, indices, offsets, false, mode, false, null, false, padding];
    const [, , bagSize, maxIndices] = call("_embedding_bag.default", args);
    expect([numbers(bagSize), numbers(maxIndices)]).toEqual([sizes, most]);
  });
});
