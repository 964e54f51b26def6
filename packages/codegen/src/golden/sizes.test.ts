import { expect, test } from "vitest";
import { textOf } from "../programs.fixture.js";

test("sizes that a run knows stay in the indices", () => {
  const text = textOf(`graph(%x: f32[s0, 4], %y: f32[s0, 4]) {
    %a: f32[2*s0, 4] = aten.cat.default([%x, %y])
    %b: f32[8*s0] = aten.view.default(%a, [-1])
    %c: f32[8*s0] = aten.neg.default(%b)
    return (%c,)
  }`);
  expect(text).toMatchInlineSnapshot(`
    "input b0: f32[s0, 4]  # x
    input b1: f32[s0, 4]  # y

    nest 0 -> b2: f32[s0*8]  # a, b, c
      for i0 < s0*8
        neg(((i0 / 4) < s0) ? b0[i0] : b1[i0 - s0*4])

    output b2: f32[s0*8]
    "
  `);
});

test("a mean divides by a size", () => {
  const text = textOf(`graph(%x: f32[s0, s1]) {
    %a: f32[s0] = aten.mean.dim(%x, [1])
    return (%a,)
  }`);
  expect(text).toMatchInlineSnapshot(`
    "input b0: f32[s0, s1]  # x

    nest 0 -> b1: f32[s0]  # a
      for i0 < s0
        (sum[r0 < s1](b0[i0*s1 + r0]) / float32(s1))

    output b1: f32[s0]
    "
  `);
});

test("merged and parted dimensions cancel where their product is the same", () => {
  const text = textOf(`graph(%x: f32[s0, 6, 8]) {
    %a: f32[s0, 6, 2, 4] = aten.view.default(%x, [-1, 6, 2, 4])
    %b: f32[s0, 2, 6, 4] = aten.permute.default(%a, [0, 2, 1, 3])
    %c: f32[2*s0, 24] = aten.view.default(%b, [-1, 24])
    %d: f32[2*s0, 24] = aten.relu.default(%c)
    return (%d,)
  }`);
  expect(text).toMatchInlineSnapshot(`
    "input b0: f32[s0, 6, 8]  # x

    nest 0 -> b1: f32[s0*2, 24]  # a, b, c, d
      for i0 < s0*2, i1 < 24
        max(b0[(i0 % 2)*4 + (i0 / 2)*48 + (i1 % 4) + (i1 / 4)*8], 0)

    output b1: f32[s0*2, 24]
    "
  `);
});
