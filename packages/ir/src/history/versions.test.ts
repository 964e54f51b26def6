import { describe, expect, test } from "vitest";
import { applyGraphPatches, edit, rebuild } from "../graph/edit.js";
import { Graph } from "../graph/graph.js";
import { renameNodes } from "../graph/rename-nodes.js";
import { printIr, tensorsOf } from "../ir-text/print-program.js";
import { firstVersion, fold, retarget } from "./history.fixture.js";
import { branch, graphVersions, programVersions, recordPass, redo, undo } from "./versions.js";

const first = firstVersion();

describe("recording", () => {
  test("the history of a program leads back to its first version", () => {
    const second = retarget(first, "aten.abs.default", "one");
    const third = retarget(second, "aten.exp.default", "two");
    expect(third.history.map(({ pass, call }) => [pass, call])).toEqual([
      ["one", "one{to=aten.abs.default}"],
      ["two", "two{to=aten.exp.default}"],
    ]);
    const versions = [...graphVersions(third)];
    expect(versions.map(({ pass }) => pass)).toEqual(["two", "one", undefined]);
    expect(versions.map(({ graph }) => printIr(graph))).toEqual(
      [third, second, first].map(({ graph }) => printIr(graph)),
    );
  });

  test("a pass that changes nothing leaves no trace", () => {
    expect(recordPass("none", first, first)).toBe(first);
    expect(recordPass("none", first, first.with({ history: [] }))).toBe(first);
  });

  test("a pass that changes a part but not the graph does", () => {
    const after = recordPass("dialect", first, first.with({ dialect: "ATEN" }));
    expect(after.history).toMatchObject([
      { before: { dialect: "TRAINING" }, after: { dialect: "ATEN" }, patches: [] },
    ]);
    expect(undo(after).dialect).toBe("TRAINING");
  });

  test("what changes a program by hand does not keep a history that leads elsewhere", () => {
    const second = retarget(first, "aten.abs.default");
    expect(second.with({ dialect: "ATEN" }).history).toEqual([]);
    expect(second.with({ dialect: second.dialect })).toBe(second);
  });
});

describe("undo and redo", () => {
  test("everything that a pass changed comes back, the same objects", () => {
    const second = fold(first);
    const back = undo(second);
    for (const part of [
      "graph",
      "graphSignature",
      "stateDict",
      "constants",
      "rangeConstraints",
      "dialect",
    ] as const)
      expect(back[part]).toBe(first[part]);
    expect(printIr(back)).toBe(printIr(first));
    expect(tensorsOf(back).get("w")).toBe(first.stateDict.get("w"));
    expect([back.history.length, back.undone.length]).toEqual([0, 1]);
    const again = redo(back);
    expect(again.graph).toBe(second.graph);
    expect(printIr(again)).toBe(printIr(second));
    expect([again.history, again.undone]).toEqual([second.history, []]);
  });

  test("several steps at once", () => {
    const third = fold(retarget(retarget(first, "aten.abs.default"), "aten.exp.default"));
    expect(printIr(undo(third, 3))).toBe(printIr(first));
    expect(printIr(redo(undo(third, 3), 2))).toBe(printIr(undo(third)));
    expect(undo(third, 0)).toBe(third);
  });

  test.each([1, -1, 0.5])("not more steps than there are (%d)", (steps) => {
    expect(() => undo(first, steps)).toThrow(/there are 0 steps to undo/);
    expect(() => redo(first, steps)).toThrow(/there are 0 steps to redo/);
  });

  test("a history that belongs to another program is refused", () => {
    const { history } = retarget(first, "aten.abs.default");
    expect(() => undo(first.with({ history }))).toThrow(/not the one that the recorded patches lead from/);
    const { history: dialect } = recordPass("d", first, first.with({ dialect: "ATEN" }));
    expect(() => undo(first.with({ history: dialect }))).toThrow(/dialect is not what the pass "d"/);
  });

  test("patches that do not belong to a graph are refused", () => {
    for (const path of [["pages", 7], ["pages", 0, "nodes"], ["__proto__"], ["nextKey", 0]])
      expect(() => applyGraphPatches(first.graph, [{ op: "replace", path, value: 1 }])).toThrow(
        /recorded patches/,
      );
  });
});

describe("branching", () => {
  test("an earlier version goes on without what followed it, which the later program keeps", () => {
    const third = fold(retarget(first, "aten.abs.default"));
    const other = retarget(branch(third, 1), "aten.exp.default");
    expect(other.history.map(({ pass }) => pass)).toEqual(["retarget", "retarget"]);
    expect(other.undone).toEqual([]);
    expect(third.history.map(({ pass }) => pass)).toEqual(["retarget", "fold"]);
    expect(branch(third, 0).undone).toEqual([]);
    expect(printIr(branch(undo(third, 2), 1))).toBe(printIr(undo(third)));
    expect(() => branch(third, 3)).toThrow(/there are 0 steps to redo/);
  });

  test("a pass on an undone program ends what could be redone", () => {
    const back = undo(fold(first));
    const other = retarget(back, "aten.abs.default");
    expect(other.undone).toEqual([]);
    expect(back.undone).toHaveLength(1);
  });

  test("versions are listed with the steps that led to them", () => {
    const third = fold(retarget(first, "aten.abs.default"));
    expect([...programVersions(third)].map(({ entry, program }) => [entry?.pass, program.dialect])).toEqual([
      ["fold", "ATEN"],
      ["retarget", "TRAINING"],
      [undefined, "TRAINING"],
    ]);
  });
});

describe("versions share", () => {
  const nodes = Array.from({ length: 5000 }, (_, i) => ({
    name: i === 4999 ? "output" : `n${i}`,
    op: i === 0 ? ("placeholder" as const) : i === 4999 ? ("output" as const) : ("call_function" as const),
    target: "aten.neg.default",
    args: [],
    kwargs: {},
    meta: {},
  }));
  const large = first.with({ graph: new Graph(nodes) });
  const pagesOf = (graph: Graph): readonly unknown[] => Graph.stateOf(graph).pages;
  const sharedPages = (a: Graph, b: Graph): number => {
    const known = new Set(pagesOf(a));
    return pagesOf(b).filter((page) => known.has(page)).length;
  };

  test.each([
    ["edit", (graph: Graph) => edit(graph, (e) => e.remove("n2500"))],
    ["rebuild", (graph: Graph) => rebuild(graph, (node) => node.name !== "n2500")],
    [
      "rebuild with more",
      (graph: Graph) =>
        rebuild(graph, (node, at) => (at === 300 ? [{ ...nodes[5]!, name: "m" }, node] : true)),
    ],
    ["rebuild with a run less", (graph: Graph) => rebuild(graph, (_, at) => at < 1000 || at > 1200)],
    ["renamed nodes", (graph: Graph) => renameNodes(graph, new Map([["n2500", "other"]]))],
  ])("what did not change, after %s", (_, change) => {
    const after = recordPass("p", large, large.with({ graph: change(large.graph) }));
    expect(pagesOf(large.graph).length - sharedPages(large.graph, after.graph)).toBeLessThanOrEqual(2);
    expect(after.graph.nodes()).toEqual(change(large.graph).nodes());
    expect(after.graph.node("n4000")).toBe(large.graph.node("n4000"));
    expect(undo(after).graph).toBe(large.graph);
    const patches = JSON.stringify(after.history[0]!.patches).length;
    expect(patches).toBeLessThan(JSON.stringify(pagesOf(large.graph)).length);
  });

  test("a graph made anew keeps the pages of both versions", () => {
    const graph = new Graph(large.graph.nodes().filter((_, i) => i % 4 !== 1));
    const after = recordPass("p", large, large.with({ graph }));
    expect(after.graph).toBe(graph);
    expect(undo(after).graph.nodes()).toEqual(large.graph.nodes());
  });
});
