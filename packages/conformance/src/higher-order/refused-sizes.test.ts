/**
 * @file Sizes that calls in bodies do not take: backends refuse them, though what the calls are
 * lowered to takes them.
 */
import { cpuBackend } from "@sconce/backend-cpu";
import { gpujsBackend } from "@sconce/backend-gpujs";
import { wasmBackend } from "@sconce/backend-wasm";
import type { ExportedProgram } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";

/** Calls that make `%y` of a vector `%x`, and the lengths that PyTorch refuses. */
const BODIES: readonly (readonly [string, string, readonly number[]])[] = [
  ["narrow", "%y: f32[1]@1 = aten.narrow.default(%x, 0, 1, 1)", [0, 1]],
  ["amax", "%y: f32[] = aten.amax.default(%x)", [0]],
  ["unfold", "%y: f32[s0 - 2, 3] = aten.unfold.default(%x, 0, 3, 1)", [0, 1, 2]],
  ["select", "%y: f32[]@2 = aten.select.int(%x, 0, 2)", [0, 1, 2]],
];
const programOf = (calls: string, outer: string, head: string, inner: string): ExportedProgram =>
  parseIr(`sconce-ir 1
program "TRAINING" { range "s0" [0, 64] input %x: USER_INPUT input %p: USER_INPUT output %r: USER_OUTPUT }
graph(%x: f32[3, s0], %p: b8[]) {
${outer}
  return (%r)
  graph body_0(${head}) {
${inner}    ${calls}
    %s: f32[] = aten.sum.default(%y)
    %c: f32[] = aten.clone.default(%s)
    return (%c)
  }
  graph other_0(%x: f32[s0]) {
    %s: f32[] = aten.sum.default(%x)
    return (%s)
  }
}`);
const PLACES: readonly (readonly [string, (calls: string) => ExportedProgram])[] = [
  [
    "map",
    (calls) =>
      programOf(
        calls,
        `  %body = get_attr body_0
  %mapped: (f32[3]) = higher_order.map_impl(%body, [%x], [])
  %r: f32[3] = operator.getitem(%mapped, 0)`,
        "%x: f32[s0]",
        "",
      ),
  ],
  [
    "cond",
    (calls) =>
      programOf(
        calls,
        `  %row: f32[s0] = aten.select.int(%x, 0, 0)
  %body = get_attr body_0
  %other = get_attr other_0
  %chosen: (f32[]) = higher_order.cond(%p, %body, %other, [%row])
  %r: f32[] = operator.getitem(%chosen, 0)`,
        "%x: f32[s0]",
        "",
      ),
  ],
];
const BACKENDS = [cpuBackend(), wasmBackend({ threads: 1 }), gpujsBackend({ mode: "cpu" })];

describe.each(BODIES)("%s", (_, calls, refused) => {
  test.each(PLACES)("in a body of %s", async (__, make) => {
    const program = make(calls);
    for (const backend of BACKENDS) {
      const executable = await backend.compile(program);
      for (let length = 0; length < 6; length++) {
        const values = Array.from({ length: 3 * length }, (___, i) => i);
        const x = Tensor.from(values, [3, length], "float32");
        const answer = await executable.run([x, Tensor.from([true], [], "bool")]).then(
          () => "runs",
          ({ code }: { readonly code?: string }) => (code === undefined ? "fails" : "refuses"),
        );
        const expected = refused.includes(length) ? "refuses" : "runs";
        expect(answer, `${backend.name}, ${length} elements`).toBe(expected);
      }
      executable.dispose();
    }
  });
});
