import { checkOptions } from "@sconce/errors";
import type { Argument } from "../values/argument.js";
import { type NodeRef, ref } from "../values/argument.js";
import type { NodeMeta } from "../values/meta.js";
import { unknownTarget } from "./errors.js";
import { Graph } from "./graph.js";
import { TARGETS, type TargetOptions, targetProblem } from "./known-targets.js";
import { NO_KWARGS, NO_META, type Node } from "./node.js";

/**
 * Append-only construction of a graph. Names are the caller's business; see `Namespace` for
 * PyTorch's rule.
 */
export class GraphBuilder {
  readonly #nodes: Node[] = [];
  readonly #subgraphs = new Map<string, Graph>();
  readonly #targets: TargetOptions;
  /** Targets that were looked at and exist. */
  readonly #known = new Set<string>();

  /**
   * @param targets what may be called; without a table of operators only their spelling is checked
   */
  constructor(targets: TargetOptions = {}) {
    checkOptions("GraphBuilder", targets, TARGETS);
    this.#targets = targets;
  }

  /** @throws SconceError `UNKNOWN_TARGET` for a call of what does not exist */
  add(node: Node): NodeRef {
    if (node.op === "call_function") this.#requireTarget(node);
    this.#nodes.push(Object.isFrozen(node) ? node : Object.freeze(node));
    return ref(node.name);
  }

  #requireTarget({ name, target }: Node): void {
    if (this.#known.has(target)) return;
    const problem = targetProblem(target, this.#targets);
    if (problem !== undefined) throw unknownTarget(problem, name);
    this.#known.add(target);
  }

  /** Adds an input and returns a reference to it. */
  placeholder(name: string, meta: NodeMeta = NO_META, target: string = name): NodeRef {
    return this.add({ name, op: "placeholder", target, args: [], kwargs: NO_KWARGS, meta });
  }

  /** Adds a read of an attribute, with the nested graph that it holds, and returns a reference. */
  getAttr(name: string, target: string, subgraph?: Graph, meta: NodeMeta = NO_META): NodeRef {
    if (subgraph !== undefined) this.#subgraphs.set(target, subgraph);
    return this.add({ name, op: "get_attr", target, args: [], kwargs: NO_KWARGS, meta });
  }

  /** Adds a call and returns a reference to its result. */
  call(
    name: string,
    target: string,
    args: readonly Argument[],
    kwargs: Readonly<Record<string, Argument>> = NO_KWARGS,
    meta: NodeMeta = NO_META,
  ): NodeRef {
    return this.add({ name, op: "call_function", target, args, kwargs, meta });
  }

  /**
   * Ends the graph. `result` is the tuple of outputs, or a bare value in a subgraph that returns
   * one.
   */
  output(result: Argument, meta: NodeMeta = NO_META): void {
    this.add({ name: "output", op: "output", target: "output", args: [result], kwargs: NO_KWARGS, meta });
  }

  /** Adds a nested graph under the target that `get_attr` reads it by. */
  subgraph(target: string, graph: Graph): void {
    this.#subgraphs.set(target, graph);
  }

  /** Adds nodes, and nested graphs by target. @throws SconceError `UNKNOWN_TARGET` */
  addAll(nodes: Iterable<Node>, subgraphs: Iterable<readonly [target: string, graph: Graph]> = []): this {
    for (const [target, graph] of subgraphs) this.subgraph(target, graph);
    for (const node of nodes) this.add(node);
    return this;
  }

  /** Returns the graph of all nodes added so far. */
  build(): Graph {
    return new Graph(this.#nodes.slice(), new Map(this.#subgraphs));
  }
}
