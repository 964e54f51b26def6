import { expect, test } from "vitest";
import { TRAINING } from "../graph/dialect.js";
import type { OperatorLookup, OpSchema } from "../graph/operator.js";
import { parseGraph } from "../ir-text/parse-program.js";
import { verifyGraph } from "./verify.js";

const type = { base: "Tensor", list: false, optional: false, optionalElements: false } as const;
const schema = (target: string, writes: boolean): OpSchema => ({
  namespace: "my",
  name: "f",
  overload: "default",
  target,
  args: [
    {
      name: "x",
      type,
      kwargOnly: false,
      hasDefault: false,
      ...(writes && { alias: { set: "a", write: true } }),
    },
  ],
  returns: [{ type }],
  isMutable: writes,
  isView: false,
});
const operators: OperatorLookup = {
  schemaOf: (target) => schema(target, target === "my.w.default"),
  tagsOf: () => [],
};

/** Problems of a call in a graph with tensors `%x`, `%q` and a nested graph `%g`. */
const problems = (call: string): string[] =>
  verifyGraph(
    parseGraph(
      `graph(%x: f32[2], %q: f32[1, 1, 2, 2]) {
  %g = get_attr g
  %y: f32[2] = higher_order.wrap(%g, %x)
  ${call}
  return (%y)
  graph g(%a: f32[2]) {
    %z: f32[2] = aten.cos.default(%a)
    return (%z)
  }
}`,
      { unknownTargets: "allow" },
    ),
    TRAINING,
    { operators },
  ).map(({ message }) => message);

test.each([
  "%c: (f32[2]) = higher_order.tag_activation_checkpoint(%g, %x)",
  "%c: (f32[2]) = higher_order.tag_activation_checkpoint(%g, %x, use_reentrant=false)",
  "%c: f32[2] = higher_order.run_with_rng_state(%x, op(my.f.default), %x)",
  "%c: (f32[2], f32[2]) = higher_order.run_and_save_rng_state(op(my.f.default), %x)",
  "%c: (f32[2], f32[2]) = higher_order.auto_functionalized(op(my.w.default), x=%x)",
  "%c: f64[2] = higher_order.out_dtype(op(my.f.default), float64, %x)",
  '%c: f32[2] = higher_order.call_torchbind(%x, "method", %x)',
  "%c: (f32[1, 1, 2, 2], f32[1, 1, 2], f32[1, 1, 2]) = higher_order.flex_attention(%q, %q, %q, %g, (%x), 1.5, {})",
])("accepts %s", (call) => {
  expect(problems(call)).toEqual([]);
});

test.each<[call: string, problem: string]>([
  ["%c: (f32[2]) = higher_order.tag_activation_checkpoint(%g, %x, %x)", "gives it 2 operands"],
  ["%c: (f32[5]) = higher_order.tag_activation_checkpoint(%g, %x)", "and g gives float32[2]"],
  [
    "%c: (f32[2]) = higher_order.wrap_activation_checkpoint(%x, %x)",
    "the body is node x, not a nested graph",
  ],
  ["%c: f32[2] = higher_order.run_with_rng_state(%x, %x)", "argument 1 is not an operator"],
  ["%c: f32[2] = higher_order.run_and_save_rng_state(op(my.f.default), %x)", "records 1 results"],
  ["%c: (f32[2]) = higher_order.auto_functionalized(%x)", "argument 0 is not an operator"],
  ["%c: (f32[2]) = higher_order.auto_functionalized(op(my.w.default), x=%x)", "records 1 results"],
  ["%c: (f32[2]) = higher_order.auto_functionalized(op(my.w.default), y=%x)", "keyword argument 'y'"],
  ["%c: (f32[2]) = higher_order.auto_functionalized(op(my.f.default), x=%x)", "writes to none"],
  ["%c: f32[2] = higher_order.out_dtype(%x)", "1 arguments, and it takes at least 2"],
  ["%c: f32[2] = higher_order.out_dtype(op(my.f.default), %x)", "argument 1 is not a dtype"],
  ["%c: f32[2] = higher_order.out_dtype(op(my.w.default), float32, %x)", "is not functional"],
  ["%c: f32[2] = higher_order.out_dtype(op(my.f.default), float64, %x)", "output dtype is float64"],
  ["%c: f32[2] = higher_order.call_torchbind(%x, %x)", "argument 1 is not the name of a method"],
  ["%c: (f32[2]) = higher_order.flex_attention(%x)", "1 arguments, and it takes 7 to 9"],
  ["%c: (f32[2]) = higher_order.flex_attention(%x, %q, %q, %g, (), 1.5, {})", "query is float32[2]"],
  ["%c: (f32[2]) = higher_order.flex_attention(%q, %q, %q, %x, (), 1.5, {})", "score_mod is node x"],
  ["%c: (f32[2]) = higher_order.triton_kernel_wrapper_functional(%x)", "it takes 0"],
  [
    "%c: (f32[2]) = higher_order.triton_kernel_wrapper_functional(kernel_idx=0)",
    "constant_args_idx is missing",
  ],
  ["%c: (f32[2]) = higher_order.scan(%g, [], [], (), foo=1)", "unexpected keyword argument 'foo'"],
  ["%c: (f32[2]) = higher_order.cond(true, %g, %g, [%x], foo=1)", "unexpected keyword argument 'foo'"],
])("refuses %s", (call, problem) => {
  expect(problems(call)).toContainEqual(expect.stringContaining(problem));
});
