/** @file The graph as graphology sees it: for reachability, cycles, layers, components and layouts. */
import { MultiDirectedGraph } from "graphology";
import { forEachRef } from "./argument.js";
import type { Graph } from "./graph.js";
import { remember } from "./remember.js";

/** A place in a graph: the position of a node. */
type Position = number;

const known = new WeakMap<Graph, Topology>();

/** The topology of a graph version, built on first use: about 5 µs a node, so hot loops use the graph's own tables. */
export function topologyOf(graph: Graph): Topology {
  return remember(known, graph, () => new Topology(graph));
}

/** Questions about paths in one version of a graph. */
export class Topology {
  readonly graph: Graph;
  /**
   * The multigraph: node keys are positions, and `x * x` is two edges. For algorithms and layouts of the graphology
   * family; it is shared, so treat it as read-only.
   */
  readonly network: MultiDirectedGraph;

  constructor(graph: Graph) {
    this.graph = graph;
    this.network = buildNetwork(graph);
  }

  /** Names of all nodes that depend on one of these, in graph order; the starting nodes are not included. */
  descendants(...names: readonly string[]): string[] {
    return this.#reach(names, (at, visit) => this.network.forEachOutNeighbor(at, visit));
  }

  /** Names of all nodes that these depend on, in graph order; the starting nodes are not included. */
  ancestors(...names: readonly string[]): string[] {
    return this.#reach(names, (at, visit) => this.network.forEachInNeighbor(at, visit));
  }

  /** True when the second node depends on the first. */
  reaches(from: string, to: string): boolean {
    return this.descendants(from).includes(to);
  }

  /** Groups of nodes that depend on each other; empty for every valid graph. */
  cycles(): string[][] {
    const { size } = this.graph;
    return stronglyConnected(size, (at) => this.#next(at))
      .filter((group) => group.length > 1 || this.network.hasDirectedEdge(group[0], group[0]))
      .map((group) => this.#names(group));
  }

  /** Nodes by the length of the longest path that leads to them: layer 0 has no inputs. */
  layers(): string[][] {
    const { size } = this.graph;
    const depth = new Int32Array(size);
    const layers: string[][] = [];
    for (let at = 0; at < size; at++) {
      const own = depth[at]!;
      layers[own] ??= [];
      layers[own].push(this.graph.nodeAt(at).name);
      for (const next of this.#next(at)) if (next > at && depth[next]! <= own) depth[next] = own + 1;
    }
    return layers;
  }

  /** Groups of nodes that are connected when directions are ignored, each in graph order. */
  components(): string[][] {
    const { size } = this.graph;
    const seen = new Uint8Array(size);
    const groups: string[][] = [];
    for (let start = 0; start < size; start++) {
      if (seen[start] === 1) continue;
      const group = [start];
      seen[start] = 1;
      for (const at of group) {
        this.network.forEachNeighbor(at, (key) => {
          const next = Number(key);
          if (seen[next] === 1) return;
          seen[next] = 1;
          group.push(next);
        });
      }
      groups.push(this.#names(group));
    }
    return groups;
  }

  /** True when merging these nodes into one would make no cycle: no path leaves the set and comes back. */
  isConvex(names: readonly string[]): boolean {
    const inside = new Set(names);
    const outside = this.descendants(...names).filter((name) => !inside.has(name));
    const after = new Set(outside);
    return !this.ancestors(...names).some((name) => after.has(name));
  }

  #reach(names: readonly string[], step: (at: Position, visit: (key: string) => void) => void): string[] {
    const found = new Set<Position>();
    const work = names.map((name) => this.graph.indexOf(name));
    for (let at = work.pop(); at !== undefined; at = work.pop()) {
      step(at, (key) => {
        const next = Number(key);
        if (found.has(next)) return;
        found.add(next);
        work.push(next);
      });
    }
    return this.#names(found);
  }

  #next(at: Position): Position[] {
    return this.network.outNeighbors(at).map(Number);
  }

  #names(positions: Iterable<Position>): string[] {
    return [...positions].sort((a, b) => a - b).map((at) => this.graph.nodeAt(at).name);
  }
}

function buildNetwork(graph: Graph): MultiDirectedGraph {
  const network = new MultiDirectedGraph();
  for (let at = 0; at < graph.size; at++) network.addNode(at);
  graph.nodes().forEach((node, at) => {
    const connect = (name: string): void => {
      if (graph.has(name)) network.addDirectedEdge(graph.indexOf(name), at);
    };
    for (const arg of node.args) forEachRef(arg, connect);
    for (const key in node.kwargs) forEachRef(node.kwargs[key]!, connect);
  });
  return network;
}

/** Tarjan's algorithm with its own stack: real graphs are chains far deeper than the call stack. */
function stronglyConnected(size: number, next: (at: Position) => readonly Position[]): Position[][] {
  const order = new Int32Array(size).fill(-1);
  const low = new Int32Array(size);
  const onStack = new Uint8Array(size);
  const stack: Position[] = [];
  const groups: Position[][] = [];
  let count = 0;
  const open = (at: Position): { at: Position; edges: readonly Position[]; edge: number } => {
    order[at] = low[at] = count++;
    stack.push(at);
    onStack[at] = 1;
    return { at, edges: next(at), edge: 0 };
  };
  const close = (at: Position): void => {
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
