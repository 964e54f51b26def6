import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { ATEN } from "../graph/dialect.js";
import { Graph } from "../graph/graph.js";
import type { Node } from "../graph/node.js";
import { parseIr } from "../ir-text/parse-program.js";
import { ExportedProgram } from "../program/program.js";
import type { ExportedProgramInit } from "../program/program-parts.js";
import { verifyAll } from "./part-checks.js";
import { verify } from "./verify.js";

const program = parseIr(`sconce-ir 1
program "ATEN" {
  parameter "w": f32[4]
  input %p_w: PARAMETER "w"
  input %x: USER_INPUT
  output %b: USER_OUTPUT
  call "" ((*), {}) -> (*)
}
graph(%p_w: f32[4], %x: f32[4]) {
  %a: f32[4] = aten.mul.Tensor(%x, %p_w)
  %b: f32[4] = aten.relu.default(%a)
  return (%b)
}`);

const problemsOf = (change: object): string[] =>
  verifyAll(new ExportedProgram({ ...program, ...change } as ExportedProgramInit)).map(
    ({ code, message }) => `${code} ${message}`,
  );

test("a program as it is has no problems", () => {
  expect(problemsOf({})).toEqual([]);
  expect(problemsOf({ exampleInputs: { leaves: [1, null, Tensor.empty([2], "int8")] } })).toEqual([]);
});

const { inputSpecs, outputSpecs } = program.graphSignature;

describe("a part with a wrong type is reported with its place", () => {
  test.each<[object, string]>([
    [{ graph: { nodes: [] } }, "graph is an object of another kind, not a graph"],
    [{ graph: null }, "graph is null, not a graph"],
    [{ rangeConstraints: [] }, "rangeConstraints is a list, not a map"],
    [{ rangeConstraints: {} }, "rangeConstraints is an object of another kind, not a map"],
    [{ rangeConstraints: new Map([["s77", null]]) }, 'rangeConstraints["s77"] is null, not an object'],
    [
      { rangeConstraints: new Map([["s77", { min: "2", max: 3 }]]) },
      'rangeConstraints["s77"].min is the string "2", not a number',
    ],
    [
      { rangeConstraints: new Map([["s77", { min: Number.NaN, max: 3 }]]) },
      'rangeConstraints["s77"].min is NaN, not a number',
    ],
    [
      { rangeConstraints: new Map([[1, { min: 2, max: 3 }]]) },
      "rangeConstraints has the key 1, which is not a string",
    ],
    [{ symbolHints: new Map([["s77", "4"]]) }, 'symbolHints["s77"] is the string "4", not a number'],
    [{ stateDict: { w: 1 } }, "stateDict is an object of another kind, not a map"],
    [{ stateDict: new Map([["w", [1, 2]]]) }, 'stateDict["w"] is a list, not a tensor'],
    [{ constants: undefined }, "constants is undefined, not a map"],
    [{ constants: new Map([["k", null]]) }, 'constants["k"] is null, not a tensor'],
    [{ parameterNames: ["w"] }, "parameterNames is a list, not a set"],
    [{ graphSignature: null }, "graphSignature is null, not an object"],
    [{ graphSignature: { inputSpecs } }, "graphSignature.outputSpecs is undefined, not a list"],
    [
      { graphSignature: { inputSpecs: [...inputSpecs.slice(1), null], outputSpecs } },
      "graphSignature.inputSpecs[1] is null, not an object",
    ],
    [
      { graphSignature: { inputSpecs, outputSpecs: [{ kind: "USER", arg: null, target: null }] } },
      'graphSignature.outputSpecs[0].kind is the string "USER", not one of USER_OUTPUT',
    ],
    [{ moduleCallGraph: new Map() }, "moduleCallGraph is a map, not a list"],
    [{ moduleCallGraph: [{ fqn: "" }] }, "moduleCallGraph[0].signature is undefined, not an object"],
    [
      { moduleCallGraph: [{ fqn: "", signature: { inputs: [3] } }] },
      "moduleCallGraph[0].signature.inputs[0] is 3, not an object",
    ],
    [{ guardsCode: [() => true] }, "guardsCode[0] is a function, not a string"],
    [{ exampleInputs: [] }, "exampleInputs is a list, not an object with leaves"],
    [{ exampleInputs: { leaves: 3 } }, "exampleInputs.leaves is 3, not a list"],
    [{ exampleInputs: { leaves: [undefined] } }, "exampleInputs.leaves[0] is undefined, not an object"],
    [{ history: "none" }, 'history is the string "none", not a list'],
    [{ history: [{ pass: 1 }] }, "history[0].pass is 1, not a string"],
    [{ undone: 0 }, "undone is 0, not a list"],
    [{ dialect: 3 }, "dialect is 3, not a string"],
    [{ dialect: null }, "dialect is null, not a string"],
    [{ torchVersion: 2 }, "torchVersion is 2, not a string"],
    [{ opsetVersion: "10" }, 'opsetVersion is the string "10", not an object'],
  ])("%#", (change, message) => {
    expect(problemsOf(change)).toContainEqual(expect.stringContaining(`MALFORMED ${message}`));
  });

  test("all of them at once", () => {
    const found = problemsOf({ stateDict: null, rangeConstraints: 1, dialect: 3, history: 0 });
    expect(found.map((problem) => problem.split(" ")[1])).toEqual([
      "stateDict",
      "rangeConstraints",
      "dialect",
      "history",
    ]);
  });

  test("`verify` alone throws nothing either", () => {
    const broken = { graph: null, stateDict: 1, graphSignature: { inputSpecs: [null] }, dialect: {} };
    const found = verify(new ExportedProgram({ ...program, ...broken } as never));
    expect(found.map(({ code }) => code)).toContain("MALFORMED");
  });
});

describe("a node with a part of a wrong kind", () => {
  const changed = (change: object): string[] =>
    problemsOf({
      graph: new Graph(
        program.graph.nodes().map((node) => (node.name === "b" ? ({ ...node, ...change } as Node) : node)),
      ),
    });

  test.each<[object, string]>([
    [{ args: null }, "node b.args is null, not a list"],
    [{ args: [undefined] }, "node b.args[0] is undefined, not an object"],
    [{ args: [{ kind: "weight" }] }, 'node b.args[0].kind is the string "weight", not one of node'],
    [{ args: [{ kind: "tuple", items: 1 }] }, "node b.args[0].items is 1, not a list"],
    [{ args: [{ kind: "dict", entries: [["k"]] }] }, "node b.args[0].entries[0] is a list, not a pair"],
    [{ args: [[[new Map()]]] }, "node b.args[0][0][0].kind is undefined, not one of node"],
    [{ kwargs: null }, "node b.kwargs is null, not an object"],
    [{ kwargs: { dtype: Symbol("x") } }, 'node b.kwargs["dtype"] is a symbol, not an object'],
    [{ target: 1 }, "node b.target is 1, not a string"],
    [{ meta: null }, "node b.meta is null, not an object"],
    [{ meta: { stackTrace: 1 } }, "node b.meta.stackTrace is 1, not a string"],
  ])("%#", (change, message) => {
    expect(changed(change)).toContainEqual(expect.stringContaining(`MALFORMED ${message}`));
  });

  test("a list that holds itself", () => {
    const cyclic: unknown[] = [];
    cyclic.push(cyclic);
    expect(changed({ args: cyclic })[0]).toMatch(/^MALFORMED a part of it cannot be read/);
  });

  test("a value that is none", () => {
    const bare: unknown = Object.create(null);
    expect(changed({ meta: { val: bare } })).toEqual([
      "INVALID_VAL Node.meta b has invalid val field an object of another kind",
    ]);
  });
});

test("a dialect's rule that throws is a problem", () => {
  const refuse = (): never => {
    throw new Error("boo");
  };
  expect(verify(program, { dialect: { ...ATEN, name: "D", refuse } })[0]?.message).toBe(
    "the rule of the dialect 'D' threw at 'aten.mul.Tensor': boo",
  );
});
