import type { TreeSpec } from "@sconce/ir";
import { expect, test } from "vitest";
import { positionalNames } from "./argument-names.js";

const leaf: TreeSpec = { type: null, context: null, children: [] };
const tree = (type: string, context: unknown, count: number): TreeSpec => ({
  type,
  context,
  children: Array.from({ length: count }, () => leaf),
});
const namesOf = (
  names: readonly string[] | null,
  count: number,
  keywords: readonly string[] = [],
): string[] =>
  positionalNames({
    inSpec: {
      type: "builtins.tuple",
      context: null,
      children: [tree("builtins.tuple", null, count), tree("builtins.dict", keywords, keywords.length)],
    },
    forwardArgNames: names,
  });

test("arguments by position have the names of the parameters, each once", () => {
  expect(namesOf(["x", "y"], 2)).toEqual(["x", "y"]);
  expect(namesOf(null, 2)).toEqual(["args_0", "args_1"]);
  // forward(args_0, *args)
  expect(namesOf(["args_0", "args_0"], 2)).toEqual(["args_0", "args_0_1"]);
  // forward(*args, args_0)
  expect(namesOf(["args_0", "args_1"], 2, ["args_0"])).toEqual(["args_0_1", "args_1"]);
  expect(namesOf(["a", "a", "a_1"], 3)).toEqual(["a", "a_1", "a_1_1"]);
});
