import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { evaluateLoops } from "../evaluate/evaluate.js";
import { type Axis, atom, axis, constant, fixedValue, flatIndex } from "../ir/index-expr.js";
import type { LoopProgram } from "../ir/loop-program.js";
import { apply, constantScalar, indexScalar, load, type ReduceScalar, type Scalar } from "../ir/scalar.js";
import { forEachScalar } from "../ir/traverse.js";
import { sumGroups, withSumGroups } from "./sum-groups.js";

const axesOf = (...extents: number[]): Axis[] => extents.map((extent, d) => axis(`r${d}`, constant(extent)));
const sizes = (extents: number[], each?: number): number[][] | undefined =>
  sumGroups(axesOf(...extents), each)?.groups.map((group) => group.map(({ extent }) => fixedValue(extent)!));

test("groups have a few hundred terms, and so have groups of groups", () => {
  expect(sizes([2048])).toBeUndefined();
  expect(sizes([4096])).toEqual([[8], [512]]);
  expect(sizes([20_000_000])).toEqual([[80], [500], [500]]);
  expect(sizes([4, 5_000_000])).toEqual([[4, 20], [500], [500]]);
  expect(sizes([64, 1000, 1000])).toEqual([[64, 5], [200, 2], [500]]);
  expect(sizes([2048, 3, 3])).toEqual([[64], [32, 3, 3]]);
  expect(sizes([25_000], 4)).toEqual([[250], [100]]);
});

test("what does not come out even is cut into groups that leave little over", () => {
  expect(sizes([2053])).toEqual([[43], [48]]);
  for (const extent of [2053, 65_537, 1_000_003, 20_000_003]) {
    const groups = sizes([extent])!;
    const elements = groups.flat().reduce((product, one) => product * one, 1);
    expect(elements).toBeGreaterThanOrEqual(extent);
    expect(elements).toBeLessThan(extent * 1.2);
    expect(Math.max(...groups.flat())).toBeLessThanOrEqual(512);
  }
});

/** A program of one element that sums what an input holds. */
function sumProgram(extents: number[], extra: Partial<ReduceScalar> = {}): LoopProgram {
  const axes = axesOf(...extents);
  const place = flatIndex(
    axes.map(atom),
    axes.map(({ extent }) => extent),
  );
  const sum: Scalar = {
    kind: "reduce",
    dtype: "float32",
    reduce: "sum",
    axes,
    body: load(0, place, "float32"),
    ...extra,
  };
  const count = constant(extents.reduce((product, one) => product * one, 1));
  return {
    buffers: [
      { id: 0, dtype: "float32", shape: [count], kind: "input", node: "x" },
      { id: 1, dtype: "float32", shape: [], kind: "value", node: "y" },
    ],
    nests: [{ id: 0, output: 1, axes: [], value: sum, nodes: ["y"] }],
    inputs: [0],
    outputs: [{ kind: "buffer", buffer: 1, shape: [], node: "y" }],
  };
}
const grouped = (program: LoopProgram): LoopProgram => ({
  ...program,
  nests: program.nests.map((nest) => ({ ...nest, value: withSumGroups(nest.value) })),
});

test.each([
  [[4096], {}],
  [[2053], {}],
  [[3, 2053], { initial: constantScalar(7, "float32") }],
  [
    [2, 50, 33],
    { when: apply("ne", indexScalar(atom(axis("r1", constant(50)))), constantScalar(3, "int64")) },
  ],
] as const)("%j is summed whole", (extents, extra) => {
  const program = sumProgram([...extents], extra);
  const count = fixedValue(program.buffers[0]!.shape[0]!)!;
  const elements = Float32Array.from({ length: count }, (_, i) => ((i * 7919) % 17) - 8);
  const x = [Tensor.from(elements, [count], "float32")];
  let depth = 0;
  forEachScalar(grouped(program).nests[0]!.value, ({ kind }) => {
    depth += kind === "reduce" ? 1 : 0;
  });
  expect(depth).toBeGreaterThan(1);
  expect(evaluateLoops(grouped(program), x)).toEqual(evaluateLoops(program, x));
});

test("short sums, and sums of integers, stay as they are", () => {
  const short = sumProgram([2000]).nests[0]!.value;
  expect(withSumGroups(short)).toBe(short);
  const whole = { ...(sumProgram([5000]).nests[0]!.value as ReduceScalar), dtype: "int64" as const };
  expect(withSumGroups(whole)).toBe(whole);
});
