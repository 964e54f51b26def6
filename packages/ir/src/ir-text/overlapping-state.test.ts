/** @file Strides that a text records change no values of the state: places are shared by equals. */
import { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { parseIr } from "./parse-program.js";

const withBuffer = (type: string): string => `sconce-ir 1
program "ATEN" {
  buffer "v": ${type}
  input %b_v: BUFFER "v" persistent
  output %y: USER_OUTPUT
}
graph(%b_v: ${type}) {
  %y: ${type.replace(/\{.*/, "")} = aten.neg.default(%b_v)
  return (%y)
}`;
const read = (type: string, values: readonly number[], shape: readonly number[]): unknown =>
  parseIr(withBuffer(type), { tensors: new Map([["v", Tensor.from(values, shape, "float32")]]) })
    .tensor("v")!
    .toArray();

test.each([
  ["f32[2, 3]{1, 2}", [1, 2, 3, 4, 5, 6]],
  ["f32[2, 3]{0, 1}", [1, 2, 3, 1, 2, 3]],
  ["f32[2, 3]{1, 1}", [1, 2, 3, 2, 3, 4]],
])("%s holds these values", (type, values) => {
  expect(read(type, values, [2, 3])).toEqual(values);
});

test.each(["f32[2, 3]{1, 1}", "f32[2, 3]{0, 1}", "f32[2, 3]{2, 2}"])("%s does not hold these", (type) => {
  expect(() => read(type, [1, 2, 3, 4, 5, 6], [2, 3])).toThrow(
    expect.objectContaining({ code: "IR_TENSOR", message: expect.stringContaining("lay over each other") }),
  );
});
