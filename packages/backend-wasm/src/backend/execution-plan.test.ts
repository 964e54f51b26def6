/** @file The kernels that an executable reports, with their sources, costs and memory. */
import type { ExportedProgram } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { wasmBackend } from "./backend.js";

const program = (rows: string): ExportedProgram =>
  parseIr(`sconce-ir 1
${rows === "s0" ? "symbol s0 integer positive" : ""}
program "ATEN" { input %x: USER_INPUT output %s: USER_OUTPUT }
graph(%x: f32[${rows}, 8]) {
  %y: f32[8, ${rows}]{1, 8} = aten.permute.default(%x, [1, 0])
  %t: f32[${rows}, ${rows}] = aten.mm.default(%x, %y)
  %e: f32[${rows}, ${rows}] = aten.exp.default(%t)
  %s: f32[${rows}] = aten.sum.dim_IntList(%e, [1])
  return (%s)
}`);
const ones = (rows: number): Tensor =>
  Tensor.fromData(new Float32Array(rows * 8).fill(1), "float32", [rows, 8]);

test("kernels have nodes, loops, source, operations and bytes, and values have places", async () => {
  using executable = await wasmBackend({ threads: 1 }).compile(program("4"));
  const { kernels, values, pieces } = executable.executionPlan!();
  expect(kernels.flatMap(({ nodes }) => nodes)).toEqual(expect.arrayContaining(["t", "s"]));
  expect(kernels[0]!.flops).toBeGreaterThanOrEqual(2 * 4 * 8 * 4);
  // The product reads x, and may read it once.
  expect(kernels[0]!.bytes).toBeGreaterThanOrEqual(4 * (4 * 8 + 4 * 4));
  for (const { source, loops, language } of kernels) {
    expect(language).toBe("kernel");
    expect(source).not.toBe("");
    expect(loops).toMatch(/^nest \d+ -> b\d+/);
  }
  expect(values.map(({ node }) => node)).toContain("s");
  for (const { piece, offset, bytes, from, to } of values) {
    expect(offset + bytes).toBeLessThanOrEqual(pieces[piece]!);
    expect(from).toBeLessThanOrEqual(to);
    expect(to).toBeLessThan(kernels.length);
  }
});

test("kernels for sizes that a run decides are those of the last run", async () => {
  using executable = await wasmBackend({ threads: 1 }).compile(program("s0"));
  expect(executable.executionPlan!().kernels).toEqual([]);
  const flops: number[] = [];
  for (const rows of [4, 8]) {
    await executable.run([ones(rows)]);
    flops.push(executable.executionPlan!().kernels[0]!.flops);
  }
  expect(flops[1]).toBe(4 * flops[0]!);
});

test("kernels that are made for each set of sizes say why", async () => {
  const sorted = parseIr(`sconce-ir 1
symbol s0 integer nonnegative
program "ATEN" { input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%x: f32[s0, 8]) {
  %a: f32[s0, 8] = aten.exp.default(%x)
  %s: (f32[s0, 8], i64[s0, 8]) = aten.sort.default(%a, 0)
  %y: f32[s0, 8] = operator.getitem(%s, 0)
  return (%y)
}`);
  using executable = await wasmBackend({ threads: 1 }).compile(sorted);
  await executable.run([ones(5)]);
  const reasons = executable.executionPlan!().kernels.map(({ perSizes }) => perSizes);
  expect(new Set(reasons)).toEqual(new Set([undefined, "a sort is made for its length"]));
  const [empty] = (await executable.run([ones(0)])) as Tensor[];
  expect(empty!.shape).toEqual([0, 8]);
  const others = executable.executionPlan!().kernels.map(({ perSizes }) => perSizes);
  expect(new Set(others)).toEqual(new Set(["an axis of the region has no places"]));
});
