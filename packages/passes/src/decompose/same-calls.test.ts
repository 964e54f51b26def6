import type { ExportedProgram, OutputSpec } from "@sconce/ir";
import { printIr } from "@sconce/ir/text";
import { defaultOperators, type Emit } from "@sconce/ops";
import { describe, expect, test } from "vitest";
import { decompose } from "../builtin/decompose.js";
import { programOf, run } from "../programs.fixture.js";
import { DecompositionTable } from "../tables/table.js";
import { runDecompositions } from "./run-decompositions.js";

const lowered = (text: string): ExportedProgram => runDecompositions(programOf(text, "TRAINING"));

describe("a program that is lowered already comes back as it is", () => {
  test.each([
    ["with other names", `%y: f32[2, 2] = aten.linear.default(%x, %p_w)`],
    ["with sizes that are written out", `%y: f32[4] = aten.flatten.using_ints(%x)`],
    ["that views as another dtype", `%y: i32[2, 2] = aten.view.dtype(%x, int32)`],
    ["that writes to a buffer", `%y: f32[2, 2] = aten.add_.Tensor(%b_b, %x)`],
    ["that writes to an input", `%y: f32[2, 2] = aten.mul_.Tensor(%x, 2)`],
    ["that copies to an input", `%y: f32[2, 2] = aten.copy_.default(%x, %p_w)`],
  ])("%s", (_, call) => {
    const program = lowered(`graph(%p_w: f32[2, 2], %b_b: f32[2, 2], %x: f32[2, 2]) {
      ${call}
      return (%y)
    }`);
    expect(program.dialect).toBe("ATEN");
    expect(runDecompositions(program)).toBe(program);
    expect(run(decompose, program, { table: "none" })).toBe(program);
  });

  test("with a branch", () => {
    const program = lowered(`graph(%p: b8[], %x: f32[2]) {
      %yes = get_attr true_graph_0
      %no = get_attr false_graph_0
      %c: (f32[2]) = higher_order.cond(%p, %yes, %no, (%x))
      %y: f32[2] = operator.getitem(%c, 0)
      return (%y)

      graph true_graph_0(%x: f32[2]) {
        %s: f32[2] = aten.silu.default(%x)
        return (%s)
      }

      graph false_graph_0(%x: f32[2]) {
        %s: f32[2] = aten.neg.default(%x)
        return (%s)
      }
    }`);
    expect(runDecompositions(program)).toBe(program);
  });
});

describe("a joint graph of forward and backward", () => {
  const joint = (shape: string, range?: number): ExportedProgram => {
    const program = programOf(`graph(%x: f32[${shape}]) {
      %tanh: f32[${shape}] = aten.tanh.default(%x)
      %alias_1: f32[${shape}] = aten.alias.default(%tanh)
      %mean: f32[] = aten.mean.default(%tanh)
      return (%mean, %alias_1)
    }`);
    const [loss, grad] = program.graphSignature.outputSpecs;
    return program.with({
      graphSignature: {
        inputSpecs: program.graphSignature.inputSpecs,
        outputSpecs: [
          { ...loss!, kind: "LOSS_OUTPUT" },
          { ...grad!, kind: "GRADIENT_TO_USER_INPUT", target: "x" },
        ],
      },
      ...(range === undefined ? {} : { rangeConstraints: new Map([["s77", { min: range, max: Infinity }]]) }),
    });
  };

  test("gets its names anew, in the signature too", () => {
    const renamed = runDecompositions(joint("2, 2"));
    expect([...renamed.graph.nodes()].map(({ name }) => name)).toContain("alias");
    expect(
      renamed.graphSignature.outputSpecs.map(({ kind, arg, target }) => [kind, arg.name, target]),
    ).toEqual([
      ["LOSS_OUTPUT", "mean", null],
      ["GRADIENT_TO_USER_INPUT", "alias", "x"],
    ]);
    expect(runDecompositions(renamed)).toBe(renamed);
  });

  test("keeps them with symbolic sizes, where PyTorch's numbers are not known", () => {
    const program = joint("s77, 2", 2);
    expect(runDecompositions(program)).toBe(program);
  });
});

describe("a program in which something is left gives a new one", () => {
  const text = `graph(%x: f32[2, 2]) {
    %a: f32[2, 2] = aten.relu.default(%x)
    %y: f32[2, 2] = aten.neg.default(%a)
    return (%y)
  }`;

  test("an operator that the table names", () => {
    const program = programOf(text);
    const relu = (emit: Emit, { self }: { self: never }) => emit("aten.clamp_min.default", [self, 0]);
    const table = new DecompositionTable([["aten.relu.default", relu as never]]);
    expect(runDecompositions(program, table)).not.toBe(program);
    expect(runDecompositions(program, new DecompositionTable())).toBe(program);
  });

  test("dead nodes, another order of inputs, another dialect", () => {
    const dead = programOf(text.replace("return (%y)", "return (%a)"));
    expect(runDecompositions(dead).graph.has("y")).toBe(false);
    const other = programOf(text, "TRAINING");
    expect(runDecompositions(other)).not.toBe(other);
    const unordered = programOf(`graph(%b_b: f32[2, 2], %p_w: f32[2, 2]) {
      %y: f32[2, 2] = aten.add.Tensor(%b_b, %p_w)
      return (%y)
    }`);
    expect(runDecompositions(unordered).graphSignature.inputSpecs.map(({ kind }) => kind)).toEqual([
      "PARAMETER",
      "BUFFER",
    ]);
  });

  test("an alias that the program has and the retrace has not", () => {
    const program = programOf(`graph(%x: f32[2, 2]) {
      %a: f32[2, 2] = aten.alias.default(%x)
      %y: f32[2, 2] = aten.neg.default(%a)
      return (%y)
    }`);
    const none = (_: Emit, { self }: { self: never }) => self;
    const table = new DecompositionTable([["aten.alias.default", none as never]]);
    expect(runDecompositions(program, table).graph.size).toBe(3);
  });
});

test("where something is lowered, mutated inputs are written back with a copy, as in PyTorch", () => {
  const program = programOf(`graph(%x: f32[2, 2]) {
    %y: f32[2, 2] = aten.silu.default(%x)
    return (%y)
  }`);
  const specs: OutputSpec[] = program.graphSignature.outputSpecs.map((spec) => ({
    ...spec,
    kind: "USER_INPUT_MUTATION",
    target: "x",
  }));
  const writing = program.with({ graphSignature: { ...program.graphSignature, outputSpecs: specs } });
  const once = runDecompositions(writing, undefined, { operators: defaultOperators() });
  expect(printIr(once.graph)).toContain("aten.copy.default(%x, %mul)");
  expect(runDecompositions(once)).toBe(once);
});
