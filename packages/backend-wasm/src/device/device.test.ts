import { deviceBackend } from "@sconce/device-runtime";
import type { ExportedProgram } from "@sconce/ir";
import { parseIr } from "@sconce/ir/text";
import { castTensor, Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { WasmDevice } from "./device.js";
import { PLAIN } from "./kernels.fixture.js";
import { MemoryOwner } from "./wasm-memory.js";

/** A backend of plain kernels, and the devices that it opened. */
function plain() {
  const owner = new MemoryOwner(1);
  const devices: WasmDevice[] = [];
  const backend = deviceBackend(
    {
      name: "plain",
      madeBy: "plain",
      whyNotHeld: PLAIN.whyNotHeld,
      open: async () => {
        const device = new WasmDevice(owner, PLAIN, "plain", "1 thread");
        devices.push(device);
        return device;
      },
      withDefaults: () => backend,
    },
    {},
  );
  return { owner, devices, backend };
}
const floats = (...values: number[]): Tensor => Tensor.from(values, [values.length], "float32");

const WEIGHTS = floats(10, 20, 30);
/** `x * w + x` in one region, its square in another. */
const affine = (): ExportedProgram =>
  parseIr(
    `sconce-ir 1
program "ATEN" {
  parameter "w": f32[3]
  input %w: PARAMETER "w"
  input %x: USER_INPUT
  output %out: USER_OUTPUT
  output %x2: USER_OUTPUT
}
graph(%w: f32[3], %x: f32[3]) {
  %p: f32[3] = aten.mul.Tensor(%x, %w)
  %s: f32[3] = aten.add.Tensor(%p, %x)
  %out: f32[3] = aten.mul.Tensor(%s, %s)
  %x2: f32[3] = aten.add.Tensor(%x, 2.0)
  return (%out, %x2)
}`,
    { tensors: new Map([["w", WEIGHTS]]) },
  );
const elements = (values: readonly unknown[]): unknown[] =>
  values.map((value) => (value as Tensor).toArray());

test("a program runs in one module, and gives its memory back", async () => {
  const { backend, devices, owner } = plain();
  const executable = await backend.compile(affine());
  const [device] = devices;
  const memory = owner.open();
  for (let i = 0; i < 3; i++)
    expect(elements(await executable.run([floats(1, 2, i)]))).toEqual([
      [121, 42 * 42, (31 * i) ** 2],
      [3, 4, i + 2],
    ]);
  // The weights stay.
  expect([device!.allocated, device!.buffers, memory.count]).toEqual([12, 1, 1]);
  expect(executable.placement!()).toMatchObject({ device: "plain: 1 thread", regions: 1, fallbacks: [] });
  executable.dispose();
  await executable.run([]).catch(() => undefined);
  await new Promise((done) => setTimeout(done));
  expect([device!.allocated, memory.bytes]).toEqual([0, 0]);
});

test("executables share weights, and each may go first", async () => {
  const { backend, devices, owner } = plain();
  const memory = owner.open();
  const program = affine();
  const both = [await backend.compile(program), await backend.compile(program)];
  for (const one of both) await one.run([floats(1, 2, 3)]);
  expect(devices.map(({ allocated }) => allocated)).toEqual([12, 12]);
  expect(memory.count).toBe(1);
  both[0]!.dispose();
  await new Promise((done) => setTimeout(done));
  expect(memory.count).toBe(1);
  expect(elements(await both[1]!.run([floats(1, 0, 0)]))[0]).toEqual([121, 0, 0]);
  both[1]!.dispose();
  await new Promise((done) => setTimeout(done));
  expect(memory.bytes).toBe(0);
});

test("tensors hold the memory when all executables are gone", async () => {
  const { backend, owner } = plain();
  const next = (): unknown => {
    const memory = owner.open();
    owner.close();
    return memory;
  };
  const executable = await backend.compile(affine());
  const [out, x2] = (await executable.run([floats(1, 2, 3)], { results: "device" })) as [Tensor, Tensor];
  executable.dispose();
  await new Promise((done) => setTimeout(done));
  const memory = next();
  out.dispose();
  expect(next()).toBe(memory);
  expect(x2.toArray()).toEqual([3, 4, 5]);
  expect(memory).toMatchObject({ bytes: 0, count: 0 });
  expect(next()).not.toBe(memory);
});

test("the memory is left when its last user is, even if something has it still", () => {
  const { owner } = plain();
  const memory = owner.open();
  const device = new WasmDevice(owner, PLAIN, "plain", "1 thread");
  device.upload(floats(1, 2, 3));
  owner.close();
  expect(memory.memory.buffer.byteLength).toBeGreaterThan(0);
  device.dispose();
  expect(() => memory.memory).toThrow(expect.objectContaining({ code: "DISPOSED" }));
});

test("memory grows while tensors are held, which keep their elements", () => {
  const { owner } = plain();
  const device = new WasmDevice(owner, PLAIN, "plain", "1 thread");
  const first = Tensor.from([1n, -2n, 2n ** 62n], [3], "int64");
  const held = device.upload(first);
  const large = Tensor.from(new Float32Array(1 << 20).fill(7), [1 << 20], "float32");
  const other = device.upload(large);
  expect(
    device
      .download(other, "float32", [1 << 20])
      .toArray()
      .at(-1),
  ).toBe(7);
  expect(device.download(held, "int64", [3]).toArray()).toEqual([1n, -2n, 2n ** 62n]);
  device.dispose();
});

test.each(["float64", "float16", "bfloat16", "int64", "int32", "int16", "int8", "uint8", "bool"] as const)(
  "%s elements come back as they were, from any strides",
  (dtype) => {
    const { owner } = plain();
    const device = new WasmDevice(owner, PLAIN, "plain", "1 thread");
    const { storage } = castTensor(Tensor.from([1, 0, 1, 1, 0, 3], [6], "float32"), dtype);
    const transposed = new Tensor({ dtype, shape: [3, 2], strides: [1, 3], storage });
    const back = device.download(device.upload(transposed), dtype, [3, 2]);
    expect(back.isContiguous).toBe(true);
    expect(back.toArray()).toEqual(transposed.toArray());
    device.dispose();
  },
);

test("a memory that cannot grow is a typed error, and nothing is lost", () => {
  const { owner } = plain();
  const memory = owner.open();
  const held = memory.take(100);
  expect(() => memory.take(2 ** 33)).toThrow(
    expect.objectContaining({
      code: "OUT_OF_MEMORY",
      message: expect.stringMatching(
        /^cannot allocate 8589934592 bytes: .* reaches 4294967296 bytes in all$/,
      ),
    }),
  );
  expect(memory.count).toBe(1);
  memory.give(held);
  expect(memory.bytes).toBe(0);
});
