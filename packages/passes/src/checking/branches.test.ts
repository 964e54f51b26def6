import { type ExportedProgram, edit, type Graph, ref } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { checkPasses } from "../bisect/check-passes.js";
import { graphAt, withNestedGraph } from "../changes/nested.js";
import { definePass, type Pass } from "../pass/pass.js";
import { context, programOf } from "../programs.fixture.js";

/** The branch that is not taken is in the branch that is not taken. */
const NESTED = `graph(%p: b8[], %x: f32[3]) {
  %yes = get_attr yes
  %no = get_attr no
  %cond: (f32[3]) = higher_order.cond(%p, %yes, %no, (%p, %x))
  %out: f32[3] = operator.getitem(%cond, 0)
  return (%out)

  graph yes(%q: b8[], %a: f32[3]) {
    %relu: f32[3] = aten.relu.default(%a)
    return (%relu)
  }

  graph no(%q: b8[], %a: f32[3]) {
    %inner_yes = get_attr inner_yes
    %inner_no = get_attr inner_no
    %choice: (f32[3]) = higher_order.cond(%q, %inner_yes, %inner_no, (%a))
    %item: f32[3] = operator.getitem(%choice, 0)
    return (%item)

    graph inner_yes(%b: f32[3]) {
      %sin: f32[3] = aten.sin.default(%b)
      %mul: f32[3] = aten.mul.Tensor(%sin, %b)
      return (%mul)
    }

    graph inner_no(%b: f32[3]) {
      %neg: f32[3] = aten.neg.default(%b)
      return (%neg)
    }
  }
}`;

const changing = (path: readonly string[], change: (graph: Graph) => Graph, more: Partial<Pass> = {}): Pass =>
  definePass({
    name: "changes-a-branch",
    doc: "Changes a nested graph.",
    ...more,
    run: (program) => withNestedGraph(program, path, change(graphAt(program.graph, path))),
  });

/** Whether a run with this predicate runs the graph. */
const isTaken = (path: readonly string[], predicate: boolean): boolean =>
  path.join("/") === (predicate ? "yes" : "no/inner_no");

const check = (program: ExportedProgram, pass: Pass) => checkPasses(program, [pass], context).reports[0]!;

describe("branches are checked by themselves", () => {
  test.each([
    ["yes", ["yes"], "relu", "aten.abs.default"],
    ["the inner one", ["no", "inner_yes"], "sin", "aten.cos.default"],
    ["the other inner one", ["no", "inner_no"], "neg", "aten.abs.default"],
  ])("a bug in %s is found, wherever samples go", (_, path, node, target) => {
    const wrong = changing(path, (graph) => edit(graph, (e) => e.replaceNode(node, { target })));
    // Samples take one of the branches: each way, some bug is in one that they do not take.
    for (const taken of [true, false]) {
      const inputs = [[Tensor.from([taken], [], "bool"), Tensor.from([1, 2, 3], [3], "float32")]];
      const run = (): unknown => checkPasses(programOf(NESTED), [wrong], context, { inputs });
      const inGraph = `changed numbers in ${path.join("/")}: %${node} = ${target} differs`;
      const onProgram = "changed numbers, run 1 on";
      expect(run).toThrow(new RegExp(`${inGraph}|${onProgram}`));
      if (!isTaken(path, taken)) expect(run).toThrow(inGraph);
    }
  });

  test("a right change in a branch is counted with its graph", () => {
    const right = changing(["no", "inner_yes"], (graph) =>
      edit(graph, (e) => e.replaceNode("mul", { args: [ref("b"), ref("sin")] })),
    );
    const { coverage } = check(programOf(NESTED), right);
    expect(coverage!.graphs.filter(({ changedCalls }) => changedCalls > 0)).toEqual([
      { graph: "no/inner_yes", changedCalls: 2, checkedCalls: 2 },
    ]);
    expect(coverage!.unchecked).toEqual([]);
  });

  test.each(["while_loop", "scan", "map_impl", "associative_scan"])("a body of %s", (kind) => {
    const program = programOf(LOOPS[kind]!);
    const wrong = changing(["body"], (graph) =>
      edit(graph, (e) => e.replaceNode("sin", { target: "aten.tanh.default" })),
    );
    expect(() => check(program, wrong)).toThrow(/changed numbers in body: %sin = aten.tanh.default differs/);
  });
});

/** Loops that no sample runs: of no rounds, or behind a condition that does not hold. */
const body = (params: string, results: string): string => `graph body(${params}) {
    %sin: f32[2] = aten.sin.default(%c)
    return (${results})
  }`;
const LOOPS: Readonly<Record<string, string>> = {
  while_loop: `graph(%x: f32[2]) {
  %condition = get_attr condition
  %body = get_attr body
  %loop: (f32[2]) = higher_order.while_loop(%condition, %body, (%x), ())
  %y: f32[2] = operator.getitem(%loop, 0)
  return (%y)

  graph condition(%c: f32[2]) {
    %never: b8[] = aten.full.default([], false, dtype=bool)
    return %never
  }

  ${body("%c: f32[2]", "%sin")}
}`,
  scan: `graph(%x: f32[2], %xs: f32[0, 2]) {
  %body = get_attr body
  %loop: (f32[2], f32[0, 2]) = higher_order.scan(%body, [%x], [%xs], ())
  %y: f32[2] = operator.getitem(%loop, 0)
  return (%y)

  ${body("%c: f32[2], %row: f32[2]", "%sin, %row")}
}`,
  map_impl: `graph(%xs: f32[0, 2], %x: f32[2]) {
  %body = get_attr body
  %loop: (f32[0, 2]) = higher_order.map_impl(%body, [%xs], [])
  %y: f32[0, 2] = operator.getitem(%loop, 0)
  return (%y, %x)

  ${body("%c: f32[2]", "%sin")}
}`,
  associative_scan: `graph(%xs: f32[1, 2]) {
  %body = get_attr body
  %loop: (f32[1, 2]) = higher_order.associative_scan(%body, [%xs], ())
  %y: f32[1, 2] = operator.getitem(%loop, 0)
  return (%y)

  ${body("%c: f32[2], %row: f32[2]", "%sin")}
}`,
};

const ASSERTED = `graph(%x: i64[3]) {
  %total: i64[] = aten.sum.default(%x)
  %holds: b8[] = aten.ge.Scalar(%total, 0)
  %assert: none = aten._assert_async.msg(%holds, "total is negative")
  %y: i64[3] = aten.mul.Tensor(%x, 2)
  return (%y)
}`;

describe("dropped assertions", () => {
  const dropping = (name: string, more: Partial<Pass> = {}): Pass =>
    definePass({
      name: "drops",
      doc: "Drops an assertion.",
      ...more,
      run: (program) => program.with({ graph: edit(program.graph, (e) => e.remove(name)) }),
    });

  test("are named, though no sample of the whole program violates them", () => {
    expect(() => check(programOf(ASSERTED), dropping("assert"))).toThrow(
      /dropped the assertion %assert = aten._assert_async.msg: before, it rejects .*total is negative/,
    );
  });

  test("may be dropped by a pass that says so", () => {
    const declared = dropping("assert", { removesAssertions: ["aten._assert_async.msg"] });
    expect(check(programOf(ASSERTED), declared).coverage!.unchecked).toEqual([]);
  });

  test("that no sample violates are refused too, unless the pass says so", () => {
    const program = programOf(
      ASSERTED.replace(
        "%holds: b8[] = aten.ge.Scalar(%total, 0)",
        "%squares: i64[] = aten.full_like.default(%total, 4)\n %holds: b8[] = aten.ge.Scalar(%squares, 0)",
      ),
    );
    expect(() => check(program, dropping("assert"))).toThrow(
      expect.objectContaining({ code: "PASS_DROPPED_ASSERTION", where: "assert" }),
    );
    const declared = dropping("assert", { removesAssertions: ["aten._assert_async.msg"] });
    expect(() => check(program, declared)).not.toThrow();
  });
});
