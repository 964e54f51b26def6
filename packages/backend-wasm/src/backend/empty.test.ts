import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { wasmBackend } from "./backend.js";

test.each(["aten.amax.default(%x, [0])", "aten.amin.default(%x, [0])", "aten.argmax.default(%x, 0)"])(
  "%s of no elements is refused, and of some it is computed",
  async (call) => {
    const type = call.includes("arg") ? "i64" : "f32";
    const program = parseIr(`sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %y: USER_OUTPUT range "s0" [0, 100] }
graph(%x: f32[s0, 6]) {
  %y: ${type}[6] = ${call}
  return (%y)
}`);
    const executable = await wasmBackend({ threads: 1 }).compile(program);
    await expect(executable.run([Tensor.empty([0, 6], "float32")])).rejects.toThrow(
      /Expected reduction dim 0/,
    );
    const [y] = (await executable.run([Tensor.empty([3, 6], "float32")])) as [Tensor];
    expect(y.shape).toEqual([6]);
    executable.dispose();
  },
);
