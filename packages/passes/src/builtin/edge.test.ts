import type { ExportedProgram } from "@sconce/ir";
import { parseGraph, printIr } from "@sconce/ir/text";
import { CORE_ATEN, EDGE, verifyGraph } from "@sconce/ir/verify";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { context, programOf, ramp, run } from "../programs.fixture.js";
import { verifyCalls } from "../shapes/call-problems.js";
import { coreAten, toEdge } from "./edge.js";

const { operators } = context;
const outputsOf = (program: ExportedProgram, inputs: readonly Tensor[]): readonly Tensor[] =>
  context.run!(program, inputs).outputs as readonly Tensor[];
const TEXT = `graph(%x: f32[1, 2, 3, 4]{24, 1, 8, 2}, %y: f32[2, 2]) {
  %a: f32[1, 2, 3, 4]{24, 1, 8, 2} = aten.silu.default(%x)
  %b: f32[1, 2, 3, 4]{24, 1, 8, 2} = aten.add.Tensor(%a, 2)
  %s: (f32[1, 2], f32[1, 2]) = aten.split.Tensor(%y, 1)
  %i: f32[1, 2] = operator.getitem(%s, 0)
  return (%b, %i)
}`;
const codes = (text: string, rules = CORE_ATEN): string[] =>
  verifyGraph(parseGraph(text), rules, { operators }).map(({ code, message }) => `${code} ${message}`);

describe("core ATen", () => {
  test("refuses operators outside the core set, and no others [S-116]", () => {
    expect(codes("graph(%x: f32[2]) { %a: f32[2] = aten.silu.default(%x) return (%a) }")).toEqual([
      "OPERATOR_REFUSED operator 'aten.silu.default' is not in the core ATen operator set",
    ]);
    expect(codes("graph(%x: f32[2]) { %a: f32[2] = aten.sigmoid.default(%x) return (%a) }")).toEqual([]);
    expect(codes("graph(%x: f32[2]) { %a: f32[2] = mylib.f.default(%x) return (%a) }")).toEqual([]);
    expect(codes("graph(%x: f32[2]) { %a = aten.add_.Tensor(%x, 1) return (%x) }")).toContainEqual(
      expect.stringContaining("NOT_FUNCTIONAL"),
    );
  });

  test("the pass gives such a program, or says what it cannot lower", () => {
    const lowered = run(coreAten, programOf(TEXT));
    expect(lowered.dialect).toBe("CORE_ATEN");
    expect([...lowered.opHistogram().keys()]).not.toContain("aten.silu.default");
    expect(verifyCalls(lowered, { operators })).toEqual([]);
    const outside = programOf("graph(%x: f32[2]) { %a: f32[2] = aten.lgamma.default(%x) return (%a) }");
    expect(() => run(coreAten, outside)).toThrow(
      "the program cannot be lowered to CORE_ATEN: operator 'aten.lgamma.default' is not in the core ATen operator set",
    );
  });
});

describe("the edge dialect", () => {
  const edge = run(toEdge, run(coreAten, programOf(TEXT)));

  test("records a dimension order for every tensor, and has no numbers for tensors [S-078]", () => {
    expect(edge.dialect).toBe("EDGE");
    expect(edge.graph.node("x").meta.dimOrder).toEqual([0, 2, 3, 1]);
    expect(edge.graph.node("y").meta.dimOrder).toEqual([0, 1]);
    const several = edge.graph.nodes().find(({ target }) => target.startsWith("aten.split"))!;
    expect(several.meta.dimOrder).toEqual([
      [0, 1],
      [0, 1],
    ]);
    expect(edge.opHistogram().get("aten.full.default")).toBe(1);
    expect(verifyCalls(edge, { operators })).toEqual([]);
  });

  test("the order survives the IR text", () => {
    const again = parseGraph(printIr(edge.graph, { metadata: true }));
    expect(again.node("x").meta.dimOrder).toEqual([0, 2, 3, 1]);
    expect(printIr(again, { metadata: true })).toBe(printIr(edge.graph, { metadata: true }));
  });

  test("memory formats become dimension orders, of the same numbers and strides", () => {
    const text = `graph(%x: f32[1, 2, 2, 3]) {
  %c: f32[1, 2, 2, 3]{12, 1, 6, 2} = aten.clone.default(%x, memory_format=format(channels_last))
  %t: f64[1, 2, 2, 3]{12, 1, 6, 2} = aten._to_copy.default(%c, dtype=float64)
  %e: f32[1, 2, 2, 3]{12, 1, 6, 2} = aten.empty.memory_format([1, 2, 2, 3], memory_format=format(channels_last))
  return (%t, %c)
}`;
    const program = programOf(text, "CORE_ATEN");
    const lowered = run(toEdge, program);
    expect(lowered.graph.nodes().map(({ target, kwargs }) => [target, kwargs["dim_order"]])).toEqual([
      ["x", undefined],
      ["dim_order_ops._clone_dim_order.default", [0, 2, 3, 1]],
      ["dim_order_ops._to_dim_order_copy.default", [0, 2, 3, 1]],
      ["dim_order_ops._empty_dim_order.default", [0, 2, 3, 1]],
      ["output", undefined],
    ]);
    expect(verifyCalls(lowered, { operators })).toEqual([]);
    const inputs = [ramp([1, 2, 2, 3])];
    const [before, after] = [program, lowered].map((one) => outputsOf(one, inputs));
    for (const [i, { strides }] of after!.entries()) {
      expect([...after![i]!]).toEqual([...before![i]!]);
      expect(strides).toEqual([12, 1, 6, 2]);
    }
  });

  test.each<[what: string, call: string, made: readonly string[]]>([
    ["dtypes that differ", "f32[2] = aten.add.Tensor(%x, %n)", ["_to_dim_order_copy"]],
    ["halves and floats", "f32[2] = aten.mul.Tensor(%h, %x)", ["_to_dim_order_copy"]],
    ["a quotient of integers", "f32[2] = aten.div.Tensor(%n, %i)", ["_to_dim_order_copy"]],
    ["a comparison", "b8[2] = aten.lt.Tensor(%n, %x)", ["_to_dim_order_copy"]],
    ["a condition", "f32[2] = aten.where.self(%b, %x, %n)", ["_to_dim_order_copy"]],
    ["a number of another kind", "f32[2] = aten.add.Tensor(%n, 1.5)", ["_to_dim_order_copy", "full"]],
    ["a number that a half holds", "f16[2] = aten.add.Tensor(%h, 1.5)", ["full"]],
  ])("makes %s explicit", (_, call, made) => {
    const text = `graph(%x: f32[2], %h: f16[2], %n: i64[2], %i: i32[2], %b: b8[2]) {
  %a: ${call}
  return (%a)
}`;
    const program = programOf(text, "CORE_ATEN");
    const lowered = run(toEdge, program);
    const targets = lowered.graph
      .nodes()
      .flatMap(({ op, target }) => (op === "call_function" ? [target] : []));
    expect(targets.slice(0, -1).map((target) => target.split(".")[1])).toEqual(made);
    expect(verifyCalls(lowered, { operators })).toEqual([]);
    const values = [
      Tensor.from([1.5, -2.25], [2], "float32"),
      Tensor.from([0.5, 3], [2], "float16"),
      Tensor.from([3, -4], [2], "int64"),
      Tensor.from([2, 3], [2], "int32"),
      Tensor.from([1, 0], [2], "bool"),
    ];
    const [before, after] = [program, lowered].map((one) => outputsOf(one, values));
    expect(after![0]!.dtype).toBe(before![0]!.dtype);
    expect([...after![0]!]).toEqual([...before![0]!]);
  });

  test("a number that a half rounds is refused", () => {
    const program = programOf(
      "graph(%h: f16[2]) { %a: f16[2] = aten.add.Tensor(%h, 0.1) return (%a) }",
      "CORE_ATEN",
    );
    expect(() => run(toEdge, program)).toThrow("is a number, and the edge dialect takes tensors only");
  });

  test.each([["[0, 1]"], ["[0, 1, 1]"], ["[0, 1, 3]"]])("refuses the order %s", (order) => {
    const graph = parseGraph(
      `graph(%x: f32[2, 3, 4]) { %a: f32[2, 3, 4] = dim_order_ops._clone_dim_order.default(%x, dim_order=${order}) return (%a) }`,
    );
    const program = programOf(
      "graph(%x: f32[2, 3, 4]) { %a: f32[2, 3, 4] = aten.clone.default(%x) return (%a) }",
    );
    expect(verifyCalls(program.with({ graph }), { operators }).map(({ message }) => message)).toContainEqual(
      expect.stringContaining("is not an order of 3 dimensions"),
    );
  });

  test.each<[string, string, string]>([
    [
      "a tensor without an order",
      "graph(%x: f32[2]) { return (%x) }",
      "Node x is a tensor without a dimension order",
    ],
    [
      "an order that is none",
      'graph(%x: f32[2, 3] #0) { return (%x) } metadata {\n #0 {"dimOrder": [0, 0]}\n}',
      "The dimension order of node x is [0,0], not an order of its 2 dimensions",
    ],
    [
      "an order that the strides contradict",
      'graph(%x: f32[2, 3] #0) { return (%x) } metadata {\n #0 {"dimOrder": [1, 0]}\n}',
      "The dimension order of node x is [1,0], and its strides are those of [0,1]",
    ],
    [
      "a number for a tensor",
      'graph(%x: f16[2] #0) { %a: f16[2] = aten.add.Tensor(%x, 1.5) #0 return (%a) } metadata {\n #0 {"dimOrder": [0]}\n}',
      "Argument 'other' of node 'a' (aten.add.Tensor) is a number, and the edge dialect takes tensors only",
    ],
    [
      "an implicit promotion",
      'graph(%x: f32[2] #0, %y: i64[2] #0) { %a: f32[2] = aten.add.Tensor(%x, %y) #0 return (%a) } metadata {\n #0 {"dimOrder": [0]}\n}',
      "Node a (aten.add.Tensor) has 'self' of float32 and 'other' of int64: the edge dialect does not promote",
    ],
    [
      "a memory format",
      'graph(%x: f32[2] #0) { %a: f32[2] = aten.clone.default(%x, memory_format=format(contiguous_format)) #0 return (%a) } metadata {\n #0 {"dimOrder": [0]}\n}',
      "the edge dialect has 'dim_order_ops._clone_dim_order.default'",
    ],
  ])("refuses %s", (_, text, message) => {
    expect(codes(text, EDGE)).toContainEqual(expect.stringContaining(message));
  });
});
