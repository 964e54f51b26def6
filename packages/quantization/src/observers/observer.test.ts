import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import type { ObserverKind } from "../annotate/spec.js";
import { chooseParameters } from "../numbers/parameters.js";
import { observerOf } from "./observer.js";

interface ObserverCase {
  readonly observer: ObserverKind;
  readonly kind: string;
  readonly symmetric: boolean;
  readonly samples: readonly (readonly number[])[] | null;
  readonly scale: number;
  readonly zero: number;
}

const FILE = new URL("../../../testing/fixtures/quantization/parameters.json.gz", import.meta.url);
const { observers } = JSON.parse(gunzipSync(readFileSync(FILE)).toString()) as {
  readonly observers: readonly ObserverCase[];
};
const SAMPLES = new Map(
  observers.flatMap(({ kind, samples }) => (samples === null ? [] : [[kind, samples]])),
);
const RANGE = { min: -128, max: 127 };
const spec = (observer: ObserverKind, percentile = 0.99) => ({
  ...{ observer, percentile, range: RANGE, isSymmetric: false, eps: 2 ** -23 },
});

const rangeOf = (observer: ObserverKind, samples: readonly (readonly number[])[], percentile?: number) => {
  const one = observerOf(spec(observer, percentile));
  for (const values of samples) one.add(Float32Array.from(values));
  return one.range();
};

describe("PyTorch's observers", () => {
  test.each(observers)(
    "$observer, $kind, symmetric: $symmetric",
    ({ observer, kind, symmetric, scale, zero }) => {
      const { low, high } = rangeOf(observer, SAMPLES.get(kind)!)!;
      const got = chooseParameters(low, high, RANGE, symmetric);
      if (observer === "histogram") expect(Math.abs(got.scale / scale - 1)).toBeLessThan(1e-6);
      else expect(got.scale).toBe(scale);
      expect(got.zero).toBe(zero + 0);
    },
  );
});

describe("a percentile", () => {
  const values = Array.from({ length: 1000 }, (_, i) => i / 100).with(999, 500);

  test("leaves out the ends of the distribution", () => {
    const { low, high, partOutside } = rangeOf("percentile", [values], 0.98)!;
    expect(low).toBeCloseTo(0, 0);
    expect(high).toBeLessThan(11);
    expect(partOutside).toBeCloseTo(0.001, 6);
  });

  test("of 1 keeps all values", () => {
    const { low, high, partOutside } = rangeOf("percentile", [values], 1)!;
    expect([low, high, partOutside]).toEqual([0, 500, 0]);
  });
});

test("NaN and infinities are left out, and no value gives no range", () => {
  expect(rangeOf("histogram", [[Number.NaN, Infinity, -Infinity]])).toBeUndefined();
  expect(rangeOf("min-max", [[Number.NaN, 1, -Infinity, 3]])).toMatchObject({ low: 1, high: 3 });
});
