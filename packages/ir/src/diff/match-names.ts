/** @file Which nodes of two graphs are the same, whatever they are called. */

import type { Graph } from "../graph/graph.js";
import { Namespace } from "../graph/namespace.js";
import type { Node } from "../graph/node.js";
import { ExpressionWriter } from "../ir-text/expressions.js";
import { nodeLine } from "../ir-text/print-graph.js";
import { align, hunksOf } from "../support/align.js";
import { mapRefs, ref } from "../values/argument.js";
import type { GraphNames } from "./rename.js";

/**
 * Names for the nodes of `b` such that those that do the same as a node of `a` are called like it.
 * First come nodes that compute the same of the same; between those, nodes of the same operator in
 * order, then as many in the same place. Others keep their name, or get a fresh one where `a` has
 * it already.
 */
export function matchNames(a: Graph, b: Graph): GraphNames {
  return new Matching().match(a, b);
}

class Matching {
  readonly #writer = new ExpressionWriter();
  /** Numbers of node texts in which inputs are numbers, too: equal numbers compute the same. */
  readonly #numbers = new Map<string, number>();

  match(a: Graph, b: Graph): GraphNames {
    const pairs = this.#pairs(a, b);
    const nodes = new Map(pairs.map(([left, right]) => [right.name, left.name]));
    const names = new Namespace();
    for (const { name } of a.nodes()) names.reserve(name);
    for (const { name } of b.nodes()) {
      if (nodes.has(name)) continue;
      const fresh = a.has(name) ? names.create(name) : name;
      if (fresh !== name) nodes.set(name, fresh);
    }
    return { nodes, nested: this.#nested(a, b, pairs) };
  }

  #nested(a: Graph, b: Graph, pairs: readonly (readonly [Node, Node])[]): GraphNames["nested"] {
    const nested = new Map<string, readonly [string, GraphNames]>();
    for (const [left, right] of pairs) {
      if (left.op !== "get_attr" || right.op !== "get_attr") continue;
      const [from, to] = [b.subgraphs.get(right.target), a.subgraphs.get(left.target)];
      if (from !== undefined && to !== undefined && !nested.has(right.target))
        nested.set(right.target, [left.target, this.match(to, from)]);
    }
    return nested;
  }

  #pairs(a: Graph, b: Graph): [Node, Node][] {
    const [left, right] = [a.nodes(), b.nodes()];
    const [keysA, keysB] = [this.#keys(a), this.#keys(b)];
    const match = align(keysA, keysB);
    const pairs: [Node, Node][] = [];
    match.forEach((j, i) => {
      if (j >= 0) pairs.push([left[i]!, right[j]!]);
    });
    for (const { startA, endA, startB, endB } of hunksOf(match, right.length))
      pairs.push(...likelyPairs(left.slice(startA, endA), right.slice(startB, endB)));
    return pairs;
  }

  /** Returns what each node computes; the second of equal ones counts as another. */
  #keys(graph: Graph): string[] {
    const numbers = new Map<string, number>();
    const seen = new Map<number, number>();
    let inputs = 0;
    return graph.nodes().map((node) => {
      const text = node.op === "placeholder" ? `input ${inputs++}` : this.#text(node, graph, numbers);
      const number = this.#number(text);
      numbers.set(node.name, number);
      const count = seen.get(number) ?? 0;
      seen.set(number, count + 1);
      return `${number}.${count}`;
    });
  }

  #number(text: string): number {
    const known = this.#numbers.get(text);
    if (known !== undefined) return known;
    this.#numbers.set(text, this.#numbers.size);
    return this.#numbers.size - 1;
  }

  #text(node: Node, graph: Graph, numbers: ReadonlyMap<string, number>): string {
    const number = (use: { readonly name: string }): ReturnType<typeof ref> =>
      ref(`n${numbers.get(use.name) ?? -1}`);
    const nested = node.op === "get_attr" ? graph.subgraphs.get(node.target) : undefined;
    if (nested !== undefined) return `graph ${this.#keys(nested).join(" ")}`;
    const kwargs = Object.fromEntries(
      Object.entries(node.kwargs).map(([key, value]) => [key, mapRefs(value, number)]),
    );
    const anonymous = { ...node, name: "_", args: node.args.map((arg) => mapRefs(arg, number)), kwargs };
    return nodeLine(anonymous, this.#writer);
  }
}

/**
 * Nodes of the same operator in order; where as many are left on both sides, those in the same
 * place.
 */
function likelyPairs(old: readonly Node[], now: readonly Node[]): [Node, Node][] {
  const match = align(old.map(kindOf), now.map(kindOf));
  const pairs: [Node, Node][] = [];
  match.forEach((j, i) => {
    if (j >= 0) pairs.push([old[i]!, now[j]!]);
  });
  for (const { startA, endA, startB, endB } of hunksOf(match, now.length)) {
    if (endA - startA !== endB - startB) continue;
    for (let i = startA, j = startB; i < endA; i++, j++)
      if (old[i]!.op === now[j]!.op) pairs.push([old[i]!, now[j]!]);
  }
  return pairs;
}

const kindOf = (node: Node): string => `${node.op} ${node.op === "call_function" ? node.target : ""}`;
