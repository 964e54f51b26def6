import { parseGraph } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import { describe, expect, test } from "vitest";
import type { LoopProgram } from "../ir/loop-program.js";
import { lowerToLoops } from "../lower/lower.js";
import { SizeLimits } from "./size-limits.js";

const operators = defaultOperators();
const loopsOf = (text: string): LoopProgram => lowerToLoops(parseGraph(text), { operators });
const sizes = (values: Readonly<Record<string, number>>): ReadonlyMap<string, number> =>
  new Map(Object.entries(values));
const faults = (text: string, values: Readonly<Record<string, number>>): readonly string[] =>
  new SizeLimits(loopsOf(text)).faults(sizes(values)).map(({ reason }) => reason);

describe("places", () => {
  const sum = `graph(%x: f32[s0], %y: f32[s1]) {
  %z: f32[s1] = aten.add.Tensor(%x, %y)
  return (%z,)
}`;
  test("a tensor that is shorter than the result is read outside", () => {
    expect(faults(sum, { s0: 4, s1: 4 })).toEqual([]);
    expect(faults(sum, { s0: 1, s1: 5 })).toEqual(["(s0 - s1) is negative", "it would read outside of %x"]);
    expect(faults(sum, { s0: 4, s1: 0 })).toEqual(["(-s0 + s1) is negative"]);
  });

  test("choices keep loads inside", () => {
    const joined = `graph(%x: f32[s0], %y: f32[s1]) {
  %z: f32[s0 + s1] = aten.cat.default([%x, %y], 0)
  return (%z,)
}`;
    for (const [s0, s1] of [
      [3, 4],
      [1, 9],
      [0, 2],
      [2, 0],
    ] as const)
      expect(faults(joined, { s0, s1 })).toEqual([]);
    const padded = `graph(%x: f32[s0, s1]) {
  %z: f32[s0 + 2, s1 + 3] = aten.constant_pad_nd.default(%x, [1, 2, 1, 1], 0.5)
  return (%z,)
}`;
    expect(faults(padded, { s0: 3, s1: 5 })).toEqual([]);
    const pooled = `graph(%x: f32[s0, 2, s1, 8]) {
  %z: f32[s0, 2, s1, 8] = aten.avg_pool2d.default(%x, [3, 3], [1, 1], [1, 1])
  return (%z,)
}`;
    expect(faults(pooled, { s0: 2, s1: 7 })).toEqual([]);
  });

  test("a longer part than its tensor is read outside", () => {
    const joined = `graph(%x: f32[s0], %y: f32[s1]) {
  %z: f32[s2] = aten.cat.default([%x, %y], 0)
  return (%z,)
}`;
    expect(faults(joined, { s0: 2, s1: 3, s2: 5 })).toEqual([]);
    expect(faults(joined, { s0: 2, s1: 3, s2: 6 })).toEqual(["it would read outside of %y"]);
  });
});

describe("sizes", () => {
  const made = (size: string): string => `graph(%x: f32[s0], %n: int(${size})) {
  %z: f32[${size}] = aten.full.default([%n], 1.0)
  return (%z,)
}`;
  test.each([
    ["s0 - 5", 4, "its size (s0 - 5) is negative, or 2^53 or more"],
    ["s0*9007199254740991", 2, "its size s0*9007199254740991 is negative, or 2^53 or more"],
    ["s0*65536", 65_536, "it takes more elements than integers of 32 bits count"],
    ["u0", 4, "its size u0 is not known as an integer below 2^53"],
  ])("%s at %i", (size, s0, reason) => {
    expect(faults(made(size), { s0 })).toEqual([reason]);
  });

  test("a slice starts within its tensor", () => {
    const sliced = `graph(%x: f32[s0], %n: int(-(s0//2))) {
  %z: f32[s0//2] = aten.slice.Tensor(%x, 0, %n)
  %y: f32[s0//2] = aten.neg.default(%z)
  return (%y,)
}`;
    expect(faults(sliced, { s0: 8 })).toContain("-{(s0//2)} is negative");
  });

  test("values of indices may need more than 32 bits", () => {
    const limits = new SizeLimits(
      loopsOf(`graph(%x: i64[s0], %n: int(s0*1000000000)) {
  %z: i64[s0] = aten.add.Tensor(%x, %n)
  return (%z,)
}`),
    );
    expect([1, 2, 3].map((s0) => limits.areNarrow(sizes({ s0 })))).toEqual([true, true, false]);
  });
});
