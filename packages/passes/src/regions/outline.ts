/** @file Moves groups of nodes into nested graphs that `invoke_subgraph` calls. */
import { eachInPieces, type Work } from "@sconce/errors";
import {
  type Argument,
  forEachInput,
  type Graph,
  GraphBuilder,
  type MetaValue,
  Namespace,
  NO_KWARGS,
  type Node,
  type NodeMeta,
  rebuild,
  ref,
  tuple,
} from "@sconce/ir";

/** The higher-order operator that calls a region: `invoke_subgraph(body, name, *operands)`. */
export const CALL_REGION = "higher_order.invoke_subgraph";

/** Which nodes go where, by position. */
export interface Layout {
  /** The region of each node, -1 for nodes that stay outside. */
  readonly region: Int32Array;
  /**
   * Where each node comes in the new order: no node reads one of a higher level, and all nodes of a
   * region have one level to themselves. Nodes that stay keep their order within a level.
   */
  readonly level: Int32Array;
  /** What each region is called. */
  readonly names: readonly string[];
  readonly pass: string;
  /** What the call of each region has as `meta.custom`. */
  readonly tags?: readonly Readonly<Record<string, unknown>>[];
}

/** A group of nodes that became a nested graph. Values go by the names that they had. */
export interface Region {
  /** Target of the nested graph. */
  readonly name: string;
  /** The nodes of the region as a graph. */
  readonly graph: Graph;
  /** Names of the nodes outside that it reads, in the order of its placeholders. */
  readonly inputs: readonly string[];
  /** Names of its nodes that others read, in the order of its results. */
  readonly outputs: readonly string[];
}

export interface Outlined {
  readonly graph: Graph;
  readonly regions: readonly Region[];
}

/**
 * Returns the graph with every region outlined; in time linear in nodes and edges. Nodes that stay
 * are the same objects; pages in which nothing moves are shared.
 */
export const outline = (graph: Graph, layout: Layout): Work<Outlined> => new Outliner(graph, layout).run();

/** What `rebuild` puts at a position: a node, the nodes that call a region, or nothing. */
type Placed = Node | readonly Node[] | false;

const nodesOf = (placed: Placed): readonly Node[] =>
  placed === false ? [] : "op" in placed ? [placed] : placed;

class Outliner {
  readonly #graph: Graph;
  readonly #layout: Layout;
  readonly #names = new Namespace();
  readonly #members: number[][];
  /** 1 for nodes of a region that something outside of it reads. */
  readonly #leaves: Uint8Array;

  constructor(graph: Graph, layout: Layout) {
    this.#graph = graph;
    this.#layout = layout;
    this.#members = layout.names.map(() => []);
    this.#leaves = new Uint8Array(graph.size);
  }

  *run(): Work<Outlined> {
    yield* this.#group();
    const regions: Region[] = [];
    for (const [i, members] of this.#members.entries())
      regions.push(yield* this.#region(members, this.#layout.names[i]!));
    yield;
    const placed = this.#placed(regions);
    yield;
    const graph = rebuild(this.#graph, (_, position) => placed[position]!, {
      subgraphs: this.#subgraphs(placed, regions),
      // Calls of regions have the metadata of their own nodes, and take the names of what is gone.
      inherit: false,
      checkUses: false,
    });
    return { graph, regions };
  }

  /** Finds the members of each region, and which of them others read. */
  *#group(): Work<void> {
    const { region: regionAt } = this.#layout;
    for (const target of this.#graph.subgraphs.keys()) this.#names.reserve(target);
    yield* eachInPieces(this.#graph.nodes(), (node, at) => {
      this.#names.reserve(node.name);
      const region = regionAt[at]!;
      if (region >= 0) this.#members[region]!.push(at);
      forEachInput(node, (name) => {
        const source = this.#graph.indexOf(name);
        const from = regionAt[source]!;
        if (from >= 0 && from !== region) this.#leaves[source] = 1;
      });
    });
  }

  /**
   * Returns what comes at each position of the graph: the node of the new order, the call of a
   * region, or nothing.
   */
  #placed(regions: readonly Region[]): Placed[] {
    const isEmitted = new Uint8Array(regions.length);
    const placed = Array.from(this.#order(), (at): Placed => {
      const region = this.#layout.region[at]!;
      if (region < 0) return this.#graph.nodeAt(at);
      if (isEmitted[region] === 1) return false;
      isEmitted[region] = 1;
      return this.#call(regions[region]!, this.#layout.tags?.[region]);
    });
    const used = new Set<string>();
    for (const one of placed)
      for (const node of nodesOf(one))
        if (node.op !== "get_attr") forEachInput(node, (name) => used.add(name));
    const isUnread = (one: Placed): boolean =>
      one !== false && "op" in one && one.op === "get_attr" && !used.has(one.name);
    return placed.map((one) => (isUnread(one) ? false : one));
  }

  /** Returns the nested graphs that are read still, and those of the regions. */
  #subgraphs(placed: readonly Placed[], regions: readonly Region[]): ReadonlyMap<string, Graph> {
    const read = new Set(
      placed.flatMap(nodesOf).flatMap(({ op, target }) => (op === "get_attr" ? [target] : [])),
    );
    const kept = [...this.#graph.subgraphs].filter(([target]) => read.has(target));
    return new Map([...kept, ...regions.map(({ name, graph }) => [name, graph] as const)]);
  }

  /**
   * Positions by level, those of one level in graph order: a counting sort. Inputs come first, the
   * output last.
   */
  #order(): Int32Array {
    const { level } = this.#layout;
    const nodes = this.#graph.nodes();
    const rank = (at: number): number =>
      nodes[at]!.op === "placeholder" ? 0 : nodes[at]!.op === "output" ? last : level[at]! + 1;
    const last = level.reduce((most, own) => Math.max(most, own), 0) + 2;
    const starts = new Int32Array(last + 2);
    for (let at = 0; at < nodes.length; at++) starts[rank(at) + 1]!++;
    for (let i = 1; i < starts.length; i++) starts[i]! += starts[i - 1]!;
    const order = new Int32Array(nodes.length);
    for (let at = 0; at < nodes.length; at++) order[starts[rank(at)]!++] = at;
    return order;
  }

  *#region(members: readonly number[], candidate: string): Work<Region> {
    const name = this.#names.create(candidate);
    const inside = new Set(members.map((at) => this.#graph.nodeAt(at).name));
    const inputs: string[] = [];
    const bodies: Node[] = [];
    const seen = new Set<string>();
    yield* eachInPieces(members, (at) => {
      forEachInput(this.#graph.nodeAt(at), (input) => {
        if (inside.has(input) || seen.has(input)) return;
        seen.add(input);
        const source = this.#graph.node(input);
        if (source.op === "get_attr") bodies.push(source);
        else inputs.push(input);
      });
    });
    const builder = new GraphBuilder({ unknownTargets: "allow" });
    for (const input of inputs) {
      const { val } = this.#graph.node(input).meta;
      builder.placeholder(input, val === undefined ? {} : { val });
    }
    for (const body of bodies) {
      const nested = this.#graph.subgraphs.get(body.target);
      if (nested !== undefined) builder.subgraph(body.target, nested);
      builder.add(body);
    }
    yield* eachInPieces(members, (at) => builder.add(this.#graph.nodeAt(at)));
    const outputs = members.filter((at) => this.#leaves[at] === 1).map((at) => this.#graph.nodeAt(at).name);
    builder.output(tuple(outputs.map(ref)));
    yield;
    return { name, graph: builder.build(), inputs, outputs };
  }

  /**
   * Returns the nodes that call a region; what takes a result out goes by the name of the node that
   * computed it.
   */
  #call({ name, inputs, outputs }: Region, custom?: NodeMeta["custom"]): Node[] {
    const body = this.#names.create(`${name}_body`);
    const call = this.#names.create("invoke_subgraph");
    const args: Argument[] = [ref(body), name, ...inputs.map(ref)];
    const vals = outputs.map((output): MetaValue => this.#graph.node(output).meta.val ?? null);
    const origin = { pass: this.#layout.pass, from: outputs };
    return [
      node(body, "get_attr", name, [], {}),
      node(call, "call_function", CALL_REGION, args, { val: vals, origin, ...(custom && { custom }) }),
      ...outputs.map((output, i) => {
        const meta = {
          ...this.#graph.node(output).meta,
          origin: { pass: this.#layout.pass, from: [output] },
        };
        return node(output, "call_function", "operator.getitem", [ref(call), i], meta);
      }),
    ];
  }
}

const node = (
  name: string,
  op: Node["op"],
  target: string,
  args: readonly Argument[],
  meta: NodeMeta,
): Node => Object.freeze({ name, op, target, args, kwargs: NO_KWARGS, meta });
