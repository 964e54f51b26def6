import { expect, test } from "vitest";
import { planTransform } from "./fft-line.js";

function naive(x: Float64Array, sign: number): Float64Array {
  const n = x.length / 2;
  const out = new Float64Array(2 * n);
  for (let k = 0; k < n; k++) {
    for (let j = 0; j < n; j++) {
      const angle = (sign * 2 * Math.PI * ((j * k) % n)) / n;
      out[2 * k]! += x[2 * j]! * Math.cos(angle) - x[2 * j + 1]! * Math.sin(angle);
      out[2 * k + 1]! += x[2 * j]! * Math.sin(angle) + x[2 * j + 1]! * Math.cos(angle);
    }
  }
  return out;
}

test.each([0, 1, 2, 3, 4, 5, 6, 8, 12, 16, 30, 31, 32, 37, 60, 64, 74, 97, 105, 222, 256, 360])(
  "a transform of %i elements follows the definition",
  (n) => {
    const x = Float64Array.from({ length: 2 * n }, (_, i) => Math.sin(i * 12.9898) * 2);
    for (const sign of [1, -1] as const) {
      const [got, want] = [planTransform(x.length / 2, sign)(x), naive(x, sign)];
      expect(Math.max(0, ...got.map((value, i) => Math.abs(value - want[i]!)))).toBeLessThan(1e-11);
    }
  },
);
