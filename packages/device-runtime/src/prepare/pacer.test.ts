import { PAUSE_MS } from "@sconce/errors";
import { afterEach, expect, test, vi } from "vitest";
import { Pacer } from "./pacer.js";

afterEach(() => void vi.restoreAllMocks());

/** How many of some steps paused, on a clock that starts at `from` and asks for each pause. */
async function pausesFrom(from: number): Promise<number> {
  let now = from;
  vi.spyOn(performance, "now").mockImplementation(() => (now += 2 * PAUSE_MS));
  const pacer = new Pacer("compilation", undefined);
  let paused = 0;
  for (let i = 0; i < 10; i++) {
    const step = pacer.step();
    if (step instanceof Promise) paused++;
    await step;
  }
  return paused;
}

test("compilations pause after the clock was set back", async () => {
  const start = performance.now();
  expect(await pausesFrom(start + 1e6)).toBe(10);
  expect(await pausesFrom(start)).toBe(10);
});
