import { expect, test } from "vitest";
import { StagingBuffers } from "./staging-buffers.js";

/** Buffers of a stand-in device, and those that are there. */
function makeStaging() {
  const there = new Set<GPUBuffer>();
  const device = {
    createBuffer: ({ size }: GPUBufferDescriptor) => {
      const buffer = { size, destroy: () => there.delete(buffer) } as unknown as GPUBuffer;
      there.add(buffer);
      return buffer;
    },
  } as unknown as GPUDevice;
  return { staging: new StagingBuffers(device), there };
}

test("results of similar sizes share a buffer", () => {
  const { staging, there } = makeStaging();
  const first = staging.take(5000);
  staging.give(first);
  expect(staging.take(6000)).toBe(first);
  expect(there).toEqual(new Set([first]));
});

test("a buffer that is too large to keep does not push the small ones out", () => {
  const { staging, there } = makeStaging();
  const [small, large] = [staging.take(5000), staging.take(2 ** 27)];
  staging.give(small);
  staging.give(large);
  expect(there).toEqual(new Set([small]));
  expect(staging.take(5000)).toBe(small);
});

test("of more than are kept, the first that became free is destroyed", () => {
  const { staging, there } = makeStaging();
  const buffers = [2 ** 25, 2 ** 25, 4096].map((bytes) => staging.take(bytes));
  for (const buffer of buffers) staging.give(buffer);
  expect(there).toEqual(new Set(buffers.slice(1)));
  staging.clear();
  expect(there.size).toBe(0);
});
