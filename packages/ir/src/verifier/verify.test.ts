import { describe, expect, test } from "vitest";
import { ATEN, type DialectRules, TRAINING } from "../graph/dialect.js";
import { edit } from "../graph/edit.js";
import { Graph } from "../graph/graph.js";
import type { OperatorLookup, OpSchema } from "../graph/operator.js";
import { parseGraph, parseIr } from "../ir-text/parse-program.js";
import type { ExportedProgram } from "../program/program.js";
import { ref, tuple } from "../values/argument.js";
import { verifyTransition } from "./transition.js";
import { assertValid, verify, verifyGraph } from "./verify.js";

const VALID = `sconce-ir 1
program "ATEN" {
  parameter "l.weight": f32[2]
  buffer "cnt": i64[]
  constant "k": f32[2]
  input %p_l_weight: PARAMETER "l.weight"
  input %b_cnt: BUFFER "cnt" persistent
  input %c_k: CONSTANT_TENSOR "k"
  input %x: USER_INPUT
  output %add: BUFFER_MUTATION "cnt"
  output %mul: USER_OUTPUT
  output constant %"" = 3: USER_OUTPUT
  call "" ((*), {}) -> (*, *)
}
graph(%p_l_weight: f32[2], %b_cnt: i64[], %c_k: f32[2], %x: f32[2]) {
  %add: i64[] = aten.add.Tensor(%b_cnt, 1)
  %mul: f32[2] = aten.mul.Tensor(%x, %p_l_weight)
  return (%add, %mul, 3)
}
`;
const valid = (): ExportedProgram => parseIr(VALID);
const codes = (text: string): string[] =>
  verify(parseIr(text, { unknownTargets: "allow" })).map((problem) => problem.code);
const messages = (text: string): string[] =>
  verify(parseIr(text, { unknownTargets: "allow" })).map((problem) => problem.message);

test("a valid program has no problems [S-127]", () => {
  expect(verify(valid())).toEqual([]);
  expect(() => assertValid(valid())).not.toThrow();
});

test.each<[string, string, string, string]>([
  [
    "a missing parameter",
    'parameter "l.weight": f32[2]\n',
    "",
    "Parameter l.weight is not in the state dict.",
  ],
  [
    "a buffer as parameter",
    'parameter "l.weight"',
    'buffer "l.weight"',
    "State dict entry for parameter l.weight is not an instance of torch.nn.Parameter.",
  ],
  ["a missing buffer", 'buffer "cnt": i64[]\n', "", "Buffer cnt is not in the state dict."],
  [
    "a transient buffer in the state dict",
    "persistent",
    "transient",
    "Non-persistent buffer cnt is in the state dict, it should not be.",
  ],
  ["no persistence flag", "persistent", "", "Buffer cnt is missing a persistence flag"],
  [
    "a missing constant",
    'constant "k": f32[2]\n',
    "",
    "Constant tensor k is not in the constants dictionary.",
  ],
  ["an input of another name", "input %x", "input %y", "Input spec name y does not match node name x"],
  [
    "one input less",
    "input %x: USER_INPUT\n",
    "",
    "Number of graph inputs (4) does not match number of inputs in the " +
      "graph signature (3)\nPlaceholders missing input_specs: {'x'}\nInput_specs missing placeholders: set()",
  ],
  [
    "one output less",
    "output %mul: USER_OUTPUT\n",
    "",
    "Number of output nodes 3 is different Than the number of outputs " +
      "specified by the graph signature: 2\nNodes missing output_specs: {'mul'}\nOutput_specs missing nodes: {''}",
  ],
  [
    "a mutation of nothing",
    'MUTATION "cnt"',
    'MUTATION "nope"',
    "Buffer output add does not point to a buffer that exists. \n" +
      "Dict of buffers that are mutated, in order: {'add': 'nope'} \nBuffer nodes available: ('cnt') \n",
  ],
  [
    "a mutation after an output",
    "return (%add, %mul",
    "return (%mul, %add",
    "Mutation node mul is neither a buffer nor a user input. Buffers to mutate: {'add': 'cnt'}, User inputs to mutate: {}",
  ],
  [
    "a calling convention of missing nodes",
    'call ""',
    'call "s" (*) -> * inputs [%q] outputs [%r]\n  call ""',
    "Input q does not exist in the graph.",
  ],
])("%s is reported [S-127]", (_, from, to, message) =>
  expect(messages(VALID.replace(from, to))).toContain(message),
);

test("all problems are found at once", () => {
  const broken = VALID.replace("persistent", "")
    .replace('constant "k": f32[2]\n', "")
    .replace("aten.add.Tensor", "aten.add_.Tensor");
  expect(codes(broken).sort()).toEqual(["BUFFER_PERSISTENCE", "MISSING_CONSTANT", "NOT_FUNCTIONAL"]);
  expect(() => assertValid(parseIr(broken))).toThrowError(
    expect.objectContaining({ code: "INVALID_PROGRAM" }),
  );
});

const graphProblems = (body: string, rules = ATEN): string[] =>
  verifyGraph(parseGraph(`graph(%x: f32[2]) {\n${body}\n}`, { unknownTargets: "allow" }), rules).map(
    (problem) => `${problem.code} ${problem.message}`,
  );

test.each<[string, string, string]>([
  [
    "use before definition",
    "%a: f32[2] = aten.neg.default(%b)\n%b: f32[2] = aten.neg.default(%x)\nreturn (%a)",
    "USED_BEFORE_DEFINITION Argument 'b' of Node 'a' was used before it has been defined! Please check that Nodes in the " +
      "graph are topologically ordered",
  ],
  [
    "undefined name",
    "return (%q)",
    "UNDEFINED_NAME Argument 'q' of Node 'output' does not belong to this Graph, but was used as an argument!",
  ],
  ["no value", "%a = aten.neg.default(%x)\nreturn (%a)", "MISSING_VAL Node.meta a is missing val field."],
  [
    "in-place operator",
    "%a: f32[2] = aten.add_.Tensor(%x, 1)\nreturn (%a)",
    "NOT_FUNCTIONAL operator 'aten.add_.Tensor' is not functional",
  ],
  [
    "packet instead of overload",
    "%a: f32[2] = aten.add(%x, 1)\nreturn (%a)",
    "OPERATOR_NOT_ALLOWED Operator 'aten.add' is not an allowed operator type: it names no overload",
  ],
  [
    "Python function",
    "%a: int(3) = builtins.len(%x)\nreturn (%a)",
    "OPERATOR_NOT_ALLOWED Operator 'builtins.len' is not an allowed " +
      "operator type: (<class 'torch._ops.OpOverload'>, <class 'torch._ops.HigherOrderOperator'>)",
  ],
  [
    "missing nested graph",
    "%l = get_attr l\nreturn (%x)",
    "NO_SUBGRAPH Node l target l references nonexistent attribute l of ",
  ],
  [
    "output in the middle",
    "return (%x)\n%a: f32[2] = aten.neg.default(%x)",
    "OUTPUT_NOT_LAST Node a comes after the output",
  ],
  [
    "late placeholder",
    "%a: f32[2] = aten.neg.default(%x)\n%y: f32[2] = placeholder y\nreturn (%a)",
    "PLACEHOLDER_ORDER Placeholder y comes after other nodes",
  ],
  ["no output", "%a: f32[2] = aten.neg.default(%x)", "NO_OUTPUT The graph has no output node"],
])("%s is reported [S-058, S-059, S-061, S-062, S-064, S-065]", (_, body, problem) =>
  expect(graphProblems(body)).toContain(problem),
);

test("what is fine", () => {
  expect(graphProblems("%a: f32[2] = aten.add_.Tensor(%x, 1)\nreturn (%a)", TRAINING)).toEqual([]);
  expect(
    graphProblems(
      "%s: int(2) = aten.sym_size.int(%x, 0)\n%m: int(4) = operator.mul(%s, 2)\n%f: float(2.5) = torch.sym_float(%m)\nreturn (%m, %f)",
    ),
  ).toEqual([]);
  expect(graphProblems("%a: f32[2] = aten.__and__.Scalar(%x, 1)\nreturn (%a)")).toEqual([]);
});

test("nested graphs are checked, and problems name them", () => {
  const graph = parseGraph(
    "graph(%x: f32[2]) { %g = get_attr g return (%x) graph g(%y: f32[2]) { %a = aten.neg.default(%y) return (%a) } }",
  );
  expect(verifyGraph(graph)).toEqual([
    {
      code: "MISSING_VAL",
      message: "Node.meta a is missing val field.",
      node: "a",
      graph: "g",
      fix: "record the value in meta.val; the pass propagate-shapes computes it",
    },
  ]);
});

test("duplicate names", () => {
  const node = {
    name: "a",
    op: "placeholder",
    target: "a",
    args: [],
    kwargs: {},
    meta: { val: null },
  } as const;
  const output = {
    name: "output",
    op: "output",
    target: "output",
    args: [tuple([ref("a")])],
    kwargs: {},
    meta: {},
  } as const;
  expect(verifyGraph(new Graph([node, node, output])).map((problem) => problem.message)).toEqual([
    "Node redefined name a!",
  ]);
});

test("an operator table reveals mutable operators, unknown operators and operators without results [S-065, S-068]", () => {
  const schema = (target: string, returns: number, isMutable: boolean): OpSchema => ({
    namespace: "my",
    name: "f",
    overload: "default",
    target,
    args: [],
    isMutable,
    isView: false,
    returns: Array.from({ length: returns }, () => ({
      type: { base: "Tensor", list: false, optional: false, optionalElements: false },
    })),
  });
  const table = new Map(
    [schema("my.f.default", 1, true), schema("my.check.default", 0, false)].map((row) => [row.target, row]),
  );
  const operators: OperatorLookup = { schemaOf: (target) => table.get(target), tagsOf: () => [] };
  const graph = parseGraph(`graph(%x: f32[2]) {
    %a: f32[2] = my.f.default(%x)
    %c = my.check.default(%x)
    %d = my.f.default(%x)
    %e: f32[2] = aten.g.default(%x)
    %o: f32[2] = my.g.default(%x)
    return (%a)
  }`);
  expect(verifyGraph(graph, TRAINING, { operators }).map((problem) => [problem.code, problem.node])).toEqual([
    ["MISSING_VAL", "d"],
    ["UNKNOWN_OPERATOR", "e"],
  ]);
  expect(
    verifyGraph(graph, ATEN, { operators }).filter((problem) => problem.code === "NOT_FUNCTIONAL").length,
  ).toBe(2);
});

test("dialects are data [S-127]", () => {
  const program = valid().with({ dialect: "MINE" });
  expect(verify(program).map((problem) => problem.code)).toEqual(["UNKNOWN_DIALECT"]);
  const mine = {
    ...ATEN,
    name: "MINE",
    refuse: (target: string) => (target === "aten.mul.Tensor" ? "no multiplication" : undefined),
  };
  expect(verify(program, { dialects: new Map([["MINE", mine]]) }).map((problem) => problem.message)).toEqual([
    "no multiplication",
  ]);
  expect(verify(program, { dialect: "TRAINING" })).toEqual([]);
});

test("a pass must not lose metadata or change the calling convention", () => {
  const before = valid();
  const after = before.with({ graph: edit(before.graph, (e) => e.setMeta("mul", {})) });
  expect(verifyTransition(before, before)).toEqual([]);
  expect(verifyTransition(before, after).map((problem) => problem.message)).toEqual([
    "node mul lost its val",
  ]);
  // A node made of others may get the name of one that went.
  const other = { val: before.graph.node("mul").meta.val!, origin: { pass: "p", from: ["add"] } };
  const traced = before.with({
    graph: edit(before.graph, (e) => e.setMeta("mul", { val: other.val, stackTrace: "line 3" })),
  });
  const renamed = before.with({ graph: edit(before.graph, (e) => e.setMeta("mul", other)) });
  expect(verifyTransition(traced, renamed)).toEqual([]);
  expect(verifyTransition(traced, before).map((problem) => problem.message)).toEqual([
    "node mul lost its stackTrace",
  ]);
  const { inputSpecs, outputSpecs } = before.graphSignature;
  const fewer = before.with({ graphSignature: { inputSpecs, outputSpecs: outputSpecs.slice(0, 2) } });
  expect(verifyTransition(before, fewer).map((problem) => problem.code)).toEqual(["CALLING_CONVENTION"]);
});

test("of many wrong names only the first are compared with all known ones, each once", () => {
  const val = valid().graph.node("mul").meta.val!;
  const graph = edit(parseGraph("graph(%x: f32[2]) {\n  return (%x,)\n}\n"), (e) => {
    for (let i = 0; i < 400; i++) {
      const target = `aten.sinn${i % 200}.default`;
      e.insertBefore("output", {
        op: "call_function",
        name: `n${i}`,
        target,
        args: [ref("x")],
        meta: { val },
      });
    }
  });
  let compared = 0;
  const operators: OperatorLookup = {
    schemaOf: () => undefined,
    tagsOf: () => [],
    targets: () => {
      compared++;
      return ["aten.sinn0.out", "aten.mul.Tensor"];
    },
  };
  const problems = verifyGraph(graph, ATEN, { operators });
  expect(problems.map(({ code }) => code)).toEqual(new Array(400).fill("UNKNOWN_OPERATOR"));
  expect(compared).toBe(20);
  expect(problems[200]!.fix).toBe(problems[0]!.fix);
});

describe("metadata that a dialect requires of calls", () => {
  const rules: DialectRules = { ...ATEN, name: "SCHEDULED", metadata: ["stackTrace", "custom", "dimOrder"] };
  const metadata = (fields: object): string[] =>
    verifyGraph(
      parseGraph(
        `graph(%x: f32[2]) {\n%a: f32[2] = aten.neg.default(%x) #0\nreturn (%a)\n} metadata {\n #0 ${JSON.stringify(fields)}\n}`,
      ),
      rules,
    ).map(({ code, message, node, fix }) => `${code} at ${node}: ${message} ${fix}`);
  const missing = (key: string): string =>
    `MISSING_METADATA at a: Node.meta a is missing ${key} field, which the dialect SCHEDULED requires. ` +
    `set meta.${key}, or run the pass that lowers to SCHEDULED`;

  test("each field that is missing is a problem, and those that are there are not [S-077]", () => {
    const all = { stackTrace: "File", custom: { stage: 1 }, dimOrder: [0] };
    expect(metadata(all)).toEqual([]);
    expect(metadata({ ...all, custom: undefined })).toEqual([missing("custom")]);
    expect(metadata({ dimOrder: [0] })).toEqual([missing("stackTrace"), missing("custom")]);
    expect(metadata({})).toEqual(["stackTrace", "custom", "dimOrder"].map(missing));
  });

  test("placeholders and outputs need none, and other dialects do not ask [S-077]", () => {
    const text = "graph(%x: f32[2]) {\n%a: f32[2] = aten.neg.default(%x)\nreturn (%a)\n}";
    expect(verifyGraph(parseGraph("graph(%x: f32[2]) { return (%x) }"), rules)).toEqual([]);
    expect(verifyGraph(parseGraph(text), ATEN)).toEqual([]);
  });
});
