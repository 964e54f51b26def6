import { lowerToLoops } from "@sconce/codegen";
import { defaultOperators } from "@sconce/ops";
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { program } from "../programs.fixture.js";
import { call, elementProgram, load, onDevice } from "../webgpu/device.fixture.js";
import { GpujsDevice } from "./device.js";
import type { GpujsLibrary, Kernel, KernelSettings } from "./library.js";
import { SharedGl } from "./shared-gl.js";

/** A gpu.js and a WebGL that compute zeros, and what became of them. */
function fakeGl(): {
  library: GpujsLibrary;
  gl: SharedGl;
  state: { kernels: number; textures: number; ended: number; isLost: boolean; error: number };
  made: KernelSettings[];
} {
  const state = { kernels: 0, textures: 0, ended: 0, isLost: false, error: 0 };
  const made: KernelSettings[] = [];
  class Gpu {
    readonly kernels: unknown[] = [];
    createKernel(_: string, settings: KernelSettings): Kernel {
      state.kernels++;
      made.push(settings);
      const [x = 1, y = 1, z = 1] = settings.output;
      const run = (): object => {
        state.textures++;
        const size = [x * y * z, 1];
        const toArray = (): Float32Array => new Float32Array(x * y * z);
        return {
          size,
          output: settings.output,
          type: "ArrayTexture(1)",
          toArray,
          delete: () => state.textures--,
        };
      };
      return Object.assign(run, { destroy: () => void state.kernels--, kernel: {} as Kernel["kernel"] });
    }
    addFunction(): void {}
    addNativeFunction(): void {}
    destroy(): void {}
  }
  const library = { GPU: Object.assign(Gpu, { isWebGL2Supported: true, isHeadlessGLSupported: false }) };
  const context = {
    getExtension: () => null,
    getParameter: () => "a renderer",
    isContextLost: () => state.isLost,
    getError: () => state.error,
    NO_ERROR: 0,
    OUT_OF_MEMORY: 1285,
  };
  const gl = new SharedGl(library, context as unknown as WebGL2RenderingContext, () => void state.ended++);
  return { library, gl, state, made };
}
const deviceOn = ({ library, gl }: ReturnType<typeof fakeGl>): GpujsDevice =>
  new GpujsDevice(library, "webgl2", "", gl.use());
const floats = (length: number): Tensor => Tensor.empty([length], "float32");
const exponentials = (length: number, from = length): ReturnType<typeof elementProgram> =>
  elementProgram([{ dtype: "float32", numel: from }], length, "float32", (at) =>
    call("exp", "float32", load(0, at, "float32")),
  );

test("devices on one context share its kernels, and free what is theirs alone", async () => {
  const fake = fakeGl();
  const [a, b] = [deviceOn(fake), deviceOn(fake)];
  await onDevice(exponentials(4), [floats(4)], a);
  await onDevice(exponentials(4), [floats(4)], b);
  expect(fake.state).toMatchObject({ kernels: 1, textures: 0 });
  const { nests, ...rest } = exponentials(8);
  const kernel = await b.compile(nests[0]!, { nests, ...rest }, { sizes: new Map() });
  await kernel.run(() => b.upload(floats(8)));
  expect(fake.state).toMatchObject({ kernels: 2, textures: 1 });
  await a.dispose();
  expect(fake.state).toMatchObject({ kernels: 2, textures: 1, ended: 0 });
  await b.dispose();
  expect(fake.state).toMatchObject({ kernels: 0, textures: 0, ended: 1 });
});

test("kernels of equal source are others for textures that are laid out in another way", async () => {
  const fake = fakeGl();
  const device = deviceOn(fake);
  const textures = [4, 9].map(async (length) => {
    const made = exponentials(length);
    const kernel = await device.compile(made.nests[0]!, made, { sizes: new Map() });
    return kernel.run(() => device.upload(floats(length)));
  });
  const buffers = await Promise.all(textures);
  expect(fake.state.kernels).toBe(2);
  const reader = exponentials(4, 9);
  const kernel = await device.compile(reader.nests[0]!, reader, { sizes: new Map() });
  for (const buffer of [...buffers, ...buffers]) await kernel.run(() => buffer);
  expect(fake.state.kernels).toBe(4);
});

test("a lost context is an error, before a run and after it, and so is memory that was not there", async () => {
  const fake = fakeGl();
  const device = deviceOn(fake);
  fake.state.error = 1285;
  await expect(onDevice(exponentials(4), [floats(4)], device)).rejects.toMatchObject({
    code: "DEVICE_REFUSED",
    message: "the WebGL context rejected the request: out of memory",
  });
  fake.state.error = 0;
  const made = exponentials(4);
  const kernel = await device.compile(made.nests[0]!, made, { sizes: new Map() });
  const buffer = device.upload(floats(4));
  const result = await kernel.run(() => buffer);
  fake.state.isLost = true;
  const lost = { code: "DEVICE_LOST", message: "the WebGL context was lost: the browser took it away" };
  await expect(device.download(result, "float32", [4])).rejects.toMatchObject(lost);
  expect(() => kernel.run(() => buffer)).toThrow(expect.objectContaining(lost));
  await device.dispose();
  expect(fake.state.kernels).toBe(0);
});

test("kernels come with our functions, and read no more textures than there are units", async () => {
  const fake = fakeGl();
  const device = deviceOn(fake);
  await onDevice(exponentials(4), [floats(4)], device);
  expect(fake.made[0]!.tactic).toBe("precision");
  expect(fake.made[0]!.injectedNative).toContain("float f_exp(float x) {");
  const names = Array.from({ length: 16 }, (_, i) => `x${i}`);
  const many = program(
    names.map((name) => `%${name}: f32[1]`).join(", "),
    `%cat: f32[16] = aten.cat.default([${names.map((name) => `%${name}`).join(", ")}])`,
    "cat",
  );
  const whyNot = (reads: number): unknown => {
    const loops = lowerToLoops(many.graph, {
      operators: defaultOperators(),
      limits: { reads, operations: 96 },
    });
    return loops.nests.map((nest) => device.whyNot(nest, loops)).find((reason) => reason !== undefined);
  };
  expect(whyNot(16)).toBe("it reads 16 buffers, the device allows 15");
  expect(whyNot(device.target.maxReads)).toBe(undefined);
});
