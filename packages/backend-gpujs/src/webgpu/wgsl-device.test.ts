/** @file Regression tests of devices: large indices, sizes, NaN, memory, device loss. */
import { constant, evaluateLoops, type LoopProgram, type Scalar } from "@sconce/codegen";
import { Tensor } from "@sconce/tensor";
import { afterAll, describe, expect, test } from "vitest";
import {
  call,
  elementProgram,
  fixed,
  inJavaScript,
  load,
  onDevice,
  openTestDevice,
} from "./device.fixture.js";
import type { GpuJsContext } from "./open.js";
import { openWebgpuNode } from "./open-node.js";
import type { WgslBuffer } from "./wgsl-device.js";

const device = await openTestDevice();
afterAll(() => device?.dispose());

const numbers = (values: readonly number[]): Tensor => Tensor.from(values, [values.length], "float32");
const sum = (value: Scalar, dtype: Scalar["dtype"], extent: number): Scalar => ({
  kind: "reduce",
  dtype,
  reduce: "sum",
  axes: [{ kind: "axis", name: "r0", extent: constant(extent) }],
  body: value,
});

describe.skipIf(device === undefined)("a WebGPU device", () => {
  test("indices are exact beyond 2^24", async () => {
    const length = 2 ** 24 + 65;
    const program = elementProgram([], length, "int32", (index) => ({
      kind: "cast",
      dtype: "int32",
      value: { kind: "index", dtype: "int64", index },
    }));
    const got = await onDevice(program, [], device!);
    const data = got.data as Int32Array;
    expect([...data.slice(-3)]).toEqual([length - 3, length - 2, length - 1]);
    expect(data.every((value, i) => value === i)).toBe(true);
  });

  test.each([1, 63, 64, 65, 65535 * 64 + 1])("%i elements are all computed", async (length) => {
    const input = Tensor.from(
      Int32Array.from({ length }, (_, i) => i % 1000),
      [length],
      "int32",
    );
    const program = elementProgram([input], length, "int32", (i) =>
      call("add", "int32", load(0, i, "int32"), fixed(1, "int32")),
    );
    const got = (await onDevice(program, [input], device!)).data as Int32Array;
    expect(got.every((value, i) => value === (i % 1000) + 1)).toBe(true);
  });

  test("loops run more than 1000 times", async () => {
    const program = elementProgram([], 2, "int32", () => sum(fixed(1, "int32"), "int32", 5000));
    expect((await onDevice(program, [], device!)).toArray()).toEqual([5000, 5000]);
  });

  test.each([false, true])("long sums of floats lose little, as hardware: %s", async (asHardware) => {
    const adder = await openTestDevice(asHardware);
    const program = elementProgram([], 1, "float32", () => sum(fixed(0.1, "float32"), "float32", 200_000));
    const [total] = (await onDevice(program, [], adder!)).toArray() as number[];
    expect(Math.abs(total! / 20_000 - 1)).toBeLessThan(3e-6);
    await adder!.dispose();
  });

  test("rows of -Infinity and NaN come through maxima and choices", async () => {
    const input = numbers([-Infinity, -Infinity, Number.NaN, 1, Infinity, -1]);
    const program = elementProgram([input], 3, "float32", () => {
      const at = { ...constant(0), terms: [], text: "0" };
      return { kind: "load", dtype: "float32", buffer: 0, index: at };
    });
    const most = rowProgram("max");
    expect((await onDevice(most, [input], device!)).toArray()).toEqual([-Infinity, Number.NaN, Infinity]);
    expect((await onDevice(rowProgram("argmax"), [input], device!)).toArray()).toEqual([0n, 0n, 0n]);
    expect((await onDevice(program, [input], device!)).toArray()).toEqual([-Infinity, -Infinity, -Infinity]);
  });

  test("what is not chosen is not read", async () => {
    const input = numbers([5, 6]);
    const program = elementProgram([input], 4, "float32", (i) => ({
      kind: "select",
      dtype: "float32",
      condition: call("lt", "bool", { kind: "index", dtype: "int64", index: i }, fixed(2, "int64")),
      // biome-ignore lint/suspicious/noThenProperty: the name that loop IR gives it
      then: load(0, i, "float32"),
      otherwise: fixed(-1, "float32"),
    }));
    expect((await onDevice(program, [input], device!)).toArray()).toEqual([5, 6, -1, -1]);
  });

  test("empty tensors never reach the device", async () => {
    const input = numbers([]);
    const program = elementProgram([input], 0, "float32", (i) => load(0, i, "float32"));
    expect((await onDevice(program, [input], device!)).shape).toEqual([0]);
  });

  test("halves, bools and int64 keep their dtypes", async () => {
    for (const dtype of ["float16", "bfloat16", "bool", "int64", "uint8"] as const) {
      const input = Tensor.from(dtype === "int64" ? [0n, 1n, 1n] : [0, 1, 1], [3], dtype);
      const program = elementProgram([input], 3, dtype, (i) => load(0, i, dtype));
      expect(await onDevice(program, [input], device!)).toEqual(inJavaScript(program, [input]));
    }
  });

  test("int64 that does not fit into 32 bits is refused, by value and as a constant", () => {
    const wide = Tensor.from([2n ** 31n], [1], "int64");
    expect(() => device!.upload(wide)).toThrow(expect.objectContaining({ code: "VALUE_RANGE" }));
    const narrow = Tensor.from([2n ** 31n - 1n, -(2n ** 31n)], [2], "int64");
    const program = elementProgram([narrow], 2, "int64", (i) => load(0, i, "int64"));
    expect(device!.upload(narrow).length).toBe(2);
    const big = elementProgram([narrow], 2, "int64", () => fixed(2 ** 40, "int64"));
    expect(device!.whyNot(big.nests[0]!, big)).toMatch(/more than 32 bits/);
    expect(device!.whyNot(program.nests[0]!, program)).toBeUndefined();
  });

  test("memory is given back, and 300 runs take no more", async () => {
    const input = numbers([1, 2, 3]);
    const program = elementProgram([input], 3, "float32", (i) => load(0, i, "float32"));
    const before = device!.allocated;
    const held = device!.upload(input);
    const kernel = await device!.compile(program.nests[0]!, program, { sizes: new Map() });
    for (let i = 0; i < 300; i++) device!.free(await kernel.run(() => held));
    await device!.finish();
    expect(device!.allocated).toBe(before + 16);
    device!.free(held);
    expect(device!.allocated).toBe(before);
  });

  test("a result takes the whole slot of its plan, and a smaller one finds it again", async () => {
    const input = numbers([1, 2, 3]);
    const program = elementProgram([input], 3, "float32", (i) => load(0, i, "float32"));
    const shared = device!.share();
    const held = shared.upload(input);
    const compile = (bytes: number) =>
      shared.compile(program.nests[0]!, program, { sizes: new Map(), slots: () => bytes });
    const [large, small] = [await compile(4096), await compile(2048)];
    shared.reserve(4096);
    const first = (await large.run(() => held)) as WgslBuffer;
    expect([first.length, shared.allocated]).toEqual([3, 16 + 4096]);
    shared.free(first);
    const second = (await small.run(() => held)) as WgslBuffer;
    expect(second.gpu).toBe(first.gpu);
    expect((await shared.download(second, "float32", [3])).toFloat64Array()).toEqual(input.toFloat64Array());
    await shared.dispose();
  });

  test("names of a program are not in the source", async () => {
    const input = numbers([1]);
    const made = elementProgram([input], 1, "float32", (i) => load(0, i, "float32"));
    const program = { ...made, buffers: made.buffers.map((buffer) => ({ ...buffer, node: "evil" })) };
    const nest = { ...made.nests[0]!, nodes: ["evil"], group: "evil" };
    const kernel = await device!.compile(nest, program, { sizes: new Map() });
    expect(kernel.source).not.toContain("evil");
  });

  test("gpu.js's device is shared, with its limits raised", async () => {
    const module = (await import("gpu.js")) as unknown as { readonly default: GpuJsContext };
    const shared = await openWebgpuNode({ allowSoftware: true, gpujs: module.default });
    const { device: theirs } = await module.default.WebGPUContext.acquire();
    expect(theirs).toBe(shared.gpu);
    expect(shared.target.maxReads).toBeGreaterThan(7);
    const program = elementProgram([], 1, "float32", () => fixed(3, "float32"));
    expect((await onDevice(program, [], shared)).toArray()).toEqual([3]);
    await shared.dispose();
  });

  test("an adapter in software has to be allowed", async () => {
    if (!device!.description.includes("(software)")) return;
    await expect(openWebgpuNode()).rejects.toMatchObject({ code: "NO_WEBGPU" });
  });

  test("a lost device is reported, and another can be opened", async () => {
    const lost = await openTestDevice();
    lost!.gpu.destroy();
    await lost!.gpu.lost;
    await new Promise((resolve) => setTimeout(resolve));
    expect(() => lost!.upload(numbers([1]))).toThrow(expect.objectContaining({ code: "DEVICE_LOST" }));
    await lost!.dispose();
    const again = await openTestDevice();
    const program = elementProgram([], 1, "float32", () => fixed(3, "float32"));
    expect((await onDevice(program, [], again!)).toArray()).toEqual([3]);
    await again!.dispose();
  });
});

/** The reduction of each pair of elements. */
function rowProgram(reduce: "max" | "argmax"): LoopProgram {
  const pair = { kind: "axis", name: "r0", extent: constant(2) } as const;
  const input = { dtype: "float32", numel: 6 } as const;
  const dtype = reduce === "max" ? "float32" : "int64";
  return elementProgram([input], 3, dtype, (i) => ({
    kind: "reduce",
    dtype,
    reduce,
    axes: [pair],
    body: load(
      0,
      {
        terms: [
          { coefficient: 2, atoms: i.terms[0]!.atoms },
          { coefficient: 1, atoms: [pair] },
        ],
        constant: 0,
        text: "(i0*2 + r0)",
      },
      "float32",
    ),
  }));
}

test("the evaluator agrees on rows", () => {
  const input = numbers([-Infinity, -Infinity, Number.NaN, 1, Infinity, -1]);
  expect((evaluateLoops(rowProgram("max"), [input])[0] as Tensor).toArray()).toEqual([
    -Infinity,
    Number.NaN,
    Infinity,
  ]);
});
