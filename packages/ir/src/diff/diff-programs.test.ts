import { Tensor } from "@sconce/tensor";
import { describe, expect, test } from "vitest";
import { edit } from "../graph/edit.js";
import { firstVersion, weights } from "../history/history.fixture.js";
import { parseIr } from "../ir-text/parse-program.js";
import type { ExportedProgram } from "../program/program.js";
import type { Argument } from "../values/argument.js";
import { alignNames, diffPrograms } from "./diff-programs.js";

const first = firstVersion();
const withGraph = (recipe: Parameters<typeof edit>[1]): ExportedProgram =>
  first.with({ graph: edit(first.graph, recipe) });
const EQUAL = { equal: true, nodes: [], removed: [], added: [], values: [] };

describe("diffPrograms", () => {
  test("a program read twice is equal", () => {
    expect(diffPrograms(first, firstVersion())).toEqual(EQUAL);
    expect(diffPrograms(first, first)).toEqual(EQUAL);
  });

  test("nodes that were added, removed and changed, with what changed in them", () => {
    const after = withGraph((e) => {
      e.replaceNode("a", { target: "aten.abs.default" });
      e.insertAfter("a", { ...first.graph.node("a"), name: "new", meta: {} });
    });
    const { equal, nodes } = diffPrograms(first, after);
    expect(equal).toBe(false);
    expect(nodes).toEqual([
      {
        graph: "",
        node: "a",
        kind: "changed",
        fields: ["target"],
        before: "%a: f32[2] = aten.neg.default(%x)",
        after: "%a: f32[2] = aten.abs.default(%x)",
      },
      { graph: "", node: "new", kind: "added", fields: [], after: "%new = aten.neg.default(%x)" },
    ]);
    expect(diffPrograms(after, first).nodes.map(({ node, kind }) => [node, kind])).toEqual([
      ["a", "changed"],
      ["new", "removed"],
    ]);
  });

  test("arguments, keywords, types and metadata by name", () => {
    const { meta } = first.graph.node("b");
    const after = withGraph((e) => {
      e.replaceNode("b", { kwargs: { alpha: 2 }, meta: { ...meta, val: null, stackTrace: "other" } });
      e.replaceNode("a", { args: [{ kind: "node", name: "p_w" }] });
    });
    expect(diffPrograms(first, after).nodes.map(({ node, fields }) => [node, fields])).toEqual([
      ["a", ["args"]],
      ["b", ["kwargs", "type", "stackTrace"]],
    ]);
  });

  test("metadata can be left out", () => {
    const { meta } = first.graph.node("b");
    const after = withGraph((e) => e.setMeta("b", { ...meta, stackTrace: "other" }));
    expect(diffPrograms(first, after).nodes).toMatchObject([{ node: "b", fields: ["stackTrace"] }]);
    expect(diffPrograms(first, after, { ignoreMetadata: true })).toEqual(EQUAL);
  });

  test("1 is not 1.0, and a list is not a tuple", () => {
    const text = (value: string): ExportedProgram =>
      parseIr(`program "ATEN" { }\ngraph(%x: f32[2]) { %a = aten.f.default(%x, ${value}) return (%a) }`);
    for (const [a, b] of [
      ["1", "1.0"],
      ["[1]", "(1)"],
      ["true", "1"],
      ["-0.0", "0.0"],
    ] as const)
      expect(diffPrograms(text(a), text(b)).nodes).toMatchObject([{ node: "a", fields: ["args"] }]);
    expect(diffPrograms(text("nan"), text("nan")).equal).toBe(true);
  });

  test("nodes in another order are moved", () => {
    const text = (lines: string): ExportedProgram =>
      parseIr(`program "ATEN" { }\ngraph(%x: f32[2]) { ${lines} return (%a, %b) }`);
    const [a, b] = ["%a = aten.neg.default(%x)", "%b = aten.exp.default(%x)"];
    expect(diffPrograms(text(`${a} ${b}`), text(`${b} ${a}`)).nodes).toMatchObject([
      { kind: "moved", fields: [] },
    ]);
  });

  test("nested graphs, with their path", () => {
    const body = edit(first.graph.subgraphs.get("body")!, (e) =>
      e.replaceNode("r", { target: "aten.exp.default" }),
    );
    expect(
      diffPrograms(
        first,
        withGraph((e) => e.setSubgraph("body", body)),
      ).nodes,
    ).toMatchObject([{ graph: "body", node: "r", kind: "changed" }]);
    expect(
      diffPrograms(
        first,
        withGraph((e) => e.setSubgraph("body", undefined)),
      ).nodes,
    ).toMatchObject([
      { graph: "body", node: "y", kind: "removed" },
      { graph: "body", node: "r", kind: "removed" },
      { graph: "body", node: "output", kind: "removed" },
    ]);
  });

  test("dialect, ranges and declared state as lines of IR text", () => {
    const after = first.with({ dialect: "ATEN", rangeConstraints: new Map([["s77", { min: 3, max: 64 }]]) });
    expect(diffPrograms(first, after)).toMatchObject({
      equal: false,
      removed: ['program "TRAINING" {', 'range "s77" [2, 64]'],
      added: ['program "ATEN" {', 'range "s77" [3, 64]'],
    });
  });

  test("values of tensors, bit for bit", () => {
    const withW = (values: number[]): ExportedProgram =>
      first.with({ stateDict: new Map([["w", Tensor.from(values, [2], "float32")]]) });
    expect(diffPrograms(first, withW([1, 3])).values).toEqual(["w"]);
    expect(diffPrograms(withW([0, Number.NaN]), withW([0, Number.NaN])).equal).toBe(true);
    expect(diffPrograms(withW([0, 1]), withW([-0, 1])).values).toEqual(["w"]);
    expect(diffPrograms(first, firstVersion(weights())).equal).toBe(true);
  });
});

describe("up to names", () => {
  const program = (names: readonly string[], change = ""): ExportedProgram => {
    const [x, body, a, b, c] = names;
    return parseIr(`program "ATEN" {
  input %${x}: USER_INPUT
  output %${c}: USER_OUTPUT
  output %${x}: USER_INPUT_MUTATION "${x}"
}
graph(%${x}: f32[2]) {
  %${body} = get_attr ${body}
  %${a}: f32[2] = aten.neg.default(%${x})
  ${change}%${b}: f32[2] = aten.neg.default(%${x})
  %${c}: f32[2] = aten.mul.Tensor(%${a}, %${b})
  return (%${c}, %${x})

  graph ${body}(%${a}: f32[2]) {
    %${b}: f32[2] = aten.exp.default(%${a})
    return (%${b})
  }
}`);
  };
  const plain = program(["x", "body", "a", "b", "c"]);

  test("different names compare equal when names are ignored", () => {
    const renamed = program(["input", "other", "b", "c", "a"]);
    expect(diffPrograms(plain, renamed).equal).toBe(false);
    expect(diffPrograms(plain, renamed, { ignoreNames: true })).toEqual(EQUAL);
  });

  test("other differences are reported in the names of the first program", () => {
    const other = program(["input", "other", "p", "q", "r"], "%new: f32[2] = aten.sin.default(%p)\n  ");
    expect(diffPrograms(plain, other, { ignoreNames: true }).nodes).toMatchObject([
      { node: "new", kind: "added", after: "%new: f32[2] = aten.sin.default(%a)" },
    ]);
  });

  test("a node that changed is still the same one, and so is all that comes after it", () => {
    const both = (names: string[], args: Argument[]): ExportedProgram => {
      const start = program(names);
      const graph = edit(start.graph, (e) => {
        e.replaceNode(names[2]!, { target: "aten.full.default", args });
      });
      return start.with({ graph });
    };
    const before = both(["x", "body", "a", "b", "c"], [1]);
    const after = both(["input", "other", "p", "q", "r"], [2]);
    const { nodes } = diffPrograms(before, after, { ignoreNames: true });
    expect(nodes).toMatchObject([{ node: "a", kind: "changed", fields: ["args"] }]);
  });

  test("a new node does not take a name that the first program has", () => {
    const other = program(["x", "body", "p", "q", "r"], "%a: f32[2] = aten.sin.default(%p)\n  ");
    expect(
      alignNames(plain, other)
        .graph.nodes()
        .map(({ name }) => name),
    ).toEqual(["x", "body", "a", "a_1", "b", "c", "output"]);
  });

  test("swapped operands are a difference", () => {
    const graph = edit(plain.graph, (e) =>
      e.replaceNode("c", { args: [...plain.graph.node("c").args].reverse() }),
    );
    const sub = plain.with({ graph });
    expect(diffPrograms(plain, sub, { ignoreNames: true }).nodes).toMatchObject([
      { node: "c", fields: ["args"] },
    ]);
  });
});
