import { symbol } from "@sconce/symbolic";
import { describe, expect, test } from "vitest";
import { TRAINING } from "../graph/dialect.js";
import { Graph } from "../graph/graph.js";
import type { Node } from "../graph/node.js";
import type { OperatorLookup } from "../graph/operator.js";
import { parseGraph, parseIr } from "../ir-text/parse-program.js";
import type { ExportedProgram } from "../program/program.js";
import { LEAF, tupleSpec } from "../program/pytree.js";
import { type Argument, ref, tuple } from "../values/argument.js";
import { FakeTensor, type FakeTensorInit, type MetaValue, symInt } from "../values/meta.js";
import { verify, verifyGraph } from "./verify.js";

const graph = parseGraph(`graph(%x: f32[2]) {
  %a: f32[2] = aten.neg.default(%x)
  %s: (f32[1], f32[1]) = aten.split.Tensor(%a, 1)
  return (%a)
}`);
const changed = (name: string, change: object): Graph =>
  new Graph(graph.nodes().map((node) => (node.name === name ? ({ ...node, ...change } as Node) : node)));
const problems = (changedGraph: Graph): string[] =>
  verifyGraph(changedGraph, TRAINING).map(({ code, message }) => `${code} ${message}`);

test("the graph as it is has no problems", () => expect(problems(graph)).toEqual([]));

describe("nodes of a wrong form", () => {
  const results = (...items: readonly Argument[]): object => ({ args: [tuple(items)] });
  test.each<[string, string, object, string]>([
    [
      "a placeholder with two arguments",
      "x",
      { args: [1, 2] },
      "PLACEHOLDER_ARGUMENTS Placeholder x has 2 arguments",
    ],
    [
      "a placeholder with a keyword",
      "x",
      { kwargs: { a: 1 } },
      "PLACEHOLDER_ARGUMENTS Placeholder x has 1 arguments",
    ],
    [
      "a default value that reads a node",
      "x",
      { args: [[ref("a")]] },
      "The default value of placeholder x reads node a",
    ],
    ["an output without arguments", "output", { args: [] }, "OUTPUT_ARGUMENTS Output output has 0 arguments"],
    [
      "an output with two arguments",
      "output",
      { args: [ref("a"), ref("a")] },
      "OUTPUT_ARGUMENTS Output output has 2",
    ],
    [
      "an output with keywords",
      "output",
      { kwargs: { b: 1 } },
      "1 keyword arguments, and takes one argument",
    ],
    ["nested results", "output", results([ref("a")]), "Result 0 of output output is a list"],
    ["a result of several values", "output", results(ref("s")), "is node s, a call with several results"],
    ["a result that is the output", "output", results(ref("output")), "is node output, an output"],
  ])("%s", (_, name, change, message) => {
    expect(problems(changed(name, change))).toContainEqual(expect.stringContaining(message));
  });

  test("a default value that is a constant is fine [S-061]", () => {
    expect(problems(changed("x", { args: [2] }))).toEqual([]);
  });

  test("a call of a module, or of a method [S-012, S-059]", () => {
    for (const op of ["call_module", "call_method"])
      expect(problems(changed("a", { op }))).toContainEqual(expect.stringContaining(op));
  });

  test("a second output, and arguments of a get_attr [S-062]", () => {
    const twice = new Graph([...graph.nodes(), { ...graph.outputNode(), name: "output_1" }]);
    expect(problems(twice)).toContain("SECOND_OUTPUT Node output_1 is a second output");
    const nested = parseGraph(
      "graph(%x: f32[2]) { %g = get_attr g return (%x) graph g(%y: f32[2]) { return (%y) } }",
    );
    const nodes = nested.nodes().map((node) => (node.name === "g" ? { ...node, args: [1] } : node));
    expect(problems(new Graph(nodes, nested.subgraphs))).toContainEqual(
      expect.stringContaining("GET_ATTR_ARGUMENTS get_attr g has 1 arguments"),
    );
  });
});

describe("recorded values that no node can have", () => {
  const tensor = (init: Partial<Record<keyof FakeTensorInit, unknown>>): MetaValue =>
    new FakeTensor({ dtype: "float32", shape: [2], strides: [1], ...init } as FakeTensorInit);
  test.each<[unknown, string]>([
    [tensor({ shape: [undefined] }), "a tensor whose size 0 is undefined, not a non-negative integer"],
    [tensor({ shape: [Number.NaN] }), "a tensor whose size 0 is NaN"],
    [tensor({ shape: [-1] }), "a tensor whose size 0 is -1"],
    [tensor({ shape: [1.5] }), "a tensor whose size 0 is 1.5"],
    [tensor({ shape: ["2"] }), 'a tensor whose size 0 is the string "2"'],
    [tensor({ shape: [2n] }), "a tensor whose size 0 is 2"],
    // biome-ignore lint/suspicious/noSparseArray: what is checked
    [tensor({ shape: [,] }), "a tensor whose size 0 is undefined"],
    [tensor({ shape: 2 }), "a tensor whose sizes are 2, not a list"],
    [tensor({ strides: [Number.NaN] }), "a tensor whose stride 0 is NaN"],
    [tensor({ strides: [-1] }), "a tensor whose stride 0 is -1"],
    [tensor({ strides: [] }), "a tensor of 1 sizes and 0 strides"],
    [tensor({ storageOffset: -4 }), "a tensor whose storage offset is -4"],
    [tensor({ dtype: "float99" }), 'a tensor of dtype the string "float99", which does not exist'],
    [tensor({ layout: "round" }), 'a tensor of layout the string "round"'],
    [tensor({ device: {} }), "a tensor without a device"],
    [[tensor({}), tensor({ shape: [-2] })], "a list, whose result 1 is a tensor whose size 0 is -2"],
    [symInt(1.5), "a SymInt of 1.5, not an integer"],
    [symInt(undefined as never), "a SymInt of undefined, not an integer"],
    [{ kind: "SymBool", expr: 1 }, "a SymBool of 1, not a condition"],
    [{ kind: "SymFloat", expr: "x" }, 'a SymFloat of the string "x", not a number'],
    [{ kind: "constant", value: undefined }, "the constant is undefined"],
    [{ kind: "weight" }, "an object of another kind"],
    [3, "3"],
  ])("%#", (val, message) => {
    expect(problems(changed("a", { meta: { val } }))).toContainEqual(
      expect.stringContaining(`INVALID_VAL Node.meta a has invalid val field ${message}`),
    );
  });

  test("symbolic sizes are fine", () => {
    const val = tensor({ shape: [symbol("s0")] });
    const nodes = changed("x", { meta: { val } }).nodes();
    expect(
      problems(new Graph(nodes.map((node) => (node.name === "a" ? { ...node, meta: { val } } : node)))),
    ).toEqual([]);
  });
});

describe("symbols", () => {
  const operators: OperatorLookup = {
    schemaOf: () => undefined,
    tagsOf: (target) => (target === "aten.nonzero.default" ? ["dynamic_output_shape"] : []),
  };
  const found = (text: string): string[] =>
    verifyGraph(parseGraph(text), TRAINING, { operators })
      .filter(({ code }) => code === "UNBOUND_SYMBOL")
      .map(({ message, node }) => `${node}: ${message}`);

  test("inputs, bindings and data-dependent calls bind them", () => {
    expect(found("graph(%x: f32[s0, 2]) { %a: f32[s0 * 2] = aten.neg.default(%x) return (%a) }")).toEqual([]);
    expect(found("graph(%x: f32[2]) { %a: i64[u0, 1] = aten.nonzero.default(%x) return (%a) }")).toEqual([]);
    expect(
      found(
        'graph(%x: f32[2]) { %a: f32[u0] = aten.neg.default(%x) #0 return (%a) } metadata { #0 {"unbackedBindings": {"u0": "[0]"}}\n }',
      ),
    ).toEqual([]);
    expect(found("graph(%x: f32[2]) { %a: f32[u0] = my.op.default(%x) return (%a) }")).toEqual([]);
  });

  test("other calls do not; each symbol is reported once", () => {
    expect(
      found(
        "graph(%x: f32[s0]) { %a: f32[s1] = aten.neg.default(%x) %b: f32[s1] = aten.neg.default(%a) return (%b) }",
      ),
    ).toEqual(["a: Node a records the symbol s1, which no input and no data-dependent call binds"]);
  });
});

const PROGRAM = `sconce-ir 1
program "ATEN" {
  parameter "w": f32[2]
  input %p_w: PARAMETER "w"
  input %x: USER_INPUT
  output %a: USER_OUTPUT
  call "" ((*), {}) -> (*)
}
graph(%p_w: f32[2], %x: f32[2]) {
  %a: f32[2] = aten.add.Tensor(%x, %p_w)
  return (%a)
}
`;

describe("programs", () => {
  const program = parseIr(PROGRAM);
  const found = (next: ExportedProgram): string[] =>
    verify(next).map(({ code, message }) => `${code} ${message}`);
  const [root] = program.moduleCallGraph;

  test("as it is", () => expect(found(program)).toEqual([]));

  test("state has concrete sizes [S-018]", () => {
    expect(found(parseIr(PROGRAM.replace("graph(%p_w: f32[2]", "graph(%p_w: f32[s0]")))).toContain(
      "STATE_SYMBOLIC the input p_w is recorded as float32[s0]: size 0 of w is symbolic",
    );
  });

  test("an empty range", () => {
    expect(found(program.with({ rangeConstraints: new Map([["s0", { min: 4, max: 2 }]]) }))).toEqual([
      "EMPTY_RANGE the range of s0 is [4, 2], which has no value",
    ]);
  });

  test("specs of another kind than the recorded values", () => {
    const { inputSpecs, outputSpecs } = program.graphSignature;
    const as = (kind: "symint" | "tensor", name: string) => ({ kind, name }) as const;
    expect(
      found(
        program.with({
          graphSignature: {
            inputSpecs: [inputSpecs[0]!, { ...inputSpecs[1]!, arg: as("symint", "x") }],
            outputSpecs,
          },
        }),
      ),
    ).toEqual(["SPEC_KIND The signature says that x is a symint, and the node records float32[2]"]);
    expect(
      found(
        program.with({
          graphSignature: { inputSpecs, outputSpecs: [{ ...outputSpecs[0]!, arg: as("symint", "a") }] },
        }),
      ),
    ).toEqual(["SPEC_KIND The signature says that a is a symint, and the node records float32[2]"]);
  });

  test("trees with other numbers of leaves, and a root that is not first [S-127]", () => {
    const signature = { ...root!.signature!, outSpec: tupleSpec([LEAF, LEAF]) };
    expect(found(program.with({ moduleCallGraph: [{ fqn: "", signature }] }))).toEqual([
      "MODULE_CALL_TREE out_spec of the module call '' has 2 leaves for 1 value",
    ]);
    expect(found(program.with({ moduleCallGraph: [{ fqn: "m", signature: null }, root!] }))).toEqual([
      "MODULE_CALL_ROOT The first entry of the module call graph is 'm', not the root's",
    ]);
  });

  test("every problem says what to do", () => {
    const broken = parseIr(
      PROGRAM.replace("(%a)\n}", "(%q)\n}")
        .replace("%a: f32[2] =", "%a =")
        .replace('parameter "w": f32[2]\n', ""),
    );
    const all = verify(broken);
    expect(all.length).toBeGreaterThan(2);
    for (const problem of all) expect(problem.fix, problem.code).toMatch(/^[a-z].{10,}/);
  });
});
