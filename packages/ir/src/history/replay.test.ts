import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { edit } from "../graph/edit.js";
import { Graph } from "../graph/graph.js";
import type { Node } from "../graph/node.js";
import { printIr, tensorsOf } from "../ir-text/print-program.js";
import { ref } from "../values/argument.js";
import { firstVersion, fold, retarget, weights } from "./history.fixture.js";
import { historyFromJson, historyTensors, historyToJson } from "./json.js";
import { recordedHistory, replay, restoreHistory } from "./replay.js";
import { recordPass, redo, undo } from "./versions.js";

const first = firstVersion();
const last = fold(retarget(first, "aten.abs.default"));
const allTensors = new Map([...tensorsOf(last), ...historyTensors(last)]);

describe("replay", () => {
  test("makes the same changes to another program with the same graph", () => {
    const twin = firstVersion(first.stateDict);
    const replayed = replay(last, twin);
    expect(printIr(replayed)).toBe(printIr(last));
    expect(replayed.history.map(({ pass, call }) => [pass, call])).toEqual([
      ["retarget", "retarget{to=aten.abs.default}"],
      ["fold", undefined],
    ]);
    expect(printIr(undo(replayed, 2))).toBe(printIr(twin));
    expect(replayed.constants.get("k")).toBe(last.constants.get("k"));
  });

  test("tensors computed from weights do not replay onto other weights, unless sameWeights is set", () => {
    const twin = firstVersion(weights());
    expect(() => replay(last, twin)).toThrow(/the pass "fold" computed w, k from weights that may be others/);
    expect(() => replay(recordedHistory(last), first)).toThrow(/say sameWeights/);
    expect(printIr(replay(last, twin, { sameWeights: true }))).toBe(printIr(last));
  });

  test("values that are not a history are refused, program.history too", () => {
    for (const given of [last.history, "text", {}, null])
      expect(() => replay(given as never, first)).toThrow(
        expect.objectContaining({ code: "HISTORY_FORMAT" }),
      );
    expect(() => replay(last.history as never, first)).toThrow(/not program\.history/);
  });

  test.each([
    [
      "another node",
      (e: { replaceNode(n: string, p: object): void }) => e.replaceNode("a", { target: "aten.exp.default" }),
      /the graph has %a: f32\[2\] = aten\.exp\.default\(%x\) where the history has/,
    ],
  ])("a graph that does not fit is refused: %s", (_, change, message) => {
    const other = first.with({ graph: edit(first.graph, change) });
    expect(() => replay(last, other)).toThrow(message);
  });

  test("so is one whose other parts do not fit", () => {
    expect(() => replay(last, first.with({ dialect: "MINE" }))).toThrow(
      /the program has program "MINE" \{ where the history has program "TRAINING" \{/,
    );
    const graph = edit(first.graph, (e) => e.setSubgraph("body", undefined));
    expect(() => replay(last, first.with({ graph }))).toThrow(/the nested graph "body" is not there/);
  });

  test("and a result that would not be a graph", () => {
    const after = recordPass(
      "insert",
      first,
      first.with({
        graph: edit(first.graph, (e) => e.insertAfter("b", { ...first.graph.node("b"), name: "more" })),
      }),
    );
    const other = first.with({
      graph: edit(first.graph, (e) => e.insertBefore("a", { ...first.graph.node("a"), name: "more" })),
    });
    expect(() => replay(after, other)).toThrow(/there would be two nodes "more"/);
  });

  test("a removed node that the other graph still uses, and a graph without nodes", () => {
    const inserted = { ...first.graph.node("b"), name: "more" };
    const before = first.with({ graph: edit(first.graph, (e) => e.insertAfter("b", inserted)) });
    const after = recordPass(
      "remove",
      before,
      before.with({ graph: edit(before.graph, (e) => e.remove("more")) }),
    );
    const user = { ...inserted, name: "user", args: [ref("more")] };
    const used = before.with({ graph: edit(before.graph, (e) => e.insertAfter("more", user)) });
    const mismatch = expect.objectContaining({ code: "HISTORY_MISMATCH" });
    expect(() => replay(after, used)).toThrow(mismatch);
    const empty = before.with({ graph: new Graph([], before.graph.subgraphs) });
    expect(() => replay(after, empty)).toThrow(mismatch);
  });
});

describe("JSON", () => {
  test("a history is read back and works on the program that was kept beside it", () => {
    const history = historyFromJson(historyToJson(last), allTensors);
    const bare = last.with({ history: [] });
    const restored = restoreHistory(bare, history);
    expect(printIr(restored)).toBe(printIr(last));
    expect(restored.history.map(({ pass }) => pass)).toEqual(["retarget", "fold"]);
    const back = undo(restored, 2);
    expect(printIr(back)).toBe(printIr(first));
    expect(back.stateDict.get("w")).toBe(first.stateDict.get("w"));
    expect(back.graph.node("p_w")).toBe(last.graph.node("p_w"));
  });

  test("it replays as well", () => {
    const history = historyFromJson(historyToJson(last), allTensors);
    expect(printIr(replay(history, first, { sameWeights: true }))).toBe(printIr(last));
  });

  test("only the tensors of earlier versions lie beside it", () => {
    expect([...historyTensors(last)]).toEqual([["history.0", first.stateDict.get("w")]]);
    expect(() => historyFromJson(historyToJson(last), tensorsOf(last))).toThrow(
      /the tensor "history\.0" is not given/,
    );
  });

  test("another program than the last version is refused", () => {
    const history = historyFromJson(historyToJson(last), allTensors);
    expect(() => restoreHistory(first, history)).toThrow(/where the history has/);
  });

  const step = {
    pass: "p",
    graph: { splices: [], removed: "graph() {}", added: "graph() {}" },
    lines: [],
    tensors: { before: {}, after: {} },
  };
  const withStep = (change: object): string =>
    JSON.stringify({ format: "sconce-history", version: 1, steps: [{ ...step, ...change }] });
  const deep = (depth: number): object =>
    depth === 0 ? step.graph : { ...step.graph, nested: [{ target: "g", change: deep(depth - 1) }] };

  test("what is empty is read", () => {
    expect(historyFromJson(withStep({})).steps).toHaveLength(1);
  });

  test.each([
    ["no JSON", "{", /it is not JSON/],
    ["no object", "[]", /an object is expected/],
    ["another format", JSON.stringify({ format: "x", version: 1, steps: [] }), /not a sconce-history/],
    ["a version that is not a number", JSON.stringify({ format: "sconce-history" }), /a count is expected/],
    ["no steps", JSON.stringify({ format: "sconce-history", version: 1 }), /a list is expected/],
    ["a pass that is not a text", withStep({ pass: 3 }), /a text is expected/],
    ["a negative place", withStep({ lines: [[-1, [], []]] }), /a count is expected/],
    ["lines that are not texts", withStep({ lines: [[0, [1], []]] }), /a text is expected/],
    ["nodes that cannot be read", withStep({ graph: { ...step.graph, added: "graph(" } }), /cannot be read/],
    [
      "nodes that no splice takes",
      withStep({ graph: { ...step.graph, added: "graph(%x) {}" } }),
      /do not add up/,
    ],
    ["splices without nodes", withStep({ graph: { ...step.graph, splices: [[0, 1, 0]] } }), /do not add up/],
    [
      "a nested graph both ways",
      withStep({
        graph: { ...step.graph, nested: [{ target: "g", added: "graph() {}", removed: "graph() {}" }] },
      }),
      /either changed, removed or added/,
    ],
    ["graphs that nest too deep", withStep({ graph: deep(300) }), /nest more than 200 deep/],
    [
      "tensors that are not there",
      withStep({ tensors: { before: { __proto__x: "w" }, after: {} } }),
      /is not given/,
    ],
  ])("%s is refused", (_, text, message) => {
    expect(() => historyFromJson(text)).toThrow(message);
    expect(() => historyFromJson(text)).toThrow(expect.objectContaining({ code: "HISTORY_FORMAT" }));
  });

  test.each([
    ["a place past the end", [[99, 0, 0]]],
    [
      "places that go back",
      [
        [3, 0, 0],
        [1, 0, 0],
      ],
    ],
  ])("%s is refused when it is used", (_, splices) => {
    const history = historyFromJson(withStep({ graph: { ...step.graph, splices } }));
    expect(() => replay(history, first)).toThrow(expect.objectContaining({ code: "HISTORY_MISMATCH" }));
  });
});

describe("any change of the list of nodes", () => {
  const names = fc.uniqueArray(fc.integer({ min: 0, max: 60 }), { maxLength: 50 });
  const graphOf = (list: readonly number[], old: Graph): Graph =>
    new Graph([
      ...list.map(
        (i): Node =>
          old.find(`n${i}`) ?? {
            name: `n${i}`,
            op: "call_function",
            target: "aten.f.default",
            args: [i],
            kwargs: {},
            meta: {},
          },
      ),
      first.graph.node("output"),
    ]);

  test("is undone, redone, replayed and restored", () => {
    fc.assert(
      fc.property(fc.array(names, { minLength: 1, maxLength: 4 }), ([start, ...lists]) => {
        const empty = first.with({ graph: new Graph([{ ...first.graph.node("output"), args: [null] }]) });
        const output = (graph: Graph): Graph => edit(graph, (e) => e.setOutput(null));
        const base = empty.with({ graph: output(graphOf(start!, empty.graph)) });
        let current = base;
        for (const list of lists)
          current = recordPass("p", current, current.with({ graph: output(graphOf(list, current.graph)) }));
        const steps = current.history.length;
        expect(printIr(undo(current, steps))).toBe(printIr(base));
        expect(printIr(redo(undo(current, steps), steps))).toBe(printIr(current));
        expect(printIr(replay(current, base))).toBe(printIr(current));
        const history = historyFromJson(historyToJson(current));
        expect(printIr(replay(history, base))).toBe(printIr(current));
        const restored = restoreHistory(current.with({ history: [] }), history);
        expect(printIr(undo(restored, steps))).toBe(printIr(base));
      }),
      { seed: 11 },
    );
  });
});
