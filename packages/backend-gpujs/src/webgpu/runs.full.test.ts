/** @file Repeated runs on WebGPU: memory does not grow, and the third run allocates nothing. */
import type { Tensor } from "@sconce/tensor";
import { afterAll, describe, expect, test, vi } from "vitest";
import { gpujsBackend } from "../backend.js";
import { floats, program } from "../programs.fixture.js";
import { openTestDevice } from "./device.fixture.js";
import type { WgslDevice } from "./wgsl-device.js";

const device = await openTestDevice();
afterAll(() => device?.dispose());

/** A program of four kernels, and the memory of the device that it runs on. */
async function compile(shared: WgslDevice) {
  const body = [
    "%mm: f32[8, 8] = aten.mm.default(%x, %w)",
    "%soft: f32[8, 8] = aten._softmax.default(%mm, 1, false)",
    "%next: f32[8, 4] = aten.mm.default(%soft, %v)",
    "%last: f32[8, 4] = aten._softmax.default(%next, 0, false)",
  ].join("\n");
  const exported = program("%x: f32[8, 8], %w: f32[8, 8], %v: f32[8, 4]", body, "last, soft");
  const backend = gpujsBackend({ mode: "webgpu", devices: { webgpu: async () => shared } });
  return backend.compile(exported);
}
const inputs = [64, 64, 32].map((count, at) =>
  floats(
    Array.from({ length: count }, (_, i) => Math.cos(i + at)),
    [8, count / 8],
  ),
);

describe.skipIf(device === undefined)("runs on WebGPU", () => {
  test("1,000 runs take as much memory as two, and make nothing new", async () => {
    const shared = device!.share();
    using executable = await compile(shared);
    const first = (await executable.run(inputs)) as Tensor[];
    await executable.run(inputs);
    const before = [shared.allocated, shared.kept];
    expect(before[0]).toBe(0);
    expect(before[1]).toBeGreaterThan(0);
    await executable.run(inputs);
    const buffers = vi.spyOn(shared.gpu, "createBuffer");
    const groups = vi.spyOn(shared.gpu, "createBindGroup");
    for (let i = 0; i < 1000; i++) {
      const results = (await executable.run(inputs)) as Tensor[];
      if (i % 250 === 0) expect(results).toEqual(first);
    }
    expect(buffers).not.toHaveBeenCalled();
    expect(groups).not.toHaveBeenCalled();
    expect([shared.allocated, shared.kept]).toEqual(before);
    buffers.mockRestore();
    groups.mockRestore();
  }, 60_000);

  test("dispose gives back what was kept", async () => {
    const shared = device!.share();
    const buffers = vi.spyOn(shared.gpu, "createBuffer");
    const executable = await compile(shared);
    await executable.run(inputs);
    expect(shared.kept).toBeGreaterThan(0);
    const made = buffers.mock.results.map(({ value }) => vi.spyOn(value as GPUBuffer, "destroy"));
    executable.dispose();
    await vi.waitFor(() => expect([shared.allocated, shared.kept]).toEqual([0, 0]));
    for (const destroy of made) expect(destroy).toHaveBeenCalledOnce();
    buffers.mockRestore();
  });

  test("a lost device holds nothing", async () => {
    const own = await openTestDevice();
    const executable = await compile(own!);
    await executable.run(inputs);
    own!.gpu.destroy();
    await own!.gpu.lost;
    await vi.waitFor(() => expect([own!.allocated, own!.kept]).toEqual([0, 0]));
    await expect(executable.run(inputs)).rejects.toMatchObject({ code: "DEVICE_LOST" });
    executable.dispose();
  });

  test("what a run left in memory is not in the next one's results", async () => {
    const sums = program(
      "%x: f32[6, 5]",
      "%t: f32[6] = aten.sum.dim_IntList(%x, [1])\n%e: f32[6, 0] = aten.slice.Tensor(%x, 1, 5, 5)\n%z: f32[6] = aten.sum.dim_IntList(%e, [1])",
      "t, z",
    );
    const backend = gpujsBackend({ mode: "webgpu", devices: { webgpu: async () => device!.share() } });
    using executable = await backend.compile(sums);
    for (const value of [1, 2, 3]) {
      const [t, z] = (await executable.run([floats(new Array<number>(30).fill(value), [6, 5])])) as Tensor[];
      expect(t!.toArray()).toEqual(new Array(6).fill(5 * value));
      expect(z!.toArray()).toEqual(new Array(6).fill(0));
    }
  });
});
