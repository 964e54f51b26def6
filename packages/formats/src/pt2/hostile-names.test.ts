import { test } from "vitest";
import { argument, expectRefused, graph, type HostileCase, node } from "./hostile.fixture.js";
import { loose } from "./pt2.fixture.js";

const CASES: readonly HostileCase[] = [
  // Targets.
  [
    "a function of the host",
    "UNKNOWN_OPERATOR",
    "nodes[1].target",
    node((n) => {
      n["target"] = loose("torch.os.system");
    }),
  ],
  [
    "another host function",
    "UNKNOWN_OPERATOR",
    "nodes[1].target",
    node((n) => {
      n["target"] = loose("os.system");
    }),
  ],
  [
    "a Python operator that is not allowed",
    "UNKNOWN_OPERATOR",
    "nodes[1].target",
    node((n) => {
      n["target"] = loose("_operator.attrgetter");
    }),
  ],
  [
    "a prototype as target",
    "PT2_TARGET",
    "nodes[1].target",
    node((n) => {
      n["target"] = loose("__proto__");
    }),
  ],
  [
    "code as target",
    "PT2_TARGET",
    "nodes[1].target",
    node((n) => {
      n["target"] = loose("torch.ops.aten.add.Tensor(x); import os");
    }),
  ],
  // Names.
  [
    "use before definition",
    "PT2_NAME",
    "nodes[0]",
    graph((g) => {
      g["nodes"]!.reverse();
    }),
  ],
  [
    "a dangling name",
    "PT2_NAME",
    "nodes[1].inputs[1].arg.as_tensor.name",
    argument({ as_tensor: { name: "nowhere" } }),
  ],
  ["a self reference", "PT2_NAME", "nodes[1]", argument({ as_tensor: { name: "add" } })],
  [
    "a name defined twice",
    "PT2_NAME",
    "nodes[1]",
    node((n) => {
      n["outputs"]![0] = loose({ as_tensor: { name: "mul" } });
    }),
  ],
  [
    "an input given twice",
    "PT2_NAME",
    "graph.inputs[1]",
    graph((g) => {
      g["inputs"]![1] = g["inputs"]![0]!;
    }),
  ],
  [
    "an empty name",
    "PT2_NAME",
    "outputs[0]",
    node((n) => {
      n["outputs"]![0] = loose({ as_tensor: { name: "" } });
    }),
  ],
  [
    "markup as name",
    "PT2_NAME",
    "outputs[0]",
    node((n) => {
      n["outputs"]![0] = loose({ as_tensor: { name: "<script>" } });
    }),
  ],
  [
    "a value without metadata",
    "PT2_NAME",
    "nodes[1]",
    graph((g) => {
      delete (g["tensor_values"] as unknown as Record<string, unknown>)["add"];
    }),
  ],
];

test.each(CASES)("targets and names: %s", expectRefused);
