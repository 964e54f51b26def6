/**
 * @file Memory is measured in a separate file: with `npm test`, a worker holds much that is
 * collected first.
 */
import { expect, test } from "vitest";
import { bytesHeld } from "./measure.js";

test("memory is counted as long as the value is held", async () => {
  const held = await bytesHeld(() => Array.from({ length: 100_000 }, (_, i) => ({ i })));
  expect(held).toBeGreaterThan(1e6);
  expect(held).toBeLessThan(1e7);
  let kept: unknown;
  const temporary = await bytesHeld(() => {
    kept = Array.from({ length: 100_000 }, (_, i) => ({ i }));
    return new WeakRef(kept as object);
  });
  expect(kept).toHaveLength(100_000);
  expect(temporary).toBeLessThan(5e5);
});
