import { describe, expect, test } from "vitest";
import { type UlpMeasure, ulpDistance } from "./comparison.js";
import { type DType, dtypeInfo, laneReader, Storage, Tensor } from "./index.js";

/** A vector of these patterns. */
function ofPatterns(dtype: DType, patterns: readonly (number | bigint)[]): Tensor {
  const { itemSize, lanes } = dtypeInfo(dtype);
  const size = itemSize / lanes;
  const bytes = new DataView(new ArrayBuffer(size * patterns.length));
  patterns.forEach((pattern, i) => {
    for (let byte = 0; byte < size; byte++)
      bytes.setUint8(size * i + byte, Number((BigInt(pattern) >> BigInt(8 * byte)) & 0xffn));
  });
  const storage = new Storage(new Uint8Array(bytes.buffer));
  return new Tensor({ dtype, shape: [patterns.length / lanes], storage });
}
const measure = (
  dtype: DType,
  got: readonly (number | bigint)[],
  want: readonly (number | bigint)[],
): UlpMeasure => ulpDistance(ofPatterns(dtype, got), ofPatterns(dtype, want))!;

describe("distances in units in the last place", () => {
  /** Neighbors above 1, and the least numbers on both sides of zero. */
  test.each([
    ["float64", 0x3ff0_0000_0000_0000n, 1n << 63n],
    ["float32", 0x3f80_0000, 2 ** 31],
    ["float16", 0x3c00, 2 ** 15],
    ["bfloat16", 0x3f80, 2 ** 15],
    ["float8_e4m3fn", 0x38, 2 ** 7],
    ["float8_e5m2", 0x3c, 2 ** 7],
    ["float8_e4m3fnuz", 0x40, 2 ** 7],
    ["float8_e5m2fnuz", 0x40, 2 ** 7],
  ] as const)("%s: neighbors have distance 1, also across zero", (dtype, one, sign) => {
    const [pattern, minus] = [BigInt(one), BigInt(sign)];
    const got = [pattern, pattern + 1n, pattern + 3n, 1n, minus + 1n, minus + pattern + 2n];
    const want = [pattern, pattern, pattern, minus + 1n, minus + 1n, minus + pattern];
    expect(measure(dtype, got, want)).toEqual({
      finite: 6,
      max: 3,
      median: 1,
      p99: 3,
      histogram: [
        { min: 0, max: 0, count: 2 },
        { min: 1, max: 1, count: 1 },
        { min: 2, max: 2, count: 2 },
        { min: 3, max: 4, count: 1 },
      ],
      nan: 0,
      infinite: 0,
      nonfiniteDiffering: 0,
    });
  });

  test("each pattern of a dtype is 1 from the next number", () => {
    for (const dtype of ["float8_e8m0fnu", "float8_e4m3fn", "float8_e5m2", "float16", "bfloat16"] as const) {
      const count = 2 ** (8 * dtypeInfo(dtype).itemSize);
      const all = ofPatterns(
        dtype,
        Array.from({ length: count }, (_, i) => i),
      );
      const read = laneReader(dtype, all.data);
      const order = Array.from({ length: count }, (_, i) => i)
        .filter((i) => Number.isFinite(read(i)) && !Object.is(read(i), -0))
        .sort((a, b) => read(a) - read(b));
      const { finite, max, median } = measure(dtype, order.slice(1), order.slice(0, -1));
      expect([dtype, finite, max, median]).toEqual([dtype, order.length - 1, 1, 1]);
    }
  });

  test("zeros are equal; NaN and infinities are counted separately", () => {
    const [nan, inf] = [Number.NaN, Infinity];
    const got = Tensor.from([0, nan, nan, 1, inf, inf, inf, 3], [8], "float32");
    const want = Tensor.from([-0, nan, 1, nan, inf, -inf, 2, 3], [8], "float32");
    expect(ulpDistance(got, want)).toEqual({
      finite: 2,
      max: 0,
      median: 0,
      p99: 0,
      histogram: [{ min: 0, max: 0, count: 2 }],
      nan: 3,
      infinite: 3,
      nonfiniteDiffering: 4,
    });
  });

  test("the parts of complex elements count separately, and views are read in order", () => {
    const got = Tensor.from(
      [
        { re: 1, im: 2 },
        { re: 3, im: 4 },
      ],
      [2],
      "complex64",
    );
    const want = Tensor.from(
      [
        { re: 1 + 2 ** -23, im: 2 },
        { re: 3, im: 4 - 2 ** -22 },
      ],
      [2],
      "complex64",
    );
    expect(ulpDistance(got, want)).toMatchObject({ finite: 4, max: 1, median: 0, p99: 1 });
    const wide = Tensor.from([9, 1, 3, 2, 4], [5], "float64").asStrided([2, 2], [1, 2], 1);
    expect(ulpDistance(wide, Tensor.from([1, 2, 3, 4], [2, 2], "float64"))).toMatchObject({
      finite: 4,
      max: 0,
    });
  });

  test("far numbers of float64 have a distance too, integers have none", () => {
    const far = ulpDistance(Tensor.from([-1e300], [1], "float64"), Tensor.from([1e300], [1], "float64"))!;
    expect(far.max).toBeGreaterThan(2 ** 62);
    expect(far.histogram.at(-1)).toMatchObject({ count: 1 });
    expect(ulpDistance(Tensor.from([1n], [1], "int64"), Tensor.from([2n], [1], "int64"))).toBeUndefined();
    const none = Tensor.empty([0], "float32");
    expect(ulpDistance(none, none)).toMatchObject({ finite: 0, max: 0, median: 0, histogram: [] });
  });
});
