import { parseIr } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { unreadRefusal } from "./unread-calls.js";

const DIVISION = "%q: i64[4] = aten.floor_divide.default(%x, %y)";
const VIEW = "%v: i64[2, 2] = aten.view.default(%q, [2, 2])";
const READ = "%r: i64[2, 2] = aten.neg.default(%v)";
const OVERWRITE = "%o: i64[4] = aten.fill_.Scalar(%q, 1)";

function refusalOf(calls: readonly string[], result: string): string | undefined {
  const text = `program "TRAINING" {
  input %x: USER_INPUT
  input %y: USER_INPUT
  output ${result}: USER_OUTPUT
}
graph(%x: i64[4], %y: i64[4]) {
  ${calls.join("\n  ")}
  return (${result})
}`;
  return unreadRefusal(parseIr(text, { tensors: new Map<string, Tensor>() }), defaultOperators());
}

test.each<[string, readonly string[], string]>([
  ["is not read", [DIVISION, "%r: i64[4] = aten.neg.default(%x)"], "%r"],
  ["is overwritten before it is read", [DIVISION, OVERWRITE, VIEW, READ], "%r"],
  ["is read for its sizes", [DIVISION, "%r: i64[4] = aten.zeros_like.default(%q)"], "%r"],
])("a division is refused that %s", (_, calls, result) => {
  expect(refusalOf(calls, result)).toBe("nothing reads q, whose values may be refused");
});

test.each<[string, readonly string[], string]>([
  ["is read through a view", [DIVISION, VIEW, READ], "%r"],
  ["is read before it is overwritten", [DIVISION, VIEW, READ, OVERWRITE], "%r"],
  ["is overwritten in a part", [DIVISION, VIEW, "%o: i64[2, 2] = aten.fill_.Scalar(%v, 1)"], "%q"],
])("a division may run that %s", (_, calls, result) => {
  expect(refusalOf(calls, result)).toBe(undefined);
});
