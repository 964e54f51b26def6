import { parseIr } from "@sconce/ir/text";
import { defaultOperators } from "@sconce/ops";
import type { Tensor } from "@sconce/tensor";
import { expect, test } from "vitest";
import { Layouts } from "../checks/layouts.js";
import { writtenMemory } from "./written-memory.js";

const operators = defaultOperators();

/** Two calls of a body that two nodes read, beside a write and a view. */
const CALLS = `%body = get_attr body
  %again = get_attr body
  %copy: f32[4] = aten.clone.default(%x)
  %view: f32[4] = aten.reshape.default(%copy, [4])
  %c: (f32[4]) = higher_order.cond(%p, %body, %again, [%p, %copy])
  %d: (f32[4]) = higher_order.cond(%p, %again, %body, [%p, %x])
  %r: f32[4] = operator.getitem(%c, 0)
  %w: f32[4] = aten.relu_.default(%view)
  return (%r)`;

/** Such calls in so many levels, around another one. */
function nested(levels: number, call: string) {
  let inner = `graph body(%p: b8[], %x: f32[4]) {\n  %r: f32[4] = ${call}\n  return (%r)\n}`;
  for (let level = 1; level < levels; level++)
    inner = `graph body(%p: b8[], %x: f32[4]) {\n  ${CALLS}\n  ${inner}\n}`;
  const text = `program "TRAINING" {
  input %p: USER_INPUT
  input %x: USER_INPUT
  output %r: USER_OUTPUT
}
graph(%p: b8[], %x: f32[4]) {
  ${CALLS}
  ${inner}
}`;
  return parseIr(text, { tensors: new Map<string, Tensor>() });
}

test("writes in bodies that several nodes and calls read are looked for once", () => {
  const memoryOf = (call: string) => writtenMemory(nested(30, call), operators);
  expect(memoryOf("aten.sin.default(%x)")).toEqual({
    reason: undefined,
    needsRecordedLayouts: true,
    leastSizes: [],
  });
  expect(memoryOf("aten.as_strided.default(%x, [4], [1])").reason).toBe(
    "it reads memory by strides that it writes to, and its lowered form other memory",
  );
});

test("calls that compute in the order of memory are looked for once", () => {
  const program = nested(30, "aten.sin.default(%x)");
  const layouts = new Layouts({ original: program, program, operators, needsRecordedLayouts: false });
  expect(layouts.whyHosted([], new Map())).toBe(undefined);
});
