import {
  device,
  type ExportedProgram,
  edit,
  FakeTensor,
  type IntLike,
  type Node,
  type SymScalar,
  symFloat,
  symInt,
} from "@sconce/ir";
import { defaultOperators, defineOp, type OpDefinition } from "@sconce/ops";
import { add, type FloatLike } from "@sconce/symbolic";
import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { runDecompositions } from "../decompose/run-decompositions.js";
import { PassManager } from "../manager/pass-manager.js";
import { definePass } from "../pass/pass.js";
import { context, programOf } from "../programs.fixture.js";
import { callProblems, verifyCalls } from "./call-problems.js";

const operators = defaultOperators();
const program = programOf(`graph(%p_w: f32[2, 2], %x: f32[2, 2], %n: f32[s0, 2]) {
  %gelu: f32[2, 2] = aten.gelu.default(%x)
  %relu: f32[2, 2] = aten.relu.default(%gelu)
  %mm: f32[s0, 2] = aten.mm.default(%n, %p_w)
  %split: (f32[1, 2], f32[1, 2]) = aten.split.Tensor(%relu, 1)
  %item: f32[1, 2] = operator.getitem(%split, 1)
  return (%item, %mm)
}`);
const changed = (name: string, change: Partial<Node>): ExportedProgram =>
  program.with({ graph: edit(program.graph, (e) => void e.replaceNode(name, change)) });
const problems = (next: ExportedProgram): string[] =>
  verifyCalls(next, { operators }).map(({ code, message }) => `${code} ${message}`);

test("a valid program has none", () => {
  expect(problems(program)).toEqual([]);
});

describe("arguments that do not fit the schema", () => {
  const [x] = program.graph.node("gelu").args;
  test.each<[Partial<Node>, string]>([
    [{ args: [1, 2] }, "aten.gelu.default"],
    [{ args: ["abc"] }, "aten.gelu.default"],
    [{ args: [] }, "aten.gelu.default"],
    [{ kwargs: { foo: 3 } }, 'aten.gelu.default has no argument "foo"'],
    [{ target: "aten.add.Tensor", args: [x!] }, "aten.add.Tensor"],
    [{ target: "aten.addmm.default", args: [1, 2] }, "aten.addmm.default"],
  ])("%#", (change, message) => {
    const found = problems(changed("gelu", change));
    expect(found).toEqual([expect.stringMatching(/^CALL_ARGUMENTS /)]);
    expect(found[0]).toContain(message);
  });
});

describe("text in place of literals, and integers that number no choice", () => {
  const [x] = program.graph.node("gelu").args;
  const text = (name: string, type: string): string =>
    `the argument "${name}" must be ${type}, got the string`;
  test.each<[Partial<Node>, string]>([
    [{ target: "aten._to_copy.default", kwargs: { dtype: "float32" } }, text("dtype", "ScalarType?")],
    [{ target: "aten._to_copy.default", kwargs: { dtype: "float" } }, text("dtype", "ScalarType?")],
    [{ target: "aten.to.dtype", args: [x!, "float32"] }, text("dtype", "ScalarType")],
    [
      { target: "aten.clone.default", kwargs: { memory_format: "preserve_format" } },
      text("memory_format", "MemoryFormat?"),
    ],
    [
      { target: "aten.mse_loss.default", args: [x!, x!, 7] },
      'the argument "reduction" must be one of 0 (none), 1 (mean), 2 (sum), got 7',
    ],
    [{ target: "aten.nll_loss_forward.default", args: [x!, x!, null, -1, -100] }, "2 (sum), got -1"],
    [{ target: "aten.grid_sampler_2d.default", args: [x!, x!, 3, 0, true] }, "2 (bicubic), got 3"],
  ])("%#", (change, message) => {
    const next = changed("gelu", change);
    expect(problems(next)).toEqual([expect.stringContaining(message)]);
    const fix = expect.stringMatching(/^give "(dtype|memory_format|reduction|interpolation_mode)" /);
    const where = expect.stringContaining("gelu");
    const refused = { message: expect.stringContaining(message), fix, where };
    expect(() => runDecompositions(next, undefined, { operators })).toThrow(expect.objectContaining(refused));
  });
});

describe("values that the call does not give", () => {
  test("another device or layout", () => {
    const { meta } = program.graph.node("gelu");
    const at = (change: object): string[] => {
      const val = new FakeTensor({ ...(meta.val as FakeTensor), ...change });
      return problems(changed("relu", { meta: { ...meta, val } }));
    };
    // What reads the node is computed from what it declares: it differs the other way around.
    expect(at({ device: device("cuda", 0) })[0]).toBe(
      "CALL_VALUE node relu records a tensor on cuda:0, the call gives one on cpu (aten.relu.default)",
    );
    expect(at({ layout: "sparse_coo" })[0]).toContain("a tensor on cpu with layout sparse_coo, the call");
  });

  test("another number", () => {
    const sized = programOf(`graph(%x: f32[s0, 2], %y: f32[s1, 2]) {
      %size: int(s0) = aten.sym_size.int(%x, 0)
      %full: f32[s0] = aten.full.default([%size], 1.0)
      return (%full)
    }`);
    const withSize = (val: SymScalar): string[] => {
      const graph = edit(sized.graph, (e) => void e.replaceNode("size", { meta: { val } }));
      return problems(sized.with({ graph }));
    };
    const size = sized.graph.node("size").meta.val as SymScalar;
    expect(withSize(size)).toEqual([]);
    expect(withSize(symFloat(size.expr as FloatLike))).toContain(
      "CALL_VALUE node size records the float s0, the call gives the int s0 (aten.sym_size.int)",
    );
    expect(withSize(symInt(add(size.expr as IntLike, 1)))[0]).toContain("records the int s0 + 1, the call");
  });

  test("another shape, dtype or number of results", () => {
    expect(problems(changed("gelu", { target: "aten.sum.default" }))).toEqual([
      "CALL_VALUE node gelu records float32[2, 2], the call gives float32[] (aten.sum.default)",
    ]);
    expect(problems(changed("relu", { target: "aten.logical_not.default" }))).toEqual([
      "CALL_VALUE node relu records float32[2, 2], the call gives bool[2, 2] (aten.logical_not.default)",
    ]);
    const [relu] = program.graph.node("split").args;
    const [gelu] = program.graph.node("relu").args;
    expect(problems(changed("split", { args: [relu!, 2] }))).toEqual([
      "CALL_VALUE node split records 2 results, the call gives 1 (aten.split.Tensor)",
    ]);
    expect(problems(changed("relu", { target: "aten.split.Tensor", args: [gelu!, 1] }))[0]).toContain(
      "records a tensor, the call gives several results",
    );
  });

  test("inputs that the operator refuses, and results that there are not", () => {
    const [n] = program.graph.node("mm").args;
    const [split] = program.graph.node("item").args;
    const [w] = [program.graph.node("mm").args[1]!];
    expect(problems(changed("mm", { target: "aten.mv.default", args: [n!, w] }))[0]).toMatch(
      /^CALL_REFUSED node mm: aten.mv.default rejects its inputs: /,
    );
    expect(problems(changed("item", { args: [split!, 2] }))).toEqual([
      "CALL_REFUSED node item takes result 2: %split has 2 results",
    ]);
    expect(problems(changed("item", { args: [w, 0] }))[0]).toBe(
      "CALL_REFUSED node item takes an item of %p_w, which is one tensor: float32[2, 2]",
    );
  });

  test("what sizes do not decide is not a problem", () => {
    const { val } = program.graph.node("relu").meta;
    expect(problems(changed("mm", { meta: { ...program.graph.node("mm").meta, val: val! } }))).toEqual([]);
  });

  test("the rule of a plugin's operator that throws is reported", () => {
    const row = defineOp({
      schema: "mine::odd(Tensor x) -> Tensor",
      meta: () => {
        throw new TypeError("no such thing");
      },
    });
    const next = changed("gelu", { target: "mine.odd.default" });
    expect(callProblems(next, operators.extend([row]))).toEqual([
      {
        code: "SHAPE_RULE",
        message: "node gelu: the shape rule of mine.odd.default threw: no such thing",
        node: "gelu",
        graph: "",
        fix: "return what the schema says: a FakeTensor with dtype, shape and strides for each Tensor",
      },
    ]);
  });
});

test("with the program before, calls and the values that they read are looked at when they changed", () => {
  const { meta } = program.graph.node("split");
  const wrong = changed("relu", {
    target: "aten.split.Tensor",
    args: [program.graph.node("relu").args[0]!, 1],
    meta,
  });
  expect(callProblems(wrong, operators, program).map(({ node }) => node)).toContain("split");
  const later = wrong.with({ dialect: "TRAINING" });
  expect(callProblems(later, operators, wrong)).toEqual([]);
  expect(callProblems(later, operators)).not.toEqual([]);
});

describe("a pass that leaves a wrong program is named when it runs", () => {
  const run = (change: (before: ExportedProgram) => ExportedProgram): unknown => {
    const pass = definePass({ name: "mine", doc: "A pass of a plugin.", run: change });
    return new PassManager(context).run(program, [pass]);
  };
  test("its calls", () => {
    expect(() => run(() => changed("gelu", { kwargs: { foo: 3 } }))).toThrow(
      'not valid after pass "mine" (step 1): aten.gelu.default has no argument "foo"',
    );
    expect(() => run(() => changed("gelu", { target: "aten.sum.default" }))).toThrow(
      'not valid after pass "mine" (step 1): node gelu records float32[2, 2]',
    );
  });

  test("its tensors", () => {
    const state = (tensor: Tensor) => (before: ExportedProgram) =>
      before.with({ stateDict: new Map([["w", tensor]]) });
    expect(() => run(state(Tensor.from([1], [1], "float32")))).toThrow(
      "the tensor of w is float32[1], its input p_w is recorded as float32[2, 2]",
    );
    expect(() => run(state(Tensor.from([1, 2, 3, 4], [2, 2], "float64")))).toThrow(
      "the tensor of w is float64[2, 2]",
    );
  });

  test("parts that programs do not have", () => {
    expect(() => run((before) => before.with({ state: 3 } as never))).toThrow(
      'a program has no part "state"',
    );
  });
});

describe("operators of a plugin", () => {
  const schema = "mine::twice(Tensor self) -> Tensor";
  const calls = programOf("graph(%x: f32[2]) {\n%a: f32[2] = mine.twice.default(%x)\nreturn (%a)\n}");
  const found = (row: OpDefinition): string[] =>
    verifyCalls(calls, { operators: defaultOperators().extend([row]) }).map(
      ({ code, node, message, fix }) => `${code} at ${node}: ${message}; ${fix}`,
    );

  test("one with neither a shape rule nor a decomposition is a problem [S-118]", () => {
    expect(found(defineOp({ schema }))).toEqual([
      "OPERATOR_WITHOUT_META at a: operator 'mine.twice.default' has neither a shape rule nor a decomposition; " +
        "give the operator a `meta` rule or a `decompose` rule in defineOp",
    ]);
  });

  test("one with a kernel and without a fake gives what the program records, as in drafts", () => {
    expect(found(defineOp({ schema, tags: ["without_fake"] }))).toEqual([]);
  });

  test("a shape rule or a decomposition is enough, and an operator that nothing defines stays opaque", () => {
    expect(found(defineOp({ schema, meta: ({ self }) => self }))).toEqual([]);
    const twice = defineOp({
      schema,
      decompose: (emit, { self }) => emit("aten.add.Tensor", [self, self]),
    });
    expect(found(twice)).toEqual([]);
    expect(verifyCalls(calls, { operators })).toEqual([]);
  });
});
