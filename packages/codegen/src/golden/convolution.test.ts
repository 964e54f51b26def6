import { expect, test } from "vitest";
import { textOf } from "../programs.fixture.js";

test("bias, batch norm, residual and activation are in the convolution's nest", () => {
  const text =
    textOf(`graph(%x: f32[1, 3, 8, 8], %w: f32[4, 3, 3, 3], %b: f32[4], %m: f32[4], %v: f32[4], %g: f32[4], %r: f32[1, 4, 8, 8]) {
    %c: f32[1, 4, 8, 8] = aten.convolution.default(%x, %w, %b, [1, 1], [1, 1], [1, 1], false, [0, 0], 1)
    %n: (f32[1, 4, 8, 8], f32[0], f32[0]) = aten._native_batch_norm_legit_no_training.default(%c, %g, none, %m, %v, 0.1, 1e-05)
    %d: f32[1, 4, 8, 8] = operator.getitem(%n, 0)
    %e: f32[1, 4, 8, 8] = aten.add.Tensor(%d, %r)
    %f: f32[1, 4, 8, 8] = aten.relu.default(%e)
    return (%f,)
  }`);
  expect(text).toMatchInlineSnapshot(`
    "input b0: f32[1, 3, 8, 8]  # x
    input b1: f32[4, 3, 3, 3]  # w
    input b2: f32[4]  # b
    input b3: f32[4]  # m
    input b4: f32[4]  # v
    input b5: f32[4]  # g
    input b6: f32[1, 4, 8, 8]  # r

    nest 0 -> b7: f32[1, 4, 1, 1]  in norm_0  # n
      for i0 < 1, i1 < 4, i2 < 1, i3 < 1
        ((((((0 - (b3[i1] * (rsqrt(b4[i1] + 0.00001) * b5[i1]))) * 0) == 0) && ((((rsqrt(b4[i1] + 0.00001) * b5[i1]) * 0) == 0) && ((rsqrt(b4[i1] + 0.00001) * b5[i1]) != 0))) && (abs(b3[i1]) < 1.0141204801825835e+31)) ? b3[i1] : (((((0 - (b3[i1] * (rsqrt(b4[i1] + 0.00001) * b5[i1]))) * 0) == 0) && ((((rsqrt(b4[i1] + 0.00001) * b5[i1]) * 0) == 0) && (abs(rsqrt(b4[i1] + 0.00001) * b5[i1]) >= 1))) ? (neg(0 - (b3[i1] * (rsqrt(b4[i1] + 0.00001) * b5[i1]))) / (rsqrt(b4[i1] + 0.00001) * b5[i1])) : 0))

    nest 1 -> b8: f32[1, 4, 1, 1]  in norm_0  # n
      for i0 < 1, i1 < 4, i2 < 1, i3 < 1
        (((abs(0 - (b3[i1] * (rsqrt(b4[i1] + 0.00001) * b5[i1]))) == Infinity) && ((((rsqrt(b4[i1] + 0.00001) * b5[i1]) * 0) == 0) && ((rsqrt(b4[i1] + 0.00001) * b5[i1]) != 0))) ? (((rsqrt(b4[i1] + 0.00001) * b5[i1]) < 0) ? -1 : 1) : (rsqrt(b4[i1] + 0.00001) * b5[i1]))

    nest 2 -> b9: f32[1, 4, 1, 1]  in norm_0  # n
      for i0 < 1, i1 < 4, i2 < 1, i3 < 1
        ((((((0 - (b3[i1] * (rsqrt(b4[i1] + 0.00001) * b5[i1]))) * 0) == 0) && ((((rsqrt(b4[i1] + 0.00001) * b5[i1]) * 0) == 0) && ((rsqrt(b4[i1] + 0.00001) * b5[i1]) != 0))) && (abs(b3[i1]) < 1.0141204801825835e+31)) ? 0 : (((((0 - (b3[i1] * (rsqrt(b4[i1] + 0.00001) * b5[i1]))) * 0) == 0) && ((((rsqrt(b4[i1] + 0.00001) * b5[i1]) * 0) == 0) && (abs(rsqrt(b4[i1] + 0.00001) * b5[i1]) >= 1))) ? 0 : (0 - (b3[i1] * (rsqrt(b4[i1] + 0.00001) * b5[i1])))))

    nest 3 -> b10: f32[1, 4, 8, 8]  # c, n, e, f
      for i0 < 1, i1 < 4, i2 < 8, i3 < 8
        max(((((sum[r0 < 3, r1 < 3, r2 < 3]((((((i2 + r1 - 1) >= 0) && ((i2 + r1 - 1) < 8)) && (((i3 + r2 - 1) >= 0) && ((i3 + r2 - 1) < 8))) ? b0[i2*8 + i3 + r0*64 + r1*8 + r2 - 9] : 0) * b1[i1*27 + r0*9 + r1*3 + r2]) + b2[i1]) - b7[i1]) * b8[i1]) + b9[i1]) + b6[i1*64 + i2*8 + i3], 0)

    output b10: f32[1, 4, 8, 8]
    "
  `);
});

test("groups, strides and dilations are index arithmetic; no guard where nothing is padded", () => {
  const text = textOf(`graph(%x: f32[2, 4, 9, 9], %w: f32[6, 2, 3, 3]) {
    %c: f32[2, 6, 3, 3] = aten.convolution.default(%x, %w, none, [2, 2], [0, 0], [2, 2], false, [0, 0], 2)
    return (%c,)
  }`);
  expect(text).toMatchInlineSnapshot(`
    "input b0: f32[2, 4, 9, 9]  # x
    input b1: f32[6, 2, 3, 3]  # w

    nest 0 -> b2: f32[2, 6, 3, 3]  # c
      for i0 < 2, i1 < 6, i2 < 3, i3 < 3
        sum[r0 < 2, r1 < 3, r2 < 3](b0[(i1 / 3)*162 + i0*324 + i2*18 + i3*2 + r0*81 + r1*18 + r2*2] * b1[i1*18 + r0*9 + r1*3 + r2])

    output b2: f32[2, 6, 3, 3]
    "
  `);
});

test("a transposed one reads the elements that reach a place", () => {
  const text = textOf(`graph(%x: f32[1, 2, 4], %w: f32[2, 3, 3]) {
    %c: f32[1, 3, 8] = aten.convolution.default(%x, %w, none, [2], [1], [1], true, [1], 1)
    return (%c,)
  }`);
  expect(text).toMatchInlineSnapshot(`
    "input b0: f32[1, 2, 4]  # x
    input b1: f32[2, 3, 3]  # w

    nest 0 -> b2: f32[1, 3, 8]  # c
      for i0 < 1, i1 < 3, i2 < 8
        sum[r0 < 2, r1 < 3 if ((((i2 - r1 + 1) % 2) == 0) && ((((i2 - r1 + 1) / 2) >= 0) && (((i2 - r1 + 1) / 2) < 4)))](b0[((i2 - r1 + 1) / 2) + r0*4] * b1[i1*3 + r0*9 + r1])

    output b2: f32[1, 3, 8]
    "
  `);
});

test("pooling has guards for its padding only", () => {
  const text = textOf(`graph(%x: f32[1, 2, 8, 8]) {
    %m: (f32[1, 2, 4, 4], i64[1, 2, 4, 4]) = aten.max_pool2d_with_indices.default(%x, [3, 3], [2, 2], [1, 1])
    %a: f32[1, 2, 4, 4] = operator.getitem(%m, 0)
    %b: f32[1, 2, 2, 2] = aten.avg_pool2d.default(%a, [2, 2])
    return (%b,)
  }`);
  expect(text).toMatchInlineSnapshot(`
    "input b0: f32[1, 2, 8, 8]  # x

    nest 0 -> b1: f32[1, 2, 4, 4]  # m
      for i0 < 1, i1 < 2, i2 < 4, i3 < 4
        max[r0 < 3, r1 < 3 if ((((i2*2 + r0 - 1) >= 0) && ((i2*2 + r0 - 1) < 8)) && (((i3*2 + r1 - 1) >= 0) && ((i3*2 + r1 - 1) < 8)))](b0[i1*64 + i2*16 + i3*2 + r0*8 + r1 - 9])

    nest 1 -> b2: f32[1, 2, 2, 2]  # b
      for i0 < 1, i1 < 2, i2 < 2, i3 < 2
        (sum[r0 < 2, r1 < 2](b1[i1*16 + i2*8 + i3*2 + r0*4 + r1]) / 4)

    output b2: f32[1, 2, 2, 2]
    "
  `);
});
