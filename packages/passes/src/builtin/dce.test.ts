import { LEAF, tupleSpec } from "@sconce/ir";
import { verify } from "@sconce/ir/verify";
import { describe, expect, test } from "vitest";
import { runDecompositions } from "../decompose/run-decompositions.js";
import { programOf, run, textOf } from "../programs.fixture.js";
import { deadCodeElimination } from "./dce.js";

describe("dce", () => {
  test("drops a chain that reaches no output", () => {
    const program = programOf(`graph(%x: f32[2]) {
      %a: f32[2] = aten.neg.default(%x)
      %b: f32[2] = aten.exp.default(%a)
      %c: f32[2] = aten.relu.default(%x)
      return (%c)
    }`);
    expect(textOf(run(deadCodeElimination, program))).toMatchInlineSnapshot(`
      "graph(%x: f32[2]) {
        %c: f32[2] = aten.relu.default(%x)
        return (%c)
      }"
    `);
  });

  test("gives the same program back when every node is live", () => {
    const program = programOf(`graph(%x: f32[2]) {
      %a: f32[2] = aten.neg.default(%x)
      return (%a)
    }`);
    expect(run(deadCodeElimination, program)).toBe(program);
  });

  test("keeps assertions and writes, and what they need", () => {
    const program = programOf(
      `graph(%x: f32[2]) {
      %ok: b8[] = aten.all.default(%x)
      %check = aten._assert_async.msg(%ok, "all")
      %written: f32[2] = aten.add_.Tensor(%x, 1)
      return (%x)
    }`,
      "TRAINING",
    );
    expect(run(deadCodeElimination, program)).toBe(program);
  });

  test("drops a random call without users, as run_decompositions does", () => {
    const program = programOf(`graph(%x: f32[2]) {
      %r: f32[2] = aten.rand_like.default(%x)
      return (%x)
    }`);
    expect(run(deadCodeElimination, program).graph.size).toBe(2);
  });

  test("looks into subgraphs and forgets those that nothing reads", () => {
    const program = programOf(`graph(%p: b8[], %x: f32[2]) {
      %t = get_attr t
      %f = get_attr f
      %unused = get_attr unused
      %c: (f32[2]) = higher_order.cond(%p, %t, %f, (%x))
      %g: f32[2] = operator.getitem(%c, 0)
      return (%g)
      graph t(%x: f32[2]) {
        %dead: f32[2] = aten.exp.default(%x)
        %y: f32[2] = aten.neg.default(%x)
        return (%y)
      }
      graph f(%x: f32[2]) {
        %y: f32[2] = aten.relu.default(%x)
        return (%y)
      }
      graph unused(%x: f32[2]) {
        return (%x)
      }
    }`);
    const result = run(deadCodeElimination, program);
    expect([...result.graph.subgraphs.keys()]).toEqual(["t", "f"]);
    expect(result.graph.subgraphs.get("t")!.size).toBe(3);
    expect(result.graph.subgraphs.get("f")).toBe(program.graph.subgraphs.get("f"));
  });
});

test("a preserved module's output that goes is None in its calling convention", () => {
  const program = programOf(`graph(%x: f32[2]) {
    %a: f32[2] = aten.neg.default(%x)
    %b: f32[2] = aten.relu.default(%a)
    return (%a)
  }`);
  const arg = (name: string) => ({ kind: "tensor", name }) as const;
  const signature = {
    inputs: [arg("x")],
    outputs: [arg("a"), arg("b")],
    inSpec: LEAF,
    outSpec: tupleSpec([LEAF, LEAF]),
    forwardArgNames: null,
  };
  const root = { fqn: "", signature: null };
  const preserving = program.with({ moduleCallGraph: [root, { fqn: "m", signature }] });
  for (const result of [run(deadCodeElimination, preserving), runDecompositions(preserving)]) {
    expect(verify(result)).toEqual([]);
    const [kept] = result.userOutputs as { name: string }[];
    expect(result.moduleCallGraph[1]?.signature?.outputs).toEqual([
      arg(kept!.name),
      { kind: "constant", name: "", value: null },
    ]);
  }
});
