/**
 * @file Products and convolutions with blocks of results, in shapes that take every way of loading,
 * against the evaluator.
 */
import { contractionOf, evaluateLoops, lowerToLoops } from "@sconce/codegen";
import { defaultOperators } from "@sconce/ops";
import { type BuiltValue, CallProgram } from "@sconce/ops-cases";
import { Tensor } from "@sconce/tensor";
import { tensorDifference } from "@sconce/tensor/compare";
import { afterAll, describe, expect, test } from "vitest";
import { runOnDevice } from "./device-calls.fixture.js";
import { openTestDevice } from "./webgpu/device.fixture.js";

const device = await openTestDevice();
afterAll(() => device?.dispose());

/** Small whole numbers, so that sums are exact in any order. */
function whole(shape: readonly number[], seed: number): Tensor {
  const length = shape.reduce((count, extent) => count * extent, 1);
  const values = Float32Array.from({ length }, (_, i) => (((i + seed) * 2654435761) % 17) - 8);
  return Tensor.from(values, shape, "float32");
}
const conv = (
  x: readonly number[],
  w: readonly number[],
  stride = 1,
  padding = 1,
  groups = 1,
): BuiltValue[] => [
  whole(x, 1),
  whole(w, 2),
  whole([w[0]!], 3),
  [stride, stride],
  [padding, padding],
  [1, 1],
  false,
  [0, 0],
  groups,
];

const CALLS: readonly (readonly [name: string, target: string, args: readonly BuiltValue[]])[] = [
  ["mm, all in fours", "aten.mm.default", [whole([8, 16], 1), whole([16, 12], 2)]],
  ["mm, inner size odd", "aten.mm.default", [whole([8, 15], 1), whole([15, 12], 2)]],
  ["mm, all odd", "aten.mm.default", [whole([11, 13], 1), whole([13, 11], 2)]],
  ["mm, one row", "aten.mm.default", [whole([1, 16], 1), whole([16, 12], 2)]],
  ["mm, one column", "aten.mm.default", [whole([12, 16], 1), whole([16, 1], 2)]],
  ["bmm", "aten.bmm.default", [whole([3, 7, 8], 1), whole([3, 8, 6], 2)]],
  ["linear in fours", "aten.linear.default", [whole([2, 5, 16], 1), whole([12, 16], 2), whole([12], 3)]],
  ["linear, odd", "aten.linear.default", [whole([2, 5, 15], 1), whole([11, 15], 2), whole([11], 3)]],
  ["convolution with padding", "aten.convolution.default", conv([2, 3, 8, 8], [5, 3, 3, 3])],
  ["convolution of 7 by 7", "aten.convolution.default", conv([1, 4, 7, 7], [8, 4, 3, 3])],
  ["convolution of 11 by 11, strided", "aten.convolution.default", conv([2, 4, 11, 11], [6, 4, 3, 3], 2)],
  ["convolution with one kernel element", "aten.convolution.default", conv([2, 8, 4, 4], [8, 8, 1, 1], 1, 0)],
  ["convolution in groups", "aten.convolution.default", conv([1, 6, 5, 8], [6, 3, 3, 3], 1, 1, 2)],
  ["convolution of each channel", "aten.convolution.default", conv([2, 6, 5, 8], [6, 1, 3, 3], 1, 1, 6)],
];
const loopsOf = (target: string, args: readonly BuiltValue[]) => {
  const operators = defaultOperators();
  const call = new CallProgram(target, args, {}, operators);
  return { call, loops: lowerToLoops(call.program.graph, { operators }) };
};

test.each(CALLS)("%s is a contraction", (_, target, args) => {
  const { loops } = loopsOf(target, args);
  expect(loops.nests.map((nest) => contractionOf(nest) !== undefined)).toEqual([true]);
});

describe.skipIf(device === undefined)("blocks on a WebGPU device", () => {
  test.each(CALLS)("%s", async (_, target, args) => {
    const { call, loops } = loopsOf(target, args);
    const kernel = await device!.compile(loops.nests[0]!, loops, { sizes: new Map() });
    expect(kernel.source).toMatch(/^ {2}var m\d: array<f32, \d+>;$/m);
    const [got] = (await runOnDevice(loops, call.inputs, device!)) as Tensor[];
    const [want] = evaluateLoops(loops, call.inputs) as Tensor[];
    expect(tensorDifference(got!, want!, { rtol: 0, atol: 0 })).toBeUndefined();
  });

  test("blocks of 64 for large products on hardware", async () => {
    const gpu = await openTestDevice(true);
    const { call, loops } = loopsOf("aten.mm.default", [whole([512, 8], 1), whole([8, 1024], 2)]);
    const kernel = await gpu!.compile(loops.nests[0]!, loops, { sizes: new Map() });
    expect(kernel.source).toMatch(/^ {2}var m\d: array<f32, 64>;$/m);
    const [got] = (await runOnDevice(loops, call.inputs, gpu!)) as Tensor[];
    const [want] = evaluateLoops(loops, call.inputs) as Tensor[];
    expect(tensorDifference(got!, want!, { rtol: 0, atol: 0 })).toBeUndefined();
    await gpu!.dispose();
  });

  test("infinite weights meet the zeros of the padding", async () => {
    const args = conv([1, 3, 6, 8], [4, 3, 3, 3]);
    const weights = (args[1] as Tensor).data;
    weights[0] = Infinity;
    weights[40] = -Infinity;
    const { call, loops } = loopsOf("aten.convolution.default", args);
    const [got] = (await runOnDevice(loops, call.inputs, device!)) as Tensor[];
    const [want] = evaluateLoops(loops, call.inputs) as Tensor[];
    expect(got!.toArray()).toEqual(want!.toArray());
    expect(got!.toArray().flat(3).filter(Number.isNaN).length).toBeGreaterThan(0);
  });
});
