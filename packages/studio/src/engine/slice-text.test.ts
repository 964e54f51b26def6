import { expect, test } from "vitest";
import type { SliceStart } from "./protocol.js";
import { parseSlice, sliceText } from "./slice-text.js";

const SHAPE = [2, 4, 64, 100];
const start = (index: readonly number[], row = 0, column = 0): SliceStart => ({ index, row, column });

test.each([
  ["x", [], start([])],
  ["x", [5], start([])],
  ["x[3:]", [5], start([], 3)],
  ["x", [5, 6], start([])],
  ["x[:, 2:]", [5, 6], start([], 0, 2)],
  ["x[0, 3]", SHAPE, start([0, 3])],
  ["x[0, 3, 40:]", SHAPE, start([0, 3], 40)],
  ["x[0, 3, :, 16:]", SHAPE, start([0, 3], 0, 16)],
  ["x[1, 0, 40:, 16:]", SHAPE, start([1, 0], 40, 16)],
] as const)("%s of %j is written and read", (text, shape, at) => {
  expect(sliceText("x", shape, at)).toBe(text);
  expect(parseSlice(text, "x", shape)).toEqual({ start: at });
});

test.each([
  ["[1, 2]", start([1, 2])],
  [" x [ 1 , -1 ] ", start([1, 3])],
  ["x[-2]", start([0, 0])],
  ["x[1:, 2:3]", start([1, 2])],
  ["x[1, 2, 5]", start([1, 2], 5)],
  ["x[1, 2, 5:20, -3:]", start([1, 2], 5, 97)],
  ["x[..., 7]", start([0, 0], 0, 7)],
  ["x[1, ..., 7:]", start([1, 0], 0, 7)],
  ["x[1, 2,]", start([1, 2])],
  ["x[()]", start([0, 0])],
  ["", start([0, 0])],
] as const)("%j names the first element of what Python gives", (text, at) => {
  expect(parseSlice(text, "x", SHAPE)).toEqual({ start: at });
});

test.each([
  ["y[0]", "the value is x, not y"],
  ["x[2]", "index 2 is out of range for dimension 0 with size 2"],
  ["x[0, -5]", "index -5 is out of range for dimension 1 with size 4"],
  ["x[0, 0, 0, 0, 0]", "5 indices for 4 dimensions"],
  ["x[..., ...]", '"..." is not an index: write a number or START:STOP'],
  ["x[::2]", '"::2": steps are not supported, write START:STOP'],
  ["x[a]", '"a" is not an index: write a number or START:STOP'],
  ["x[1.5]", '"1.5" is not an index: write a number or START:STOP'],
  ["x[3:2]", "3:2 has no elements in dimension 0 with size 2"],
  ["x[0", "write an index in brackets: x[0, 0]"],
  ["x[0][1]", "write an index in brackets: x[0, 0]"],
])("%s is refused", (text, problem) => {
  expect(parseSlice(text, "x", SHAPE)).toEqual({ problem });
});

test("values without dimensions, and empty ones, have one text", () => {
  expect(parseSlice("x[0]", "x", [])).toEqual({ problem: "1 index for 0 dimensions" });
  expect(parseSlice("x[]", "x", [0, 3])).toEqual({ start: start([]) });
  expect(parseSlice("x[:]", "x", [0, 3])).toEqual({ start: start([]) });
  expect(parseSlice("x[0]", "x", [0, 3])).toEqual({
    problem: "index 0 is out of range for dimension 0 with size 0",
  });
});
