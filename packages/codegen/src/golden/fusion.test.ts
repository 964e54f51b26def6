import { describe, expect, test } from "vitest";
import { DEFAULT_LIMITS } from "../lower/core/context.js";
import { textOf } from "../programs.fixture.js";

describe("pointwise operators join", () => {
  test("each other", () => {
    const text = textOf(`graph(%x: f32[8], %y: f32[8]) {
      %a: f32[8] = aten.mul.Tensor(%x, %y)
      %b: f32[8] = aten.add.Tensor(%a, 1.0)
      %c: f32[8] = aten.relu.default(%b)
      return (%c,)
    }`);
    expect(text).toMatchInlineSnapshot(`
      "input b0: f32[8]  # x
      input b1: f32[8]  # y

      nest 0 -> b2: f32[8]  # a, b, c
        for i0 < 8
          max((b0[i0] * b1[i0]) + 1, 0)

      output b2: f32[8]
      "
    `);
  });

  test("a product before them and a sum after them", () => {
    const text = textOf(`graph(%x: f32[4, 8], %w: f32[8, 16], %y: f32[16]) {
      %a: f32[4, 16] = aten.mm.default(%x, %w)
      %b: f32[4, 16] = aten.add.Tensor(%a, %y)
      %c: f32[4, 16] = aten.relu.default(%b)
      return (%c,)
    }`);
    expect(text).toMatchInlineSnapshot(`
      "input b0: f32[4, 8]  # x
      input b1: f32[8, 16]  # w
      input b2: f32[16]  # y

      nest 0 -> b3: f32[4, 16]  # a, b, c
        for i0 < 4, i1 < 16
          max(sum[r0 < 8](b0[i0*8 + r0] * b1[i1 + r0*16]) + b2[i1], 0)

      output b3: f32[4, 16]
      "
    `);
    const reduced = textOf(`graph(%x: f32[4, 8]) {
      %a: f32[4, 8] = aten.abs.default(%x)
      %b: f32[4] = aten.sum.dim_IntList(%a, [1])
      %c: f32[4] = aten.sqrt.default(%b)
      return (%c,)
    }`);
    expect(reduced).toMatchInlineSnapshot(`
      "input b0: f32[4, 8]  # x

      nest 0 -> b1: f32[4]  # a, b, c
        for i0 < 4
          sqrt(sum[r0 < 8](abs(b0[i0*8 + r0])))

      output b1: f32[4]
      "
    `);
  });
});

describe("memory is given to", () => {
  test("what is expensive and read twice", () => {
    const text = textOf(`graph(%x: f32[8]) {
      %a: f32[8] = aten.exp.default(%x)
      %b: f32[8] = aten.neg.default(%a)
      %c: f32[8] = aten.sqrt.default(%a)
      return (%b, %c)
    }`);
    expect(text).toMatchInlineSnapshot(`
      "input b0: f32[8]  # x

      nest 0 -> b1: f32[8]  # a
        for i0 < 8
          exp(b0[i0])

      nest 1 -> b2: f32[8]  # b
        for i0 < 8
          neg(b1[i0])

      nest 2 -> b3: f32[8]  # c
        for i0 < 8
          sqrt(b1[i0])

      output b2: f32[8], b3: f32[8]
      "
    `);
  });

  test("not what is cheap and read twice", () => {
    const text = textOf(`graph(%x: f32[8]) {
      %a: f32[8] = aten.neg.default(%x)
      %b: f32[8] = aten.exp.default(%a)
      %c: f32[8] = aten.sqrt.default(%a)
      return (%b, %c)
    }`);
    expect(text).toMatchInlineSnapshot(`
      "input b0: f32[8]  # x

      nest 0 -> b1: f32[8]  # a, b
        for i0 < 8
          exp(neg(b0[i0]))

      nest 1 -> b2: f32[8]  # a, c
        for i0 < 8
          sqrt(neg(b0[i0]))

      output b1: f32[8], b2: f32[8]
      "
    `);
  });

  test("what a product reads many times", () => {
    const text = textOf(`graph(%x: f32[4, 8], %w: f32[8, 16]) {
      %a: f32[4, 8] = aten.relu.default(%x)
      %b: f32[4, 16] = aten.mm.default(%a, %w)
      return (%b,)
    }`);
    expect(text).toMatchInlineSnapshot(`
      "input b0: f32[4, 8]  # x
      input b1: f32[8, 16]  # w

      nest 0 -> b2: f32[4, 8]  # a
        for i0 < 4, i1 < 8
          max(b0[i0*8 + i1], 0)

      nest 1 -> b3: f32[4, 16]  # b
        for i0 < 4, i1 < 16
          sum[r0 < 8](b2[i0*8 + r0] * b1[i1 + r0*16])

      output b3: f32[4, 16]
      "
    `);
  });

  test("all but the newest of operands that each take a reduction", () => {
    const text = textOf(`graph(%x: f32[4, 8]) {
      %a: f32[4] = aten.sum.dim_IntList(%x, [1])
      %b: f32[4] = aten.amax.default(%x, [1])
      %c: f32[4] = aten.div.Tensor(%a, %b)
      return (%c,)
    }`);
    expect(text).toMatchInlineSnapshot(`
      "input b0: f32[4, 8]  # x

      nest 0 -> b1: f32[4]  # a
        for i0 < 4
          sum[r0 < 8](b0[i0*8 + r0])

      nest 1 -> b2: f32[4]  # b, c
        for i0 < 4
          (b1[i0] / max[r0 < 8](b0[i0*8 + r0]))

      output b2: f32[4]
      "
    `);
  });

  test("what would read more buffers than a kernel may", () => {
    const text = textOf(
      `graph(%x: f32[8], %y: f32[8], %z: f32[8]) {
      %a: f32[8] = aten.add.Tensor(%x, %y)
      %b: f32[8] = aten.mul.Tensor(%a, %z)
      return (%b,)
    }`,
      { limits: { ...DEFAULT_LIMITS, reads: 2 } },
    );
    expect(text).toMatchInlineSnapshot(`
      "input b0: f32[8]  # x
      input b1: f32[8]  # y
      input b2: f32[8]  # z

      nest 0 -> b3: f32[8]  # a
        for i0 < 8
          (b0[i0] + b1[i0])

      nest 1 -> b4: f32[8]  # b
        for i0 < 8
          (b3[i0] * b2[i0])

      output b4: f32[8]
      "
    `);
  });
});
