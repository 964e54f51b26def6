import { describe, expect, test } from "vitest";
import { textOf } from "../programs.fixture.js";

describe("views become index arithmetic", () => {
  test("a permutation, a reshape and a slice between two pointwise operators take no nest", () => {
    const text = textOf(`graph(%x: f32[2, 3, 4]) {
      %a: f32[2, 3, 4] = aten.neg.default(%x)
      %b: f32[4, 2, 3] = aten.permute.default(%a, [2, 0, 1])
      %c: f32[4, 6] = aten.view.default(%b, [4, 6])
      %d: f32[2, 6] = aten.slice.Tensor(%c, 0, 1, 3)
      %e: f32[2, 6] = aten.exp.default(%d)
      return (%e,)
    }`);
    expect(text).toMatchInlineSnapshot(`
      "input b0: f32[2, 3, 4]  # x

      nest 0 -> b1: f32[2, 6]  # a, b, c, d, e
        for i0 < 2, i1 < 6
          exp(neg(b0[i0 + i1*4 + 1]))

      output b1: f32[2, 6]
      "
    `);
  });

  test("what a reshape divides and the one back multiplies cancels", () => {
    const text = textOf(`graph(%x: f32[2, 3, 4]) {
      %a: f32[24] = aten.view.default(%x, [24])
      %b: f32[6, 4] = aten.view.default(%a, [6, 4])
      %c: f32[2, 3, 4] = aten.view.default(%b, [2, 3, 4])
      %d: f32[2, 3, 4] = aten.relu.default(%c)
      return (%d,)
    }`);
    expect(text).toMatchInlineSnapshot(`
      "input b0: f32[2, 3, 4]  # x

      nest 0 -> b1: f32[2, 3, 4]  # a, b, c, d
        for i0 < 2, i1 < 3, i2 < 4
          max(b0[i0*12 + i1*4 + i2], 0)

      output b1: f32[2, 3, 4]
      "
    `);
  });

  test("a broadcast, a flip, a choice and windows are read where they are", () => {
    const text = textOf(`graph(%x: f32[3, 8], %y: f32[8]) {
      %a: f32[3, 8] = aten.expand.default(%y, [3, 8])
      %b: f32[3, 8] = aten.flip.default(%x, [1])
      %c: f32[3, 8] = aten.add.Tensor(%a, %b)
      %d: f32[8] = aten.select.int(%x, 0, 2)
      %e: f32[3, 4] = aten.unfold.default(%d, 0, 4, 2)
      %f: f32[3, 4] = aten.neg.default(%e)
      return (%c, %f)
    }`);
    expect(text).toMatchInlineSnapshot(`
      "input b0: f32[3, 8]  # x
      input b1: f32[8]  # y

      nest 0 -> b2: f32[3, 8]  # a, b, c
        for i0 < 3, i1 < 8
          (b1[i1] + b0[i0*8 - i1 + 7])

      nest 1 -> b3: f32[3, 4]  # d, e, f
        for i0 < 3, i1 < 4
          neg(b0[i0*2 + i1 + 16])

      output b2: f32[3, 8], b3: f32[3, 4]
      "
    `);
  });

  test("a view that is a result is copied, one that shows a whole buffer in its order is not", () => {
    const text = textOf(`graph(%x: f32[2, 3]) {
      %a: f32[2, 3] = aten.exp.default(%x)
      %b: f32[6] = aten.view.default(%a, [6])
      %c: f32[3, 2] = aten.permute.default(%a, [1, 0])
      return (%a, %b, %c)
    }`);
    expect(text).toMatchInlineSnapshot(`
      "input b0: f32[2, 3]  # x

      nest 0 -> b1: f32[2, 3]  # a
        for i0 < 2, i1 < 3
          exp(b0[i0*3 + i1])

      nest 1 -> b2: f32[3, 2]  # c
        for i0 < 3, i1 < 2
          b1[i0 + i1*3]

      output b1: f32[2, 3], b1: f32[6], b2: f32[3, 2]
      "
    `);
  });

  test("as_strided finds elements by their place in dense memory", () => {
    const text = textOf(`graph(%x: f32[4, 6]) {
      %a: f32[3, 2] = aten.as_strided.default(%x, [3, 2], [6, 2], 1)
      %b: f32[3, 2] = aten.neg.default(%a)
      return (%b,)
    }`);
    expect(text).toMatchInlineSnapshot(`
      "input b0: f32[4, 6]  # x

      nest 0 -> b1: f32[3, 2]  # a, b
        for i0 < 3, i1 < 2
          neg(b0[i0*6 + i1*2 + 1])

      output b1: f32[3, 2]
      "
    `);
  });
});
