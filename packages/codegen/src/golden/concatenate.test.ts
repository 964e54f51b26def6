import { expect, test } from "vitest";
import { readsOf } from "../ir/traverse.js";
import { DEFAULT_LIMITS } from "../lower/core/context.js";
import { loopsOf, textOf } from "../programs.fixture.js";

const LIMITS = { ...DEFAULT_LIMITS, reads: 3 };
const names = (count: number): string[] => Array.from({ length: count }, (_, i) => `%x${i}`);
const graph = (count: number, call: string, result: string): string => `graph(${names(count)
  .map((name) => `${name}: f32[2, 3]`)
  .join(", ")}) {
  %a: ${result} = aten.${call}.default([${names(count).join(", ")}], 0)
  return (%a,)
}`;

test("more tensors than a nest may read are joined in pieces", () => {
  expect(textOf(graph(4, "cat", "f32[8, 3]"), { limits: LIMITS })).toMatchInlineSnapshot(`
    "input b0: f32[2, 3]  # x0
    input b1: f32[2, 3]  # x1
    input b2: f32[2, 3]  # x2
    input b3: f32[2, 3]  # x3

    nest 0 -> b4: f32[6, 3]  # a
      for i0 < 6, i1 < 3
        ((i0 < 2) ? b0[i0*3 + i1] : ((i0 < 4) ? b1[i0*3 + i1 - 6] : b2[i0*3 + i1 - 12]))

    nest 1 -> b5: f32[8, 3]  # a
      for i0 < 8, i1 < 3
        ((i0 < 6) ? b4[i0*3 + i1] : b3[i0*3 + i1 - 18])

    output b5: f32[8, 3]
    "
  `);
  expect(textOf(graph(4, "stack", "f32[4, 2, 3]"), { limits: LIMITS })).toMatchInlineSnapshot(`
    "input b0: f32[2, 3]  # x0
    input b1: f32[2, 3]  # x1
    input b2: f32[2, 3]  # x2
    input b3: f32[2, 3]  # x3

    nest 0 -> b4: f32[3, 2, 3]  # a
      for i0 < 3, i1 < 2, i2 < 3
        ((i0 == 0) ? b0[i1*3 + i2] : ((i0 == 1) ? b1[i1*3 + i2] : b2[i1*3 + i2]))

    nest 1 -> b5: f32[1, 2, 3]  # a
      for i0 < 1, i1 < 2, i2 < 3
        b3[i1*3 + i2]

    nest 2 -> b6: f32[4, 2, 3]  # a
      for i0 < 4, i1 < 2, i2 < 3
        ((i0 < 3) ? b4[i0*6 + i1*3 + i2] : b5[i0*6 + i1*3 + i2 - 18])

    output b6: f32[4, 2, 3]
    "
  `);
});

test.each([
  ["cat", "f32[80, 3]", 13 + 5 + 2 + 1],
  ["stack", "f32[40, 2, 3]", 14 + 5 + 2 + 1],
])("pieces of %s are themselves joined in pieces", (call, result, nests) => {
  const loops = loopsOf(graph(40, call, result), { limits: LIMITS });
  const reads = loops.nests.map(({ value }) => readsOf(value).size);
  expect(Math.max(...reads)).toBeLessThanOrEqual(3);
  expect(loops.nests).toHaveLength(nests);
});
