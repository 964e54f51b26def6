import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { call, elementProgram, load } from "../webgpu/device.fixture.js";
import { GpujsDevice } from "./device.js";
import type { GpujsLibrary, Kernel } from "./library.js";

interface Counts {
  /** Kernels that were made. */
  made: number;
  /** Kernels that were destroyed one by one. */
  destroyed: number;
}
/** A gpu.js that computes nothing and counts. @param failures what its first runs throw */
function countingLibrary(failures: Error[] = []): { library: GpujsLibrary; counts: Counts } {
  const counts: Counts = { made: 0, destroyed: 0 };
  class Gpu {
    readonly kernels: unknown[] = [];
    createKernel(_: string, { output }: { output: readonly number[] }): Kernel {
      counts.made++;
      const run = (): Float32Array => {
        const failure = failures.shift();
        if (failure !== undefined) throw failure;
        return new Float32Array(output.reduce((a, b) => a * b, 1));
      };
      return Object.assign(run, { destroy: () => void counts.destroyed++, kernel: {} as Kernel["kernel"] });
    }
    addFunction(): void {}
    addNativeFunction(): void {}
    destroy(): void {}
  }
  const GPU = Object.assign(Gpu, { isWebGL2Supported: false, isHeadlessGLSupported: false });
  return { library: { GPU }, counts };
}

const ELEMENTS = 2 ** 22;
/** Runs kernels of so many sizes, each of which reads and writes 2^24 bytes and a little more. */
async function runSizes(device: GpujsDevice, count: number): Promise<void> {
  const buffer = device.upload(Tensor.empty([ELEMENTS + 40], "float32"));
  for (let i = 0; i < count; i++) {
    const program = elementProgram(
      [{ dtype: "float32", numel: ELEMENTS + 40 }],
      ELEMENTS + i,
      "float32",
      (at) => call("abs", "float32", load(0, at, "float32")),
    );
    const kernel = await device.compile(program.nests[0]!, program, { sizes: new Map() });
    await kernel.run(() => buffer);
  }
}

test("kernels of many sizes are kept up to a bound of memory for each", async () => {
  const { library, counts } = countingLibrary();
  const device = new GpujsDevice(library, "webasm", "");
  await runSizes(device, 40);
  // 2^29 bytes, in kernels that take 2^25 each.
  expect(counts.made - counts.destroyed).toBe(15);
  await device.dispose();
});

test("the bound is one for all devices, of which those that are disposed of hold nothing", async () => {
  const [one, other] = [countingLibrary(), countingLibrary()];
  const [first, second] = [one, other].map(({ library }) => new GpujsDevice(library, "webasm", ""));
  await runSizes(first!, 10);
  await runSizes(second!, 10);
  expect([one.counts.destroyed, other.counts.destroyed]).toEqual([5, 0]);
  await second!.dispose();
  await runSizes(first!, 15);
  // gpu.js destroys the kernels of a device with it.
  expect(other.counts.destroyed).toBe(0);
  // The five that were left, and ten that take the place of those of the other device.
  expect(one.counts).toEqual({ made: 20, destroyed: 5 });
  await first!.dispose();
});

test("where memory runs out kernels that are kept make room, once", async () => {
  const outOfMemory = (): Error => new RangeError("WebAssembly.Memory(): could not allocate memory");
  const { library, counts } = countingLibrary([outOfMemory()]);
  const device = new GpujsDevice(library, "webasm", "");
  await runSizes(device, 1);
  expect(counts).toEqual({ made: 2, destroyed: 1 });
  await device.dispose();
  const never = new GpujsDevice(countingLibrary([outOfMemory(), outOfMemory()]).library, "webasm", "");
  await expect(runSizes(never, 1)).rejects.toMatchObject({ code: "KERNEL_FAILED" });
  await never.dispose();
});
