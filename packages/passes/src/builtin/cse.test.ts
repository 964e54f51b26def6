import { verify } from "@sconce/ir/verify";
import { describe, expect, test } from "vitest";
import { context, programOf, run, textOf } from "../programs.fixture.js";
import { commonSubexpressionElimination as cse } from "./cse.js";

const graphOf = (body: string): string => `graph(%x: f32[2], %y: f32[2]) {\n${body}\n}`;

describe("cse", () => {
  test("merges equal calls, and calls that become equal by that", () => {
    const program = programOf(
      graphOf(`
      %a: f32[2] = aten.add.Tensor(%x, %y)
      %b: f32[2] = aten.add.Tensor(%x, %y)
      %c: f32[2] = aten.relu.default(%a)
      %d: f32[2] = aten.relu.default(%b)
      %e: f32[2] = aten.mul.Tensor(%c, %d)
      return (%e, %d)`),
    );
    expect(textOf(run(cse, program))).toMatchInlineSnapshot(`
      "graph(%x: f32[2], %y: f32[2]) {
        %a: f32[2] = aten.add.Tensor(%x, %y)
        %c: f32[2] = aten.relu.default(%a)
        %e: f32[2] = aten.mul.Tensor(%c, %c)
        return (%e, %c)
      }"
    `);
  });

  test("output specs follow when an output takes the place of an equal call", () => {
    const program = programOf(
      graphOf(`
      %a: f32[2] = aten.neg.default(%x)
      %b: f32[2] = aten.neg.default(%x)
      %c: f32[2] = aten.exp.default(%a)
      return (%b, %c)`),
    );
    const merged = run(cse, program);
    expect(merged.graphSignature.outputSpecs.map((spec) => spec.arg.name)).toEqual(["a", "c"]);
    expect(verify(merged, { operators: context.operators })).toEqual([]);
  });

  test.each([
    ["results", "%c: f32[2] = aten.exp.default(%x)", "%a, %b, %c"],
    ["a result and what another is a view of", "%c: f32[1, 2] = aten.view.default(%b, [1, 2])", "%a, %c"],
  ])("%s that leave separately stay separate: the caller may write to one of them", (_, line, results) => {
    const program = programOf(
      graphOf(`
      %a: f32[2] = aten.neg.default(%x)
      %b: f32[2] = aten.neg.default(%x)
      ${line}
      return (${results})`),
    );
    expect(run(cse, program)).toBe(program);
  });

  test("gives the same program back when no two calls are equal", () => {
    const program = programOf(
      graphOf(`
      %a: f32[2] = aten.add.Tensor(%x, %y)
      %b: f32[2] = aten.add.Tensor(%y, %x)
      return (%a, %b)`),
    );
    expect(run(cse, program)).toBe(program);
  });

  test.each([
    ["an int and a float", "aten.add.Tensor(%x, 1)", "aten.add.Tensor(%x, 1.0)"],
    ["zeros of both signs", "aten.add.Tensor(%x, 0.0)", "aten.add.Tensor(%x, -0.0)"],
    ["a number and its text", "aten.sum.dim_IntList(%x, [0])", "aten.sum.dim_IntList(%x, [1])"],
    ["a keyword that one has", "aten.add.Tensor(%x, %y)", "aten.add.Tensor(%x, %y, alpha=2)"],
    ["large ints", "aten.add.Tensor(%x, 9223372036854775807)", "aten.add.Tensor(%x, 9223372036854775806)"],
    ["dtypes", "aten._to_copy.default(%x, dtype=float16)", "aten._to_copy.default(%x, dtype=bfloat16)"],
  ])("distinguishes %s", (_, first, second) => {
    const program = programOf(graphOf(`%a: f32[2] = ${first}\n%b: f32[2] = ${second}\nreturn (%a, %b)`));
    expect(run(cse, program)).toBe(program);
  });

  test("never merges random calls", () => {
    const program = programOf(
      graphOf(`
      %a: f32[2] = aten.rand_like.default(%x)
      %b: f32[2] = aten.rand_like.default(%x)
      return (%a, %b)`),
    );
    expect(run(cse, program)).toBe(program);
  });

  test("leaves a program that writes alone: an equal call after a write may read something else", () => {
    const program = programOf(
      graphOf(`
      %a: f32[2] = aten.relu.default(%x)
      %w: f32[2] = aten.add_.Tensor(%x, 1)
      %b: f32[2] = aten.relu.default(%x)
      return (%a, %b)`),
      "TRAINING",
    );
    expect(run(cse, program)).toBe(program);
  });

  test("merges results of several values and their items", () => {
    const program = programOf(
      graphOf(`
      %s: (f32[1], f32[1]) = aten.split.Tensor(%x, 1)
      %a: f32[1] = operator.getitem(%s, 0)
      %t: (f32[1], f32[1]) = aten.split.Tensor(%x, 1)
      %b: f32[1] = operator.getitem(%t, 0)
      %c: f32[1] = aten.add.Tensor(%a, %b)
      return (%c)`),
    );
    expect(run(cse, program).graph.size).toBe(6);
  });
});
