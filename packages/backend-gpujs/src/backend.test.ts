import { cpuBackend } from "@sconce/backend-cpu";
import type { Device, DeviceExecutable } from "@sconce/device-runtime";
import { isSconceError, type Progress } from "@sconce/errors";
import type { ExportedProgram, Value } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { type GpujsBackendOptions, gpujsBackend, gpujsByName } from "./backend.js";
import { GpujsDevice } from "./gpujs/device.js";
import { loadGpujs } from "./gpujs/library.js";
import { floats, ints, program } from "./programs.fixture.js";

const webasm = gpujsBackend({ mode: "webasm" });
const compile = async (program: ExportedProgram): Promise<DeviceExecutable> =>
  (await webasm.compile(program)) as DeviceExecutable;
const numbers = (value: Value | undefined): unknown[] => (value as Tensor).toArray();
const codeOf = async (action: () => Promise<unknown>): Promise<string> => {
  try {
    await action();
    return "none";
  } catch (error) {
    return isSconceError(error) ? error.code : String(error);
  }
};

const embedding = program(
  "%w: f32[4, 2], %i: i64[3]",
  "%embedding: f32[3, 2] = aten.embedding.default(%w, %i)",
  "embedding",
);
const weights = floats([0, 1, 2, 3, 4, 5, 6, 7], [4, 2]);

describe("integers", () => {
  test("indices inside of their tensor are read on the device", async () => {
    using executable = await compile(embedding);
    expect(numbers((await executable.run([weights, ints([3, 0, 3])]))[0])).toEqual([6, 7, 0, 1, 6, 7]);
    expect(executable.placement().fallbacks).toEqual([]);
  });
  test("one that lies outside is the interpreter's to refuse, and the report names it", async () => {
    using executable = await compile(embedding);
    expect(await codeOf(() => executable.run([weights, ints([4, 0, 3])]))).toBe("INDEX_OUT_OF_RANGE");
    const { nodes, fallbacks, regions, kernels } = executable.placement();
    expect(nodes).toEqual([
      {
        node: "embedding",
        target: "aten.embedding.default",
        source: "embedding",
        place: "host",
        reason: "an index may lie outside of its tensor",
      },
    ]);
    expect({ fallbacks, regions, kernels }).toEqual({ fallbacks: ["embedding"], regions: 0, kernels: 0 });
  });
  test("sums beyond 2^24 are computed on the host, exactly", async () => {
    const adds = program("%a: i64[1], %b: i64[1]", "%add: i64[1] = aten.add.Tensor(%a, %b)", "add");
    using executable = await compile(adds);
    expect(numbers((await executable.run([ints([2 ** 23]), ints([2 ** 23])]))[0])).toEqual([2n ** 24n]);
    expect(executable.placement().fallbacks).toEqual([]);
    expect(numbers((await executable.run([ints([2 ** 24]), ints([1])]))[0])).toEqual([16777217n]);
    expect(executable.placement().nodes[0]).toMatchObject({
      place: "host",
      reason: expect.stringContaining("integers beyond 2^24 may come up"),
    });
  });
  test("what its values keep off the device is divided from what is not", async () => {
    const mixed = program(
      "%x: f32[s0, 2], %i: i64[s0, 2]",
      [
        "%a: f32[s0, 2] = aten.exp.default(%x)",
        "%b: i64[s0, 2] = aten.mul.Tensor(%i, %i)",
        "%c: i64[s0, 2] = aten.remainder.Scalar(%b, 7)",
        "%d: f32[s0, 2] = aten.mul.Tensor(%a, %c)",
        "%e: f32[s0, 2] = aten.sin.default(%d)",
        "%f: f32[2] = aten.sum.dim_IntList(%e, [0])",
      ].join("\n"),
      "f, c",
    );
    using executable = await compile(mixed);
    const x = floats([0, 1, 2, 3], [2, 2]);
    const wanted = async (i: Tensor): Promise<unknown[]> => {
      using interpreter = await cpuBackend().compile(mixed);
      return (await interpreter.run([x, i])).map(numbers);
    };
    for (const [most, hosted] of [
      [3, []],
      [3_000_000, ["b", "c"]],
      [4, []],
      [2 ** 40, ["b"]],
      [4097, ["b", "c"]],
    ] as const) {
      const i = ints([1, 2, most, 4], [2, 2]);
      const [f, c] = await executable.run([x, i]);
      const [wantedF, wantedC] = await wanted(i);
      expect(numbers(c)).toEqual(wantedC);
      for (const [at, value] of numbers(f).entries())
        expect(value).toBeCloseTo((wantedF as number[])[at]!, 4);
      const { nodes, fallbacks, kernels } = executable.placement();
      expect(fallbacks).toEqual(hosted);
      expect(nodes.filter(({ place }) => place === "host").map(({ node }) => node)).toEqual(hosted);
      expect(kernels).toBeGreaterThan(0);
    }
  });
  test("numbers beyond a small dtype wrap where PyTorch makes tensors of them", async () => {
    const wrapped = program(
      "%x: u8[4], %y: i8[4]",
      [
        "%a: b8[4] = aten.gt.Scalar(%x, -1)",
        "%b: b8[4] = aten.lt.Scalar(%x, 70000)",
        "%c: b8[4] = aten.eq.Scalar(%x, 256)",
        "%d: u8[4] = aten.clamp.default(%x, -2, 3)",
        "%e: b8[4] = aten.eq.Scalar(%y, 256)",
        "%f: i8[4] = aten.clamp.default(%y, -2, 3)",
      ].join("\n"),
      "a, b, c, d, e, f",
    );
    using executable = await compile(wrapped);
    const values = [0, 1, 5, 100];
    const inputs = [Tensor.from(values, [4], "uint8"), Tensor.from(values, [4], "int8")];
    // What PyTorch 2.14 gives.
    expect((await executable.run(inputs)).map(numbers)).toEqual([
      [false, false, false, false],
      [true, true, true, true],
      [true, false, false, false],
      [3, 3, 3, 3],
      [true, false, false, false],
      [0, 1, 3, 3],
    ]);
    expect(executable.placement().nodes.every(({ place }) => place === "device")).toBe(true);
  });
  test("the place of a greatest that is NaN is the last one's, as in PyTorch's pools", async () => {
    const pool = program(
      "%x: f32[1, 1, 4]",
      [
        "%p: (f32[1, 1, 2], i64[1, 1, 2]) = aten.max_pool2d_with_indices.default(%x, [1, 2])",
        "%v: f32[1, 1, 2] = operator.getitem(%p, 0)",
        "%i: i64[1, 1, 2] = operator.getitem(%p, 1)",
      ].join("\n"),
      "v, i",
    );
    using executable = await compile(pool);
    const results = await executable.run([floats([Number.NaN, Number.NaN, 7, 7], [1, 1, 4])]);
    expect(results.map(numbers)).toEqual([
      [Number.NaN, 7],
      [1n, 2n],
    ]);
  });
  test("views of integers that the device does not hold are the host's", async () => {
    const views = program(
      "%i: i64[2, 2], %x: f32[2]",
      "%t: i64[2, 2] = aten.permute.default(%i, [1, 0])\n%v: i64[1, 2, 2] = aten.unsqueeze.default(%t, 0)\n%y: f32[2] = aten.neg.default(%x)",
      "t, v, y",
    );
    using executable = await compile(views);
    const big = 2 ** 40;
    const [t, v] = await executable.run([ints([1, big, 3, 4], [2, 2]), floats([1, 2])]);
    expect(numbers(t)).toEqual([1n, 3n, BigInt(big), 4n]);
    expect(numbers(v)).toEqual([1n, 3n, BigInt(big), 4n]);
    expect(executable.placement().fallbacks).toEqual(["t", "v"]);
  });
  test("parts of such integers, too", async () => {
    const parts = program(
      "%i: i64[4], %x: f32[2]",
      [
        "%s: (i64[2], i64[2]) = aten.split_with_sizes.default(%i, [2, 2])",
        "%a: i64[2] = operator.getitem(%s, 0)",
        "%b: i64[2] = operator.getitem(%s, 1)",
        "%y: f32[2] = aten.neg.default(%x)",
      ].join("\n"),
      "a, b, y",
    );
    using executable = await compile(parts);
    const results = await executable.run([ints([1, 2, 3, 2 ** 40]), floats([1, 2])]);
    expect(results.map(numbers)).toEqual([
      [1n, 2n],
      [3n, BigInt(2 ** 40)],
      [-1, -2],
    ]);
    expect(executable.placement().fallbacks).toEqual(["s"]);
  });
  test("a region that keeps being divided differently finally runs on the host", async () => {
    const count = 70;
    const names = Array.from({ length: count }, (_, i) => i);
    const many = program(
      names.map((i) => `%i${i}: i64[1]`).join(", "),
      names.map((i) => `%n${i}: i64[1] = aten.mul.Tensor(%i${i}, 2)`).join("\n"),
      names.map((i) => `n${i}`).join(", "),
    );
    using executable = await compile(many);
    for (const big of names) {
      const values = names.map((i) => (i === big ? 2 ** 30 : i));
      const results = await executable.run(values.map((value) => ints([value])));
      expect(results.map((result) => numbers(result)[0])).toEqual(values.map((value) => BigInt(2 * value)));
      expect(executable.placement().fallbacks).toHaveLength(big < 64 ? 1 : count);
    }
  });
  test("places on a grid of fixed size become indices on the device, numbers of any size do not", async () => {
    const resized = program(
      "%x: f32[1, 1, 2, 2]",
      "%y: f32[1, 1, 4, 4] = aten.upsample_bilinear2d.vec(%x, [4, 4], false, none)",
      "y",
    );
    using executable = await compile(resized);
    expect(executable.placement().nodes).toEqual([
      { node: "y", target: "aten.upsample_bilinear2d.vec", source: "y", place: "device" },
    ]);
    const [y] = await executable.run([floats([0, 4, 8, 12], [1, 1, 2, 2])]);
    expect(numbers(y).slice(0, 8)).toEqual([0, 1, 3, 4, 2, 3, 5, 6]);
    const cast = program("%x: f32[2]", "%i: i64[2] = aten._to_copy.default(%x, dtype=int64)", "i");
    using other = await compile(cast);
    expect(other.placement().nodes[0]?.reason).toContain("floats of any size become integers");
  });
  test("small dtypes wrap as they do in PyTorch", async () => {
    const adds = program("%a: u8[2], %b: u8[2]", "%add: u8[2] = aten.add.Tensor(%a, %b)", "add");
    using executable = await compile(adds);
    const bytes = (values: number[]): Tensor => Tensor.from(values, [2], "uint8");
    expect(numbers((await executable.run([bytes([200, 3]), bytes([100, 4])]))[0])).toEqual([44, 7]);
    expect(executable.placement().fallbacks).toEqual([]);
  });
});

test("NaN and infinities are kept", async () => {
  const body = [
    "%relu: f32[4] = aten.relu.default(%x)",
    "%maximum: f32[4] = aten.maximum.default(%x, %relu)",
    "%exp: f32[4] = aten.exp.default(%x)",
    "%amax: f32[] = aten.amax.default(%x, [0])",
  ].join("\n");
  using executable = await compile(program("%x: f32[4]", body, "maximum, exp, amax"));
  const run = async (values: number[]): Promise<unknown[][]> =>
    (await executable.run([floats(values)])).map(numbers);
  const [inf, nan] = [Number.POSITIVE_INFINITY, Number.NaN];
  expect(await run([nan, inf, -inf, 1])).toEqual([
    [nan, inf, 0, 1],
    [nan, inf, 0, Math.fround(Math.E)],
    [nan],
  ]);
  expect(await run([-inf, -inf, -inf, -inf])).toEqual([[0, 0, 0, 0], [0, 0, 0, 0], [-inf]]);
});

describe("placement", () => {
  const mixed = program(
    "%x: f32[2, 3], %d: f64[3]",
    [
      "%relu: f32[2, 3] = aten.relu.default(%x)",
      "%flip: f64[3] = aten.neg.default(%d)",
      "%bernoulli: f32[2, 3] = aten.bernoulli.p(%relu, 1.0)",
      "%mul: f32[2, 3] = aten.mul.Tensor(%bernoulli, %relu)",
    ].join("\n"),
    "mul, flip",
  );
  test("reports where each call runs, with the reason", async () => {
    using executable = await compile(mixed);
    const [mul] = await executable.run([floats([1, -2, 3, 4, 5, 6], [2, 3]), Tensor.empty([3], "float64")]);
    expect(numbers(mul)).toEqual([1, 0, 3, 4, 5, 6]);
    const { nodes, device, ...counts } = executable.placement();
    expect(device).toBe("webasm: gpu.js webasm");
    expect(nodes.map(({ node, place, reason }) => [node, place, reason])).toEqual([
      ["relu", "device", undefined],
      ["flip", "host", "device memory cannot hold float64"],
      ["bernoulli", "host", "it draws random numbers or has an effect, so it must run in program order"],
      ["mul", "device", undefined],
    ]);
    expect(counts).toEqual({
      regions: 2,
      kernels: 2,
      copies: { toDevice: 2, toHost: 2, bytesToDevice: 48, bytesToHost: 48 },
      fallbacks: [],
    });
  });
  test("an assertion that the metadata shows to hold keeps nothing on the host", async () => {
    const body = [
      "%assert: none = aten._assert_tensor_metadata.default(%x, none, none, float32)",
      "%relu: f32[2] = aten.relu.default(%x)",
    ].join("\n");
    using executable = await compile(program("%x: f32[2]", body, "relu"));
    expect(executable.placement().nodes.map(({ node }) => node)).toEqual(["relu"]);
  });
  test("supports what the device or the host runs; takes distinguishes them", () => {
    const [neg] = mixed.graph.nodes().filter(({ target }) => target === "aten.neg.default");
    expect(webasm.supports(neg!, mixed.graph)).toBe(true);
    expect(webasm.takes(neg!, mixed.graph)).toEqual({
      reason: "device memory cannot hold float64",
    });
  });
});

test("half precision is the device's on webgpu, and the host's where elements are floats that do not round to it", () => {
  const halves = program("%x: f16[2]", "%r: f16[2] = aten.neg.default(%x)", "r");
  const [neg] = halves.graph.nodes().filter(({ op }) => op === "call_function");
  expect(gpujsBackend({ mode: "webgpu" }).takes(neg!, halves.graph)).toBe(true);
  expect(webasm.takes(neg!, halves.graph)).toMatchObject({ reason: expect.stringContaining("float16") });
});

describe("memory", () => {
  test("what a run takes is given back: 1,000 runs leave as much as one", async () => {
    let device: Device | undefined;
    const backend = gpujsBackend({
      mode: "webasm",
      devices: {
        webasm: async () => {
          device = new GpujsDevice(await loadGpujs(), "webasm", "watched");
          return device;
        },
      },
    });
    const body = [
      "%mm: f32[8, 8] = aten.mm.default(%x, %x)",
      "%_softmax: f32[8, 8] = aten._softmax.default(%mm, 1, false)",
    ].join("\n");
    using executable = await backend.compile(program("%x: f32[8, 8]", body, "_softmax"));
    const x = floats(new Array<number>(64).fill(0.5), [8, 8]);
    await executable.run([x]);
    const after = device!.allocated;
    for (let i = 0; i < 1000; i++) await executable.run([x]);
    expect([after, device!.allocated]).toEqual([0, 0]);
  });
  test("nothing runs after dispose", async () => {
    const executable = await compile(embedding);
    const before = [0, 1].map((at) => executable.run([weights, ints([at, at, at])]));
    executable.dispose();
    executable.dispose();
    expect((await Promise.all(before)).map(([value]) => numbers(value)[0])).toEqual([0, 2]);
    expect(await codeOf(() => executable.run([weights, ints([0, 0, 0])]))).toBe("DISPOSED");
  });
});

describe("running", () => {
  test("progress, profile and signal", async () => {
    using executable = await compile(embedding);
    const seen: number[][] = [];
    await executable.run([weights, ints([0, 1, 2])], {
      onProgress: ({ done, total }) => seen.push([done, total]),
    });
    expect([seen[0], seen.at(-1)]).toEqual([
      [0, 1],
      [1, 1],
    ]);
    expect(executable.profile()).toMatchObject([{ node: "embedding", target: "aten.embedding.default" }]);
    expect(executable.executionPlan!()).toMatchObject({
      kernels: [{ nodes: ["embedding"], language: "gpu.js", source: expect.stringContaining("function") }],
      values: [{ node: "embedding", from: 0, to: 0 }],
    });
    const stopped = executable.run([weights, ints([0, 1, 2])], { signal: AbortSignal.abort() });
    await expect(stopped).rejects.toThrow("canceled");
  });
  test("a size that only an input has is taken from it", async () => {
    const first = program(
      "%x: f32[s0, 2]",
      "%select: f32[2] = aten.select.int(%x, 0, 1)\n%neg: f32[2] = aten.neg.default(%select)",
      "neg",
    );
    using executable = await compile(first);
    expect(numbers((await executable.run([floats([1, 2, 3, 4, 5, 6], [3, 2])]))[0])).toEqual([-3, -4]);
  });
  test("runs that overlap do not meet", async () => {
    using executable = await compile(embedding);
    const runs = [0, 1, 2].map((at) => executable.run([weights, ints([at, at, at])]));
    const first = (await Promise.all(runs)).map(([value]) => numbers(value)[0]);
    expect(first).toEqual([0, 2, 4]);
  });
  test("compile lowers programs that are not lowered, and reports its progress", async () => {
    const relu = program("%x: f32[2]", "%relu_: f32[2] = aten.relu_.default(%x)", "relu_", "TRAINING");
    const seen: number[][] = [];
    const onProgress = ({ done, total }: Progress): void => void seen.push([done, total]);
    using executable = await webasm.compile(relu, { onProgress });
    const x = floats([-1, 1]);
    expect(numbers((await executable.run([x]))[0])).toEqual([0, 1]);
    expect(numbers(x)).toEqual([0, 1]);
    expect([seen[0], seen.at(-1)]).toEqual([
      [0, 1],
      [1, 1],
    ]);
  });
  test("compile reports each kernel, and stops between kernels when it is aborted", async () => {
    const count = 20;
    const lines = Array.from({ length: count }, (_, i) => {
      const before = i === 0 ? "%x" : `%mm_${i - 1}`;
      return `%mm_${i}: f32[4, 4] = aten.mm.default(${before}, ${before})`;
    });
    const products = program("%x: f32[4, 4]", lines.join("\n"), `mm_${count - 1}`);
    const seen: number[] = [];
    const onProgress = ({ done, total }: Progress): void => {
      expect(total).toBe(count);
      if (seen.at(-1) !== done) seen.push(done);
    };
    (await webasm.compile(products, { onProgress })).dispose();
    expect(seen).toEqual(Array.from({ length: count + 1 }, (_, i) => i));
    const controller = new AbortController();
    let made = 0;
    const stopped = webasm.compile(products, {
      signal: controller.signal,
      onProgress: ({ done }) => {
        made = done;
        controller.abort("enough");
      },
    });
    await expect(stopped).rejects.toMatchObject({
      code: "ABORTED",
      message: "the compilation was canceled",
      cause: "enough",
    });
    expect(made).toBeLessThan(count);
  });
});

describe("modes", () => {
  test("by name", () => {
    expect(gpujsByName("gpujs:cpu")?.name).toBe("gpujs:cpu");
    expect(gpujsByName("cpu")).toBeUndefined();
  });
  test("without gpu.js the error says what to install", async () => {
    const missing = gpujsBackend({
      mode: "webasm",
      gpujs: () => Promise.reject(new Error("Cannot find package")),
    });
    const error = await missing.compile(embedding).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "NO_GPUJS",
      fix: expect.stringContaining("npm install --ignore-scripts gpu.js"),
    });
  });
  test("a mode that is not there, and one that nothing knows", async () => {
    expect(await codeOf(() => gpujsBackend({ mode: "headlessgl" }).compile(embedding))).toBe("NO_GPU_MODE");
    expect(await codeOf(() => gpujsByName("gpujs:abacus")!.compile(embedding))).toBe("UNKNOWN_GPU_MODE");
  });
  test("the best mode that is there runs where none is asked for", async () => {
    const none = async () => ({ unavailable: "not in this test" });
    const backend = gpujsBackend({ devices: { webgpu: none, webgl2: none } });
    using executable = await backend.compile(embedding);
    expect(executable.placement?.().device).toBe("webasm: gpu.js webasm");
  });
  test("a GPU in software is chosen only where that is allowed", async () => {
    const library = await loadGpujs();
    const none = async () => ({ unavailable: "not in this test" });
    const software = async () => new GpujsDevice(library, "cpu", "a renderer (software)");
    const devices = { webgpu: none, webgl2: software };
    const deviceOf = async (options: GpujsBackendOptions): Promise<string> => {
      using executable = await gpujsBackend({ ...options, devices }).compile(embedding);
      return executable.placement!().device;
    };
    expect(await deviceOf({})).toBe("webasm: gpu.js webasm");
    expect(await deviceOf({ allowSoftware: true })).toBe("cpu: a renderer (software)");
    expect(await deviceOf({ mode: "webgl2" })).toBe("cpu: a renderer (software)");
  });
});
