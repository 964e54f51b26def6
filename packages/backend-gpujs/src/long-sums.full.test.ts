/**
 * @file Sums of many terms on devices: as close to the sum in float64 as float32 can be expected to
 * be, whatever their shape.
 */

import { cpuBackend } from "@sconce/backend-cpu";
import { defaultOperators } from "@sconce/ops";
import { type BuiltValue, CallProgram } from "@sconce/ops-cases";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { gpujsBackend, type Mode } from "./index.js";
import { hasWebgpu } from "./webgpu/device.fixture.js";

const operators = defaultOperators();
const isThere = await hasWebgpu();
/**
 * Relative: a few units of float32's last place. A running sum of as many terms is off by ten times
 * as much.
 */
const NEAR = 1.2e-6;

function uniform(...shape: number[]): Tensor {
  let state = 1;
  const values = Float32Array.from({ length: shape.reduce((product, one) => product * one, 1) }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) | 0;
    return (state >>> 0) / 2 ** 32;
  });
  return Tensor.from(values, shape, "float32");
}
/** The call on the device, and in float64 by the interpreter. */
async function results(
  mode: Mode,
  target: string,
  args: readonly BuiltValue[],
): Promise<[number[], number[]]> {
  const double = args.map((arg) =>
    arg instanceof Tensor ? Tensor.from(arg.toFloat64Array(), arg.shape, "float64") : arg,
  );
  const [here, exact] = [args, double].map((some) => new CallProgram(target, some, {}, operators)) as [
    CallProgram,
    CallProgram,
  ];
  const device = gpujsBackend({ mode, operators, allowSoftware: true });
  using executable = await device.compile(here.program);
  const got = here.resultOf(await executable.run(here.inputs));
  expect(executable.placement!().kernels).toBeGreaterThan(0);
  using reference = await cpuBackend().compile(exact.program);
  const want = exact.resultOf(await reference.run(exact.inputs));
  return [got, want].map((one) => [...(one as Tensor).toFloat64Array()]) as [number[], number[]];
}

const CALLS: readonly (readonly [target: string, args: readonly BuiltValue[]])[] = [
  ["aten.sum.dim_IntList", [uniform(3_000_017), [0]]],
  ["aten.sum.dim_IntList", [uniform(4, 500_000), [0, 1]]],
  ["aten.mean.dim", [uniform(1, 16, 300, 301), [1, 2, 3]]],
  ["aten.var.correction", [uniform(2, 500_000), [1]]],
  ["aten.mm.default", [uniform(4, 100_000), uniform(100_000, 4)]],
  ["aten.mm.default", [uniform(4, 50_021), uniform(50_021, 4)]],
  ["aten.linear.default", [uniform(4, 100_000), uniform(4, 100_000)]],
  [
    "aten.convolution.default",
    [uniform(1, 2048, 4, 4), uniform(4, 2048, 3, 3), null, [1, 1], [1, 1], [1, 1], false, [0, 0], 1],
  ],
];
function sums(mode: Mode): void {
  test.each(CALLS)("%s of many terms", async (target, args) => {
    const [got, want] = await results(mode, target, args);
    for (const [i, value] of want.entries()) expect(Math.abs(got[i]! - value) / value).toBeLessThan(NEAR);
  });

  test("infinities and NaN are what they are in a running sum", async () => {
    const values = new Float32Array(4 * 5000).fill(1);
    [values[123], values[5000], values[9999], values[12_000]] = [Infinity, Infinity, -Infinity, Number.NaN];
    values.fill(3e38, 15_000, 15_002);
    const [got] = await results(mode, "aten.sum.dim_IntList", [
      Tensor.from(values, [4, 5000], "float32"),
      [1],
    ]);
    expect(got).toEqual([Infinity, Number.NaN, Number.NaN, Infinity]);
  });
}
describe("in mode webasm", () => sums("webasm"));
describe.skipIf(!isThere)("in mode webgpu", () => sums("webgpu"));
