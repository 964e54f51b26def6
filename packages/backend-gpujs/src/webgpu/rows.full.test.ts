/**
 * @file Nests over the same rows as one kernel: in software one invocation a row, on hardware
 * several with workgroup memory.
 */
import { cpuBackend } from "@sconce/backend-cpu";
import type { DeviceExecutable } from "@sconce/device-runtime";
import type { ExportedProgram } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import { afterAll, describe, expect, test } from "vitest";
import { gpujsBackend } from "../backend.js";
import { floats, program } from "../programs.fixture.js";
import { openTestDevice } from "./device.fixture.js";

const software = await openTestDevice();
const hardware = await openTestDevice(true);
afterAll(async () => {
  await software?.dispose();
  await hardware?.dispose();
});

const compile = async (program: ExportedProgram, asHardware: boolean): Promise<DeviceExecutable> => {
  const device = asHardware ? hardware! : software!;
  const backend = gpujsBackend({ mode: "webgpu", devices: { webgpu: async () => device.share() } });
  return (await backend.compile(program)) as DeviceExecutable;
};
const numbersOf = (shape: readonly number[], seed = 1): Tensor => {
  const count = shape.reduce((product, extent) => product * extent, 1);
  return floats(
    Array.from({ length: count }, (_, i) => Math.sin(i * 12.9898 + seed) * 4),
    shape,
  );
};
/** Kernels of a run, after its results were held against the interpreter's. */
async function kernelsOf(
  program: ExportedProgram,
  inputs: readonly Tensor[],
  asHardware: boolean,
): Promise<string[]> {
  using expected = await cpuBackend().compile(program);
  using executable = await compile(program, asHardware);
  const [want, got] = [await expected.run(inputs), await executable.run(inputs)];
  for (const [at, tensor] of (want as Tensor[]).entries()) {
    const elements = (got[at] as Tensor).toFloat64Array();
    tensor.toFloat64Array().forEach((value, i) => {
      if (!Number.isFinite(value)) expect(elements[i], `element ${i}`).toBe(value);
      else
        expect(Math.abs(elements[i]! - value), `element ${i}`).toBeLessThanOrEqual(
          2e-6 * (1 + Math.abs(value)),
        );
    });
  }
  expect(executable.placement().kernels).toBe(executable.profile().length);
  return executable.profile().map(({ node }) => node);
}

const softmax = (shape: string, dim: number, kind = "_softmax"): ExportedProgram =>
  program(`%x: f32[${shape}]`, `%a: f32[${shape}] = aten.${kind}.default(%x, ${dim}, false)`, "a");
const norm = (results: string): ExportedProgram =>
  program(
    "%x: f32[5, 300], %w: f32[300], %b: f32[300]",
    [
      "%n: (f32[5, 300], f32[5, 1], f32[5, 1]) = aten.native_layer_norm.default(%x, [300], %w, %b, 1e-05)",
      "%c: f32[5, 300] = operator.getitem(%n, 0)",
      "%m: f32[5, 1] = operator.getitem(%n, 1)",
      "%r: f32[5, 1] = operator.getitem(%n, 2)",
      "%d: f32[5, 300] = aten.relu.default(%c)",
    ].join("\n"),
    results,
  );
const normInputs = [numbersOf([5, 300]), numbersOf([300], 2), numbersOf([300], 3)];

describe.skipIf(software === undefined || hardware === undefined).each([
  ["in software", false],
  ["on hardware", true],
])("rows %s", (_, asHardware) => {
  test.each([
    ["7, 33", 1],
    ["300, 3", 1],
    ["3, 1100", 1],
    ["1, 40", 1],
    ["2, 50, 77", 1],
    ["2, 3, 4, 5", 2],
  ])("softmax of %s along %i is one kernel", async (shape, dim) => {
    const x = numbersOf(shape.split(", ").map(Number));
    expect(await kernelsOf(softmax(shape, dim), [x], asHardware)).toEqual(["a"]);
    expect(await kernelsOf(softmax(shape, dim, "_log_softmax"), [x], asHardware)).toEqual(["a"]);
  });

  test("NaN and infinities come through", async () => {
    const x = numbersOf([5, 70]);
    const { data } = x;
    data[3] = Number.NaN;
    data[71] = Number.POSITIVE_INFINITY;
    data[142] = Number.NEGATIVE_INFINITY;
    data.fill(Number.NEGATIVE_INFINITY as never, 210, 280);
    data.fill(1e38 as never, 280);
    expect(await kernelsOf(softmax("5, 70", 1), [x], asHardware)).toEqual(["a"]);
  });

  test("a normalization and what follows are one, named after all of them", async () => {
    expect(await kernelsOf(norm("d"), normInputs, asHardware)).toEqual(["n, d"]);
  });
  test("statistics are stored where something reads them", async () => {
    expect(await kernelsOf(norm("c, m, r"), normInputs, asHardware)).toHaveLength(1);
    expect(await kernelsOf(norm("c, r"), normInputs, asHardware)).toHaveLength(1);
  });
  test("groups of channels", async () => {
    const exported = program(
      "%x: f32[2, 6, 35], %w: f32[6], %b: f32[6]",
      [
        "%n: (f32[2, 6, 35], f32[2, 3], f32[2, 3]) = aten.native_group_norm.default(%x, %w, %b, 2, 6, 35, 3, 1e-05)",
        "%c: f32[2, 6, 35] = operator.getitem(%n, 0)",
      ].join("\n"),
      "c",
    );
    const inputs = [numbersOf([2, 6, 35]), numbersOf([6], 2), numbersOf([6], 3)];
    expect(await kernelsOf(exported, inputs, asHardware)).toHaveLength(1);
  });
  test("a choice inside of a row: what it leaves out is not kept", async () => {
    const body = [
      "%m: f32[4, 1] = aten.amax.default(%x, [1], true)",
      "%s: f32[4, 90] = aten.sub.Tensor(%x, %m)",
      "%e: f32[4, 90] = aten.exp.default(%s)",
      "%p: b8[4, 90] = aten.gt.Scalar(%x, 0)",
      "%z: f32[4, 90] = aten.where.self(%p, %e, %x)",
      "%t: f32[4, 1] = aten.sum.dim_IntList(%z, [1], true)",
      "%q: f32[4, 90] = aten.div.Tensor(%z, %t)",
    ].join("\n");
    await kernelsOf(program("%x: f32[4, 90]", body, "q"), [numbersOf([4, 90])], asHardware);
  });
  test("elements that are results and read again by rows", async () => {
    const body = [
      "%m: f32[4, 1] = aten.amax.default(%x, [1], true)",
      "%s: f32[4, 90] = aten.sub.Tensor(%x, %m)",
      "%e: f32[4, 90] = aten.exp.default(%s)",
      "%t: f32[4, 1] = aten.sum.dim_IntList(%e, [1], true)",
      "%u: f32[4, 1] = aten.add.Tensor(%t, %m)",
      "%q: f32[4, 90] = aten.div.Tensor(%e, %u)",
    ].join("\n");
    expect(
      await kernelsOf(program("%x: f32[4, 90]", body, "e, q, u"), [numbersOf([4, 90])], asHardware),
    ).toHaveLength(2);
  });
  test("any and all over rows, in whole numbers and bools", async () => {
    const body = [
      "%p: b8[4, 700] = aten.gt.Scalar(%x, 3.9)",
      "%y: b8[4, 1] = aten.any.dim(%p, 1, true)",
      "%s: i64[4, 1] = aten.sum.dim_IntList(%p, [1], true)",
      "%f: f32[4, 700] = aten.mul.Tensor(%x, %s)",
      "%z: f32[4, 700] = aten.where.self(%y, %f, %x)",
    ].join("\n");
    await kernelsOf(program("%x: f32[4, 700]", body, "z"), [numbersOf([4, 700])], asHardware);
  });
});

describe.skipIf(software === undefined)("in software", () => {
  test("a lone long row is left to several kernels, which share its elements", async () => {
    expect(await kernelsOf(softmax("1, 5000", 1), [numbersOf([1, 5000])], false)).toEqual(["a", "a", "a"]);
  });
  test("progress counts every nest", async () => {
    using executable = await compile(softmax("4, 6", 1), false);
    const seen: number[][] = [];
    await executable.run([numbersOf([4, 6])], { onProgress: ({ done, total }) => seen.push([done, total]) });
    expect([seen[0], seen.at(-1)]).toEqual([
      [0, 3],
      [3, 3],
    ]);
  });
});
