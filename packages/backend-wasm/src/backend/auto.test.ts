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
      source: "y",
      place: "host",
      reason: "WebAssembly does not run here: this runtime has no WebAssembly",
    },
  ]);
  await expect(wasmBackend({ threads: 1 }).compile(program)).rejects.toMatchObject({ code: "NO_WASM" });
});

test("values that do not fit into the memory are a typed error, and the next run works", async () => {
  const grows = parseIr(`sconce-ir 1
symbol s0 integer positive
program "ATEN" { input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%x: f32[s0]) {
  %u: f32[s0, 1] = aten.unsqueeze.default(%x, 1)
  %y: f32[s0, s0] = aten.mul.Tensor(%u, %x)
  return (%y)
}`);
  const executable = await wasmBackend({ threads: 1, maxBytes: 2 ** 36 }).compile(grows);
  const run = (size: number) => executable.run([Tensor.empty([size], "float32")]);
  await expect(run(40_000)).rejects.toMatchObject({ code: "OUT_OF_MEMORY" });
  expect(((await run(2))[0] as Tensor).toArray()).toEqual([0, 0, 0, 0]);
  executable.dispose();
});
