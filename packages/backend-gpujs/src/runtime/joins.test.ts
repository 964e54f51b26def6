import { cpuBackend } from "@sconce/backend-cpu";
import { parseIr } from "@sconce/ir";
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
