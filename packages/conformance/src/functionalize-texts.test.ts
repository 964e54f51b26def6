/** @file Functionalization compared with PyTorch: texts of in-place overloads. */
import { ExportedProgram, itemsOf } from "@sconce/ir";
import { parseGraph } from "@sconce/ir/text";
import { codeText, createSconce } from "@sconce/session";
import { describe, expect, test } from "vitest";
import { fixtureJson } from "./fixtures.js";

const read = (name: string): unknown => fixtureJson(`functionalize/${name}`);

const sconce = createSconce();

/** A training program around a graph of tensors. */
function programOf(text: string): ExportedProgram {
  const graph = parseGraph(text);
  const results = itemsOf(graph.outputArgument()) ?? [];
  return new ExportedProgram({
    graph,
    graphSignature: {
      inputSpecs: graph.placeholders().map(({ name }) => ({
        kind: "USER_INPUT",
        arg: { kind: "tensor", name },
        target: null,
        persistent: null,
      })),
      outputSpecs: results.map((value) => ({
        kind: "USER_OUTPUT",
        arg: { kind: "tensor", name: (value as { name: string }).name },
        target: null,
      })),
    },
    stateDict: new Map(),
    parameterNames: new Set(),
    constants: new Map(),
    rangeConstraints: new Map(),
    moduleCallGraph: [],
    dialect: "TRAINING",
  });
}

describe("in-place overloads become what run_decompositions({}) makes of them", () => {
  const cases = read("in-place-texts.json") as readonly { graph: string; code: string }[];
  test.each(cases.map(({ graph, code }) => [graph.split("\n")[2]!.trim(), graph, code]))(
    "%s",
    (_, graph, code) => {
      const lowered = sconce.transform(programOf(graph), "decompose{table=none}");
      expect(codeText(lowered.graph).trim()).toBe(code);
    },
  );
});

describe("writes to all parts of a tensor become what run_decompositions makes of them", () => {
  const cases = read("split-writes.json.gz") as readonly {
    readonly [key in "name" | "graph" | "default" | "none"]: string;
  }[];
  test.each(cases)("$name", ({ graph, default: byDefault, none }) => {
    const lowered = (passes: string): string =>
      codeText(sconce.transform(programOf(graph), passes).graph).trim();
    expect(lowered("decompose{table=none}")).toBe(none);
    expect(lowered("decompose")).toBe(byDefault);
  });
});
