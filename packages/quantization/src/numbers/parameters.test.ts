import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { chooseParameters, codeOf, numberOf, roundEven } from "./parameters.js";

interface ParameterCase {
  readonly low: number | "inf" | "-inf";
  readonly high: number | "inf" | "-inf";
  readonly min: number;
  readonly max: number;
  readonly symmetric: boolean;
  readonly scale: number;
  readonly zero: number;
}

const FILE = new URL("../../../testing/fixtures/quantization/parameters.json.gz", import.meta.url);
const { parameters } = JSON.parse(gunzipSync(readFileSync(FILE)).toString()) as {
  readonly parameters: readonly ParameterCase[];
};

const numberIn = (value: number | string): number =>
  typeof value === "number" ? value : value === "inf" ? Infinity : -Infinity;

test("scales and zero points are PyTorch's to the bit", () => {
  expect(parameters.length).toBeGreaterThan(1000);
  for (const { low, high, min, max, symmetric, scale, zero } of parameters) {
    const got = chooseParameters(numberIn(low), numberIn(high), { min, max }, symmetric);
    expect({ low, high, min, max, symmetric, ...got }).toEqual({
      ...{ low, high, min, max, symmetric },
      ...{ scale, zero: zero + 0 },
    });
  }
});

describe("codes", () => {
  test("round half to even and saturate", () => {
    expect([-2.5, -1.5, -0.5, 0.5, 1.5, 2.5, 3.5].map((value) => roundEven(value) + 0)).toEqual([
      -2, -2, 0, 0, 2, 2, 4,
    ]);
    const parameters = { scale: 0.5, zero: 3 };
    expect(codeOf(1000, parameters, { min: -128, max: 127 })).toBe(127);
    expect(codeOf(-1000, parameters, { min: -128, max: 127 })).toBe(-128);
    expect(numberOf(codeOf(1.25, parameters, { min: -128, max: 127 }), parameters)).toBe(1);
  });
});
