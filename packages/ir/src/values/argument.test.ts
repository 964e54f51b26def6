import { expect, test } from "vitest";
import { ref, tuple } from "./argument.js";

test("a tuple is made of one array", () => {
  expect(tuple([ref("x"), 1])).toEqual({ kind: "tuple", items: [ref("x"), 1] });
  const untyped = tuple as (...items: unknown[]) => unknown;
  const refused = expect.objectContaining({ code: "INVALID_ARGUMENT" });
  expect(() => untyped(1, 2)).toThrow(refused);
  expect(() => untyped([1], [2])).toThrow(refused);
  expect(() => untyped({})).toThrow(/one array/);
});
