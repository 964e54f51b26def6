import { edit, type Node, type NodePatch, ref } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { bisect } from "../bisect/bisect.js";
import { checkPasses } from "../bisect/check-passes.js";
import { graphAt, withNestedGraph } from "../changes/nested.js";
import { context, programOf } from "../programs.fixture.js";
import { pass } from "./planted.fixture.js";

/** Counts `%n` up to the limit. */
const counting = (limit: number) =>
  programOf(`graph(%n: i64[], %x: f32[3]) {
  %more = get_attr more
  %body = get_attr body
  %loop: (i64[], f32[3]) = higher_order.while_loop(%more, %body, [%n, %x], [])
  %y: f32[3] = operator.getitem(%loop, 1)
  return (%y)

  graph more(%i: i64[], %v: f32[3]) {
    %lt: b8[] = aten.lt.Scalar(%i, ${limit})
    return %lt
  }

  graph body(%i: i64[], %v: f32[3]) {
    %next: i64[] = aten.add.Tensor(%i, 1)
    %mul: f32[3] = aten.mul.Tensor(%v, 0.5)
    %sum: f32[3] = aten.add.Tensor(%mul, %i)
    return (%next, %sum)
  }
}`);
const inputs = [Tensor.from([0n], [], "int64"), Tensor.from([1, 2, 3], [3], "float32")];

const changing = (graph: "more" | "body", node: string, change: (node: Node) => NodePatch) =>
  pass("bad", (program) =>
    withNestedGraph(
      program,
      [graph],
      edit(graphAt(program.graph, [graph]), (e) => e.replaceNode(node, change(e.node(node)))),
    ),
  );

const WRONG = {
  "an increment of zero": changing("body", "next", () => ({ args: [ref("i"), 0] })),
  "a step in the other direction": changing("body", "next", () => ({ args: [ref("i"), -1] })),
  "a condition that always holds": changing("more", "lt", () => ({
    target: "aten.ne.Scalar",
    args: [ref("i"), -7],
  })),
  "one iteration more": changing("more", "lt", () => ({ target: "aten.le.Scalar" })),
};

describe.each(Object.entries(WRONG))("%s in a loop", (_, bad) => {
  test("is an alarm, on drawn inputs and on given ones", () => {
    const wrong = expect.objectContaining({ code: "PASS_CHANGED_NUMBERS" });
    expect(() => checkPasses(counting(5), [bad], context)).toThrow(wrong);
    expect(() => checkPasses(counting(5), [bad], context, { inputs: [inputs] })).toThrow(wrong);
  });

  test("is bisected, to a program that still fails", () => {
    const { culprit } = bisect(counting(5), [bad], context, { inputs: [inputs] });
    expect(culprit).toMatchObject({ pass: "bad", kind: "numbers" });
    const { program, inputs: shown } = culprit!.reproducer;
    expect(() => checkPasses(program, [bad], context, { inputs: [shown] })).toThrow(/changed numbers/);
  });
});

describe("the limit of iterations", () => {
  const idle = changing("body", "mul", ({ kwargs }) => ({ kwargs: { ...kwargs } }));

  test("leaves out a run that does not end before the pass", () => {
    const endless = counting(1_000_000_000);
    expect(() => checkPasses(endless, [idle], context, { maxIterations: 50 })).toThrow(
      expect.objectContaining({
        code: "NOTHING_COMPARED",
        message: expect.stringContaining("50 iterations"),
      }),
    );
  });

  test("does not hold for given inputs", () => {
    const { reports } = checkPasses(counting(10_001), [idle], context, { inputs: [inputs] });
    expect(reports[0]).toMatchObject({ runs: 1, refused: 0 });
  });
});
