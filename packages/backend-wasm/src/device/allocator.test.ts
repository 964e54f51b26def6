import { expect, test } from "vitest";
import { ALIGNMENT, Allocator, placeBytes } from "./allocator.js";

const none = (): void => {};

test("places are aligned, and whole vectors may be read past their end", () => {
  const places = new Allocator();
  const sizes = [0, 1, 48, 49, 1000];
  const taken = sizes.map((bytes) => places.take(bytes, none));
  for (const at of taken) expect(at % ALIGNMENT).toBe(0);
  taken.forEach((at, i) => {
    expect((taken[i + 1] ?? places.end) - at).toBeGreaterThanOrEqual(sizes[i]! + 16);
  });
});

test("the smallest free place that fits is taken again", () => {
  const places = new Allocator();
  const [large, , small, last] = [1000, 10, 200, 10].map((bytes) => places.take(bytes, none));
  places.give(large!);
  places.give(small!);
  expect(places.take(100, none)).toBe(small);
  expect(places.take(300, none)).toBe(large);
  expect(places.take(2000, none)).toBeGreaterThan(last!);
});

test("free places that touch become one, and the end moves back", () => {
  const places = new Allocator();
  const taken = Array.from({ length: 5 }, () => places.take(100, none));
  const end = places.end;
  for (const i of [1, 3, 2]) places.give(taken[i]!);
  expect(places.take(3 * placeBytes(100) - 16, none)).toBe(taken[1]);
  places.give(taken[1]!);
  places.give(taken[4]!);
  expect(places.end).toBe(placeBytes(100));
  places.give(taken[0]!);
  expect([places.end, places.bytes, places.count]).toEqual([0, 0, 0]);
  expect(places.take(5 * placeBytes(100) - 16, none)).toBe(0);
  expect(places.end).toBe(end);
});

test("places never overlap, and all bytes come back", () => {
  const places = new Allocator();
  const alive = new Map<number, number>();
  let state = 1;
  const below = (end: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * end);
  };
  for (let i = 0; i < 2000; i++) {
    if (below(2) === 0 && alive.size > 0) {
      const at = [...alive.keys()][below(alive.size)]!;
      alive.delete(at);
      places.give(at);
    } else {
      const size = below(5000);
      const at = places.take(size, none);
      for (const [other, bytes] of alive)
        expect(at + placeBytes(size) <= other || other + bytes <= at).toBe(true);
      alive.set(at, placeBytes(size));
    }
    expect(places.bytes).toBe([...alive.values()].reduce((total, bytes) => total + bytes, 0));
  }
  for (const at of alive.keys()) places.give(at);
  expect([places.end, places.bytes]).toEqual([0, 0]);
});

test("a place that cannot be had changes nothing", () => {
  const places = new Allocator();
  const full = (): void => {
    throw new RangeError("full");
  };
  expect(() => places.take(10, full)).toThrow("full");
  expect([places.end, places.bytes]).toEqual([0, 0]);
});
