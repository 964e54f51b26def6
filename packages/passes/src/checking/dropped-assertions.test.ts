import { type ExportedProgram, edit, ref } from "@sconce/ir";
import { expect, test } from "vitest";
import { bisect } from "../bisect/bisect.js";
import { checkPasses } from "../bisect/check-passes.js";
import { graphAt, withNestedGraph } from "../changes/nested.js";
import { builtinPasses } from "../index.js";
import { definePass, type Pass } from "../pass/pass.js";
import { context, programOf } from "../programs.fixture.js";

/** The number of positive elements, which is never above 4. */
const NONZERO = programOf(`graph(%x: f32[4]) {
  %indices: i64[u0, 1] = aten.nonzero.default(%x)
  %n: int(u0) = aten.sym_size.int(%indices, 0)
  %ge: bool(u0 >= 0) = operator.ge(%n, 0)
  %least: none = aten._assert_scalar.default(%ge, "u0 >= 0")
  %le: bool(u0 <= 4) = operator.le(%n, 4)
  %most: none = aten._assert_scalar.default(%le, "u0 <= 4")
  %lt: bool(u0 < 9) = operator.lt(%n, 9)
  %below: none = aten._assert_scalar.default(%lt, "u0 < 9")
  %ones: f32[u0] = aten.ones.default([%n])
  return (%ones)
}`).with({ rangeConstraints: new Map([["u0", { min: 0, max: 4 }]]) });

const dropping = (names: readonly string[], more: Partial<Pass> = {}): Pass =>
  definePass({
    name: "drops",
    doc: "Drops assertions.",
    ...more,
    run: (program) =>
      program.with({
        graph: edit(program.graph, (e) => {
          for (const name of names) e.remove(name);
        }),
      }),
  });
const check = (pass: Pass, program: ExportedProgram = NONZERO): void =>
  void checkPasses(program, [pass], context);
const dropped = (name: string): unknown =>
  expect.objectContaining({ code: "PASS_DROPPED_ASSERTION", where: name });

test("an assertion that no sample violates may not go, though others on its number stay", () => {
  expect(() => check(dropping(["most"]))).toThrow(dropped("most"));
  expect(() => check(dropping(["least"]))).toThrow(dropped("least"));
});

test("one that the others imply may go", () => {
  expect(() => check(dropping(["below"]))).not.toThrow();
  expect(() => check(dropping(["most", "below"]))).toThrow(dropped("most"));
});

test("a pass declares the operators whose assertions it removes", () => {
  const all = ["least", "most", "below"];
  expect(() => check(dropping(all, { removesAssertions: ["aten._assert_scalar.default"] }))).not.toThrow();
  expect(() => check(dropping(all, { removesAssertions: ["aten._assert_async.msg"] }))).toThrow(
    dropped("least"),
  );
});

test("passes that change numbers are held to it as well", () => {
  for (const changesNumbers of [true, () => "float16", { valueClasses: ["nan"] }] as const)
    expect(() => check(dropping(["most"], { changesNumbers } as Partial<Pass>))).toThrow(dropped("most"));
});

test("bisection names the pass, and a program of fewer calls", () => {
  const { culprit } = bisect(NONZERO, [dropping([]), dropping(["most"])], context);
  expect(culprit).toMatchObject({ kind: "assertion", pass: "drops", step: 1 });
  expect(culprit!.reproducer.program.graph.size).toBeLessThanOrEqual(NONZERO.graph.size);
});

test("an assertion in a nested graph", () => {
  const program = programOf(`graph(%p: b8[], %x: f32[4]) {
    %yes = get_attr yes
    %no = get_attr no
    %both: (f32[4]) = higher_order.cond(%p, %yes, %no, (%x))
    %item: f32[4] = operator.getitem(%both, 0)
    return (%item)

    graph yes(%a: f32[4]) {
      %shape: f32[4] = aten.full_like.default(%a, 1)
      %total: f32[] = aten.sum.default(%shape)
      %holds: b8[] = aten.gt.Scalar(%total, 0)
      %assert: none = aten._assert_async.msg(%holds, "nothing")
      %relu: f32[4] = aten.relu.default(%a)
      return (%relu)
    }

    graph no(%b: f32[4]) {
      %neg: f32[4] = aten.neg.default(%b)
      return (%neg)
    }
  }`);
  const pass = definePass({
    name: "drops",
    doc: "Drops assertions of nested graphs.",
    run: (before) => {
      const without = edit(graphAt(before.graph, ["yes"]), (e) => e.remove("assert"));
      return withNestedGraph(before, ["yes"], without);
    },
  });
  expect(() => check(pass, program)).toThrow(/%assert = aten._assert_async.msg in yes, and nothing checks/);
});

test("the passes of Sconce keep assertions, or imply them", () => {
  const names = ["decompose", "functionalize", "canonicalize", "fold-constants", "cse", "dce"];
  for (const pass of builtinPasses.filter(({ name }) => names.includes(name))) {
    const before = pass.name === "decompose" ? NONZERO.with({ dialect: "TRAINING" }) : NONZERO;
    expect(() => check(pass, before)).not.toThrow();
  }
});

const METADATA = programOf(`graph(%x: f32[4], %y: f32[4], %z: f32[5]) {
  %a: none = aten._assert_tensor_metadata.default(%x, none, none, float32, device=device(cpu))
  %b: none = aten._assert_tensor_metadata.default(%y, none, none, float32, device=device(cpu))
  %sum: f32[4] = aten.add.Tensor(%x, %y)
  return (%sum)
}`);
const aiming = (at: string): Pass =>
  definePass({
    name: "aims",
    doc: "Aims an assertion at another tensor.",
    run: (program) =>
      program.with({
        graph: edit(program.graph, (e) => {
          const { args } = program.graph.node("a");
          e.replaceNode("a", { args: [ref(at), ...args.slice(1)] });
        }),
      }),
  });

test("an assertion on metadata may be asked of another tensor with the same metadata", () => {
  expect(() => check(aiming("y"), METADATA)).not.toThrow();
  expect(() => check(aiming("z"), METADATA)).toThrow(dropped("a"));
  expect(() => check(dropping(["a"]), METADATA)).toThrow(dropped("a"));
});
