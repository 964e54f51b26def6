import { expect, test } from "vitest";
import { forEachRef, mapRefs, ref } from "./argument.js";
import { isLiteralList } from "./literal-list.js";

const numbers = (count: number): number[] => Array.from({ length: count }, (_, at) => at);

test("long frozen lists without objects are literal", () => {
  expect(isLiteralList(Object.freeze(numbers(100)))).toBe(true);
  expect(isLiteralList(Object.freeze(numbers(3)))).toBe(false);
  expect(isLiteralList(Object.freeze([...numbers(100), ref("x")]))).toBe(false);
});

test("a list that may still change is looked at each time", () => {
  const list: unknown[] = numbers(100);
  expect(isLiteralList(list)).toBe(false);
  list.push(ref("x"));
  const found: string[] = [];
  forEachRef(list as never, (name) => found.push(name));
  expect(found).toEqual(["x"]);
  expect(mapRefs(list as never, () => 7)).toEqual([...numbers(100), 7]);
});
