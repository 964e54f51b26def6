/** @file Functionalization beside what PyTorch was asked: texts of in-place overloads, and effects that schemas hide. */
import { readFileSync } from "node:fs";
import { ExportedProgram, itemsOf, parseGraph } from "@sconce/ir";
import { HIDDEN_ALIASES, HIDDEN_WRITES } from "@sconce/ops";
import { codeText, createSconce } from "sconce";
import { describe, expect, test } from "vitest";

const read = (name: string): unknown =>
  JSON.parse(readFileSync(new URL(`../fixtures/functionalize/${name}`, import.meta.url), "utf8"));

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

describe("effects that schemas hide", () => {
  const found = Object.entries(read("hidden-effects.json") as Record<string, readonly string[]>);
  const effects = (prefix: string): [string, readonly string[]][] =>
    found
      .map(([target, all]): [string, string[]] => [
        target,
        all.filter((one) => one.startsWith(prefix)).map((one) => one.slice(prefix.length)),
      ])
      .filter(([, names]) => names.length > 0);

  test("the list of results that share memory is what PyTorch was seen to do", () => {
    // Only without elements, where nothing can be seen.
    const seen = effects("alias:").filter(([target]) => target !== "aten.native_dropout.default");
    expect(HIDDEN_ALIASES).toEqual(Object.fromEntries(seen));
  });

  test("every argument that was seen to be written is listed", () => {
    // A fault of PyTorch's kernel for 0-d weights, which Sconce's has not.
    const seen = effects("write:").filter(([target]) => target !== "aten.cov.default");
    expect(seen.map(([target]) => target)).toHaveLength(4);
    for (const [target, names] of seen)
      expect([target, HIDDEN_WRITES[target]?.written]).toEqual([target, names]);
  });
});
