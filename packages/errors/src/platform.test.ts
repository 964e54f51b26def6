import { afterEach, expect, test, vi } from "vitest";
import { inNode } from "./platform.js";

afterEach(() => {
  vi.unstubAllGlobals();
});

test("advice for Node is given there, and in no page", () => {
  expect(inNode("; read the file")).toBe("; read the file");
  vi.stubGlobal("process", undefined);
  expect(inNode("; read the file")).toBe("");
});
