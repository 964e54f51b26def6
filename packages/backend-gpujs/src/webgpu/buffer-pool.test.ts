import { expect, test } from "vitest";
import { BufferPool } from "./buffer-pool.js";

/** A pool of stand-ins, with counts of what was made and what is there. */
function pool() {
  const there = new Set<GPUBuffer>();
  const counts = { made: 0 };
  const made = new BufferPool(
    (size) => {
      counts.made++;
      const buffer = { size } as GPUBuffer;
      there.add(buffer);
      return buffer;
    },
    (buffer) => there.delete(buffer),
  );
  const bytes = (): number => [...there].reduce((total, { size }) => total + size, 0);
  return { pool: made, counts, bytes };
}
/** What a run takes and gives back: each size while the one before is still needed. */
function run(of: BufferPool, sizes: readonly number[]): void {
  let last: GPUBuffer | undefined;
  for (const size of sizes) {
    const next = of.take(size);
    if (last !== undefined) of.give(last);
    last = next;
  }
  if (last !== undefined) of.give(last);
  of.settle();
}

test("the second run finds what the first gave back", () => {
  const { pool: of, counts, bytes } = pool();
  const sizes = [512, 512, 1024, 1024, 512, 256, 512, 1024];
  run(of, sizes);
  run(of, sizes);
  const { made } = counts;
  for (let i = 0; i < 1000; i++) run(of, sizes);
  expect(counts.made).toBe(made);
  expect([of.used, of.kept]).toEqual([0, bytes()]);
});

test("a free buffer is given out again for as much or half as much, the smallest that will do", () => {
  const { pool: of } = pool();
  const [large, small] = [of.take(1000), of.take(600)];
  of.give(large);
  of.give(small);
  expect(of.take(520)).toBe(small);
  expect(of.take(520)).toBe(large);
  expect(of.used).toBe(1600);
  of.give(large);
  expect(of.take(400)).not.toBe(large);
});

test("no more is kept than half again of what a run needs at once, whatever sizes come", () => {
  const { pool: of, bytes } = pool();
  const weights = of.take(10_000);
  for (let i = 1; i < 300; i++) {
    run(of, [i * 16, i * 48, i * 16]);
    // Two values are alive at once.
    const peak = i * 64;
    expect(of.kept).toBeLessThanOrEqual(1.5 * peak);
    expect(bytes()).toBe(of.used + of.kept);
  }
  run(of, [16]);
  run(of, [16]);
  expect([of.used, of.kept]).toEqual([10_000, 16]);
  of.give(weights);
  of.settle();
  of.settle();
  expect(of.kept).toBe(0);
});

test("clear leaves nothing", () => {
  const { pool: of, bytes } = pool();
  const [a, b] = [of.take(100), of.take(200)];
  of.give(a);
  of.clear();
  expect([of.used, of.kept, bytes()]).toEqual([0, 0, b.size]);
});
