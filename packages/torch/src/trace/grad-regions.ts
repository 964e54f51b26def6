/**
 * @file Regions with another mode of gradients (`replace_set_grad_with_hop_pass`): what lies
 * between two changes of the mode becomes a separate graph, where the mode differs from that around
 * the export.
 */

import { FakeTensor, type MetaValue, Namespace } from "@sconce/ir";
import { visitNodes, visitOperands } from "@sconce/trace";
import { ambientGradEnabled } from "./grad-mode.js";
import { type TraceArgument, type TraceMeta, TraceNode } from "./trace-node.js";

/** The target of a change of the mode. */
export const SET_GRAD = "torch._C._set_grad_enabled";

const GETITEM = "operator.getitem";

const WITH_GRAD = "wrap_with_set_grad_enabled";

/** A part of a graph that runs in a separate graph. */
export interface Region {
  /** The name by which `get_attr` reads it. */
  readonly target: string;
  /** Nodes of the enclosing graph that it reads. */
  readonly operands: readonly TraceNode[];
  /** Inputs of the graph, as placeholders: one for each operand. */
  readonly inputs: readonly TraceNode[];
  /** The nodes of the region, in order. */
  readonly nodes: readonly TraceNode[];
  /** Its nodes that later nodes read. */
  readonly outputs: readonly TraceNode[];
}

/** A graph with its regions taken out. */
export interface WithRegions {
  readonly nodes: readonly TraceNode[];
  readonly regions: readonly Region[];
}

interface Segment {
  readonly target: string;
  /** The mode that begins here; undefined at the start of the graph. */
  readonly enabled: boolean | undefined;
  /** The modules whose `forward` changes the mode. */
  readonly moduleStack: TraceMeta["moduleStack"];
  readonly nodes: TraceNode[];
}

/** Moves the calls whose mode is not that around the export into separate graphs. */
export function withGradRegions(
  nodes: readonly TraceNode[],
  results: readonly TraceArgument[],
  names: Namespace,
): WithRegions {
  const ambient = ambientGradEnabled();
  if (!nodes.some(({ target }) => target === SET_GRAD)) return { nodes, regions: [] };
  const segments = segmentsOf(nodes);
  // The calls of the parts take names before those that read them.
  for (const { target } of segments) names.create(target);
  const out: TraceNode[] = [];
  const regions: Region[] = [];
  const outputs = segments.map((segment, i) => outputsOf(segment, segments.slice(i + 1), results));
  // Parts with several results are read by items, which have the first of these names.
  const items = new Namespace();
  for (const own of outputs) if (own.length > 1) for (const _ of own) items.create("getitem");
  segments.forEach((segment, i) => {
    // Parts that call graphs read them first, and stay where they are.
    const graphs = segment.nodes.filter(readsGraph);
    if ((segment.enabled ?? ambient) === ambient || graphs.length > 0) {
      for (const node of segment.nodes) if (node.target === GETITEM) node.name = items.create(node.name);
      out.push(...graphs, ...segment.nodes.filter((node) => !readsGraph(node)));
      return;
    }
    const region = regionOf(segment, outputs[i]!);
    regions.push(region.region);
    out.push(...region.call(names, items));
  });
  return { nodes: out, regions };
}

const readsGraph = ({ body }: TraceNode): boolean => body !== undefined;

function segmentsOf(nodes: readonly TraceNode[]): Segment[] {
  const segments: Segment[] = [];
  let count = 0;
  for (const node of nodes) {
    if (node.target === SET_GRAD) {
      const { moduleStack } = node.meta;
      const enabled = node.args[0] as boolean;
      segments.push({ target: `submod_${++count}`, enabled, moduleStack, nodes: [] });
    } else {
      if (segments.length === 0)
        segments.push({ target: "submod_0", enabled: undefined, moduleStack: undefined, nodes: [] });
      segments.at(-1)!.nodes.push(node);
    }
  }
  return segments;
}

/** The nodes of a part that later parts or the results read. */
function outputsOf(
  { nodes }: Segment,
  later: readonly Segment[],
  results: readonly TraceArgument[],
): TraceNode[] {
  const own = new Set(nodes);
  const read = new Set<TraceNode>();
  const note = (node: TraceNode): void => {
    if (own.has(node.current)) read.add(node.current);
  };
  for (const other of later) for (const node of other.nodes) visitOperands(node, note);
  for (const result of results) visitNodes(result, note);
  return [...read];
}

function regionOf(
  segment: Segment,
  to: readonly TraceNode[],
): { readonly region: Region; call(names: Namespace, items: Namespace): TraceNode[] } {
  const { target, nodes } = segment;
  const own = new Set(nodes);
  const operands = new Set<TraceNode>();
  for (const node of nodes)
    visitOperands(node, ({ current }) => {
      if (!own.has(current)) operands.add(current);
    });
  const from = [...operands];
  const { inputs, nodes: copies, copyOf } = moveInside(nodes, from);
  const outputs = to.map((node) => copyOf.get(node)!);
  const region: Region = { target, operands: from, inputs, nodes: copies, outputs };
  return { region, call: (names, items) => callOf(segment, from, to, { names, items }) };
}

/** Copies of nodes that read copies of their operands. */
function moveInside(
  nodes: readonly TraceNode[],
  operands: readonly TraceNode[],
): {
  readonly inputs: TraceNode[];
  readonly nodes: TraceNode[];
  readonly copyOf: ReadonlyMap<TraceNode, TraceNode>;
} {
  const copyOf = new Map<TraceNode, TraceNode>();
  const inputs = operands.map((operand) => {
    const { name, val } = operand;
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
    const copy = new TraceNode({
      name,
      op,
      target,
      meta,
      val,
      unbacked,
      kwargs,
      args: node.args.map(replaced),
    });
    copyOf.set(node, copy);
    return copy;
  });
  return { inputs, nodes: copies, copyOf };
}

/** The call of a region, and the nodes that read its results. */
function callOf(
  { target, enabled, moduleStack }: Segment,
  operands: readonly TraceNode[],
  outputs: readonly TraceNode[],
  { names, items }: { readonly names: Namespace; readonly items: Namespace },
): TraceNode[] {
  const read = new TraceNode({ name: names.create(target), op: "get_attr", target, meta: { moduleStack } });
  const single = outputs.length === 1 ? outputs[0] : undefined;
  const call = new TraceNode({
    // The call of a region with one result has that result's name, which is free again.
    name: single?.name ?? names.create(WITH_GRAD),
    op: "call_function",
    target: `higher_order.${WITH_GRAD}`,
    args: [enabled!, read, ...operands],
    meta: { moduleStack, torchFn: [WITH_GRAD, `WrapWithSetGradEnabled.${WITH_GRAD}`] },
    val: outputs.map(({ val }) => val as MetaValue),
  });
  const reads = outputs.map((output, i) => {
    const { meta, val } = output;
    const name = single === undefined ? output.name : items.create("getitem");
    const fresh = val instanceof FakeTensor ? new FakeTensor(val) : val;
    const item = new TraceNode({
      name,
      op: "call_function",
      target: GETITEM,
      args: [call, i],
      meta,
      val: fresh,
    });
    output.replacement = item;
    return item;
  });
  return [read, call, ...reads];
}
