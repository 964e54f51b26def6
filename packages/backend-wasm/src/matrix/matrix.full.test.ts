/** @file Products and convolutions of random sizes. */
import { detectFeatures } from "@sconce/wasm";
import fc from "fast-check";
import { expect, test } from "vitest";
import { type Check, type Convolution, check, convolution, kernelNames } from "./products.fixture.js";

const RUNS = { numRuns: 120, seed: 20261123 };
const relaxed = fc.boolean().map((is) => is && detectFeatures().relaxed);
const constants = fc.subarray([0, 1]);
const size = fc.integer({ min: 1, max: 70 });

/** `a[..., m, k] @ b[..., k, n]`, each given transposed or not, with or without a bias. */
const product: fc.Arbitrary<Check> = fc
  .record({
    batch: fc.integer({ min: 1, max: 3 }),
    m: size,
    n: size,
    k: fc.oneof(size, fc.integer({ min: 380, max: 800 })),
    isA: fc.boolean(),
    isB: fc.boolean(),
    isShared: fc.boolean(),
  })
  .map(({ batch, m, n, k, isA, isB, isShared }) => {
    const a = isA ? [batch, k, m] : [batch, m, k];
    const b = [...(isShared ? [] : [batch]), ...(isB ? [n, k] : [k, n])];
    const right = isShared ? [k, n] : [batch, k, n];
    const swapped = isShared ? "[1, 0]" : "[0, 2, 1]";
    const same = isShared ? "[0, 1]" : "[0, 1, 2]";
    return {
      text: `graph(%a: f32[${a}], %b: f32[${b}], %c: f32[${n}]) {
        %x: f32[${batch}, ${m}, ${k}] = aten.permute.default(%a, ${isA ? "[0, 2, 1]" : "[0, 1, 2]"})
        %y: f32[${right}] = aten.permute.default(%b, ${isB ? swapped : same})
        %p: f32[${batch}, ${m}, ${n}] = aten.matmul.default(%x, %y)
        %s: f32[${batch}, ${m}, ${n}] = aten.add.Tensor(%p, %c)
        return (%s,)
      }`.replaceAll(/,(?=\d)/g, ", "),
      shapes: [a, b, [n]],
      depth: k,
      isAny: true,
    };
  });

test("products of random sizes", () => {
  let kernels = 0;
  fc.assert(
    fc.property(product, constants, relaxed, (one, fixed, isRelaxed) => {
      kernels += check({ ...one, constants: fixed }, isRelaxed);
    }),
    RUNS,
  );
  expect(kernels).toBeGreaterThan(RUNS.numRuns / 2);
});

const shape: fc.Arbitrary<Convolution> = fc.record({
  n: fc.integer({ min: 1, max: 2 }),
  groups: fc.constantFrom(1, 1, 1, 2, 3),
  inPerGroup: fc.integer({ min: 1, max: 37 }),
  outPerGroup: fc.integer({ min: 1, max: 37 }),
  size: fc.tuple(fc.integer({ min: 5, max: 23 }), fc.integer({ min: 5, max: 23 })),
  kernel: fc.tuple(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 1, max: 3 })),
  stride: fc.integer({ min: 1, max: 3 }),
  padding: fc.integer({ min: 0, max: 2 }),
  dilation: fc.integer({ min: 1, max: 2 }),
  channelsLast: fc.boolean(),
  resultLast: fc.boolean(),
});

test("convolutions of random sizes", () => {
  let kernels = 0;
  fc.assert(
    fc.property(shape, fc.boolean(), relaxed, (one, isConstant, isRelaxed) => {
      kernels += check({ ...convolution(one), isAny: true, constants: isConstant ? [1] : [] }, isRelaxed);
    }),
    RUNS,
  );
  expect(kernels).toBeGreaterThan(RUNS.numRuns / 2);
});

const last = { channelsLast: true, resultLast: true } as const;

test("3x3 convolutions of random sizes by Winograd's algorithm", () => {
  const four = fc.integer({ min: 4, max: 17 }).map((count) => 4 * count);
  fc.assert(
    fc.property(shape, four, four, fc.constantFrom(2, 4), relaxed, (given, from, to, side, isRelaxed) => {
      const winograd = side as 2 | 4;
      const changed = {
        kernel: [3, 3],
        groups: 1,
        stride: 1,
        dilation: 1,
        inPerGroup: from,
        outPerGroup: to,
      } as const;
      const one = convolution({ ...given, ...changed, ...last });
      expect(kernelNames(one, winograd)).toEqual([expect.stringContaining("3x3)")]);
      check({ ...one, constants: [1], winograd }, isRelaxed);
    }),
    RUNS,
  );
});

test("transposed convolutions of random sizes", () => {
  let kernels = 0;
  const more = fc.integer({ min: 0, max: 2 });
  fc.assert(
    fc.property(
      shape,
      fc.integer({ min: 2, max: 3 }),
      more,
      fc.boolean(),
      relaxed,
      (given, stride, ...rest) => {
        const [outputPadding, isConstant, isRelaxed] = rest;
        const size = given.size.map((extent) => Math.ceil(extent / 2)) as [number, number];
        const transposed = { outputPadding: Math.min(outputPadding, stride - 1) };
        const kernel = given.kernel.map((extent) => extent + 2) as [number, number];
        const one = convolution({ ...given, size, kernel, stride, transposed });
        kernels += check({ ...one, isAny: true, constants: isConstant ? [1] : [] }, isRelaxed);
      },
    ),
    { ...RUNS, numRuns: 60 },
  );
  expect(kernels).toBeGreaterThan(10);
});

test("depthwise convolutions of random sizes", () => {
  let kernels = 0;
  const four = fc.integer({ min: 1, max: 12 }).map((count) => 4 * count);
  fc.assert(
    fc.property(shape, four, relaxed, (given, groups, isRelaxed) => {
      const layout = given.channelsLast ? last : { channelsLast: false, resultLast: false };
      const one = convolution({ ...given, ...layout, groups, inPerGroup: 1, outPerGroup: 1 });
      kernels += check({ ...one, constants: [1], isAny: true }, isRelaxed);
    }),
    RUNS,
  );
  expect(kernels).toBeGreaterThan(RUNS.numRuns / 2);
});
