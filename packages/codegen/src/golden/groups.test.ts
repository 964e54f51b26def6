import { expect, test } from "vitest";
import { textOf } from "../programs.fixture.js";

test("softmax is three nests over the same rows, in one group", () => {
  const text = textOf(`graph(%x: f32[4, 8]) {
    %a: f32[4, 8] = aten._softmax.default(%x, 1, false)
    return (%a,)
  }`);
  expect(text).toMatchInlineSnapshot(`
    "input b0: f32[4, 8]  # x

    nest 0 -> b1: f32[4, 1]  in softmax_0  # a
      for i0 < 4, i1 < 1
        max[r0 < 8](b0[i0*8 + r0])

    nest 1 -> b2: f32[4, 1]  in softmax_0  # a
      for i0 < 4, i1 < 1
        reciprocal(sum[r0 < 8](exp(b0[i0*8 + r0] - b1[i0])))

    nest 2 -> b3: f32[4, 8]  # a
      for i0 < 4, i1 < 8
        (exp(b0[i0*8 + i1] - b1[i0]) * b2[i0])

    output b3: f32[4, 8]
    "
  `);
});

test("layer normalization is mean, spread and the rest, which joins what reads it", () => {
  const text = textOf(`graph(%x: f32[4, 8], %w: f32[8], %b: f32[8]) {
    %a: (f32[4, 8], f32[4, 1], f32[4, 1]) = aten.native_layer_norm.default(%x, [8], %w, %b, 1e-05)
    %c: f32[4, 8] = operator.getitem(%a, 0)
    %d: f32[4, 8] = aten.relu.default(%c)
    return (%d,)
  }`);
  expect(text).toMatchInlineSnapshot(`
    "input b0: f32[4, 8]  # x
    input b1: f32[8]  # w
    input b2: f32[8]  # b

    nest 0 -> b3: f32[4, 1]  in norm_0  # a
      for i0 < 4, i1 < 1
        ((((t0 = sum[r0 < 8](b0[i0*8 + r0] - b0[i0*8]) / 8) * 0) == 0) ? t0 : ((((t1 = sum[r1 < 8](b0[i0*8 + r1] / 8) - b0[i0*8]) * 0) == 0) ? t1 : NaN))

    nest 1 -> b4: f32[4, 1]  in norm_0  # a
      for i0 < 4, i1 < 1
        rsqrt((not((((t1 = sum[r0 < 8]((t0 = (b0[i0*8 + r0] - b0[i0*8]) - b3[i0]) * t0)) + (((b3[i0] + b0[i0*8]) * (b3[i0] + b0[i0*8])) * 64)) * 0) == 0) ? (((((t2 = (sum[r1 < 8]((r1 == 0) ? b0[i0*8 + r1] : 0) * 8) / 8) * t2) * 0) == 0) ? (t1 / 8) : NaN) : (t1 / 8)) + 0.00001)

    nest 2 -> b5: f32[4, 8]  # a, d
      for i0 < 4, i1 < 8
        max((((b0[i0*8 + i1] - (b3[i0] + b0[i0*8])) * b4[i0]) * b1[i1]) + b2[i1], 0)

    output b5: f32[4, 8]
    "
  `);
});

test("the weights of an attention are a group between two products", () => {
  const text = textOf(`graph(%q: f32[2, 4, 8], %k: f32[2, 4, 8], %v: f32[2, 4, 8]) {
    %t: f32[2, 8, 4] = aten.permute.default(%k, [0, 2, 1])
    %s: f32[2, 4, 4] = aten.bmm.default(%q, %t)
    %m: f32[2, 4, 4] = aten.mul.Tensor(%s, 0.35)
    %p: f32[2, 4, 4] = aten._softmax.default(%m, -1, false)
    %o: f32[2, 4, 8] = aten.bmm.default(%p, %v)
    return (%o,)
  }`);
  expect(text).toMatchInlineSnapshot(`
    "input b0: f32[2, 4, 8]  # q
    input b1: f32[2, 4, 8]  # k
    input b2: f32[2, 4, 8]  # v

    nest 0 -> b3: f32[2, 4, 4]  # t, s, m
      for i0 < 2, i1 < 4, i2 < 4
        (sum[r0 < 8](b0[i0*32 + i1*8 + r0] * b1[i0*32 + i2*8 + r0]) * 0.35)

    nest 1 -> b4: f32[2, 4, 1]  in softmax_0  # p
      for i0 < 2, i1 < 4, i2 < 1
        max[r0 < 4](b3[i0*16 + i1*4 + r0])

    nest 2 -> b5: f32[2, 4, 1]  in softmax_0  # p
      for i0 < 2, i1 < 4, i2 < 1
        reciprocal(sum[r0 < 4](exp(b3[i0*16 + i1*4 + r0] - b4[i0*4 + i1])))

    nest 3 -> b6: f32[2, 4, 4]  # p
      for i0 < 2, i1 < 4, i2 < 4
        (exp(b3[i0*16 + i1*4 + i2] - b4[i0*4 + i1]) * b5[i0*4 + i1])

    nest 4 -> b7: f32[2, 4, 8]  # o
      for i0 < 2, i1 < 4, i2 < 8
        sum[r0 < 4](b6[i0*16 + i1*4 + r0] * b2[i0*32 + i2 + r0*8])

    output b7: f32[2, 4, 8]
    "
  `);
});
