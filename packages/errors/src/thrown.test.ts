import { expect, test } from "vitest";
import { thrownText } from "./index.js";

class Refusal {
  readonly why = "no";
}

test.each<[thrown: unknown, text: string]>([
  [new Error("boom"), "boom"],
  ["boom", "boom"],
  [3, "3"],
  [undefined, "undefined"],
  [null, "null"],
  [Symbol("s"), "Symbol(s)"],
  [{ message: "boom" }, "boom"],
  [{ a: 1 }, 'an object {"a":1}'],
  [{}, "an object"],
  [Object.create(null), "something that has no text"],
  [new Refusal(), 'an object of class Refusal {"why":"no"}'],
  [new Map(), "an object of class Map"],
  [{ toString: () => "own" }, "own"],
  [[{}], "an object of class Array [{}]"],
  [Object.assign({}, { long: "x".repeat(200) }), `an object {"long":"${"x".repeat(91)}...`],
])("what was thrown as a text: %o", (thrown, text) => {
  expect(thrownText(thrown)).toBe(text);
});
