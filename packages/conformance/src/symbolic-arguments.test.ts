/**
 * @file Sizes and numbers of calls that are values of nodes, in programs that are lowered and run.
 */
import { createSconce } from "@sconce/session";
import { loadBackend } from "@sconce/session/backends";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";

const session = createSconce({ backends: [await loadBackend("wasm", { threads: 1 })] });

const programOf = (x: string, lines: readonly string[]): string => `sconce-ir 1
program "TRAINING" { input %x: USER_INPUT input %k: USER_INPUT output %y: USER_OUTPUT }
graph(%x: ${x}, %k: f32[s0]) {
  %n = aten.sym_size.int(%k, 0)
  ${lines.join("\n  ")}
  return (%y)
}`;

const counted = (shape: readonly number[], dtype: "float32" | "int64"): Tensor => {
  const length = shape.reduce((a, b) => a * b, 1);
  const values = Array.from({ length }, (_, i) => i % 7);
  return dtype === "int64"
    ? Tensor.from(values.map(BigInt), [...shape], dtype)
    : Tensor.from(values, [...shape], dtype);
};

/** Lines, input, and for some sizes the shape and the sum of the result, of PyTorch. */
const CALLS: readonly (readonly [
  name: string,
  shape: readonly number[],
  lines: readonly string[],
  results: readonly (readonly [size: number, shape: readonly number[], sum: number])[],
])[] = [
  [
    "resize_ to fewer elements",
    [8],
    ["%c = aten.clone.default(%x)", "%r = aten.resize_.default(%c, [%n])", "%y = aten.mul.Tensor(%r, 2)"],
    [
      [6, [6], 30],
      [2, [2], 2],
      [8, [8], 42],
    ],
  ],
  [
    "resize_ to two dimensions",
    [8],
    ["%c = aten.clone.default(%x)", "%r = aten.resize_.default(%c, [2, %n])", "%y = aten.mul.Tensor(%r, 2)"],
    [
      [3, [2, 3], 30],
      [4, [2, 4], 42],
    ],
  ],
  [
    "convolution with padding by name",
    [1, 2, 9],
    [
      "%w: f32[1, 2, 3] = aten.full.default([1, 2, 3], 1.0)",
      '%y = aten.conv1d.padding(%x, %w, none, [1], "same", [%n])',
    ],
    [
      [2, [1, 1, 9], 132],
      [3, [1, 1, 9], 119],
    ],
  ],
  [
    "sum_to_size",
    [4, 3],
    ["%s = aten.expand.default(%x, [%n, 4, 3])", "%y = aten.sum_to_size.default(%s, [%n, 1, 3])"],
    [
      [2, [2, 1, 3], 62],
      [3, [3, 1, 3], 93],
    ],
  ],
];

describe.each(CALLS)("%s", (_, shape, lines, results) => {
  const parsed = session.parseIr(programOf(`f32[${shape}]`, lines));
  // What decides about sizes without a rule for all of them.
  const symbolHints = new Map([["s0", results[0]![0]]]);
  const program = session.transform(parsed.with({ symbolHints }), "propagate-shapes");
  test.each(["cpu", "wasm"])("%s", async (backend) => {
    using executable = await session.compile(program, backend);
    for (const [size, wanted, sum] of results) {
      const [y] = (await executable.run([counted(shape, "float32"), counted([size], "float32")])) as [Tensor];
      expect(y.shape).toEqual(wanted);
      expect(y.toFloat64Array().reduce((a, b) => a + b, 0)).toBe(sum);
    }
  });
  test("lowered", async () => {
    using executable = await session.compile(session.runDecompositions(program), "cpu");
    const [size, wanted, sum] = results[0]!;
    const [y] = (await executable.run([counted(shape, "float32"), counted([size], "float32")])) as [Tensor];
    expect([y.shape, y.toFloat64Array().reduce((a, b) => a + b, 0)]).toEqual([wanted, sum]);
  });
});

test("bincount takes a symbolic least length", async () => {
  const text = programOf("i64[5]", ["%y = aten.bincount.default(%x, none, %n)"]);
  const program = session.transform(session.parseIr(text), "propagate-shapes");
  for (const backend of ["cpu", "wasm"]) {
    using executable = await session.compile(program, backend);
    const [y] = (await executable.run([counted([5], "int64"), counted([9], "float32")])) as [Tensor];
    expect(y.toArray()).toEqual([1n, 1n, 1n, 1n, 1n, 0n, 0n, 0n, 0n]);
  }
});

test("sizes that decide about a sum are refused where only the data know them", () => {
  const text = `sconce-ir 1
program "TRAINING" { input %x: USER_INPUT input %k: USER_INPUT output %y: USER_OUTPUT }
graph(%x: f32[2, 3], %k: i64[]) {
  %u = aten.item.default(%k)
  %y = aten.sum_to_size.default(%x, [%u, 3])
  return (%y)
}`;
  const program = session.transform(session.parseIr(text), "propagate-shapes");
  expect(program.graph.node("y").meta.val).toBeUndefined();
  expect(() => session.runDecompositions(program)).toThrow(
    expect.objectContaining({ code: "DATA_DEPENDENT_GUARD" }),
  );
});

test.each(["cpu", "wasm"])("%s runs calls whose sizes no value shows", async (backend) => {
  const compiled = (call: string) =>
    session.compile(
      session.transform(
        session.parseIr(`sconce-ir 1
program "TRAINING" { input %x: USER_INPUT input %k: USER_INPUT output %y: USER_OUTPUT }
graph(%x: f32[8], %k: i64[]) {
  %u = aten.item.default(%k)
  %z = aten.view.default(%x, [1, 1, 8])
  %w = aten.full.default([1, 1, 2], 1.0)
  %c = ${call}
  %y = aten.mul.Tensor(%c, 2)
  return (%y)
}`),
        "propagate-shapes",
      ),
      backend,
    );
  const number = (value: number): Tensor => Tensor.from(BigInt(value), { dtype: "int64" });
  using windows = await compiled("aten.unfold.default(%x, 0, 3, %u)");
  for (const [step, shape, sum] of [
    [1, [6, 3], 112],
    [2, [3, 3], 54],
    [5, [2, 3], 28],
    [7, [1, 3], 6],
  ] as const) {
    const [y] = (await windows.run([counted([8], "float32"), number(step)])) as [Tensor];
    expect([y.shape, y.toFloat64Array().reduce((a, b) => a + b, 0)]).toEqual([shape, sum]);
  }
  await expect(windows.run([counted([8], "float32"), number(0)])).rejects.toMatchObject({
    message: expect.stringContaining("step is 0 but must be > 0"),
  });
  using convolution = await compiled("aten.conv1d.default(%z, %w, none, [%u])");
  const [y] = (await convolution.run([counted([8], "float32"), number(3)])) as [Tensor];
  expect([...y.toFloat64Array()]).toEqual([2, 14, 12]);
  await expect(convolution.run([counted([8], "float32"), number(0)])).rejects.toMatchObject({
    message: expect.stringContaining("non-positive stride is not supported"),
  });
});
