import { cpuBackend } from "@sconce/backend-cpu";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { backendSpec } from "@sconce/testing/vitest";
import { expect, test } from "vitest";
import { gpujsBackend } from "./index.js";
import { floats } from "./programs.fixture.js";

for (const mode of ["webasm", "cpu"] as const) backendSpec(gpujsBackend({ mode, name: `gpujs ${mode}` }));

test("a result that shares memory with what the end writes to holds what is written", async () => {
  const shared = parseIr(`sconce-ir 1
program "ATEN" {
  input %x: USER_INPUT
  output %sum: USER_INPUT_MUTATION "x"
  output %row: USER_OUTPUT
}
graph(%x: f32[2, 2]) {
  %row: f32[2] = aten.select.int(%x, 0, 0)
  %sum: f32[2, 2] = aten.add.Tensor(%x, 1)
  return (%sum, %row)
}`);
  for (const backend of [cpuBackend(), gpujsBackend({ mode: "webasm" })]) {
    using executable = await backend.compile(shared);
    const x = floats([1, 2, 3, 4], [2, 2]);
    const [row] = await executable.run([x]);
    expect((row as Tensor).toArray()).toEqual([2, 3]);
    expect(x.toArray()).toEqual([2, 3, 4, 5]);
  }
});

test("a sum of squares reads each element separately, in every mode", async () => {
  const squares = parseIr(`sconce-ir 1
program "ATEN" {
  input %x: USER_INPUT
  output %sum: USER_OUTPUT
}
graph(%x: f32[2, 32]) {
  %square: f32[2, 32] = aten.mul.Tensor(%x, %x)
  %sum: f32[2] = aten.sum.dim_IntList(%square, [1])
  return (%sum)
}`);
  const x = floats(
    Array.from({ length: 64 }, (_, i) => i),
    [2, 32],
  );
  for (const mode of ["webasm", "cpu"] as const) {
    using executable = await gpujsBackend({ mode }).compile(squares);
    const [sum] = await executable.run([x]);
    expect((sum as Tensor).toArray()).toEqual([10_416, 74_928]);
  }
});

test("a write to a place that is not there is refused, as the interpreter refuses it", async () => {
  const put = parseIr(`sconce-ir 1
program "ATEN" {
  input %x: USER_INPUT
  input %k: USER_INPUT
  input %v: USER_INPUT
  output %y: USER_OUTPUT
}
graph(%x: f32[4], %k: i64[2], %v: f32[2]) {
  %y: f32[4] = aten.index_put.default(%x, [%k], %v)
  return (%y)
}`);
  using executable = await gpujsBackend({ mode: "webasm" }).compile(put);
  const run = (...places: bigint[]) =>
    executable.run([floats([1, 2, 3, 4], [4]), Tensor.from(places, [2], "int64"), floats([9, 8], [2])]);
  expect(((await run(0n, -1n))[0] as Tensor).toArray()).toEqual([9, 2, 3, 8]);
  await expect(run(0n, 4n)).rejects.toMatchObject({ code: "INDEX_OUT_OF_RANGE" });
});
