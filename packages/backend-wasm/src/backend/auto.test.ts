import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { afterEach, expect, test, vi } from "vitest";
import { autoBackend, wasmBackend } from "./backend.js";

const program = parseIr(`sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%x: f32[2]) {
  %y: f32[2] = aten.relu.default(%x)
  return (%y)
}`);
const x = Tensor.from([-1, 1], [2], "float32");
afterEach(() => vi.unstubAllGlobals());

test("auto is wasm where it runs", async () => {
  const executable = await autoBackend({ threads: 1 }).compile(program);
  expect(String((await executable.run([x]))[0])).toBe("tensor([0., 1.])");
  expect(executable.placement!().device).toMatch(/WebAssembly/);
});

test("without WebAssembly auto is the interpreter and says why, wasm is an error", async () => {
  vi.stubGlobal("WebAssembly", undefined);
  const executable = await autoBackend({ threads: 1 }).compile(program);
  expect(String((await executable.run([x]))[0])).toBe("tensor([0., 1.])");
  expect(executable.placement!().nodes).toEqual([
    {
      node: "y",
      target: "aten.relu.default",
      place: "host",
      reason: "WebAssembly does not run here: this runtime has no WebAssembly",
    },
  ]);
  await expect(wasmBackend({ threads: 1 }).compile(program)).rejects.toMatchObject({ code: "NO_WASM" });
});
