import { createRunner, readNumbers } from "@sconce/backend-cpu";
import type { ExportedProgram, FakeTensor } from "@sconce/ir";
import { defaultOperators, defineOp } from "@sconce/ops";
import type { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { isFunctional } from "../analysis/functional.js";
import { runDecompositions } from "../decompose/run-decompositions.js";
import { programOf, ramp, textOf } from "../programs.fixture.js";

const operators = defaultOperators().extend([
  defineOp({
    schema: "mylib::bump(Tensor(a0!) x, float n) -> ()",
    meta: () => null,
    decompose: (emit, { x, n }) => {
      emit("aten.add_.Tensor", [x, n]);
      return null;
    },
  }),
  defineOp({
    schema: "mylib::bump_both(Tensor(a0!) x, Tensor(a1!)? y=None, *, int k=3) -> Tensor",
    decompose: (emit, { x, y, k }) => {
      emit("aten.add_.Tensor", [x, k]);
      if (y !== null) emit("aten.mul_.Tensor", [y, 2]);
      return emit("aten.neg.default", [x]);
    },
  }),
  defineOp({
    schema: "mylib::bumps(Tensor(a0!)[] xs) -> ()",
    meta: () => null,
    decompose: (emit, { xs }) => {
      for (const x of xs as readonly FakeTensor[]) emit("aten.add_.Tensor", [x, 1]);
      return null;
    },
  }),
]);
const runner = createRunner({ operators });
const numbers = (program: ExportedProgram): unknown[] =>
  runner(program, [ramp([2, 2])]).outputs.map((output) => Array.from(readNumbers(output as Tensor), Number));

/** Lowers, and checks that the numbers stay. */
function lowered(body: string): string {
  const program = programOf(`graph(%x: f32[2, 2]) {\n${body}\n}`, "TRAINING");
  const result = runDecompositions(program, undefined, { operators });
  expect(isFunctional(result, operators)).toBe(true);
  expect(numbers(result)).toEqual(numbers(program));
  return textOf(result);
}

// Texts as PyTorch 2.14 gives them for `torch.library.custom_op` operators with these schemas.
describe("operators of plugins that write", () => {
  test("run on copies of the bases; views say where they look", () => {
    const text = lowered(`%c: f32[2, 2] = aten.clone.default(%x)
      %s: f32[2] = aten.select.int(%c, 0, 1)
      %a = mylib.bump.default(%s, 2.0)
      %v: f32[2, 1] = aten.slice.Tensor(%c, 1, 1, 2)
      %b = mylib.bump.default(%v, 1.0)
      %w: f32[2, 2] = aten.view.default(%c, [2, 2])
      %d = mylib.bump.default(%w, 1.0)
      return (%c)`);
    expect(text).toMatchInlineSnapshot(`
      "graph(%x: f32[2, 2]) {
        %clone: f32[2, 2] = aten.clone.default(%x)
        %auto_functionalized_v2: (none, f32[2, 2]) = higher_order.auto_functionalized_v2(op(mylib.bump.default), n=2.0, _x_base_index=0, _x_size=(2), _x_stride=(1), _x_storage_offset=2, _all_bases=[%clone])
        %getitem_1: f32[2, 2] = operator.getitem(%auto_functionalized_v2, 1)
        %auto_functionalized_v2_1: (none, f32[2, 2]) = higher_order.auto_functionalized_v2(op(mylib.bump.default), n=1.0, _x_base_index=0, _x_slice_dim=1, _x_slice_start=1, _x_slice_end=2, _all_bases=[%getitem_1])
        %getitem_3: f32[2, 2] = operator.getitem(%auto_functionalized_v2_1, 1)
        %auto_functionalized_v2_2: (none, f32[2, 2]) = higher_order.auto_functionalized_v2(op(mylib.bump.default), n=1.0, _x_base_index=0, _x_alias=true, _all_bases=[%getitem_3])
        %getitem_5: f32[2, 2] = operator.getitem(%auto_functionalized_v2_2, 1)
        return (%getitem_5)
      }"
    `);
  });

  test("optional arguments, separate results, and one base twice", () => {
    const text = lowered(`%c: f32[2, 2] = aten.clone.default(%x)
      %a: f32[2, 2] = mylib.bump_both.default(%c)
      %s: f32[2] = aten.select.int(%c, 0, 0)
      %t: f32[2] = aten.select.int(%c, 0, 1)
      %b: f32[2] = mylib.bump_both.default(%s, %t, k=4)
      return (%c, %a, %b)`);
    expect(text).toMatchInlineSnapshot(`
      "graph(%x: f32[2, 2]) {
        %clone: f32[2, 2] = aten.clone.default(%x)
        %auto_functionalized_v2: (f32[2, 2], f32[2, 2]) = higher_order.auto_functionalized_v2(op(mylib.bump_both.default), k=3, _x_base_index=0, _y_base_index=none, _all_bases=[%clone])
        %getitem: f32[2, 2] = operator.getitem(%auto_functionalized_v2, 0)
        %getitem_1: f32[2, 2] = operator.getitem(%auto_functionalized_v2, 1)
        %auto_functionalized_v2_1: (f32[2], f32[2, 2]) = higher_order.auto_functionalized_v2(op(mylib.bump_both.default), k=4, _x_base_index=0, _x_size=(2), _x_stride=(1), _x_storage_offset=0, _y_base_index=0, _y_size=(2), _y_stride=(1), _y_storage_offset=2, _all_bases=[%getitem_1])
        %getitem_2: f32[2] = operator.getitem(%auto_functionalized_v2_1, 0)
        %getitem_3: f32[2, 2] = operator.getitem(%auto_functionalized_v2_1, 1)
        return (%getitem_3, %getitem, %getitem_2)
      }"
    `);
  });

  test("lists, and inputs that are written to", () => {
    const text = lowered(`%c: f32[2, 2] = aten.neg.default(%x)
      %t: f32[2, 2] = aten.t.default(%x)
      %a = mylib.bumps.default([%x, %c, %t])
      return (%c)`);
    expect(text).toMatchInlineSnapshot(`
      "graph(%x: f32[2, 2]) {
        %neg: f32[2, 2] = aten.neg.default(%x)
        %auto_functionalized_v2: (none, f32[2, 2], f32[2, 2]) = higher_order.auto_functionalized_v2(op(mylib.bumps.default), _xs_length=3, _xs_0_base_index=0, _xs_1_base_index=1, _xs_2_base_index=0, _xs_2_size=(2, 2), _xs_2_stride=(1, 2), _xs_2_storage_offset=0, _all_bases=[%x, %neg])
        %getitem_1: f32[2, 2] = operator.getitem(%auto_functionalized_v2, 1)
        %getitem_2: f32[2, 2] = operator.getitem(%auto_functionalized_v2, 2)
        return (%getitem_1, %getitem_2)
      }"
    `);
  });
});
