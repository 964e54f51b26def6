import { expect, test } from "vitest";
import { versions } from "./versions.js";

test("small versions read as well as the program, and take fewer bytes", async () => {
  const all = new Map((await versions()).map((version) => [version.name, version]));
  const correct = (name: string): number => all.get(name)!.correct;
  const bytes = (name: string): number => all.get(name)!.bytes;
  expect(correct("float32")).toBe(357);
  expect(correct("int8 weights")).toBeGreaterThanOrEqual(356);
  expect(correct("int4 weights")).toBeGreaterThanOrEqual(355);
  expect(correct("static int8")).toBeGreaterThanOrEqual(356);
  expect(correct("dynamic int8")).toBeGreaterThanOrEqual(356);
  expect(bytes("float16 weights")).toBeLessThan(bytes("float32") * 0.52);
  expect(bytes("int8 weights")).toBeLessThan(bytes("float32") * 0.3);
  expect(bytes("int4 weights")).toBeLessThan(bytes("float32") * 0.18);
});
