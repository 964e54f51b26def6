import { expect, test } from "vitest";
import * as diff from "./diff.js";
import * as history from "./history.js";
import * as api from "./index.js";
import { edit, ref } from "./index.js";
import * as text from "./text.js";
import { parseGraph, printIr } from "./text.js";
import * as topology from "./topology.js";

test("the example of the README", () => {
  const graph = parseGraph(`graph(%x: f32[4]) {
    %a: f32[4] = aten.neg.default(%x)
    %b: f32[4] = aten.neg.default(%a)
    return (%b)
  }`);
  const next = edit(graph, (e) => {
    e.replaceAllUses("b", ref("x"));
    e.remove("b");
    e.remove("a");
  });
  expect(printIr(next)).toBe("graph(%x: f32[4]) {\n  return (%x)\n}\n");
});

test("public names", () => {
  expect(Object.keys(api).sort()).toMatchSnapshot();
});

test("public names of the smaller entry points", () => {
  expect(Object.keys(diff)).toEqual(["alignNames", "diffPrograms", "unifiedDiff"]);
  expect(Object.keys(text).sort()).toEqual([
    "IrCursor",
    "MAX_HOLES",
    "PARSE_GRAPH_OPTIONS",
    "PARSE_IR_OPTIONS",
    "argumentText",
    "parseArgument",
    "parseGraph",
    "parseIr",
    "printIr",
    "shortTarget",
    "tensorsOf",
  ]);
  expect(Object.keys(topology).sort()).toEqual(["Topology", "topologyOf"]);
  expect(Object.keys(history)).toEqual([
    "historyFromJson",
    "historyTensors",
    "historyToJson",
    "provenance",
    "recordedHistory",
    "replay",
    "restoreHistory",
  ]);
});
