import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { align, hunksOf } from "./align.js";

/** What the hunks say that `b` is made of. */
function rebuilt(a: readonly unknown[], b: readonly unknown[]): unknown[] {
  const result: unknown[] = [];
  let position = 0;
  for (const { startA, endA, startB, endB } of hunksOf(align(a, b), b.length)) {
    result.push(...a.slice(position, startA), ...b.slice(startB, endB));
    position = endA;
  }
  return [...result, ...a.slice(position)];
}

const range = (start: number, end: number): number[] =>
  Array.from({ length: end - start }, (_, i) => start + i);

describe("align", () => {
  test.each([
    ["nothing", [], [], []],
    ["all new", [1, 2], [3, 4], [-1, -1]],
    ["an insertion", [1, 2], [1, 9, 2], [0, 2]],
    ["a removal", [1, 9, 2], [1, 2], [0, -1, 1]],
    ["a replacement", [1, 2, 3], [1, 9, 3], [0, -1, 2]],
    ["a removal beside a replacement", [1, 8, 9, 2], [1, 7, 2], [0, -1, -1, 2]],
    ["repeated items", [1, 1, 1], [1, 1], [-1, 0, 1]],
  ])("%s", (_, a, b, expected) => {
    expect([...align(a, b)]).toEqual(expected);
  });

  test("runs longer than the window are anchored at what is unique in both", () => {
    const match = align(range(0, 1000), [...range(0, 10), ...range(5000, 5500), ...range(600, 1000)]);
    expect([...match].filter((place) => place >= 0)).toHaveLength(410);
    expect(match[600]).toBe(510);
  });

  test("of what is moved, the longer part keeps its place", () => {
    const match = align([...range(0, 30), ...range(100, 200)], [...range(100, 200), ...range(0, 30)]);
    expect(match[30]).toBe(0);
    expect(match[0]).toBe(-1);
  });

  test("pairs are equal and in order, and the remaining items convert one list to the other", () => {
    const items = fc.array(fc.integer({ min: 0, max: 12 }), { maxLength: 80 });
    fc.assert(
      fc.property(items, items, (a, b) => {
        let last = -1;
        align(a, b).forEach((place, i) => {
          if (place < 0) return;
          expect(b[place]).toBe(a[i]);
          expect(place).toBeGreaterThan(last);
          last = place;
        });
        expect(rebuilt(a, b)).toEqual(b);
      }),
      { seed: 7 },
    );
  });
});
