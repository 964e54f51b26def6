/** @file Kinds of products and convolutions, each by itself. */
import { detectFeatures } from "@sconce/wasm";
import { describe, expect, test } from "vitest";
import {
  type Check,
  type Convolution,
  check,
  convolution,
  kernelNames,
  matrixResult,
  mm,
} from "./products.fixture.js";

describe("matrix products", () => {
  test.each([
    [16, 16, 16],
    [5, 40, 17],
    [1, 300, 40],
    [67, 33, 70],
    [130, 8, 131],
    [7, 1000, 9],
    [64, 401, 24],
  ])("%i x %i x %i", (m, k, n) => {
    check(mm(m, k, n));
    check({ ...mm(m, k, n), constants: [1] });
    check({ ...mm(m, k, n), constants: [0] });
    check({ ...mm(m, k, n), constants: [0, 1] });
    if (detectFeatures().relaxed) check(mm(m, k, n), true);
  });
});

/** Checks a case with each choice of constants. */
function checkAll(one: Check, weight = 1): void {
  check(one);
  check({ ...one, constants: [weight] });
  if (detectFeatures().relaxed) check(one, true);
}

test.each([
  [3, 9, 20, 14],
  [2, 64, 31, 66],
])("batches of products, %i of %i x %i x %i", (b, m, k, n) => {
  const bmm = (left: string, right: string, views: string): string =>
    `graph(%a: f32[${left}], %b: f32[${right}]) {
      ${views}
      %c: f32[${b}, ${m}, ${n}] = aten.bmm.default(%x, %y)
      return (%c,)
    }`;
  const swap = (name: string, from: string, shape: string): string =>
    `%${name}: f32[${shape}] = aten.permute.default(%${from}, [0, 2, 1])`;
  const [ofA, ofB] = [`${b}, ${m}, ${k}`, `${b}, ${k}, ${n}`];
  const same = (name: string, from: string, shape: string): string =>
    `%${name}: f32[${shape}] = aten.permute.default(%${from}, [0, 1, 2])`;
  const shapes = { a: [b, m, k], aT: [b, k, m], b: [b, k, n], bT: [b, n, k] };
  const text = (isA: boolean, isB: boolean): string =>
    bmm(
      (isA ? shapes.aT : shapes.a).join(", "),
      (isB ? shapes.bT : shapes.b).join(", "),
      `${(isA ? swap : same)("x", "a", ofA)}
       ${(isB ? swap : same)("y", "b", ofB)}`,
    );
  for (const [isA, isB] of [
    [false, false],
    [true, false],
    [false, true],
    [true, true],
  ] as const)
    checkAll({
      text: text(isA, isB),
      shapes: [isA ? shapes.aT : shapes.a, isB ? shapes.bT : shapes.b],
      depth: k,
    });
});

test("what follows a product is computed from its blocks", () => {
  checkAll({
    text: `graph(%x: f32[2, 37, 50], %w: f32[141, 50], %b: f32[141], %r: f32[2, 37, 141]) {
      %t: f32[50, 141] = aten.permute.default(%w, [1, 0])
      %v: f32[74, 50] = aten.view.default(%x, [74, 50])
      %p: f32[74, 141] = aten.addmm.default(%b, %v, %t)
      %u: f32[2, 37, 141] = aten.view.default(%p, [2, 37, 141])
      %s: f32[2, 37, 141] = aten.add.Tensor(%u, %r)
      %e: f32[2, 37, 141] = aten.relu.default(%s)
      return (%e,)
    }`,
    shapes: [[2, 37, 50], [141, 50], [141], [2, 37, 141]],
    depth: 50,
  });
});

describe("work in registers", () => {
  const shapes = [[2, 37, 50], [144, 50], [144], [2, 37, 144], [74, 1]];
  const product = `%t: f32[50, 144] = aten.permute.default(%w, [1, 0])
      %v: f32[74, 50] = aten.view.default(%x, [74, 50])`;
  const inputs = "%x: f32[2, 37, 50], %w: f32[144, 50], %b: f32[144], %r: f32[2, 37, 144], %q: f32[74, 1]";
  test.each([
    [
      "a sum alone",
      `%e: f32[74, 144] = aten.mm.default(%v, %t)
      %m: f32[2, 37, 144] = aten.view.default(%e, [2, 37, 144])`,
    ],
    [
      "bias, residual and bounds",
      `%p: f32[74, 144] = aten.addmm.default(%b, %v, %t)
      %u: f32[2, 37, 144] = aten.view.default(%p, [2, 37, 144])
      %s: f32[2, 37, 144] = aten.add.Tensor(%u, %r)
      %m: f32[2, 37, 144] = aten.clamp.default(%s, 0, 6)`,
    ],
    [
      "a factor for each row, and one sum that is read twice",
      `%p: f32[74, 144] = aten.mm.default(%v, %t)
      %y: f32[74, 144] = aten.mul.Tensor(%p, %q)
      %c: f32[74, 144] = aten.clamp.default(%y, -1, 1)
      %z: f32[74, 144] = aten.mul.Tensor(%y, %c)
      %g: f32[74, 144] = aten.maximum.default(%z, %y)
      %m: f32[2, 37, 144] = aten.view.default(%g, [2, 37, 144])`,
    ],
  ])("%s", (_, rest) => {
    const one = { text: `graph(${inputs}) { ${product} ${rest} return (%m,) }`, shapes, depth: 150 };
    checkAll(one);
    expect(kernelNames(one, 0)).toEqual([expect.stringContaining("results in registers")]);
  });
  test("NaN stays, and zeros keep their sign", () => {
    const program = `graph(%x: f32[8, 8], %w: f32[8, 8], %b: f32[8]) {
      %p: f32[8, 8] = aten.addmm.default(%b, %x, %w)
      %m: f32[8, 8] = aten.clamp.default(%p, 0, 6)
      %n: f32[8, 8] = aten.neg.default(%m)
      return (%n,)
    }`;
    const x = new Float32Array(64).fill(-1);
    x[9] = Number.NaN;
    const result = matrixResult(program, [
      [x, [8, 8]],
      [new Float32Array(64).fill(1), [8, 8]],
      [new Float32Array(8), [8]],
    ]);
    expect(result.subarray(8, 16).every(Number.isNaN)).toBe(true);
    expect(result.subarray(0, 8).every((value) => Object.is(value, -0))).toBe(true);
  });
});

/** What most convolutions here have: one image and group, a window of 3 by 3 in steps of 1. */
const PLAIN = { n: 1, groups: 1, kernel: [3, 3], stride: 1, padding: 1, dilation: 1 } as const;

describe("convolutions", () => {
  const base = {
    ...PLAIN,
    inPerGroup: 8,
    outPerGroup: 12,
    size: [11, 13],
  } as const;
  test.each<[string, Partial<Convolution>]>([
    ["3x3 with padding", {}],
    ["3x3 without padding", { padding: 0 }],
    ["several images", { n: 3, size: [8, 8] }],
    ["1x1", { kernel: [1, 1], padding: 0, inPerGroup: 19, outPerGroup: 21 }],
    ["1x1 with stride", { kernel: [1, 1], padding: 0, stride: 2 }],
    ["7x7 with stride", { kernel: [7, 7], padding: 3, stride: 2, inPerGroup: 3, size: [20, 22] }],
    ["dilation", { dilation: 2, padding: 2, inPerGroup: 5 }],
    ["groups", { groups: 4, inPerGroup: 3, outPerGroup: 5, n: 2 }],
    ["a kernel of two sizes", { kernel: [1, 5], padding: 2, size: [6, 30] }],
    ["a window larger than the image", { size: [2, 3], padding: 3, kernel: [5, 5], outPerGroup: 40 }],
    ["long sums", { inPerGroup: 70, outPerGroup: 17, size: [6, 6] }],
  ])("%s", (_, change) => {
    checkAll(convolution({ ...base, ...change }));
    checkAll(convolution({ ...base, ...change, channelsLast: true }));
  });
});

describe("other floats", () => {
  const image = { n: 2, inPerGroup: 9, outPerGroup: 12, size: [9, 10], kernel: [3, 3] } as const;
  const shape = { ...image, groups: 1, stride: 1, padding: 1, dilation: 1 } as const;
  test.each(["float64", "float16", "bfloat16"] as const)("%s", (dtype) => {
    for (const change of [{}, { channelsLast: true, resultLast: true }, { stride: 2 }, { groups: 2 }])
      checkAll({ ...convolution({ ...shape, ...change }), dtype });
    for (const [m, k, n] of [
      [37, 50, 141],
      [130, 800, 9],
      [8, 9, 300],
    ] as const)
      checkAll({ ...mm(m, k, n), dtype });
    const [a, b] = ["%x: f32[41, 70], %y: f32[33, 70]", "%x: f32[70, 41], %y: f32[70, 33]"];
    for (const [given, x, y] of [
      [a, "[0, 1]", "[1, 0]"],
      [b, "[1, 0]", "[0, 1]"],
    ])
      checkAll({
        text: `graph(${given}) {
          %s: f32[41, 70] = aten.permute.default(%x, ${x})
          %t: f32[70, 33] = aten.permute.default(%y, ${y})
          %c: f32[41, 33] = aten.mm.default(%s, %t)
          return (%c,)
        }`,
        shapes:
          given === a
            ? [
                [41, 70],
                [33, 70],
              ]
            : [
                [70, 41],
                [70, 33],
              ],
        depth: 70,
        dtype,
      });
  });
});

describe("transposed convolutions", () => {
  const base = {
    ...PLAIN,
    inPerGroup: 8,
    outPerGroup: 12,
    size: [7, 9],
    kernel: [4, 4],
    stride: 2,
    transposed: { outputPadding: 0 },
  } as const;
  test.each<[string, Partial<Convolution>]>([
    ["4x4 with stride", {}],
    ["3x3 with stride, one more result", { kernel: [3, 3], transposed: { outputPadding: 1 } }],
    ["without padding", { padding: 0, kernel: [2, 2], n: 2 }],
    ["stride 3", { kernel: [5, 4], stride: 3, transposed: { outputPadding: 2 } }],
    ["dilation", { kernel: [3, 5], stride: 3, dilation: 2 }],
    ["groups", { groups: 3, inPerGroup: 5, outPerGroup: 4 }],
    ["stride 1", { stride: 1 }],
  ])("%s", (_, change) => {
    const one = convolution({ ...base, ...change });
    checkAll(one);
    checkAll(convolution({ ...base, ...change, channelsLast: true, resultLast: true }));
    if (change.stride !== 1) expect(kernelNames(one, 2)[0]).toContain("phases of strides");
  });
  test.each<[string, Partial<Convolution>]>([
    ["strides that dilation shares", { kernel: [3, 3], dilation: 2, transposed: { outputPadding: 1 } }],
    ["results that read nothing", { kernel: [1, 1], padding: 0, transposed: { outputPadding: 1 } }],
  ])("%s are left to other kernels", (_, change) => {
    expect(check({ ...convolution({ ...base, ...change }), isAny: true })).toBe(0);
  });
});

describe("Winograd's algorithm", () => {
  const base = {
    ...PLAIN,
    inPerGroup: 16,
    outPerGroup: 20,
    size: [12, 14],
    channelsLast: true,
    resultLast: true,
  } as const;
  test.each<[string, Partial<Convolution>]>([
    ["even sizes", {}],
    ["odd sizes", { size: [13, 7], outPerGroup: 24 }],
    ["no padding", { padding: 0, size: [9, 11] }],
    ["more padding than a window reads", { padding: 3, size: [5, 6] }],
    ["several images", { n: 3, size: [7, 7], inPerGroup: 36 }],
    ["many tiles", { size: [40, 38], outPerGroup: 16 }],
    ["many channels", { size: [6, 6], inPerGroup: 132, outPerGroup: 68 }],
    ["weights that the kernel transforms", { size: [5, 5], inPerGroup: 168, outPerGroup: 196 }],
    ["the same in several images", { n: 2, size: [3, 6], inPerGroup: 172, outPerGroup: 200 }],
  ])("%s", (_, change) => {
    for (const winograd of [2, 4] as const) {
      const one = convolution({ ...base, ...change });
      const names = kernelNames(one, winograd);
      expect(names).toEqual([expect.stringContaining(`F(${winograd}x${winograd}, 3x3)`)]);
      check({ ...one, constants: [1], winograd });
      if (detectFeatures().relaxed) check({ ...one, constants: [1], winograd }, true);
    }
  });

  test("other convolutions are products", () => {
    for (const change of [{ stride: 2 }, { dilation: 2 }, { kernel: [1, 1] }, { inPerGroup: 12 }] as const)
      expect(kernelNames(convolution({ ...base, ...change }), 2)).toEqual([
        expect.stringContaining("matrix product"),
      ]);
  });
});

describe("convolutions of each channel by itself", () => {
  const base = {
    ...PLAIN,
    groups: 12,
    inPerGroup: 1,
    outPerGroup: 1,
    size: [9, 11],
    channelsLast: true,
    resultLast: true,
  } as const;
  test.each<[string, Partial<Convolution>]>([
    ["3x3", {}],
    ["stride", { stride: 2 }],
    ["5x5 with stride", { kernel: [5, 5], padding: 2, stride: 2, n: 2 }],
    ["7x7", { kernel: [7, 7], padding: 3, size: [14, 15] }],
    ["no padding", { padding: 0 }],
    ["dilation", { dilation: 2, padding: 2 }],
    ["a row of results", { kernel: [3, 1], padding: 1, size: [7, 2] }],
    ["fewer results than registers hold", { size: [4, 2], padding: 0, kernel: [3, 1] }],
    ["many rows", { size: [70, 66], groups: 64 }],
  ])("%s", (_, change) => {
    const one = convolution({ ...base, ...change });
    expect(kernelNames(one, 2)).toEqual([expect.stringMatching(/windows of .* over \d+ channels/)]);
    check({ ...one, constants: [1] });
    if (detectFeatures().relaxed) check({ ...one, constants: [1] }, true);
    const planes = convolution({ ...base, ...change, channelsLast: false, resultLast: false });
    const isNarrow = (change.size ?? base.size)[1] < 4;
    if (isNarrow) return;
    expect(kernelNames(planes, 2)).toEqual([expect.stringMatching(/of each of \d+ planes/)]);
    checkAll(planes);
  });
});
