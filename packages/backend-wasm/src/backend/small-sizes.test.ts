/** @file PyTorch records sizes as if symbols were at least 2: at 0 and 1 programs may differ. */
import { cpuBackend } from "@sconce/backend-cpu";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { wasmBackend } from "./backend.js";

const program = (body: string) =>
  parseIr(`sconce-ir 1
symbol s0 integer positive
program "ATEN" { input %x: USER_INPUT output %y: USER_OUTPUT }
graph(%x: f32[s0]) {
  ${body}
  return (%y)
}`);

const SUM = "%y: f32[] = aten.sum.default(%s)";
const CASES: readonly (readonly [title: string, body: string])[] = [
  ["the first two", `%s: f32[2] = aten.slice.Tensor(%x, 0, 0, 2)\n  ${SUM}`],
  ["the second", `%s: f32[1] = aten.slice.Tensor(%x, 0, 1, 2)\n  ${SUM}`],
  ["the last", `%s: f32[1] = aten.slice.Tensor(%x, 0, -1, 9223372036854775807)\n  ${SUM}`],
  [
    "the first two, behind a call that runs before",
    `%e: f32[s0] = aten.exp.default(%x)\n  %s: f32[2] = aten.slice.Tensor(%e, 0, 0, 2)\n  ${SUM}`,
  ],
];

test.each(CASES)("%s, of tensors of any size", async (_, body) => {
  const [wasm, cpu] = [wasmBackend({ threads: 1 }), cpuBackend()];
  const given = program(body);
  using device = await wasm.compile(given);
  using host = await cpu.compile(given);
  for (const size of [5, 2, 1, 3, 0, 1, 4]) {
    const x = Tensor.from(
      Array.from({ length: size }, (_, i) => i + 1),
      [size],
      "float32",
    );
    const [got, want] = [await device.run([x]), await host.run([x])];
    expect([size, String(got[0])]).toEqual([size, String(want[0])]);
    const reasons = device.placement!().nodes.map(({ reason }) => reason);
    if (size > 1) expect(reasons).toEqual(reasons.map(() => undefined));
  }
  await device.run([Tensor.from([1], [1], "float32")]);
  const { nodes } = device.placement!();
  if (body.includes("0, 0, 2"))
    expect(nodes.at(-1)!.reason).toBe("at s0 = 1, %s is not what the program records");
});
