/**
 * @file The graph as graphology sees it: for reachability, cycles, layers, components and layouts.
 */
import { MultiDirectedGraph } from "graphology";
import { connectedComponents } from "graphology-components";
import { topologicalGenerations } from "graphology-dag";
import { bfsFromNode } from "graphology-traversal";
import { cyclesOf } from "./graph/cycles.js";
import type { Graph } from "./graph/graph.js";
import { remember } from "./support/remember.js";

const known = new WeakMap<Graph, Topology>();

/**
 * Returns the topology of a graph version, built on first use: about 5 µs a node, so hot loops use
 * the graph's own tables.
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
    return cyclesOf(this.graph).map((group) => this.#names(group));
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
