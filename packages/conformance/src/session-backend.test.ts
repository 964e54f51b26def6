/** @file A backend in a session with an operator of a plugin. */
import { gpujsBackend } from "@sconce/backend-gpujs";
import { parseIr } from "@sconce/ir/text";
import { createSconce } from "@sconce/session";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { corpusPlugin } from "./conformance/corpus-plugin.js";

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
  const [got] = await executable.run([Tensor.from([1, -1], [2], "float32")]);
  expect((got as Tensor).toArray()).toEqual([Math.fround(Math.sin(1)), 0]);
  const { nodes } = executable.placement!();
  expect(nodes.map(({ place }) => place)).toEqual(["device", "device"]);
  expect(session.backends.get("gpujs")).toBe(session.backends.get("gpujs"));
  expect(session.describeSupport("aten.relu.default").get("gpujs")).toBe("loops");
});
