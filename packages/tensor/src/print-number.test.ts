import { expect, test } from "vitest";
import { exponentText, fixedText } from "./print-number.js";

/** A finite number as a fraction of integers. */
function fraction(value: number): readonly [bigint, bigint] {
  let [size, shift] = [Math.abs(value), 0];
  while (!Number.isInteger(size)) [size, shift] = [size * 2, shift + 1];
  return [BigInt(size), 1n << BigInt(shift)];
}

/** `numerator / denominator`, rounded to the nearest integer, ties to even. */
function rounded(numerator: bigint, denominator: bigint): bigint {
  const [whole, rest] = [numerator / denominator, numerator % denominator];
  const twice = 2n * rest;
  return twice > denominator || (twice === denominator && whole % 2n === 1n) ? whole + 1n : whole;
}

/** Python's formatting by exact arithmetic. */
function exactFixed(value: number, precision: number): string {
  const [top, bottom] = fraction(value);
  const digits = String(rounded(top * 10n ** BigInt(precision), bottom)).padStart(precision + 1, "0");
  const point = digits.length - precision;
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  return sign + digits.slice(0, point) + (precision === 0 ? "" : `.${digits.slice(point)}`);
}

function exactExponent(value: number, precision: number): string {
  const [top, bottom] = fraction(value);
  let exponent = value === 0 ? 0 : Math.floor(Math.log10(Math.abs(value))) - 1;
  let digits = "";
  while (digits.length !== precision + 1) {
    const scale = 10n ** BigInt(Math.abs(precision - exponent));
    digits = String(precision > exponent ? rounded(top * scale, bottom) : rounded(top, bottom * scale));
    if (value === 0) digits = "0".repeat(precision + 1);
    if (digits.length !== precision + 1) exponent++;
  }
  const point = precision === 0 ? digits : `${digits[0]}.${digits.slice(1)}`;
  const sign = value < 0 || Object.is(value, -0) ? "-" : "";
  return `${sign}${point}e${exponent < 0 ? "-" : "+"}${String(Math.abs(exponent)).padStart(2, "0")}`;
}

function* numbers(): Generator<number> {
  const bits = new DataView(new ArrayBuffer(8));
  let state = 7;
  const draw = (): number => (state = (Math.imul(state, 1664525) + 1013904223) >>> 0);
  for (let i = 0; i < 800; i++) {
    bits.setUint32(0, draw());
    bits.setUint32(4, draw());
    yield bits.getFloat64(0);
    yield bits.getFloat32(0);
    // Many of these lie exactly between two neighbors.
    yield ((draw() >>> 16) - 32768) / 2 ** (draw() >>> 28);
    yield ((draw() >>> 20) - 2048) * 5 ** (draw() >>> 29) * 2 ** (draw() >>> 29);
  }
  yield* [
    0, -0, 5e-324, -5e-324, 1e21, 1e22, 1.7976931348623157e308, 0.5, 2.5, 9.5, 99999.5, 9.99995, 1000050,
  ];
}

test("floats are formatted as Python does, ties to even", () => {
  let ties = 0;
  for (const value of numbers())
    for (const precision of [0, 1, 2, 4, 7]) {
      if (!Number.isFinite(value)) continue;
      const where = `${value} with ${precision} digits: `;
      const [fixed, scientific] = [exactFixed(value, precision), exactExponent(value, precision)];
      if (Math.abs(value).toFixed(precision) !== fixed.replace("-", "") && Math.abs(value) < 1e21) ties++;
      expect(where + fixedText(value, precision)).toBe(where + fixed);
      expect(where + exponentText(value, precision)).toBe(where + scientific);
    }
  expect(ties).toBeGreaterThan(100);
});

test("what is not finite is spelled as Python does", () => {
  expect([Number.NaN, Infinity, -Infinity].map((value) => fixedText(value, 4))).toEqual([
    "nan",
    "inf",
    "-inf",
  ]);
  expect([Number.NaN, Infinity, -Infinity].map((value) => exponentText(value, 4))).toEqual([
    "nan",
    "inf",
    "-inf",
  ]);
});
