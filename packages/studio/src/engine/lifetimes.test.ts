import { createRunner } from "@sconce/backend-cpu";
import { parseIr, Tensor } from "@sconce/session";
import { expect, test } from "vitest";
import { lifetimesOf } from "./lifetimes.js";

const TEXT = `sconce-ir 1
program "ATEN" {
  parameter "w": f32[4]
  input %p_w: PARAMETER "w"
  input %x: USER_INPUT
  output %out: USER_OUTPUT
}
graph(%p_w: f32[4], %x: f32[4]) {
  %shown: f32[2, 2] = aten.view.default(%p_w, [2, 2])
  %a: f32[4] = aten.mul.Tensor(%x, %p_w)
  %view: f32[2, 2] = aten.view.default(%a, [2, 2])
  %unused: f32[4] = aten.neg.default(%x)
  %b: f32[2, 2] = aten.add.Tensor(%shown, 1)
  %c: f32[2, 2] = aten.add.Tensor(%view, %b)
  %parts: (f32[1, 2], f32[1, 2]) = aten.split.Tensor(%c, 1)
  %part: f32[1, 2] = operator.getitem(%parts, 1)
  %out: f32[1, 2] = aten.neg.default(%part)
  return (%out)
}`;
const x = Tensor.from([1, 2, 3, 4], [4], "float32");
const program = parseIr(TEXT, { tensors: new Map([["w", Tensor.from([1, 2, 3, 4], [4], "float32")]]) });

test("values are kept from their call to the last use, that of their views, too", () => {
  const { calls, values } = lifetimesOf(program, [x]);
  expect(calls).toBe(9);
  expect(values.map(({ node, bytes, from, to }) => [node, bytes, from, to])).toEqual([
    ["a", 16, 1, 5],
    ["unused", 16, 3, 3],
    ["b", 16, 4, 5],
    ["c", 16, 5, 8],
    ["out", 8, 8, 8],
  ]);
});

test("boxes of values that are kept at once do not overlap", () => {
  const { values } = lifetimesOf(program, [x]);
  for (const [i, one] of values.entries())
    for (const other of values.slice(i + 1))
      if (one.from <= other.to && other.from <= one.to)
        expect(one.offset + one.bytes <= other.offset || other.offset + other.bytes <= one.offset).toBe(true);
  expect(values.map(({ offset }) => offset)).toEqual([0, 16, 16, 32, 0]);
});

test("the most bytes at once are what the interpreter needs", () => {
  const { calls, values } = lifetimesOf(program, [x]);
  const alive = Array.from({ length: calls }, (_, at) =>
    values.reduce((sum, { from, to, bytes }) => sum + (from <= at && at <= to ? bytes : 0), 0),
  );
  const most = Math.max(...alive);
  expect(most).toBe(48);
  expect(() => createRunner({ maxBytes: most })(program, [x])).not.toThrow();
  expect(() => createRunner({ maxBytes: most - 1 })(program, [x])).toThrow(/bytes/);
});
