import { expect, test } from "vitest";
import { countText, withArticle } from "./words.js";

test("nouns have the article of their first sound", () => {
  expect(["Int8Array", "Uint8ClampedArray", "pass", "operator"].map(withArticle)).toEqual([
    "an Int8Array",
    "a Uint8ClampedArray",
    "a pass",
    "an operator",
  ]);
});

test("one thing is singular", () => {
  expect([0, 1, 2].map((count) => countText(count, "node"))).toEqual(["0 nodes", "1 node", "2 nodes"]);
  expect([1, 2].map((count) => countText(count, "pass", "passes"))).toEqual(["1 pass", "2 passes"]);
});
