import { cpuBackend } from "@sconce/backend-cpu";
import type { DeviceExecutable } from "@sconce/device-runtime";
import type { ExportedProgram } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { type GpujsBackendOptions, gpujsBackend } from "../backend.js";
import { floats, ints, program } from "../programs.fixture.js";
import { openTestDevice } from "../webgpu/device.fixture.js";

const compile = async (
  exported: ExportedProgram,
  options: GpujsBackendOptions = {},
): Promise<DeviceExecutable> =>
  (await gpujsBackend({ mode: "webasm", ...options }).compile(exported)) as DeviceExecutable;
const host = cpuBackend();
/** What a program gives on both, and where it ran. */
async function both(exported: ExportedProgram, inputs: readonly Tensor[], options?: GpujsBackendOptions) {
  using executable = await compile(exported, options);
  using interpreter = await host.compile(exported);
  const [made, wanted] = [await executable.run(inputs), await interpreter.run(inputs)];
  const { nodes, fallbacks } = executable.placement();
  return {
    made: made as Tensor[],
    wanted: wanted as Tensor[],
    reasons: nodes.filter(({ place }) => place === "host").map(({ reason }) => reason),
    fallbacks,
  };
}
const elementsOf = (tensors: readonly Tensor[]): unknown[] => tensors.map((tensor) => tensor.toArray());

const sort = (size: string): ExportedProgram =>
  program(
    `%x: f32[${size}]`,
    [
      `%sort: (f32[${size}], i64[${size}]) = aten.sort.default(%x, -1, true)`,
      `%values: f32[${size}] = operator.getitem(%sort, 0)`,
      `%places: i64[${size}] = operator.getitem(%sort, 1)`,
    ].join("\n"),
    "values, places",
  );
const row = (length: number): Tensor =>
  floats(Array.from({ length }, (_, i) => (i % 41 === 3 ? Number.NaN : (i * 7919) % 97)));

describe("what is too much work for kernels", () => {
  test("goes to the host before it runs, and the report names the sizes", async () => {
    const { made, wanted, reasons, fallbacks } = await both(sort("1500"), [row(1500)]);
    expect(reasons).toEqual([
      "1500 elements read 1500 others each: 2.3e+6 iterations of a kernel; the host reads each once",
    ]);
    expect(fallbacks).toEqual([]);
    expect(elementsOf(made)).toEqual(elementsOf(wanted));
  });
  test("less stays on the device", async () => {
    const { made, wanted, reasons } = await both(sort("500"), [row(500)]);
    expect(reasons).toEqual([]);
    expect(elementsOf(made)).toEqual(elementsOf(wanted));
  });
  test("many short rows stay, as the host has as many elements to go through", async () => {
    using executable = await compile(sort("5000, 32"));
    expect(executable.placement().nodes.map(({ place }) => place)).toEqual(["device"]);
  });
  test("the measure can be given", async () => {
    const [all, none] = [{ iterationsPerElement: Number.POSITIVE_INFINITY }, { iterationsPerElement: 0 }];
    expect((await both(sort("1500"), [row(1500)], all)).reasons).toEqual([]);
    expect((await both(sort("8"), [row(8)], none)).reasons).toHaveLength(1);
  });
  test("sizes that depend on data are judged for each run", async () => {
    const exported = sort("s0");
    using executable = await compile(exported);
    await executable.run([row(500)]);
    expect(executable.placement().fallbacks).toEqual([]);
    const [values] = (await executable.run([row(1500)])) as Tensor[];
    expect(executable.placement()).toMatchObject({
      fallbacks: ["sort"],
      nodes: [
        { place: "host", reason: expect.stringContaining("1500 elements read 1500 others each: 2.3e+6") },
      ],
    });
    using interpreter = await host.compile(exported);
    expect(values!.toArray()).toEqual(((await interpreter.run([row(1500)])) as Tensor[])[0]!.toArray());
    await executable.run([row(500)]);
    expect(executable.placement().fallbacks).toEqual([]);
  });
  test("divides expensive calls from a region that is not expensive", async () => {
    const exported = program(
      "%x: f32[s0], %w: f32[s0, s0], %i: i64[s0]",
      [
        "%mm: f32[s0, s0] = aten.mm.default(%w, %w)",
        "%sum: f32[s0] = aten.sum.dim_IntList(%mm, [0])",
        "%put: f32[s0] = aten.scatter_add.default(%x, 0, %i, %sum)",
      ].join("\n"),
      "put",
    );
    const n = 64;
    using executable = await compile(exported, { iterationsPerElement: 0 });
    const zeros = floats(new Array<number>(n).fill(0));
    const ones = floats(new Array<number>(n * n).fill(1), [n, n]);
    const [put] = (await executable.run([zeros, ones, ints(new Array<number>(n).fill(5))])) as Tensor[];
    const { fallbacks, kernels } = executable.placement();
    expect({ fallbacks, kernels }).toEqual({ fallbacks: ["put"], kernels: 2 });
    expect(put!.toArray().slice(4, 7)).toEqual([0, n * n * n, 0]);
  });
  test.each([
    ["scatter.src", "%x: f32[2000], %i: i64[2000], %s: f32[2000]", "%x, 0, %i, %s"],
    ["scatter_add.default", "%x: f32[2000], %i: i64[2000], %s: f32[2000]", "%x, 0, %i, %s"],
    ["index_put.default", "%x: f32[2000], %i: i64[2000], %s: f32[2000]", "%x, [%i], %s, true"],
  ])("%s", async (target, inputs, args) => {
    const exported = program(inputs, `%y: f32[2000] = aten.${target}(${args})`, "y");
    const given = [row(2000), ints(Array.from({ length: 2000 }, (_, i) => (i * 31) % 1999)), row(2000)];
    const { made, wanted, reasons } = await both(exported, given);
    expect(reasons).toEqual([expect.stringContaining("2000 elements read 2000 others each")]);
    expect(elementsOf(made)).toEqual(elementsOf(wanted));
  });
});

const gpu = await openTestDevice();
await gpu?.dispose();
const modes: readonly GpujsBackendOptions[] = [{ mode: "webasm" }, { mode: "webgpu", allowSoftware: true }];

describe.each(gpu === undefined ? modes.slice(0, 1) : modes)(
  "long scans run in blocks on the device, %o",
  (mode) => {
    const scan = (target: string, shape: string, dim: number): ExportedProgram =>
      target.startsWith("cumm")
        ? program(
            `%x: f32[${shape}]`,
            [
              `%pair: (f32[${shape}], i64[${shape}]) = aten.${target}.default(%x, ${dim})`,
              `%values: f32[${shape}] = operator.getitem(%pair, 0)`,
              `%places: i64[${shape}] = operator.getitem(%pair, 1)`,
            ].join("\n"),
            "values, places",
          )
        : program(`%x: f32[${shape}]`, `%y: f32[${shape}] = aten.${target}.default(%x, ${dim})`, "y");
    test.each([
      ["cumsum", "1500", 0],
      ["cumsum", "3, 500", -1],
      ["cumsum", "500, 3", 0],
      ["cummax", "3, 500", 1],
      ["cummin", "1500", -1],
      ["logcumsumexp", "3, 500", 1],
    ])("%s of %s along %i", async (target, shape, dim) => {
      const extents = shape.split(",").map(Number);
      const whole = Array.from({ length: 1500 }, (_, i) => ((i * 7919) % 19) - 9);
      for (const elements of [
        whole,
        whole.map((value, i) => (i === 700 ? Number.NaN : i === 300 ? Infinity : value)),
      ]) {
        const { made, wanted, reasons, fallbacks } = await both(
          scan(target, shape, dim),
          [floats(elements, extents)],
          mode,
        );
        expect([reasons, fallbacks]).toEqual([[], []]);
        made.forEach((tensor, at) => {
          const expected = wanted[at]!.toArray() as (number | bigint)[];
          (tensor.toArray() as (number | bigint)[]).forEach((value, i) => {
            const is = Number(expected[i]);
            if (target === "logcumsumexp" && Number.isFinite(is)) expect(value).toBeCloseTo(is, 4);
            else expect(Number(value)).toBe(is);
          });
        });
      }
    });
    test("of sizes that depend on data, and the next size is judged again", async () => {
      using executable = await compile(scan("cumsum", "s0", 0), mode);
      for (const length of [100, 2000, 700]) {
        const [sums] = (await executable.run([floats(new Array<number>(length).fill(1))])) as Tensor[];
        expect(sums!.toArray()).toEqual(Array.from({ length }, (_, i) => i + 1));
        expect(executable.profile()).toHaveLength(length > 362 ? 3 : 1);
      }
    });
    test("whole numbers stay exact", async () => {
      const exported = program("%x: i64[2000]", "%y: i64[2000] = aten.cumsum.default(%x, 0)", "y");
      const given = [ints(Array.from({ length: 2000 }, (_, i) => (i % 7) - 3))];
      const { made, wanted, fallbacks } = await both(exported, given, mode);
      expect(fallbacks).toEqual([]);
      expect(elementsOf(made)).toEqual(elementsOf(wanted));
    });
  },
);
