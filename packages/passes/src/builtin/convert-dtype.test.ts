import { type FakeTensor, verify } from "@sconce/ir";
import { describe, expect, test } from "vitest";
import { context, programOf, run, textOf } from "../test-support.js";
import { dtypeConversion as pass } from "./convert-dtype.js";

const LINEAR = `graph(%p_w: f32[2, 2], %x: f32[2, 2]) {
  %a: f32[2, 2] = aten.mm.default(%x, %p_w)
  %s: f32[2, 2] = aten._softmax.default(%a, 1, false)
  %y: f32[2, 2] = aten.relu.default(%s)
  return (%y)
}`;

describe("convert-dtype", () => {
  test("converts weights and calls, and casts at the border", () => {
    const program = programOf(LINEAR);
    const result = run(pass, program);
    expect(textOf(result)).toMatchInlineSnapshot(`
      "graph(%p_w: bf16[2, 2], %x: f32[2, 2]) {
        %_to_copy: bf16[2, 2] = aten._to_copy.default(%x, dtype=bfloat16)
        %a: bf16[2, 2] = aten.mm.default(%_to_copy, %p_w)
        %s: bf16[2, 2] = aten._softmax.default(%a, 1, false)
        %y: bf16[2, 2] = aten.relu.default(%s)
        %_to_copy_1: f32[2, 2] = aten._to_copy.default(%y, dtype=float32)
        return (%_to_copy_1)
      }"
    `);
    expect(result.stateDict.get("w")!.dtype).toBe("bfloat16");
    expect(program.stateDict.get("w")!.dtype).toBe("float32");
    expect(result.graphSignature.outputSpecs[0]!.arg.name).toBe("_to_copy_1");
    expect(verify(result, { operators: context.operators })).toEqual([]);
    expect(run(pass, result)).toBe(result);
  });

  test("kept operators and nodes compute in float32, with weights that only they read", () => {
    const result = run(pass, programOf(LINEAR), { to: "float16", keep: ["aten._softmax.default", "a"] });
    expect(textOf(result)).toMatchInlineSnapshot(`
      "graph(%p_w: f32[2, 2], %x: f32[2, 2]) {
        %a: f32[2, 2] = aten.mm.default(%x, %p_w)
        %s: f32[2, 2] = aten._softmax.default(%a, 1, false)
        %_to_copy: f16[2, 2] = aten._to_copy.default(%s, dtype=float16)
        %y: f16[2, 2] = aten.relu.default(%_to_copy)
        %_to_copy_1: f32[2, 2] = aten._to_copy.default(%y, dtype=float32)
        return (%_to_copy_1)
      }"
    `);
    expect(result.stateDict.get("w")!.dtype).toBe("float32");
  });

  test("inputs and outputs by option", () => {
    const result = run(pass, programOf(LINEAR), { io: true });
    expect((result.graph.node("x").meta.val as FakeTensor).dtype).toBe("bfloat16");
    expect([...result.opHistogram().keys()]).not.toContain("aten._to_copy.default");
    expect(result.graphSignature.outputSpecs[0]!.arg.name).toBe("y");
  });

  test("dtypes among the arguments, and operators that refuse the dtype", () => {
    const program = programOf(`graph(%x: f32[2, 2]) {
      %k: f32[2, 2] = aten.full.default([2, 2], 1.0, dtype=float32)
      %a: f32[2, 2] = aten.add.Tensor(%x, %k)
      %f: c64[2, 2] = aten._fft_r2c.default(%a, [1], 0, false)
      %r: f32[2, 2, 2] = aten.view_as_real.default(%f)
      return (%r)
    }`);
    expect(textOf(run(pass, program))).toMatchInlineSnapshot(`
      "graph(%x: f32[2, 2]) {
        %k: bf16[2, 2] = aten.full.default([2, 2], 1.0, dtype=bfloat16)
        %_to_copy: bf16[2, 2] = aten._to_copy.default(%x, dtype=bfloat16)
        %a: bf16[2, 2] = aten.add.Tensor(%_to_copy, %k)
        %_to_copy_1: f32[2, 2] = aten._to_copy.default(%a, dtype=float32)
        %f: c64[2, 2] = aten._fft_r2c.default(%_to_copy_1, [1], 0, false)
        %r: f32[2, 2, 2] = aten.view_as_real.default(%f)
        return (%r)
      }"
    `);
  });

  test("control flow keeps its bodies; other dtypes are left alone", () => {
    const program = programOf(`graph(%x: f32[2], %d: f64[2]) {
      %body = get_attr body
      %w: (f32[2]) = higher_order.wrap_with_set_grad_enabled(false, %body, %x)
      %a: f32[2] = operator.getitem(%w, 0)
      %b: f32[2] = aten.neg.default(%a)
      %e: f64[2] = aten.neg.default(%d)
      return (%b, %e)
      graph body(%z: f32[2]) { %n: f32[2] = aten.neg.default(%z) return (%n,) }
    }`);
    const result = run(pass, program);
    expect(result.graph.subgraphs.get("body")).toBe(program.graph.subgraphs.get("body"));
    expect(result.graph.node("e")).toBe(program.graph.node("e"));
    expect((result.graph.node("b").meta.val as FakeTensor).dtype).toBe("bfloat16");
  });

  test("what is written to a buffer has the buffer's dtype", () => {
    const program = programOf(`graph(%b_m: f32[2, 2], %x: f32[2, 2]) {
      %n: f32[2, 2] = aten.add.Tensor(%b_m, %x)
      return (%n, %n)
    }`);
    const [first, second] = program.graphSignature.outputSpecs;
    const { inputSpecs } = program.graphSignature;
    const outputSpecs = [{ ...first!, kind: "BUFFER_MUTATION", target: "m" } as const, second!];
    const result = run(pass, program.with({ graphSignature: { inputSpecs, outputSpecs } }));
    expect(result.graphSignature.outputSpecs.map(({ arg }) => arg.name)).toEqual(["n", "_to_copy_1"]);
    expect(verify(result, { operators: context.operators })).toEqual([]);
  });

  test("gives the same program back when there is nothing to convert, and refuses other dtypes", () => {
    const program = programOf("graph(%x: i64[2]) { %a: i64[2] = aten.neg.default(%x) return (%a) }");
    expect(run(pass, program)).toBe(program);
    expect(() => run(pass, program, { to: "int8" })).toThrow(/to cannot be "int8"/);
    expect(() => run(pass, program, { keep: ["softmax"] })).toThrow(/keep names softmax/);
  });
});
