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
