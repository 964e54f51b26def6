import { expect, test } from "vitest";
import { placeBytes, placeValues } from "./memory.js";

/** Small numbers in a fixed order that looks random. */
function* numbers(seed: number): Generator<number, never> {
  let state = seed;
  for (;;) {
    state = (state * 1_103_515_245 + 12_345) % 2 ** 31;
    yield Math.floor(state / 65_536);
  }
}

test("values that live at the same time do not overlap, and others share places", () => {
  for (let seed = 1; seed <= 40; seed++) {
    const draw = numbers(seed);
    const values = Array.from({ length: 30 }, () => {
      const from = (draw.next().value % 20) - 1;
      return [draw.next().value % 500, from, from + (draw.next().value % 6)] as const;
    });
    const { offsets, end } = placeValues(values);
    for (const [a, [bytes, from, to]] of values.entries()) {
      expect(offsets[a]! % 64).toBe(0);
      expect(offsets[a]! + placeBytes(bytes)).toBeLessThanOrEqual(end);
      for (const [b, [others, first, last]] of values.entries()) {
        if (a === b || last < from || first > to) continue;
        const isSeparate =
          offsets[a]! + placeBytes(bytes) <= offsets[b]! || offsets[b]! + placeBytes(others) <= offsets[a]!;
        expect(isSeparate).toBe(true);
      }
    }
    const total = values.reduce((sum, [bytes]) => sum + placeBytes(bytes), 0);
    expect(end).toBeLessThan(total / 2);
  }
});
