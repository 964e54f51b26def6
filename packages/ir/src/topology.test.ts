import { expect, test } from "vitest";
import { Graph } from "./graph/graph.js";
import type { Node } from "./graph/node.js";
import { parseGraph } from "./ir-text/parse-program.js";
import { topologyOf } from "./topology.js";
import { ref } from "./values/argument.js";

const graph = parseGraph(`graph(%x, %y) {
  %a = aten.mul.Tensor(%x, %x)
  %b = aten.neg.default(%a)
  %c = aten.add.Tensor(%a, %b)
  %d = aten.abs.default(%y)
  return (%c)
}`);

test("a multigraph with positions as keys, built once for each version", () => {
  const topology = topologyOf(graph);
  expect(topologyOf(graph)).toBe(topology);
  expect(topology.network.order).toBe(7);
  expect(topology.network.edges(0, 2).length).toBe(2);
});

test("reachability", () => {
  const topology = topologyOf(graph);
  expect(topology.descendants("a")).toEqual(["b", "c", "output"]);
  expect(topology.ancestors("c")).toEqual(["x", "a", "b"]);
  expect(topology.reaches("x", "c")).toBe(true);
  expect(topology.reaches("y", "c")).toBe(false);
});

test("layers, components, convexity, cycles", () => {
  const topology = topologyOf(graph);
  expect(topology.layers()).toEqual([["x", "y"], ["a", "d"], ["b"], ["c"], ["output"]]);
  expect(topology.components()).toEqual([
    ["x", "a", "b", "c", "output"],
    ["y", "d"],
  ]);
  expect(topology.isConvex(["a", "b"])).toBe(true);
  expect(topology.isConvex(["a", "c"])).toBe(false);
  expect(topology.cycles()).toEqual([]);
});

test("cycles of a broken graph are found without recursion", () => {
  const size = 20_000;
  const nodes = Array.from(
    { length: size },
    (_, i): Node => ({
      name: `n${i}`,
      op: "call_function",
      target: "aten.neg.default",
      args: [ref(`n${(i + 1) % size}`)],
      kwargs: {},
      meta: {},
    }),
  );
  expect(
    topologyOf(new Graph(nodes))
      .cycles()
      .map((cycle) => cycle.length),
  ).toEqual([size]);
  const self: Node = { ...nodes[0]!, args: [ref("n0")] };
  expect(topologyOf(new Graph([self])).cycles()).toEqual([["n0"]]);
});
