import { parseGraph } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import { expect, test } from "vitest";
import { channelsLastLayouts } from "../lower/layouts.js";
import { textOf } from "../programs.fixture.js";

const operators = defaultOperators();
const chosen = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...channelsLastLayouts(parseGraph(text), operators)].map(([name, order]) => [name, order.join()]),
  );

const NETWORK = `graph(%x: f32[1, 3, 8, 8], %w: f32[8, 3, 3, 3], %v: f32[8, 8, 3, 3], %u: f32[8, 1, 3, 3], %b: f32[8]) {
    %c: f32[1, 8, 8, 8] = aten.convolution.default(%x, %w, %b, [1, 1], [1, 1], [1, 1], false, [0, 0], 1)
    %m: (f32[1, 8, 4, 4], i64[1, 8, 4, 4]) = aten.max_pool2d_with_indices.default(%c, [2, 2], [2, 2])
    %p: f32[1, 8, 4, 4] = operator.getitem(%m, 0)
    %d: f32[1, 8, 2, 2] = aten.convolution.default(%p, %v, none, [1, 1], [0, 0], [1, 1], false, [0, 0], 1)
    %r: f32[1, 8, 2, 2] = aten.relu.default(%d)
    %e: f32[1, 8, 2, 2] = aten.convolution.default(%r, %u, none, [1, 1], [1, 1], [1, 1], false, [0, 0], 8)
    %f: f32[1, 8] = aten.mean.dim(%e, [2, 3])
    return (%f,)
  }`;

test("images between convolutions lie in memory with their channels last", () => {
  expect(textOf(NETWORK, { layouts: "channels-last" })).toMatchInlineSnapshot(`
    "input b0: f32[1, 3, 8, 8]  # x
    input b1: f32[8, 3, 3, 3]  # w
    input b2: f32[8, 8, 3, 3]  # v
    input b3: f32[8, 1, 3, 3]  # u
    input b4: f32[8]  # b

    nest 0 -> b5: f32[1, 8, 8, 8]  # c
      for i0 < 1, i1 < 8, i2 < 8, i3 < 8
        (sum[r0 < 3, r1 < 3, r2 < 3]((((((i1 + r1 - 1) >= 0) && ((i1 + r1 - 1) < 8)) && (((i2 + r2 - 1) >= 0) && ((i2 + r2 - 1) < 8))) ? b0[i1*8 + i2 + r0*64 + r1*8 + r2 - 9] : 0) * b1[i3*27 + r0*9 + r1*3 + r2]) + b4[i3])

    nest 1 -> b6: f32[1, 4, 4, 8]  # m
      for i0 < 1, i1 < 4, i2 < 4, i3 < 8
        max[r0 < 2, r1 < 2](b5[i1*128 + i2*16 + i3 + r0*64 + r1*8])

    nest 2 -> b7: f32[1, 2, 2, 8]  # d, r
      for i0 < 1, i1 < 2, i2 < 2, i3 < 8
        max(sum[r0 < 8, r1 < 3, r2 < 3](b6[i1*32 + i2*8 + r0 + r1*32 + r2*8] * b2[i3*72 + r0*9 + r1*3 + r2]), 0)

    nest 3 -> b8: f32[1, 2, 2, 8]  # e
      for i0 < 1, i1 < 2, i2 < 2, i3 < 8
        sum[r0 < 1, r1 < 3, r2 < 3]((((((i1 + r1 - 1) >= 0) && ((i1 + r1 - 1) < 2)) && (((i2 + r2 - 1) >= 0) && ((i2 + r2 - 1) < 2))) ? b7[i1*16 + i2*8 + i3 + r1*16 + r2*8 - 24] : 0) * b3[i3*9 + r1*3 + r2])

    nest 4 -> b9: f32[1, 8]  # f
      for i0 < 1, i1 < 8
        (sum[r0 < 2, r1 < 2](b8[i1 + r0*16 + r1*8]) / 4)

    output b9: f32[1, 8]
    "
  `);
});

test("pointwise operators, pools and picks follow convolutions", () => {
  const last = "0,2,3,1";
  expect(chosen(NETWORK)).toEqual({ c: last, m: last, p: last, d: last, r: last, e: last });
});

test("volumes have their channels last, signals do not", () => {
  const conv = (rank: number): string => {
    const [sizes, zeros, ones] = ["4", "0", "1"].map((one) => new Array(rank).fill(one).join(", "));
    return `graph(%x: f32[1, 8, ${sizes}], %w: f32[8, 8, ${ones}]) {
      %c: f32[1, 8, ${sizes}] = aten.convolution.default(%x, %w, none, [${ones}], [${zeros}], [${ones}], false, [${zeros}], 1)
      %s: f32[1, 8, 1, 1] = aten.mean.dim(%c, [2], true)
      return (%s,)
    }`.replace("f32[1, 8, 1, 1]", `f32[1, 8, ${["1", ...new Array(rank - 1).fill("4")].join(", ")}]`);
  };
  expect(chosen(conv(3))).toEqual({ c: "0,2,3,4,1" });
  expect(chosen(conv(2))).toEqual({ c: "0,2,3,1" });
  expect(chosen(conv(1))).toEqual({});
});

test("results, also through views, and images of few channels stay in row-major order", () => {
  const graph = (
    channels: number,
    end: string,
  ): string => `graph(%x: f32[1, 3, 4, 4], %w: f32[${channels}, 3, 1, 1]) {
    %c: f32[1, ${channels}, 4, 4] = aten.convolution.default(%x, %w, none, [1, 1], [0, 0], [1, 1], false, [0, 0], 1)
    ${end}
  }`;
  const mean = `%s: f32[1, 8] = aten.mean.dim(%c, [2, 3])
    return (%s,)`;
  expect(chosen(graph(8, mean))).toEqual({ c: "0,2,3,1" });
  expect(chosen(graph(3, mean.replace("8", "3")))).toEqual({});
  expect(chosen(graph(8, "return (%c,)"))).toEqual({});
  expect(
    chosen(
      graph(
        8,
        `%s: f32[8, 16] = aten.view.default(%c, [8, 16])
    return (%s,)`,
      ),
    ),
  ).toEqual({});
});

test("values that no convolution reads stay in row-major order", () => {
  expect(
    chosen(`graph(%x: f32[1, 8, 4, 4], %y: f32[1, 8, 4, 4]) {
      %a: f32[1, 8, 4, 4] = aten.exp.default(%x)
      %s: f32[1, 8] = aten.mean.dim(%a, [2, 3])
      return (%s,)
    }`),
  ).toEqual({});
});

test("a result that a layout names is copied into row-major order", () => {
  const text = `graph(%x: f32[2, 3, 4]) {
    %e: f32[2, 3, 4] = aten.exp.default(%x)
    %p: f32[4, 2, 3] = aten.permute.default(%e, [2, 0, 1])
    return (%e, %p)
  }`;
  expect(textOf(text, { layouts: new Map([["e", [2, 0, 1]]]) })).toMatchInlineSnapshot(`
    "input b0: f32[2, 3, 4]  # x

    nest 0 -> b1: f32[4, 2, 3]  # e
      for i0 < 4, i1 < 2, i2 < 3
        exp(b0[i0 + i1*12 + i2*4])

    nest 1 -> b2: f32[2, 3, 4]  # e
      for i0 < 2, i1 < 3, i2 < 4
        b1[i0*3 + i1 + i2*6]

    output b2: f32[2, 3, 4], b1: f32[4, 2, 3]
    "
  `);
});

test("an order that is not one of the dimensions is refused", () => {
  expect(() => textOf(NETWORK, { layouts: new Map([["c", [0, 2, 2, 1]]]) })).toThrow(
    /option "layouts" of lowerToLoops cannot be 0,2,2,1/,
  );
});
