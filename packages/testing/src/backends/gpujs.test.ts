import { gpujsBackend } from "@sconce/backend-gpujs";
import { parseIr } from "@sconce/ir";
import { runDecompositions } from "@sconce/passes";
import type { Tensor } from "@sconce/tensor";
import { createSconce } from "sconce";
import { expect, test } from "vitest";
import { corpusPlugin } from "../conformance/corpus-plugin.js";
import { sampleProgram } from "../generator/sample-program.js";
import { backendSpec } from "./spec.js";
import { floats } from "./spec-programs.js";

for (const mode of ["webasm", "cpu"] as const) backendSpec(gpujsBackend({ mode, name: `gpujs ${mode}` }));

test("in a session the backend knows the session's operators, and shares its interpreter", async () => {
  const session = createSconce({
    plugins: [corpusPlugin],
    backends: [gpujsBackend({ mode: "webasm" })],
  });
  const custom = parseIr(`sconce-ir 1
program "ATEN" { input %x: USER_INPUT output %relu: USER_OUTPUT }
graph(%x: f32[2]) {
  %sin: f32[2] = mylib.sin.default(%x)
  %relu: f32[2] = aten.relu.default(%sin)
  return (%relu)
}`);
  using executable = await session.compile(custom, "gpujs");
  const [got] = await executable.run([floats([1, -1], [2])]);
  expect((got as Tensor).toArray()).toEqual([Math.fround(Math.sin(1)), 0]);
  const { nodes } = executable.placement!();
  expect(nodes.map(({ place }) => place)).toEqual(["device", "device"]);
  expect(session.backends.get("gpujs")).toBe(session.backends.get("gpujs"));
  expect(session.waysToRun("aten.relu.default").get("gpujs")).toBe("loops");
});

test("a program whose result shares memory with what it writes to runs on the host, as it is", async () => {
  const shared = runDecompositions(sampleProgram(374, { mutations: true }));
  using executable = await gpujsBackend({ mode: "webasm" }).compile(shared);
  const [node] = executable.placement!().nodes;
  expect(node).toMatchObject({ place: "host", reason: expect.stringContaining("shares memory with") });
});
