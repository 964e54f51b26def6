import { expect, test } from "vitest";
import { BufferPool } from "./buffer-pool.js";

/** A pool of stand-ins, with counts of what was made and what is there. */
function makePool() {
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
function run(pool: BufferPool, sizes: readonly number[]): void {
  let last: GPUBuffer | undefined;
  for (const size of sizes) {
    const next = pool.take(size);
    if (last !== undefined) pool.give(last);
    last = next;
  }
  if (last !== undefined) pool.give(last);
  pool.trim();
}

test("the second run finds what the first gave back", () => {
  const { pool, counts, bytes } = makePool();
  const sizes = [512, 512, 1024, 1024, 512, 256, 512, 1024];
  run(pool, sizes);
  run(pool, sizes);
  const { made } = counts;
  for (let i = 0; i < 1000; i++) run(pool, sizes);
  expect(counts.made).toBe(made);
  expect([pool.used, pool.kept]).toEqual([0, bytes()]);
});

test("a free buffer is given out again for as much or half as much, the smallest that will do", () => {
  const { pool } = makePool();
  const [large, small] = [pool.take(1000), pool.take(600)];
  pool.give(large);
  pool.give(small);
  expect(pool.take(520)).toBe(small);
  expect(pool.take(520)).toBe(large);
  expect(pool.used).toBe(1600);
  pool.give(large);
  expect(pool.take(400)).not.toBe(large);
});

test("a plan's slots stay, however few of them are in use at once", () => {
  const { pool, counts, bytes } = makePool();
  const weights = pool.take(10_000);
  const slots = [1024, 256, 64, 16];
  for (let i = 0; i < 3; i++) {
    pool.reserve(1360);
    // One after the other: never more than 1,024 bytes are taken.
    for (const size of slots) pool.give(pool.take(size));
    pool.trim();
    expect([pool.used, pool.kept, bytes()]).toEqual([10_000, 1360, 11_360]);
  }
  expect(counts.made).toBe(5);
  pool.give(weights);
});

test("no more is kept than half again of what a run takes at once, whatever sizes come", () => {
  const { pool, bytes } = makePool();
  const weights = pool.take(10_000);
  for (let i = 1; i < 300; i++) {
    run(pool, [i * 16, i * 48, i * 16]);
    // Two values are alive at once, each in a buffer of up to twice its size.
    const peak = 2 * i * 64;
    expect(pool.kept).toBeLessThanOrEqual(1.5 * peak);
    expect(bytes()).toBe(pool.used + pool.kept);
  }
  run(pool, [16]);
  run(pool, [16]);
  expect([pool.used, pool.kept]).toEqual([10_000, 16]);
  pool.give(weights);
  pool.trim();
  pool.trim();
  expect(pool.kept).toBe(0);
});

test("clear leaves nothing", () => {
  const { pool, bytes } = makePool();
  const [a, b] = [pool.take(100), pool.take(200)];
  pool.give(a);
  pool.clear();
  expect([pool.used, pool.kept, bytes()]).toEqual([0, 0, b.size]);
});
