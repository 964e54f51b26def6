import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { packText } from "./link.js";
import { PlaygroundTexts, packTexts, unpackTexts } from "./texts.js";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a link brings all texts, and the one that is shown", async () => {
  const texts = new Map([
    ["clamp", "export default 1"],
    ["model", "export const Σ = 2"],
  ]);
  const packed = await packTexts(texts, "model");
  expect(await unpackTexts(packed!)).toEqual({ shown: "model", texts });
  expect(await packTexts(new Map(), "model")).toBe("");
  expect(await packTexts(new Map([["a", "a".repeat(200_000)]]), "a")).toBeUndefined();
});

test("a text that is alone in a link has a name", async () => {
  for (const text of ["export default 1", "[1]", "null", '{"texts":{}}', '{"texts":{"a":1}}'])
    expect(await unpackTexts(await packText(text))).toEqual({
      shown: "linked",
      texts: new Map([["linked", text]]),
    });
  expect(await unpackTexts("%%%")).toBeUndefined();
});

test("texts are packed when the user pauses, and those that are taken stay", async () => {
  const texts = new PlaygroundTexts();
  texts.set("clamp", "first");
  texts.set("clamp", "second");
  expect(texts.packed.value).toBe("");
  vi.advanceTimersByTime(1000);
  await vi.waitUntil(() => texts.packed.value !== "");
  const reader = new PlaygroundTexts();
  reader.set("model", "own");
  expect(await reader.take(texts.packed.value)).toBe(true);
  expect([...reader.changed.value]).toEqual([
    ["model", "own"],
    ["clamp", "second"],
  ]);
  expect([...reader.linked.value]).toEqual(["clamp"]);
  reader.markRun("clamp");
  expect(reader.linked.value.size).toBe(0);
  reader.set("clamp", undefined);
  expect([...reader.changed.value.keys()]).toEqual(["model"]);
  expect(await reader.take("%%%")).toBe(false);
  reader.set("model", "a".repeat(200_000));
  vi.advanceTimersByTime(1000);
  await vi.waitUntil(() => reader.isTooLong.value);
  expect(reader.packed.value).toBe("");
});
