import { parseGraph } from "@sconce/ir/text";
import { defineOp } from "@sconce/ops";
import { describe, expect, test } from "vitest";
import { aliasRoots } from "../analysis/aliases.js";
import { functionality, isFunctional } from "../analysis/functional.js";
import { context, programOf, run } from "../programs.fixture.js";
import { checkFunctional } from "./check-functional.js";

const graphOf = (body: string): string => `graph(%x: f32[2, 2], %b_m: f32[2, 2]) {\n${body}\n}`;
const reasons = (body: string): string[] =>
  functionality(programOf(graphOf(body), "ATEN", "allow"), context.operators).impurities.map(
    ({ node, reason }) => `${node}: ${reason}`,
  );

describe("check-functional", () => {
  test("lets a functional program through as the same object", () => {
    const program = programOf(graphOf("%v: f32[4] = aten.view.default(%x, [4])\nreturn (%v, %x)"));
    expect(run(checkFunctional, program)).toBe(program);
    expect(isFunctional(program, context.operators)).toBe(true);
  });

  test("names the node, what it writes to, and what to do [S-068]", () => {
    const program = programOf(
      graphOf("%v: f32[4] = aten.view.default(%x, [4])\n%a: f32[4] = aten.add_.Tensor(%v, 1)\nreturn (%a)"),
    );
    expect(() => run(checkFunctional, program)).toThrowError(
      expect.objectContaining({
        code: "NOT_FUNCTIONAL",
        message: 'the program is not functional: aten.add_.Tensor writes to "self" (%v)',
        where: "%a",
        fix: 'put "functionalize" before it',
      }),
    );
  });

  test.each([
    [
      "an out= overload",
      "%a: f32[2, 2] = aten.add.out(%x, %x, out=%b_m)\nreturn (%a)",
      'a: aten.add.out writes to "out" (%b_m)',
    ],
    [
      "set_data",
      "%a = aten.set_data.default(%x, %b_m)\nreturn (%x)",
      'a: aten.set_data.default writes to "self" (%x)',
    ],
    [
      "lists that are written to",
      "%a = aten._foreach_add_.Scalar([%x, %b_m], 1)\nreturn (%x)",
      'a: aten._foreach_add_.Scalar writes to "self" (%x, %b_m)',
    ],
    [
      "statistics that a schema does not describe",
      "%a: f32[2, 2] = aten.batch_norm.default(%x, none, none, %b_m, %b_m, true, 0.1, 1e-05, true)\nreturn (%a)",
      'a: aten.batch_norm.default updates "running_mean" (%b_m) and "running_var" (%b_m), though its schema does not say so',
    ],
    [
      "unknown higher-order operators",
      "%a: f32[2, 2] = higher_order.mystery(%x)\nreturn (%a)",
      "a: higher_order.mystery is not known, so it may write to its arguments",
    ],
    [
      "modes",
      "%a = torch._C._set_grad_enabled(false)\nreturn (%x)",
      "a: torch._C._set_grad_enabled changes what the calls after it mean",
    ],
    ["missing bodies", "%a = get_attr g\nreturn (%x)", 'a: reads "g", which the graph does not hold'],
  ])("says no to %s", (_, body, reason) => expect(reasons(body)).toEqual([reason]));

  test("takes opaque operators of the ATen dialect as functional effects, and no others", () => {
    const program = programOf(graphOf("%a: f32[2, 2] = mylib.f.default(%x)\nreturn (%a)"));
    const { impurities, effects } = functionality(program, context.operators);
    expect([impurities, effects]).toEqual([[], [{ node: "a", path: [] }]]);
    expect(functionality(program.with({ dialect: "TRAINING" }), context.operators).impurities).toMatchObject([
      { node: "a", reason: "mylib.f.default is not known, so it may write to its arguments" },
    ]);
  });

  test.each([
    [
      "batch norm that does not train",
      "aten.batch_norm.default(%x, none, none, %b_m, %b_m, false, 0.1, 1e-05, true)",
    ],
    [
      "batch norm without statistics",
      "aten.batch_norm.default(%x, none, none, none, none, true, 0.1, 1e-05, true)",
    ],
    ["operators that functionalization made", "higher_order.auto_functionalized_v2(%x)"],
    ["random numbers", "aten.rand_like.default(%x)"],
  ])("says yes to %s", (_, call) => {
    expect(reasons(`%a: f32[2, 2] = ${call}\nreturn (%a)`)).toEqual([]);
  });

  test("looks into bodies and says where", () => {
    const graph = parseGraph(`graph(%x: f32[2]) {
      %body = get_attr body
      %a: f32[2] = higher_order.wrap_with_set_grad_enabled(false, %body, %x)
      return (%a)
      graph body(%y: f32[2]) {
        %r: f32[2] = aten.relu_.default(%y)
        return (%r)
      }
    }`);
    expect(functionality(graph, context.operators).impurities).toMatchObject([
      { node: "r", path: ["body"], reason: 'aten.relu_.default writes to "self" (%y)' },
    ]);
  });

  test("goes by the alias annotations of custom operators", () => {
    const operators = context.operators.extend([
      defineOp({ schema: "mylib::write(Tensor(a!) x) -> ()" }),
      defineOp({ schema: "mylib::read(Tensor x) -> Tensor" }),
    ]);
    const writing = parseGraph("graph(%x: f32[2]) { %a = mylib.write.default(%x) return (%x) }");
    const reading = parseGraph("graph(%x: f32[2]) { %a: f32[2] = mylib.read.default(%x) return (%a) }");
    expect([isFunctional(writing, operators), isFunctional(reading, operators)]).toEqual([false, true]);
  });

  test("an output must not alias what the end of the program writes to", () => {
    const mutating = (output: string, body = ""): boolean => {
      const program = programOf(
        graphOf(`%n: f32[2, 2] = aten.add.Tensor(%b_m, 1)\n${body}\nreturn (%n, ${output})`),
      );
      const [first, ...rest] = program.graphSignature.outputSpecs;
      const { inputSpecs } = program.graphSignature;
      const outputSpecs = [{ ...first!, kind: "BUFFER_MUTATION", target: "m" } as const, ...rest];
      return isFunctional(program.with({ graphSignature: { inputSpecs, outputSpecs } }), context.operators);
    };
    expect(mutating("%n")).toBe(true);
    expect(mutating("%b_m")).toBe(false);
    expect(mutating("%t", "%t: f32[2, 2] = aten.t.default(%b_m)")).toBe(false);
    expect(mutating("%t", "%t: f32[2, 2] = aten.clone.default(%b_m)")).toBe(true);
  });

  test("effects are reported, and are not a fault", () => {
    const found = functionality(
      parseGraph(`graph(%x: f32[2]) {
        %r: f32[2] = aten.rand_like.default(%x)
        %s = aten._assert_scalar.default(true, "no")
        return (%r)
      }`),
      context.operators,
    );
    expect(found.impurities).toEqual([]);
    expect(found.effects.map(({ node }) => node)).toEqual(["r", "s"]);
  });

  test("knows statistics that are updated behind the schema's back, and branches of cond that alias", () => {
    expect(
      reasons(
        "%s: f32[2] = aten.sum.dim_IntList(%x, [0])\n%q = aten.batch_norm_update_stats.default(%x, %s, %s, 0.1)\nreturn (%s)",
      ),
    ).toEqual([
      'q: aten.batch_norm_update_stats.default updates "running_mean" (%s) and "running_var" (%s), though its schema does not say so',
    ]);
    const graph = parseGraph(`graph(%x: f32[2, 2], %p: b8[]) {
      %b = get_attr body
      %q = higher_order.cond(%p, %b, %b, (%x))
      %r: f32[2, 2] = operator.getitem(%q, 0)
      return (%r)
      graph body(%y: f32[2, 2]) {
        %t: f32[2, 2] = aten.t.default(%y)
        return (%t)
      }
    }`);
    expect([...(aliasRoots(graph, context.operators).get("r") ?? [])]).toEqual(["x"]);
  });
});
