/** @file Kernels in JavaScript: elements of every dtype in memory, and kernels with own memory. */
import type { ExportedProgram } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { type DType, Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { compareScript } from "./built-programs.fixture.js";

const NUMBERS = [3, -1, 0, 2, 100, -7, 5, 5, 1, -2, 4, 9];
const DTYPES: Readonly<Record<string, DType>> = {
  f16: "float16",
  bf16: "bfloat16",
  f32: "float32",
  f64: "float64",
  c64: "complex64",
  i8: "int8",
  u8: "uint8",
  i16: "int16",
  i32: "int32",
  i64: "int64",
  b8: "bool",
};

/** A program of one tensor `[3, 4]`, or of a dynamic count of rows. */
const programOf = (dtype: string, rows: string, type: string, call: string): ExportedProgram =>
  parseIr(`program "ATEN" {
${rows === "s0" ? '  range "s0" [2, 9]\n  hint "s0" 3\n' : ""}  input %x: USER_INPUT
  output %y: USER_OUTPUT
  call "" ((*), {}) -> {"y": *} names ["x"]
}
graph(%x: ${dtype}[${rows}, 4]) {
  %y: ${type} = ${call}
  return (%y)
}
`);

/** Compares a program with the interpreter; whether it was built. */
async function compared(dtype: string, program: ExportedProgram): Promise<boolean> {
  const values =
    dtype === "b8"
      ? NUMBERS.map((one) => one > 0)
      : NUMBERS.map((one) => (dtype === "u8" ? Math.abs(one) : one));
  const rows = [0, 1, 2].map((row) => values.slice(row * 4, row * 4 + 4));
  const x = Tensor.from(rows as number[][], { dtype: DTYPES[dtype]! });
  const rule = { tolerance: { rtol: 1e-6, atol: 0 }, compare_values: true };
  const { differences, refused } = await compareScript(program, [[x]], rule);
  expect(differences, `${dtype}: ${String(program.graph)}`).toEqual([]);
  return refused === undefined;
}

test.each(Object.keys(DTYPES))("elements of %s are read, computed and written", async (dtype) => {
  const own = `${dtype}[3, 4]`;
  const calls: [string, string][] = [
    [own, "aten.clone.default(%x)"],
    [`${dtype}[4, 3]`, "aten.permute.default(%x, [1, 0])"],
    [own, "aten.roll.default(%x, [1], [1])"],
    ["b8[3, 4]", "aten.eq.Tensor(%x, %x)"],
    ["f32[3, 4]", "aten._to_copy.default(%x, dtype=float32)"],
    ["i64[3, 4]", "aten._to_copy.default(%x, dtype=int64)"],
    ["b8[3, 4]", "aten.logical_not.default(%x)"],
  ];
  if (dtype !== "b8")
    calls.push(
      [own, "aten.add.Tensor(%x, %x)"],
      [own, "aten.mul.Tensor(%x, %x)"],
      [own, "aten.neg.default(%x)"],
    );
  if (dtype !== "b8" && dtype !== "c64")
    calls.push(
      [own, "aten.maximum.default(%x, %x)"],
      [own, "aten.sign.default(%x)"],
      [`${dtype}[3]`, "aten.amax.default(%x, [1])"],
      [own, "aten.relu.default(%x)"],
    );
  let built = 0;
  for (const [type, call] of calls) {
    const isReal = !(dtype === "c64" && /_to_copy/.test(call));
    if (isReal && (await compared(dtype, programOf(dtype, "3", type, call)))) built++;
  }
  expect(built).toBeGreaterThanOrEqual(5);
});

test.each(["f32", "f64", "f16", "i32", "i64"])("rows of %s are sorted and added up", async (dtype) => {
  const own = `${dtype}[3, 4]`;
  const sum = dtype.startsWith("i") ? "i64" : dtype;
  const calls: [string, string][] = [
    ["i64[3, 4]", "aten.argsort.stable(%x, stable=true, dim=1)"],
    [`${sum}[3, 4]`, "aten.cumsum.default(%x, 1)"],
    [`${sum}[3]`, "aten.sum.dim_IntList(%x, [1])"],
    ["i64[3]", "aten.argmax.default(%x, 1)"],
    [own, "aten.flip.default(%x, [0, 1])"],
  ];
  let built = 0;
  for (const [type, call] of calls) if (await compared(dtype, programOf(dtype, "3", type, call))) built++;
  expect(built).toBeGreaterThanOrEqual(4);
});

test("kernels for all sizes get those of the call", async () => {
  for (const [type, call] of [
    ["f32[s0, 4]", "aten._softmax.default(%x, 1, false)"],
    ["f32[s0]", "aten.sum.dim_IntList(%x, [1])"],
    ["f32[4, s0]", "aten.permute.default(%x, [1, 0])"],
    ["f32[s0, 8]", "aten.cat.default([%x, %x], 1)"],
    ["f32[s0, 4]", "aten.cumsum.default(%x, 0)"],
  ] as const)
    expect(await compared("f32", programOf("f32", "s0", type, call))).toBe(true);
});
