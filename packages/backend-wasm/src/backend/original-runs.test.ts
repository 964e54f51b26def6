/** @file Sizes for which lowering would have decided otherwise: the program runs as it was. */

import { cpuBackend } from "@sconce/backend-cpu";
import { parseIr } from "@sconce/ir/text";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { wasmBackend } from "./backend.js";

const vector = (length: number, first = 1): Tensor =>
  Tensor.fromData(
    Float32Array.from({ length }, (_, i) => i + first),
    "float32",
    [length],
  );

// The decomposition of `select_scatter` takes a symbolic index for one that is not negative.
const program = parseIr(`sconce-ir 1
symbol s0 integer positive
program "TRAINING" {
  buffer "count": f32[]
  input %count: BUFFER "count" persistent
  input %x: USER_INPUT
  input %z: USER_INPUT
  output %y: USER_OUTPUT
}
graph(%count: f32[], %x: f32[s0], %z: f32[]) {
  %added: f32[] = aten.add_.Tensor(%count, 1)
  %n: int(s0) = aten.sym_size.int(%x, 0)
  %m: int(s0 - 5) = operator.sub(%n, 5)
  %y: f32[s0] = aten.select_scatter.default(%x, %z, 0, %m)
  return (%y,)
}`).with({ stateDict: new Map([["count", Tensor.fromData(Float32Array.of(0), "float32", [])]]) });

test("such runs give what the program gives, write to its state, and are reported", async () => {
  const [device, host] = [
    await wasmBackend({ threads: 1 }).compile(program),
    await cpuBackend().compile(program),
  ];
  const z = Tensor.fromData(Float32Array.of(-1), "float32", []);
  for (const [run, length] of [8, 4, 5, 3, 8].entries()) {
    const [got] = (await device.run([vector(length), z])) as [Tensor];
    const [wanted] = (await host.run([vector(length), z])) as [Tensor];
    expect([length, got.toArray()]).toEqual([length, wanted.toArray()]);
    expect(device.state!.get("count")!.toFloat64Array()[0]).toBe(run + 1);
    const hosted = device.placement!().nodes.filter(
      ({ reason }) => reason === "lowering decided about other sizes",
    );
    expect(hosted.length > 0).toBe(length < 5);
  }
  await expect(device.run([vector(2), z])).rejects.toMatchObject({
    where: 'node "y" (aten.select_scatter.default)',
  });
  device.dispose();
  host.dispose();
});

test("an index of either sign decides nothing: its row is written on the device", async () => {
  const either = parseIr(`sconce-ir 1
program "TRAINING" {
  input %x: USER_INPUT
  input %z: USER_INPUT
  input %i: USER_INPUT
  output %y: USER_OUTPUT
}
graph(%x: f32[5], %z: f32[], %i: i64[]) {
  %m: int(u0) = aten.item.default(%i)
  %y: f32[5] = aten.select_scatter.default(%x, %z, 0, %m)
  return (%y,)
}`);
  const device = await wasmBackend({ threads: 1 }).compile(either);
  const z = Tensor.fromData(Float32Array.of(9), "float32", []);
  for (const [index, row] of [
    [3n, 3],
    [-2n, 3],
    [-5n, 0],
  ] as const) {
    const [y] = (await device.run([vector(5), z, Tensor.from([index], [], "int64")])) as [Tensor];
    expect([...y.toArray()].indexOf(9)).toBe(row);
    const hosted = device.placement!().nodes.filter(({ place }) => place === "host");
    const targets = hosted.map(({ target }) => target);
    // That the index lies in the tensor is asserted on the host.
    expect(targets.filter((target) => !/^operator\.|_assert_scalar/.test(target))).toEqual([
      "aten._local_scalar_dense.default",
    ]);
  }
  device.dispose();
});
