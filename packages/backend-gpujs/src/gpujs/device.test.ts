import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { call, cellProgram, load } from "../webgpu/test-support.js";
import { GpujsDevice } from "./device.js";
import type { GpujsLibrary, Kernel } from "./library.js";

/** A gpu.js that computes nothing and counts the kernels that were not destroyed. */
function countingLibrary(): { library: GpujsLibrary; alive: () => number } {
  let alive = 0;
  class Gpu {
    readonly kernels: unknown[] = [];
    createKernel(_: string, { output }: { output: readonly number[] }): Kernel {
      alive++;
      const run = (): Float32Array => new Float32Array(output.reduce((a, b) => a * b, 1));
      return Object.assign(run, { destroy: () => void alive--, kernel: {} as Kernel["kernel"] });
    }
    addFunction(): void {}
    addNativeFunction(): void {}
    destroy(): void {}
  }
  const GPU = Object.assign(Gpu, { isWebGL2Supported: false, isHeadlessGLSupported: false });
  return { library: { GPU }, alive: () => alive };
}

test("kernels of many sizes are kept up to a bound of memory, which each has of its own", async () => {
  const { library, alive } = countingLibrary();
  const device = new GpujsDevice(library, "webasm", "");
  const cells = 2 ** 22;
  const buffer = device.upload(Tensor.empty([cells + 40], "float32"));
  for (let i = 0; i < 40; i++) {
    const program = cellProgram([{ dtype: "float32", numel: cells + 40 }], cells + i, "float32", (at) =>
      call("abs", "float32", load(0, at, "float32")),
    );
    const kernel = await device.compile(program.nests[0]!, program, { sizes: new Map() });
    await kernel.run(() => buffer);
  }
  // 2^29 bytes, in kernels that read and write 2^24 each.
  expect(alive()).toBe(15);
  await device.dispose();
});
