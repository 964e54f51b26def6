import { foreignInstance, markClass } from "@sconce/errors";
import { COPY } from "../this-copy.js";
import type { Argument } from "../values/argument.js";
import { nodeNotFound, noOutput } from "./errors.js";
import { GraphIndex } from "./graph-index.js";
import type { Node } from "./node.js";
import { type GraphState, makeState } from "./node-store.js";
import type { OperandTable } from "./operands.js";

/** Largest graph whose names are searched for a suggestion. */
const MOST_SUGGESTED = 10_000;
const NO_SUBGRAPHS: ReadonlyMap<string, Graph> = new Map();

/**
 * An immutable graph, made by {@link GraphBuilder} or a parser: nodes in topological order, and
 * nested graphs by the target of the `get_attr` that reads them. `edit` and `rebuild` make changed
 * versions; versions share everything that is the same.
 */
export class Graph {
  static {
    markClass(Graph, "Graph", COPY);
  }

  /** Nested graphs by the target of the `get_attr` that reads them. */
  readonly subgraphs: ReadonlyMap<string, Graph>;
  readonly #state: GraphState<Graph>;
  readonly #index: GraphIndex;

  constructor(
    nodes: readonly Node[],
    subgraphs: ReadonlyMap<string, Graph> = NO_SUBGRAPHS,
    version?: GraphVersion,
  ) {
    this.#state = version?.state ?? makeState(nodes, [...subgraphs]);
    this.#index = version?.index ?? new GraphIndex(this.#state, Object.freeze(nodes));
    this.subgraphs = subgraphs;
  }

  /** Number of nodes, placeholders and output included; nested graphs are not counted. */
  get size(): number {
    return this.#index.starts[this.#state.pages.length]!;
  }

  /** Returns the nodes in graph order. */
  nodes(): readonly Node[] {
    return this.#index.nodes;
  }

  /** Returns the node at a position in graph order. */
  nodeAt(position: number): Node {
    return this.#index.nodes[position]!;
  }

  /** Returns whether the graph has a node of this name; nested graphs are not searched. */
  has(name: string): boolean {
    return this.#index.position(name) >= 0;
  }

  /** @throws SconceError `NODE_NOT_FOUND` */
  node(name: string): Node {
    return this.#index.at(this.indexOf(name));
  }

  /** Returns the node of this name, or undefined. */
  find(name: string): Node | undefined {
    const position = this.#index.position(name);
    return position < 0 ? undefined : this.#index.at(position);
  }

  /** Position in graph order; -1 when there is no node of this name. */
  positionOf(name: string): number {
    return this.#index.position(name);
  }

  /**
   * Position in graph order.
   * @throws SconceError `NODE_NOT_FOUND`
   */
  indexOf(name: string): number {
    const position = this.#index.position(name);
    if (position < 0)
      throw nodeNotFound(name, this.size > MOST_SUGGESTED ? [] : this.nodes().map((node) => node.name));
    return position;
  }

  /**
   * Distinct nodes that use this one, in graph order; empty for a name that the graph does not
   * have.
   */
  users(name: string): readonly Node[] {
    const position = this.#index.position(name);
    if (position < 0) return [];
    const found: Node[] = [];
    this.forEachUser(position, (user) => found.push(this.nodeAt(user)));
    return found;
  }

  /**
   * Calls `visit` with the position of each distinct user of the node at a position, in graph
   * order.
   */
  forEachUser(position: number, visit: (user: number) => void): void {
    const { offsets, users } = this.#index.users;
    for (let i = offsets[position]!; i < offsets[position + 1]!; i++) visit(users[i]!);
  }

  /** Number of distinct users of the node at a position. */
  userCount(position: number): number {
    const { offsets } = this.#index.users;
    return offsets[position + 1]! - offsets[position]!;
  }

  /**
   * The operands of every node, by position: for passes that look at many nodes. Made once for a
   * version; finding each input by its name costs several times as much.
   */
  get operands(): OperandTable {
    return this.#index.operands;
  }

  /**
   * Returns whether names are unique, and every input of a node comes before it: the structure that
   * the verifier asks for.
   */
  isOrdered(): boolean {
    return this.#index.isOrdered;
  }

  /** Returns the inputs of the graph, in calling order. */
  placeholders(): Node[] {
    return this.nodes().filter((node) => node.op === "placeholder");
  }

  /** Returns the calls of the graph, in order. */
  calls(): Node[] {
    return this.nodes().filter((node) => node.op === "call_function");
  }

  /** @throws SconceError `NO_OUTPUT` */
  outputNode(): Node {
    const last = this.size > 0 ? this.#index.at(this.size - 1) : undefined;
    if (last?.op !== "output") throw noOutput();
    return last;
  }

  /**
   * Returns the single argument of the output node: a tuple of results, or a bare value in some
   * subgraphs.
   */
  outputArgument(): Argument {
    return this.outputNode().args[0]!;
  }

  /** Returns the storage of this version, for the modules that make new ones. */
  static stateOf(graph: Graph): GraphState<Graph> {
    if (!(#state in graph)) throw foreignInstance(graph, "Graph", COPY);
    return graph.#state;
  }

  /** Returns what is derived from this version. */
  static indexOf(graph: Graph): GraphIndex {
    if (!(#index in graph)) throw foreignInstance(graph, "Graph", COPY);
    return graph.#index;
  }

  /**
   * Returns the graph of a state that came from `before`; `before` itself when the state is its
   * own.
   */
  static version(before: Graph, state: GraphState<Graph>): Graph {
    if (state === before.#state) return before;
    const subgraphs =
      state.subgraphs === before.#state.subgraphs ? before.subgraphs : new Map(state.subgraphs);
    return new Graph([], subgraphs, { state, index: before.#index.next(state) });
  }
}

/** Returns whether a value is a graph. */
export const isGraph = (value: unknown): value is Graph => value instanceof Graph;

interface GraphVersion {
  readonly state: GraphState<Graph>;
  readonly index: GraphIndex;
}
