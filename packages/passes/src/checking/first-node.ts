/** @file The first node whose value differs between two programs. */
import {
  type ExportedProgram,
  forEachInput,
  type Graph,
  isRef,
  itemsOf,
  type Node,
  type ProgramRunner,
  sourceLine,
  type Value,
} from "@sconce/ir";
import { dtypeInfo, Tensor } from "@sconce/tensor";
import { copyOf } from "../sampling/values.js";
import { giver } from "./closeness.js";
import { type Pair, type ResultDifference, valueDifference } from "./compare.js";
import { correspondence } from "./correspondence.js";
import { limitAfter, outcomeOf } from "./outcome.js";

export interface NodeDifference {
  /** The node after the pass, and the one before it that represents the same value. */
  readonly node: string;
  readonly before: string;
  readonly target: string;
  readonly problem: string;
  /** The user's line that the node comes from, `model.py:12`. */
  readonly line?: string | undefined;
}

/**
 * Runs both programs again, with the values of all nodes, and gives the first one after the pass
 * that differs from the node before it that it represents; one that the differing output depends
 * on, where there is one. Undefined when only nodes that represent nothing before differ.
 */
export function firstNode(
  run: ProgramRunner,
  pair: Pair,
  inputs: readonly Value[],
  difference: ResultDifference,
): NodeDifference | undefined {
  const { before, after, tolerance } = pair;
  const values = new Map<string, unknown>();
  const { iterations } = outcomeOf(run, before, inputs, (node, value) =>
    values.set(node.name, snapshot(value)),
  );
  const same = correspondence(before, after);
  const needed = dependencies(after.graph, outputNode(after, difference.output));
  const found: NodeDifference[] = [];
  const compare = (node: Node, value: unknown): void => {
    const name = same.get(node.name);
    if (name === undefined || found.some((earlier) => needed.has(earlier.node))) return;
    const problem = values.has(name) ? valueDifference(value, values.get(name), tolerance) : undefined;
    if (problem !== undefined)
      found.push({
        node: node.name,
        before: name,
        target: node.target,
        problem,
        line: sourceLine(node),
      });
  };
  try {
    outcomeOf(run, after, giver(after, tolerance)(inputs), compare, limitAfter(iterations));
  } catch {
    // A program that fails has shown what it computed before.
  }
  return found.find(({ node }) => needed.has(node)) ?? found[0];
}

/** Returns the node of an output; undefined for results that are not outputs. */
export function outputNode(program: ExportedProgram, output: number | undefined): string | undefined {
  const value = output === undefined ? undefined : program.userOutputs[output];
  return value !== undefined && "name" in value ? value.name : undefined;
}

/**
 * Returns all nodes that a node is computed from, itself included; those of all outputs when none
 * is given.
 */
function dependencies(graph: Graph, name: string | undefined): Set<string> {
  const needed = new Set<string>();
  if (name !== undefined) needed.add(name);
  else for (const value of itemsOf(graph.outputArgument()) ?? []) if (isRef(value)) needed.add(value.name);
  for (const node of graph.nodes().toReversed())
    if (needed.has(node.name)) forEachInput(node, (input) => needed.add(input));
  return needed;
}

/**
 * Returns a value as it is now: later nodes may write to it. Of a small view of a large storage
 * only the view is kept.
 */
export function snapshot(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snapshot);
  if (!(value instanceof Tensor)) return value;
  const bytes = value.numel * dtypeInfo(value.dtype).itemSize;
  return value.storage.byteLength <= 2 * bytes
    ? copyOf(value)
    : Tensor.from(value.toArray(), value.shape, value.dtype);
}
