import { expect, test } from "vitest";
import { detectFeatures } from "./features.js";

test("features are those that the engine validates", () => {
  const features = detectFeatures();
  // Node 20, the oldest that is supported, has these.
  expect(features).toMatchObject({ compile: true, simd: true, threads: true });
  expect(Object.values(features).every((value) => typeof value === "boolean")).toBe(true);
  expect(detectFeatures()).toBe(features);
});
