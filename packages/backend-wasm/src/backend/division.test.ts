import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { wasmBackend } from "./backend.js";

const COUNT = 100_000;
const whole = (at: number, value: number): Tensor => {
  const data = new Int32Array(COUNT).fill(1);
  data[at] = value;
  return Tensor.fromData(data, "int32");
};

test.each([1, 2])("integers divided by zero are PyTorch's error, with %i threads", async (threads) => {
  const program = parseIr(`sconce-ir 1
program "ATEN" { input %x: USER_INPUT input %y: USER_INPUT output %z: USER_OUTPUT }
graph(%x: i32[${COUNT}], %y: i32[${COUNT}]) {
  %z: i32[${COUNT}] = aten.remainder.Tensor(%x, %y)
  return (%z)
}`);
  const executable = await wasmBackend({ threads }).compile(program);
  const ones = whole(0, 1);
  for (const at of [0, 7, COUNT - 1]) {
    await expect(executable.run([ones, whole(at, 0)])).rejects.toMatchObject({
      code: "DIVISION_BY_ZERO",
      message: "ZeroDivisionError",
      where: 'node "z"',
    });
    const [z] = (await executable.run([ones, whole(at, -3)])) as [Tensor];
    expect(z.toArray()[at]).toBe(-2);
  }
  executable.dispose();
});
