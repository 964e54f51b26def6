/**
 * @file Who would share memory after a rewrite that did not before. Nothing writes in a functional
 * program, so inside of it that makes no difference; but a caller writes to what he is given, and
 * to what he gave, and the end of a program writes to its inputs and buffers.
 */
import { isRef, type Node } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { forEachAliasedInput } from "../analysis/aliases.js";
import type { Replaced } from "./replacement.js";
import type { WorkGraph } from "./work-graph.js";

/** What a rewrite is about to do. */
export interface Exchange {
  /** Nodes that are not in the graph yet. */
  readonly nodes: readonly Node[];
  readonly values: readonly Replaced[];
}

/**
 * Returns why the values may not take their places, or undefined when they may: an output would be
 * an input, a view of one (of a parameter, of a buffer), or would share the memory of another
 * output.
 */
export function sharingProblem(
  graph: WorkGraph,
  operators: OperatorTable,
  exchange: Exchange,
): string | undefined {
  return isFreshCall(operators, exchange) ? undefined : new Sharing(graph, operators, exchange).problem();
}

/**
 * Returns whether one value is exchanged for a new call that makes its own memory: the usual case,
 * which shares nothing.
 */
function isFreshCall(operators: OperatorTable, { nodes, values }: Exchange): boolean {
  const node = nodes[nodes.length - 1];
  if (values.length !== 1 || node === undefined || node.name !== values[0]!.value.name) return false;
  if (node.target === "operator.getitem") return false;
  let aliases = false;
  forEachAliasedInput(node, operators, () => {
    aliases = true;
  });
  return !aliases;
}

class Sharing {
  readonly #graph: WorkGraph;
  readonly #operators: OperatorTable;
  /** Names of nodes with the names of those that take their places. */
  readonly #values: ReadonlyMap<string, string>;
  readonly #new: ReadonlyMap<string, Node>;

  constructor(graph: WorkGraph, operators: OperatorTable, { nodes, values }: Exchange) {
    this.#graph = graph;
    this.#operators = operators;
    this.#values = new Map(values.map(({ root, value }) => [root.node.name, value.name]));
    this.#new = new Map(nodes.map((node) => [node.name, node]));
  }

  problem(): string | undefined {
    /** Memory that an output of this rewrite has, and did not have before, with that output. */
    const taken = new Map<string, string>();
    for (const [name, value] of this.#values) {
      if (this.#find(value)?.op === "placeholder" && this.#isOutput(name))
        return `an output would be the input %${value} itself`;
      const owners = this.#owners(value);
      const before = this.#owners(name);
      const added = [...owners].filter((owner) => !before.has(owner) && this.#matters(owner));
      if (added.length === 0 || !this.#leaves(name)) continue;
      for (const owner of added) {
        if (this.#find(owner)?.op === "placeholder")
          return `an output would be a view of the input %${owner}`;
        const other = taken.get(owner) ?? (this.#leaves(owner) ? owner : undefined);
        if (other !== undefined) return `the outputs %${name} and %${other} would share memory`;
        taken.set(owner, name);
      }
    }
    return undefined;
  }

  /** New memory can be shared by two of the values only. */
  #matters(owner: string): boolean {
    return this.#values.size > 1 || !this.#new.has(owner);
  }

  #find(name: string): Node | undefined {
    return this.#new.get(name) ?? this.#graph.find(name);
  }

  #isOutput(name: string): boolean {
    return this.#users(name).some(({ op }) => op === "output");
  }

  #users(name: string): Node[] {
    const slot = this.#graph.slot(name);
    return slot === undefined ? [] : [...this.#graph.users(slot)].flatMap(({ node }) => node ?? []);
  }

  /**
   * Returns the nodes whose memory a value may be: those behind its views that are views of
   * nothing.
   */
  #owners(name: string): Set<string> {
    const owners = new Set<string>();
    // Grows as it is read.
    const seen = new Set([name]);
    for (const next of seen) {
      const node = this.#find(next);
      const sources = node?.op === "call_function" ? this.#sources(node) : [];
      if (sources.length === 0) owners.add(next);
      for (const source of sources) seen.add(source);
    }
    return owners;
  }

  /** Inputs that share memory with a call's result. */
  #sources(node: Node): string[] {
    const names: string[] = [];
    forEachAliasedInput(node, this.#operators, (name) => names.push(name));
    // Each result of a call that makes several has its own memory.
    const [from] = node.args;
    if (node.target !== "operator.getitem" || !isRef(from)) return names;
    const call = this.#find(from.name);
    return call?.op === "call_function" && this.#sources(call).length === 0 ? [] : names;
  }

  /** Returns whether the caller gets a value, or a view of it. */
  #leaves(name: string): boolean {
    if (this.#new.has(name)) return false;
    const seen = new Set([name]);
    for (const next of seen) {
      for (const user of this.#users(next)) {
        if (user.op === "output") return true;
        if (user.op === "call_function" && this.#sources(user).includes(next)) seen.add(user.name);
      }
    }
    return false;
  }
}
