import { cpuBackend } from "@sconce/backend-cpu";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { gpujsBackend } from "../backend.js";

const times = (count: number, item: (i: number) => string): string =>
  Array.from({ length: count }, (_, i) => item(i)).join(", ");
const join = (call: string, type: string) =>
  parseIr(`sconce-ir 1
program "ATEN" { input %x: USER_INPUT input %y: USER_INPUT output %j: USER_OUTPUT }
graph(%x: f32[3], %y: f32[3]) { %j: ${type} = ${call} return (%j) }`);

test.each([
  ["cat of 19", join(`aten.cat.default([${times(19, (i) => (i % 3 ? "%x" : "%y"))}])`, "f32[57]")],
  ["stack of 19", join(`aten.stack.default([${times(19, (i) => (i % 3 ? "%x" : "%y"))}], 1)`, "f32[3, 19]")],
  ["cat of 300", join(`aten.cat.default([${times(300, (i) => (i % 7 ? "%x" : "%y"))}])`, "f32[900]")],
])("%s", async (_, program) => {
  const inputs = [Tensor.from([1, 2, 3], [3], "float32"), Tensor.from([4, 5, 6], [3], "float32")];
  const results = [];
  for (const backend of [cpuBackend(), gpujsBackend({ mode: "cpu" })]) {
    const executable = await backend.compile(program);
    results.push(((await executable.run(inputs))[0] as Tensor).toArray());
    executable.dispose();
  }
  expect(results[1]).toEqual(results[0]);
});

test.each([
  ["0.0, inf, 1.0", "INVALID_ARGUMENT", "unsupported range: 0 -> Infinity"],
  ["0.0, 1.0, 1e-300", "INVALID_ARGUMENT", "invalid size, possible overflow?"],
  ["0.0, 1.0, nan", "INVALID_ARGUMENT", "step must be nonzero"],
])("arange(%s) is refused as the interpreter refuses it", async (bounds, code, message) => {
  const program = parseIr(`sconce-ir 1
program "ATEN" { output %a: USER_OUTPUT }
graph() { %a: f32[4] = aten.arange.start_step(${bounds}) return (%a) }`);
  for (const backend of [cpuBackend(), gpujsBackend({ mode: "cpu" })]) {
    const failed = (async () => (await backend.compile(program)).run([]))();
    await expect(failed).rejects.toMatchObject({ code, message: expect.stringContaining(message) });
  }
});
