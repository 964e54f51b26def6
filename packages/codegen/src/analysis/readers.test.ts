import { expect, test } from "vitest";
import { constant, ONE } from "../ir/index-expr.js";
import type { LoopNest } from "../ir/loop-program.js";
import { apply, load } from "../ir/scalar.js";
import { Readers } from "./readers.js";

const nest = (output: number, ...reads: readonly [number, number]): LoopNest => ({
  id: output,
  output,
  axes: [{ kind: "axis", name: "i0", extent: constant(4) }],
  value: apply("add", load(reads[0], ONE, "float32"), load(reads[1], ONE, "float32")),
  nodes: [],
});

test("who writes and reads a buffer, and who reads it next", () => {
  const readers = new Readers([nest(1, 0, 0), nest(2, 1, 0), nest(3, 2, 0), nest(4, 3, 1)]);
  expect([1, 4, 0].map((id) => readers.writer(id))).toEqual([0, 3, undefined]);
  expect([0, 1, 4].map((id) => readers.of(id))).toEqual([[0, 1, 2], [1, 3], []]);
  expect([-1, 0, 1, 2, 3].map((after) => readers.next(1, after))).toEqual([1, 1, 3, 3, undefined]);
});
