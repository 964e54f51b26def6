/** @file Strides of results where inputs lie in memory otherwise than the program records. */
import { gpujsBackend } from "@sconce/backend-gpujs";
import { wasmBackend } from "@sconce/backend-wasm";
import { createSconce } from "@sconce/session";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { fixtureJson } from "./fixtures.js";

/** As `oracle/other_layouts.py` records them. */
const CASES = fixtureJson("functionalize/other-layouts.json") as readonly {
  readonly call: string;
  readonly strides: readonly number[];
  readonly values: readonly (readonly number[])[];
}[];

const session = createSconce({ backends: [wasmBackend(), gpujsBackend({ mode: "cpu" })] });

const textOf = (call: string): string => `sconce-ir 1

program "TRAINING" {
  input %x: USER_INPUT
  input %t: USER_INPUT
  input %m: USER_INPUT
  input %i: USER_INPUT
  output %r: USER_OUTPUT
}

graph(%x: f32[2, 3], %t: f32[2, 3], %m: b8[2, 3], %i: i64[1]) {
  %y = aten.mul.Tensor(%x, 1.0)
  %u = aten.mul.Tensor(%t, 1.0)
  %g = aten.gt.Scalar(%x, 2)
  %r = ${call}
  return (%r)
}
`;

const NUMBERS = [1, 2, 3, 4, 5, 6];
const inputs = (): Tensor[] => [
  Tensor.from(NUMBERS, [2, 3], "float32"),
  Tensor.from(NUMBERS, [3, 2], "float32").asStrided([2, 3], [1, 2]),
  Tensor.fromData(Uint8Array.of(1, 0, 0, 1, 1, 0), "bool", [3, 2]).asStrided([2, 3], [1, 2]),
  Tensor.fromData(BigInt64Array.of(0n), "int64", [1]),
];

test.each(CASES)("$call", async ({ call, strides, values }) => {
  const program = session.transform(session.parseIr(textOf(call)), "propagate-shapes", { record: false });
  for (const backend of ["cpu", "wasm", "gpujs"]) {
    const [result] = await (await session.compile(program, backend)).run(inputs());
    expect(result).toBeInstanceOf(Tensor);
    expect([backend, ...(result as Tensor).strides]).toEqual([backend, ...strides]);
    const got = [...(result as Tensor).contiguous().toArray()].flat().map(Number);
    const wanted = values.flat();
    expect(got.length).toBe(wanted.length);
    for (const [at, value] of wanted.entries()) expect(got[at]).toBeCloseTo(value, 5);
  }
});
