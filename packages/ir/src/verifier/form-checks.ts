/**
 * @file The form of nodes by their kind: what placeholders, reads of graphs and outputs may hold.
 */

import { describeValue } from "@sconce/errors";
import type { Graph } from "../graph/graph.js";
import type { Node } from "../graph/node.js";
import type { Report } from "../graph/problem.js";
import { targetKind } from "../graph/target.js";
import { type Argument, forEachRef, isRef, itemsOf } from "../values/argument.js";

const count = (values: object): number => Object.keys(values).length;

/** A placeholder has no arguments but a default value, which reads no node. */
export function checkPlaceholder({ name, args, kwargs }: Node, report: Report): void {
  const given = args.length + count(kwargs);
  if (given > 1 || count(kwargs) > 0) {
    report(
      "PLACEHOLDER_ARGUMENTS",
      `Placeholder ${name} has ${given} arguments, and may have one: its default value`,
      name,
      "remove the arguments, or make the node a call_function",
    );
    return;
  }
  let read: string | undefined;
  for (const value of args) forEachRef(value, (node) => (read ??= node));
  if (read === undefined) return;
  report(
    "PLACEHOLDER_ARGUMENTS",
    `The default value of placeholder ${name} reads node ${read}`,
    name,
    "give a constant as the default value, or none",
  );
}

/** A `get_attr` has a target only. */
export function checkAttributeForm({ name, args, kwargs }: Node, report: Report): void {
  const given = args.length + count(kwargs);
  if (given === 0) return;
  report(
    "GET_ATTR_ARGUMENTS",
    `get_attr ${name} has ${given} arguments, and takes none`,
    name,
    "remove the arguments: the target alone names the nested graph",
  );
}

/** An output has one argument: the results. */
export function checkOutput(node: Node, graph: Graph, isRoot: boolean, report: Report): void {
  const { name, args, kwargs } = node;
  if (args.length !== 1 || count(kwargs) > 0) {
    report(
      "OUTPUT_ARGUMENTS",
      `Output ${name} has ${args.length} arguments and ${count(kwargs)} keyword arguments, and takes one argument`,
      name,
      "give the tuple of all results as the only argument",
    );
    return;
  }
  const results = itemsOf(args[0]!);
  if (results === undefined) checkResult(args[0]!, ONLY, node, graph, report);
  results?.forEach((value, i) => {
    const what = `Result ${i}`;
    if (isRoot && !isFlat(value)) {
      report(
        "OUTPUT_ARGUMENTS",
        `${what} of output ${name} is ${describeValue(value)}; a program returns nodes and constants only`,
        name,
        "flatten the results: the out_spec of the module call graph holds their structure",
      );
    } else checkResult(value, what, node, graph, report);
  });
}

/** A nested graph may return what a call gives, as it is. */
const ONLY = "The result";

const isFlat = (value: Argument): boolean => itemsOf(value) === undefined && !isKind(value, "dict");

const isKind = (value: Argument, kind: string): boolean =>
  typeof value === "object" && value !== null && "kind" in value && value.kind === kind;

function checkResult(value: Argument, what: string, output: Node, graph: Graph, report: Report): void {
  const node = isRef(value) ? graph.find(value.name) : undefined;
  if (node === undefined) return; // a constant, or reported with the structure of the graph
  const wrong =
    node.op === "get_attr" && graph.subgraphs.has(node.target)
      ? "a nested graph"
      : node.op === "output"
        ? "an output"
        : Array.isArray(node.meta.val) && what !== ONLY
          ? "a call with several results"
          : undefined;
  if (wrong === undefined) return;
  report(
    "OUTPUT_ARGUMENTS",
    `${what} of output ${output.name} is node ${node.name}, ${wrong}`,
    output.name,
    wrong === "a call with several results"
      ? "return the items of the call, which operator.getitem takes"
      : "return a node that has a value",
  );
}

/** Nested graphs are read by higher-order calls only. */
export function checkGraphReads(node: Node, graph: Graph, report: Report): void {
  if (graph.subgraphs.size === 0) return;
  if (node.op !== "call_function" || targetKind(node.target) === "higher_order") return;
  const check = (name: string): void => {
    const read = graph.find(name);
    if (read?.op !== "get_attr" || !graph.subgraphs.has(read.target)) return;
    report(
      "GRAPH_AS_VALUE",
      `Argument '${name}' of Node '${node.name}' is the nested graph ${read.target}, and ${node.target} takes values`,
      node.name,
      "pass the graph to a higher-order operator, or replace the argument",
    );
  };
  for (const arg of node.args) forEachRef(arg, check);
  for (const key of Object.keys(node.kwargs)) forEachRef(node.kwargs[key]!, check);
}
