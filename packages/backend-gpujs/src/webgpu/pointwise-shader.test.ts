/** @file Runs gpu.js kernels and WGSL kernels on the same buffers. */
import { lowerToLoops } from "@sconce/codegen";
import { parseGraph } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import { Tensor } from "@sconce/tensor";
import { afterAll, describe, expect, test } from "vitest";
import { gpujsBackend } from "../backend.js";
import { loadGpujs } from "../gpujs/library.js";
import { Translator } from "../gpujs/translator.js";
import { openDevice } from "../modes.js";
import { floats, program } from "../programs.fixture.js";
import { onDevice, openTestDevice } from "./device.fixture.js";

const own = await openTestDevice();
const device = own?.share(Translator.of(await loadGpujs()));
afterAll(async () => {
  await device?.dispose();
  await own?.dispose();
});

/**
 * The only nest of a graph, in which language it runs, and what it gives here and in WGSL of our
 * own.
 */
async function both(text: string, inputs: readonly Tensor[]): Promise<unknown[]> {
  const loops = lowerToLoops(parseGraph(text), { operators: defaultOperators() });
  expect(loops.nests).toHaveLength(1);
  const { language } = await device!.compile(loops.nests[0]!, loops, { sizes: new Map() });
  const results: Tensor[] = [];
  for (const one of [device!, own!]) results.push(await onDevice(loops, inputs, one));
  expect(results[0]).toEqual(results[1]);
  return [language, results[0]!.toArray()];
}
const graph = (input: string, calls: string, result: string): string =>
  `graph(${input}) {\n${calls}\n  return (%${result})\n}`;
const unary = (call: string): string => graph("%x: f32[4]", `  %r: f32[4] = ${call}`, "r");
const [nan, inf] = [Number.NaN, Number.POSITIVE_INFINITY];

describe.skipIf(own === undefined)("plain pointwise nests are gpu.js's", () => {
  test("views, more axes than gpu.js has, and constants", async () => {
    const elements = Array.from({ length: 72 }, (_, i) => i / 3);
    const text = graph(
      "%x: f32[2, 3, 2, 3, 2]",
      [
        "  %p: f32[2, 3, 2, 3, 2] = aten.permute.default(%x, [4, 3, 2, 1, 0])",
        "  %m: f32[2, 3, 2, 3, 2] = aten.mul.Tensor(%p, 1e-20)",
        "  %r: f32[2, 3, 2, 3, 2] = aten.sub.Tensor(%x, %m)",
      ].join("\n"),
      "r",
    );
    expect((await both(text, [floats(elements, [2, 3, 2, 3, 2])]))[0]).toBe("gpu.js");
  });
  test("NaN and infinities come through", async () => {
    const x = floats([nan, inf, -inf, -0]);
    expect(await both(unary("aten.mul.Tensor(%x, 2.0)"), [x])).toEqual(["gpu.js", [nan, inf, -inf, -0]]);
    expect(await both(unary("aten.add.Tensor(%x, 1.0)"), [x])).toEqual(["gpu.js", [nan, inf, -inf, 1]]);
  });
  test("the edges of padding, by the place of an element", async () => {
    const text = graph("%x: f32[2]", "  %r: f32[5] = aten.constant_pad_nd.default(%x, [1, 2], 7.0)", "r");
    expect(await both(text, [floats([1, 2])])).toEqual(["gpu.js", [7, 1, 2, 7, 7]]);
  });
  test("more elements than one row of workgroups has", async () => {
    const length = 65535 * 64 + 1;
    const text = graph(`%x: f32[${length}]`, `  %r: f32[${length}] = aten.add.Tensor(%x, 1.0)`, "r");
    const loops = lowerToLoops(parseGraph(text), { operators: defaultOperators() });
    const x = Tensor.from(new Float32Array(length).fill(2), [length], "float32");
    const elements = (await onDevice(loops, [x], device!)).data as Float32Array;
    expect(elements.every((element) => element === 3)).toBe(true);
  });
});

describe.skipIf(own === undefined)("others are WGSL of our own", () => {
  test("a product with a known zero, which keeps NaN", async () => {
    const x = floats([nan, inf, -1, 1]);
    expect(await both(unary("aten.mul.Tensor(%x, 0.0)"), [x])).toEqual(["wgsl", [nan, nan, -0, 0]]);
  });
  test("a sum with a known zero, which is another of a negative one", async () => {
    expect(await both(unary("aten.add.Tensor(%x, 0.0)"), [floats([-0, 0, nan, 1])])).toEqual([
      "wgsl",
      [0, 0, nan, 1],
    ]);
  });
  test("a product of two tensors, in which an infinity may meet a subnormal number; a square is plain", async () => {
    const two = "%x: f32[4], %y: f32[4]";
    const [x, y] = [floats([inf, -inf, 0, 2]), floats([1e-40, 1e-40, inf, 3])];
    const text = graph(two, "  %r: f32[4] = aten.mul.Tensor(%x, %y)", "r");
    expect(await both(text, [x, y])).toEqual(["wgsl", [inf, -inf, nan, 6]]);
    const square = graph("%x: f32[4]", "  %r: f32[4] = aten.square.default(%x)", "r");
    expect(await both(square, [x])).toEqual(["gpu.js", [inf, inf, 0, 4]]);
  });
  test("exponentials and maxima", async () => {
    for (const call of ["aten.exp.default(%x)", "aten.relu.default(%x)"])
      expect((await both(unary(call), [floats([1, 2, -3, nan])]))[0]).toBe("wgsl");
  });
});

describe.skipIf(own === undefined)("sharing a GPU device", () => {
  const adds = program("%x: f32[2]", "%r: f32[2] = aten.add.Tensor(%x, 1.0)", "r");
  test("memory is counted and freed for each; the last one to go leaves it open", async () => {
    const [a, b] = [own!.share(), own!.share()];
    a.upload(floats([1, 2]));
    expect([a.allocated, b.allocated]).toEqual([16, 0]);
    await a.dispose();
    expect(() => a.upload(floats([1]))).toThrow(expect.objectContaining({ code: "DEVICE_LOST" }));
    expect(await b.download(b.upload(floats([3])), "float32", [1])).toEqual(floats([3]));
    await b.dispose();
    expect(own!.isLost).toBe(false);
  });
  test("programs run on one, and on another after it was lost", async () => {
    const open = async () => (await openDevice({ mode: "webgpu" })) as NonNullable<typeof device>;
    const [first, second] = [await open(), await open()];
    expect(first.gpu).toBe(second.gpu);
    using executable = await gpujsBackend({ mode: "webgpu", pointwise: "wgsl" }).compile(adds);
    first.gpu.destroy();
    await first.gpu.lost;
    await expect(executable.run([floats([1, 2])])).rejects.toMatchObject({ code: "DEVICE_LOST" });
    using again = await gpujsBackend({ mode: "webgpu" }).compile(adds);
    expect((await again.run([floats([1, 2])]))[0]).toEqual(floats([2, 3]));
  });
});
