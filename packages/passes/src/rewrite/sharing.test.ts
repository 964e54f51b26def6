import { describe, expect, test } from "vitest";
import { canonicalize } from "../builtin/canonicalize.js";
import { context, programOf, run, textOf } from "../programs.fixture.js";
import { explainRule } from "./explain.js";
import { rewriteProgram } from "./rewrite.js";
import { defineRule } from "./rule.js";

const { operators } = context;

const product = defineRule({ name: "product", doc: "", match: "aten.mul.Tensor($x, 1.0)", replace: "$x" });

describe("no rule lets an output share memory that it did not share", () => {
  test.each<[name: string, text: string, reason: string | undefined]>([
    [
      "the input itself",
      "graph(%x: f32[2]) {\n  %r: f32[2] = aten.mul.Tensor(%x, 1.0)\n  return (%r)\n}",
      "an output would be the input %x itself",
    ],
    [
      "a view of an input",
      "graph(%x: f32[2, 3]) {\n  %v: f32[6] = aten.view.default(%x, [6])\n  %r: f32[6] = aten.mul.Tensor(%v, 1.0)\n  return (%r)\n}",
      "an output would be a view of the input %x",
    ],
    [
      "an output is a view of what becomes a view",
      "graph(%x: f32[2, 3]) {\n  %v: f32[6] = aten.view.default(%x, [6])\n  %m: f32[6] = aten.mul.Tensor(%v, 1.0)\n  %r: f32[3, 2] = aten.view.default(%m, [3, 2])\n  return (%r)\n}",
      "an output would be a view of the input %x",
    ],
    [
      "a part of a buffer",
      "graph(%b_a: f32[2, 2]) {\n  %v: f32[2] = aten.select.int(%b_a, 0, 0)\n  %r: f32[2] = aten.mul.Tensor(%v, 1.0)\n  return (%r)\n}",
      "an output would be a view of the input %b_a",
    ],
    [
      "a part of several parts",
      "graph(%x: f32[2, 3]) {\n  %s = aten.split.Tensor(%x, 1)\n  %v: f32[1, 3] = operator.getitem(%s, 0)\n  %r: f32[1, 3] = aten.mul.Tensor(%v, 1.0)\n  return (%r)\n}",
      "an output would be a view of the input %x",
    ],
    [
      "two outputs",
      "graph(%x: f32[2]) {\n  %n: f32[2] = aten.neg.default(%x)\n  %v: f32[1, 2] = aten.view.default(%n, [1, 2])\n  %r: f32[2] = aten.mul.Tensor(%n, 1.0)\n  return (%v, %r)\n}",
      "the outputs %r and %n would share memory",
    ],
    [
      "results of one call are not each other",
      "graph(%x: f32[2, 3]) {\n  %s = aten.max.dim(%x, 0)\n  %v: f32[3] = operator.getitem(%s, 0)\n  %i: i64[3] = operator.getitem(%s, 1)\n  %r: f32[3] = aten.mul.Tensor(%v, 1.0)\n  return (%r, %i)\n}",
      undefined,
    ],
    [
      "what is computed with",
      "graph(%x: f32[2]) {\n  %m: f32[2] = aten.mul.Tensor(%x, 1.0)\n  %r: f32[2] = aten.neg.default(%m)\n  return (%r)\n}",
      undefined,
    ],
    [
      "what is new",
      "graph(%x: f32[2]) {\n  %n: f32[2] = aten.neg.default(%x)\n  %r: f32[2] = aten.mul.Tensor(%n, 1.0)\n  return (%r)\n}",
      undefined,
    ],
  ])("%s", (_, text, reason) => {
    const program = programOf(text);
    expect(explainRule(program, product, operators)[0]!.reason).toBe(reason);
    const result = rewriteProgram(program, [product], { operators });
    expect(result === program).toBe(reason !== undefined);
    expect(run(canonicalize, program) === program).toBe(reason !== undefined);
  });

  test("a view that was one before may be another", () => {
    const program = programOf(`graph(%x: f32[2, 3]) {
  %v: f32[6] = aten.view.default(%x, [6])
  %r: f32[3, 2] = aten.view.default(%v, [3, 2])
  return (%r)
}`);
    expect(textOf(run(canonicalize, program))).toContain("aten.view.default(%x, [3, 2])");
  });

  test("two values of one rule may not become one", () => {
    const rule = defineRule({
      name: "both",
      doc: "",
      match: { a: "aten.neg.default($x)", b: "aten.exp.default($x)" },
      replace: (emit, { x }) => {
        const one = emit("aten.abs.default", [x]);
        return { a: one, b: one };
      },
    });
    const text = (outputs: string): string =>
      `graph(%x: f32[2]) {\n  %a: f32[2] = aten.neg.default(%x)\n  %b: f32[2] = aten.exp.default(%x)\n  %c: f32[2] = aten.neg.default(%b)\n  return (${outputs})\n}`;
    const reason = (outputs: string): string | undefined =>
      explainRule(programOf(text(outputs)), rule, operators)[0]!.reason;
    expect(reason("%a, %b, %c")).toBe("the outputs %b and %a would share memory");
    expect(reason("%a, %c")).toBeUndefined();
  });
});

describe("values that an input is written with", () => {
  test("stay their own, as do outputs beside them", () => {
    const program = programOf(`graph(%x: f32[2, 3]) {
  %v: f32[6] = aten.view.default(%x, [6])
  %r: f32[6] = aten.mul.Tensor(%v, 1.0)
  %a: f32[2, 3] = aten.add.Tensor(%x, 1)
  return (%a, %r)
}`);
    const { inputSpecs, outputSpecs } = program.graphSignature;
    const [first, second] = outputSpecs;
    const mutating = program.with({
      graphSignature: {
        inputSpecs,
        outputSpecs: [{ ...first!, kind: "USER_INPUT_MUTATION", target: "x" }, second!],
      },
    });
    expect(run(canonicalize, mutating)).toBe(mutating);
  });
});
