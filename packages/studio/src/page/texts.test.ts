import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { LinkStep } from "./branches.js";
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
  expect(await unpackTexts(packed!)).toEqual({ shown: "model", texts, steps: [] });
  expect(await packTexts(new Map(), "model")).toBe("");
  expect(await packTexts(new Map([["a", "a".repeat(200_000)]]), "a")).toBeUndefined();
});

test("a link brings what ran behind its pipeline, with the texts as they were", async () => {
  const changed = new Map([["clamp", "later"]]);
  const steps: LinkStep[] = [
    { own: { name: "clamp", source: "first" }, steps: 1 },
    { passes: "cse,dce" },
    { own: { name: "fusion", source: "as it is" }, steps: 2 },
    { own: { name: "clamp", source: "later" }, steps: 1 },
  ];
  const packed = await packTexts(changed, "decomposition", steps);
  expect(await unpackTexts(packed!)).toEqual({
    shown: "clamp 2",
    texts: new Map([
      ["clamp", "later"],
      ["clamp 2", "first"],
      ["fusion", "as it is"],
    ]),
    steps: [
      { text: "clamp 2", steps: 1 },
      { passes: "cse,dce" },
      { text: "fusion", steps: 2 },
      { text: "clamp", steps: 1 },
    ],
  });
});

test("steps that cannot be read are left out; the texts stay", async () => {
  const texts = { clamp: "a" };
  for (const steps of [
    [{ text: "other", steps: 1 }],
    [{ text: "clamp", steps: -1 }],
    [{ text: "clamp" }],
    [{ passes: " " }],
    [{ passes: "cse" }, null],
    "cse",
  ]) {
    const packed = await packText(JSON.stringify({ shown: "clamp", texts, steps }));
    expect(await unpackTexts(packed)).toMatchObject({ texts: new Map([["clamp", "a"]]), steps: [] });
  }
});

test("a text that is alone in a link has a name", async () => {
  for (const text of ["export default 1", "[1]", "null", '{"texts":{}}', '{"texts":{"a":1}}'])
    expect(await unpackTexts(await packText(text))).toEqual({
      shown: "linked",
      texts: new Map([["linked", text]]),
      steps: [],
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
  expect(await reader.take(texts.packed.value)).toEqual([]);
  expect([...reader.changed.value]).toEqual([
    ["model", "own"],
    ["clamp", "second"],
  ]);
  expect([...reader.linked.value]).toEqual(["clamp"]);
  reader.markRun("clamp");
  expect(reader.linked.value.size).toBe(0);
  reader.set("clamp", undefined);
  expect([...reader.changed.value.keys()]).toEqual(["model"]);
  expect(await reader.take("%%%")).toBeUndefined();
  reader.set("model", "a".repeat(200_000));
  vi.advanceTimersByTime(1000);
  await vi.waitUntil(() => reader.isTooLong.value);
  expect(reader.packed.value).toBe("");
});
