/** @file The graph that is left when parts of it become regions, under the names of torch.fx. */

import { FakeTensor, type MetaValue, type Namespace } from "@sconce/ir";
import { visitNodes, visitOperands } from "@sconce/trace";
import { ENTER_AUTOCAST, EXIT_AUTOCAST } from "./autocast.js";
import { type TraceArgument, TraceNode } from "./trace-node.js";

const GETITEM = "operator.getitem";

/** A part of a graph that runs in a separate graph. */
export interface Region {
  /** The name by which `get_attr` reads it. */
  readonly target: string;
  /** Whether its inputs have the names of its operands (`_name_hoo_subgraph_placeholders`). */
  readonly isNamed: boolean;
  /** Nodes of the enclosing graph that it reads. */
  readonly operands: readonly TraceNode[];
  /** Inputs of the graph, as placeholders: one for each operand. */
  readonly inputs: readonly TraceNode[];
  /** The nodes of the region, in order. */
  readonly nodes: readonly TraceNode[];
  /** Its nodes that later nodes read. */
  readonly outputs: readonly TraceNode[];
  /** The regions in it. */
  readonly regions: readonly Region[];
}

/** A part of a graph, with its number. */
export interface Segment {
  readonly id: number;
  readonly nodes: readonly TraceNode[];
}

/** The parts of {@link RegionCalls}. */
export interface RegionCallsInit {
  readonly segments: readonly Segment[];
  readonly results: readonly TraceArgument[];
  /** The names of the graph that is left; its inputs have taken theirs. */
  readonly names: Namespace;
  /** Regions that the nodes read already. */
  readonly regions: readonly Region[];
}

/** Puts a graph together of parts that stay and of calls of regions. */
export class RegionCalls {
  readonly #segments: readonly Segment[];
  readonly #outputs: readonly (readonly TraceNode[])[];
  readonly #names: Namespace;
  /** The names that the results of the parts had first, of those with several. */
  readonly #items: (readonly string[])[] = [];
  readonly #nodes: TraceNode[] = [];
  readonly #taken: Region[] = [];
  /** The regions of before, and those whose places in the graph are found. */
  readonly #known: readonly Region[];
  readonly #kept: Region[] = [];
  /** The names that nodes had before any part was put in place. */
  readonly #before: Map<TraceNode, string>;
  /** Targets that are taken: parts that are not put in place yet have theirs. */
  readonly #targets: Set<string>;

  constructor({ segments, results, names, regions }: RegionCallsInit) {
    this.#segments = segments;
    this.#names = names;
    this.#known = regions;
    this.#before = new Map(segments.flatMap(({ nodes }) => nodes.map((node) => [node, node.name])));
    this.#targets = new Set(segments.map(({ id }) => `submod_${id}`));
    this.#outputs = segments.map((segment, i) => outputsOf(segment, segments.slice(i + 1), results));
    // The calls of the parts take names before what takes their places.
    segments.forEach(({ id }, i) => {
      names.create(`submod_${id}`);
      const { length } = this.#outputs[i]!;
      const items = length > 1 ? Array.from({ length }, () => names.create("getitem")) : [];
      this.#items.push(items);
    });
  }

  /** A part that stays where it is. */
  keep(i: number, nodes: readonly TraceNode[]): void {
    for (const node of nodes) {
      // What reads a graph is made anew in each part, under the name of the graph.
      node.name = this.#names.create(node.op === "get_attr" ? node.target : node.name);
      this.#nodes.push(this.#retargeted(node));
    }
    this.#targets.delete(`submod_${this.#segments[i]!.id}`);
  }

  /** Returns a node, or its replacement: one that reads a region gets a target that is free. */
  #retargeted(node: TraceNode): TraceNode {
    const region = this.#known.find(({ target }) => node.op === "get_attr" && target === node.target);
    if (region === undefined) return node;
    let { target } = region;
    for (let i = 1; this.#targets.has(target); i++) target = `submod_${i}`;
    this.#targets.add(target);
    this.#kept.push({ ...region, target });
    if (target === node.target) return node;
    const { name, op, meta } = node;
    const read = new TraceNode({ name, op, target, meta });
    node.replacement = read;
    return read;
  }

  /** A part that becomes a region, which `opener` begins. */
  take(i: number, opener: TraceNode): void {
    const { id, nodes } = this.#segments[i]!;
    const outputs = this.#outputs[i]!;
    const isCast = opener.target === ENTER_AUTOCAST;
    const closer = isCast ? nodes.findLast(({ target }) => target === EXIT_AUTOCAST) : undefined;
    const inner = nodes.filter((node) => node !== opener && node !== closer);
    const from = operandsOf(inner);
    const { inputs, nodes: copies, copyOf } = moveInside(inner, from, (operand) => this.#before.get(operand));
    const target = `submod_${id}`;
    this.#taken.push({
      target,
      isNamed: !isCast,
      operands: from,
      inputs,
      nodes: copies,
      outputs: outputs.map((node) => copyOf.get(node)!),
      regions: [],
    });
    const [operator, kind] = isCast ? AUTOCAST : GRAD;
    const read = this.#add({ name: target, op: "get_attr", target }, opener);
    const call = this.#add(
      {
        name: outputs.length === 1 ? outputs[0]!.name : operator,
        op: "call_function",
        target: `higher_order.${operator}`,
        args: [...opener.args, read, ...from],
        val: outputs.map(({ val }) => val as MetaValue),
      },
      opener,
      [operator, `${kind}.${operator}`],
    );
    outputs.forEach((output, at) => {
      this.#item(call, output, at, this.#itemName(i, output, at));
    });
  }

  #add(
    { name, ...init }: Pick<TraceNode, "name" | "op" | "target"> & Partial<Pick<TraceNode, "args" | "val">>,
    { meta: { moduleStack } }: TraceNode,
    torchFn?: readonly [string, string],
  ): TraceNode {
    const meta = torchFn === undefined ? { moduleStack } : { moduleStack, torchFn };
    const node = new TraceNode({ ...init, name: this.#names.create(name), meta });
    this.#nodes.push(node);
    return node;
  }

  /** A result keeps its first name where that is the name of what it holds (`Node._rename`). */
  #itemName(i: number, output: TraceNode, at: number): string {
    const first = this.#items[i]![at];
    if (first === undefined) return this.#names.create("getitem");
    return first === output.name ? first : this.#names.create(output.name);
  }

  #item(call: TraceNode, output: TraceNode, at: number, name: string): void {
    const { meta, val } = output;
    const item = new TraceNode({
      name,
      op: "call_function",
      target: GETITEM,
      args: [call, at],
      meta,
      val: val instanceof FakeTensor ? new FakeTensor(val) : val,
    });
    this.#before.set(item, this.#before.get(output)!);
    output.replacement = item;
    this.#nodes.push(item);
  }

  /** Returns the graph and its regions. */
  finish(): { readonly nodes: readonly TraceNode[]; readonly regions: readonly Region[] } {
    return { nodes: this.#nodes, regions: [...this.#taken, ...this.#kept] };
  }
}

const AUTOCAST = ["wrap_with_autocast", "WrapWithAutocast"] as const;
const GRAD = ["wrap_with_set_grad_enabled", "WrapWithSetGradEnabled"] as const;

/** Returns the nodes of a part that later parts or the results read. */
function outputsOf(
  { nodes }: Segment,
  later: readonly Segment[],
  results: readonly TraceArgument[],
): TraceNode[] {
  const own = new Set(nodes);
  const read = new Set<TraceNode>();
  const note = ({ current }: TraceNode): void => {
    if (own.has(current) && current.op !== "get_attr") read.add(current);
  };
  for (const other of later) for (const node of other.nodes) visitTensors(node, note);
  for (const result of results) visitNodes(result, note);
  return [...read];
}

/** Returns the nodes of the enclosing graph that a part reads, in order. */
function operandsOf(nodes: readonly TraceNode[]): TraceNode[] {
  const own = new Set(nodes);
  const operands = new Set<TraceNode>();
  for (const node of nodes)
    visitTensors(node, ({ current }) => {
      if (!own.has(current)) operands.add(current);
    });
  return [...operands];
}

/** Nodes that change a mode read nothing that counts. */
function visitTensors(node: TraceNode, visit: (node: TraceNode) => void): void {
  if (node.target !== EXIT_AUTOCAST) visitOperands(node, visit);
}

/** Copies of nodes that read copies of their operands. */
function moveInside(
  nodes: readonly TraceNode[],
  operands: readonly TraceNode[],
  nameOf: (operand: TraceNode) => string | undefined,
): {
  readonly inputs: TraceNode[];
  readonly nodes: TraceNode[];
  readonly copyOf: ReadonlyMap<TraceNode, TraceNode>;
} {
  const copyOf = new Map<TraceNode, TraceNode>();
  const inputs = operands.map((operand) => {
    const { val } = operand;
    const name = nameOf(operand) ?? operand.name;
    const input = new TraceNode({ name, op: "placeholder", target: name, val });
    copyOf.set(operand, input);
    return input;
  });
  const replaced = (value: TraceArgument): TraceArgument => {
    if (value instanceof TraceNode) return copyOf.get(value.current) ?? value;
    if (Array.isArray(value)) return (value as readonly TraceArgument[]).map(replaced);
    return value;
  };
  const copies = nodes.map((node) => {
    const { name, op, target, meta, val, unbacked } = node;
    const kwargs = Object.fromEntries(Object.entries(node.kwargs).map(([key, arg]) => [key, replaced(arg)]));
    const args = node.args.map(replaced);
    const copy = new TraceNode({ name, op, target, meta, val, unbacked, kwargs, args });
    copyOf.set(node, copy);
    return copy;
  });
  return { inputs, nodes: copies, copyOf };
}
