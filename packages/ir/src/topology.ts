/**
 * @file The graph as graphology sees it: for reachability, cycles, layers, components and layouts.
 */
import { MultiDirectedGraph } from "graphology";
import { connectedComponents } from "graphology-components";
import { topologicalGenerations } from "graphology-dag";
import { bfsFromNode } from "graphology-traversal";
import type { Graph } from "./graph/graph.js";
import { remember } from "./support/remember.js";

const known = new WeakMap<Graph, Topology>();

/**
 * The topology of a graph version, built on first use: about 5 µs a node, so hot loops use the
 * graph's own tables.
 */
export function topologyOf(graph: Graph): Topology {
  return remember(known, graph, () => new Topology(graph));
}

/** Questions about paths in one version of a graph. */
export class Topology {
  /** The graph that this is a view of. */
  readonly graph: Graph;
  /**
   * The multigraph: node keys are positions, and `x * x` is two edges. For algorithms and layouts
   * of the graphology family; it is shared, so treat it as read-only.
   */
  readonly network: MultiDirectedGraph;

  constructor(graph: Graph) {
    this.graph = graph;
    this.network = buildNetwork(graph);
  }

  /**
   * Names of all nodes that depend on one of these, in graph order; the starting nodes are not
   * included.
   */
  descendants(...names: readonly string[]): string[] {
    return this.#reach(names, "outbound");
  }

  /**
   * Names of all nodes that these depend on, in graph order; the starting nodes are not included.
   */
  ancestors(...names: readonly string[]): string[] {
    return this.#reach(names, "inbound");
  }

  /** True when the second node depends on the first. */
  reaches(from: string, to: string): boolean {
    return this.descendants(from).includes(to);
  }

  /** Groups of nodes that depend on each other; empty for every valid graph. */
  cycles(): string[][] {
    const next = (at: number): number[] => this.network.outNeighbors(at).map(Number);
    return stronglyConnected(this.graph.size, next)
      .filter((group) => group.length > 1 || this.network.hasDirectedEdge(group[0], group[0]))
      .map((group) => this.#names(group));
  }

  /**
   * Nodes by the length of the longest path that leads to them: layer 0 has no inputs.
   * @throws Error for a graph with cycles
   */
  layers(): string[][] {
    return topologicalGenerations(this.network).map((layer) => this.#names(layer));
  }

  /** Groups of nodes that are connected when directions are ignored, each in graph order. */
  components(): string[][] {
    return connectedComponents(this.network).map((group) => this.#names(group));
  }

  /**
   * True when merging these nodes into one would make no cycle: no path leaves the set and comes
   * back.
   */
  isConvex(names: readonly string[]): boolean {
    const inside = new Set(names);
    const outside = this.descendants(...names).filter((name) => !inside.has(name));
    const after = new Set(outside);
    return !this.ancestors(...names).some((name) => after.has(name));
  }

  #reach(names: readonly string[], mode: "inbound" | "outbound"): string[] {
    const found = new Set<string>();
    for (const name of names)
      bfsFromNode(
        this.network,
        this.graph.indexOf(name),
        (key, _, depth) => {
          if (depth === 0) return false;
          const isKnown = found.has(key);
          found.add(key);
          return isKnown;
        },
        { mode },
      );
    return this.#names(found);
  }

  /** Names in graph order; the keys of the network are positions. */
  #names(keys: Iterable<string | number>): string[] {
    const positions = [...keys].map(Number).sort((a, b) => a - b);
    return positions.map((at) => this.graph.nodeAt(at).name);
  }
}

function buildNetwork(graph: Graph): MultiDirectedGraph {
  const network = new MultiDirectedGraph();
  for (let at = 0; at < graph.size; at++) network.addNode(at);
  const { offsets, positions } = graph.operands;
  for (let at = 0; at < graph.size; at++)
    for (const input of positions.subarray(offsets[at]!, offsets[at + 1]!))
      if (input >= 0) network.addDirectedEdge(input, at);
  return network;
}

/**
 * Tarjan's algorithm with its own stack: `graphology-components` recurses, and overflows the call
 * stack on a cycle of 20,000 nodes.
 */
function stronglyConnected(size: number, next: (at: number) => readonly number[]): number[][] {
  const order = new Int32Array(size).fill(-1);
  const low = new Int32Array(size);
  const onStack = new Uint8Array(size);
  const stack: number[] = [];
  const groups: number[][] = [];
  let count = 0;
  const open = (at: number): { at: number; edges: readonly number[]; edge: number } => {
    order[at] = low[at] = count++;
    stack.push(at);
    onStack[at] = 1;
    return { at, edges: next(at), edge: 0 };
  };
  const close = (at: number): void => {
    if (low[at] !== order[at]) return;
    const from = stack.lastIndexOf(at);
    const group = stack.splice(from);
    for (const member of group) onStack[member] = 0;
    groups.push(group);
  };
  for (let start = 0; start < size; start++) {
    if (order[start] !== -1) continue;
    const frames = [open(start)];
    for (let frame = frames.at(-1); frame !== undefined; frame = frames.at(-1)) {
      const { at } = frame;
      const to = frame.edges[frame.edge++];
      if (to === undefined) {
        frames.pop();
        close(at);
        const parent = frames.at(-1);
        if (parent !== undefined) low[parent.at] = Math.min(low[parent.at]!, low[at]!);
      } else if (order[to] === -1) frames.push(open(to));
      else if (onStack[to] === 1) low[at] = Math.min(low[at]!, order[to]!);
    }
  }
  return groups;
}
