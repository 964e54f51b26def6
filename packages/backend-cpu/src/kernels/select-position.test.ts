import fc from "fast-check";
import { expect, test } from "vitest";
import { precedes, selectFirst } from "./select-position.js";

const row = fc.array(fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constant(Number.NaN), fc.double()), {
  minLength: 1,
  maxLength: 60,
});
const counted = (length: number): Uint32Array => Uint32Array.from({ length }, (_, i) => i);

test("what is selected is what sorting puts first", () => {
  fc.assert(
    fc.property(row, fc.nat(), fc.boolean(), (values, seed, descending) => {
      const data = Float64Array.from(values);
      const count = seed % (values.length + 1);
      const sorted = counted(values.length).sort((a, b) => (precedes(data, a, b, descending) ? -1 : 1));
      const selected = counted(values.length);
      selectFirst(data, selected, count, descending);
      expect([...selected.subarray(0, count)].sort()).toEqual([...sorted.subarray(0, count)].sort());
    }),
    { seed: 1, numRuns: 300 },
  );
});

test("rows that are made to mislead the pivots take no more comparisons than a sort", () => {
  // Musser's killer of medians of three (1997).
  const n = 4096;
  const values = new Float64Array(n);
  for (let i = 1; i <= n / 2; i++) {
    values[2 * i - 2] = i % 2 === 1 ? i : n / 2 + i - 1;
    values[2 * i - 1] = 2 * i;
  }
  let reads = 0;
  const counting = new Proxy(values, {
    get: (target, key) => {
      reads++;
      return Reflect.get(target, key, target);
    },
  });
  selectFirst(counting, counted(n), n / 2, false);
  expect(reads).toBeLessThan(2 * 2 * 3 * n * Math.log2(n));
});
