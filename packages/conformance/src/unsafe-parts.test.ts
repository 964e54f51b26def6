/**
 * @file Writes to the parts of `unsafe_split` and `unsafe_chunk`: in PyTorch, parts are views in a
 * program as it is exported, and copies in its lowered form.
 */
import { createSconce } from "@sconce/session";
import { loadBackend } from "@sconce/session/backends";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";

const session = createSconce({
  backends: [await loadBackend("wasm", { threads: 1 }), await loadBackend("gpujs:cpu")],
});
const CALLS = [
  "unsafe_chunk.default(%c, 2)",
  "unsafe_split.Tensor(%c, 2)",
  "unsafe_split_with_sizes.default(%c, [2, 2])",
];
const programOf = (call: string, copy: string) =>
  session.parseIr(`sconce-ir 1
program "TRAINING" {
  input %x: USER_INPUT
  output %y: USER_OUTPUT
}
graph(%x: f32[4]) {
  %c = aten.${copy}.default(%x)
  %parts = aten.${call}
  %part = operator.getitem(%parts, 0)
  %w = aten.mul_.Tensor(%part, 10)
  %y = aten.mul.Tensor(%c, 1)
  return (%y)
}`);
const numbers = (tensor: unknown): string => (tensor as Tensor).toArray().join();

describe.each(["cpu", "wasm", "gpujs:cpu"])("on %s", (backend) => {
  test.each(CALLS)("%s", async (call) => {
    const program = programOf(call, "clone");
    const x = Tensor.from([1, 2, 3, 4], [4], "float32");
    using given = await session.compile(program, backend);
    expect(numbers((await given.run([x]))[0])).toBe("10,20,3,4");
    using lowered = await session.compile(session.runDecompositions(program), backend);
    expect(numbers((await lowered.run([x]))[0])).toBe("1,2,3,4");
  });
  test.each(CALLS)("%s of an input", async (call) => {
    const x = Tensor.from([1, 2, 3, 4], [4], "float32");
    using given = await session.compile(programOf(call, "alias"), backend);
    expect([numbers((await given.run([x]))[0]), numbers(x)]).toEqual(["10,20,3,4", "10,20,3,4"]);
  });
});
