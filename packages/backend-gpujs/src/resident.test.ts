import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { gpujsBackend } from "./backend.js";

const program = parseIr(`sconce-ir 1
program "ATEN" { input %b: BUFFER "b" input %x: USER_INPUT output %sum: BUFFER_MUTATION "b" output %y: USER_OUTPUT }
graph(%b: f32[4], %x: f32[4]) {
  %sum: f32[4] = aten.add.Tensor(%x, %b)
  %y: f32[4] = aten.mul.Tensor(%x, 2)
  return (%sum, %y)
}`).with({ stateDict: new Map([["b", floats(1, 1, 1, 1)]]) });

function floats(...values: number[]): Tensor {
  return Tensor.fromData(Float32Array.from(values), "float32");
}

describe.each(["cpu", "webasm"] as const)("results that stay on the device in mode %s", (mode) => {
  test("are loaded before they are read, and keep their elements", async () => {
    const executable = await gpujsBackend({ mode }).compile(program);
    const source = floats(1, 2, 3, 4);
    const x = await executable.toDevice!(source);
    source.data[0] = 100;
    const [y] = (await executable.run([x], { results: "device" })) as [Tensor];
    const [z] = (await executable.run([y], { results: [0] })) as [Tensor];
    const copies = { toDevice: 1, toHost: 1, bytesToDevice: 16, bytesToHost: 16 };
    expect(executable.placement!().copies).toEqual(copies);
    expect(() => y.data).toThrow(/values of a tensor \(float32\[4\]\) are in the memory of a device/);
    expect(String(y)).toContain("not loaded");
    const [copied] = (await executable.run([y])) as [Tensor];
    copied.data[0] = 100;
    expect((await y.load()).toArray()).toEqual([2, 4, 6, 8]);
    expect((await z.load()).toArray()).toEqual([4, 8, 12, 16]);
    expect((await x.load()).toArray()).toEqual([1, 2, 3, 4]);
    expect(executable.state.get("b")!.toArray()).toEqual([6, 11, 16, 21]);
    expect(executable.memory!().deviceBytes).toBe(0);
  });
  test("are copied by other executables, and end with their own", async () => {
    const [one, other] = [
      await gpujsBackend({ mode }).compile(program),
      await gpujsBackend({ mode }).compile(program),
    ];
    const [y, lost] = (await Promise.all(
      [1, 2].map(async () => (await one.run([floats(1, 2, 3, 4)], { results: "device" }))[0]),
    )) as [Tensor, Tensor];
    const [z] = (await other.run([y])) as [Tensor];
    expect(z.toArray()).toEqual([4, 8, 12, 16]);
    one.dispose();
    await new Promise((resolve) => setTimeout(resolve));
    expect(y.toArray()).toEqual([2, 4, 6, 8]);
    await expect(lost.load()).rejects.toMatchObject({ code: "DISPOSED" });
    lost.dispose();
  });
});
