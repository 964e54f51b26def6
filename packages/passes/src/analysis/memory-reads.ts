/**
 * @file Calls that read memory by strides, as `as_strided` does: what they give depends on where
 * the elements of their operand lie, and on what lies beside them.
 */
import { FakeTensor, forEachInput, type Graph, isRef, type Node } from "@sconce/ir";
import { argumentAt, type OperatorTable } from "@sconce/ops";

/** What one call reads the memory of. */
export interface MemoryRead {
  /** The call, or a control-flow call with such calls in its bodies. */
  readonly reader: string;
  /** Views that it looks through, and those calls that keep the memory of their operand. */
  readonly views: ReadonlySet<string>;
  /** The values that have the memory: placeholders and results of calls. */
  readonly bases: ReadonlySet<string>;
}

const STRIDED: ReadonlySet<string> = new Set([
  "aten.as_strided.default",
  "aten.as_strided_copy.default",
  "aten.as_strided_scatter.default",
]);
/** Their results have the memory of their first operand, with some elements overwritten. */
const SCATTERS: ReadonlySet<string> = new Set([
  "aten.as_strided_scatter.default",
  "aten.copy.default",
  "aten.diagonal_scatter.default",
  "aten.select_scatter.default",
  "aten.slice_scatter.default",
]);
const NONE: readonly MemoryRead[] = [];

/** Returns the calls of a graph that read memory by strides, in order. */
export function memoryReads(graph: Graph, operators: OperatorTable): readonly MemoryRead[] {
  if (!hasReader(graph)) return NONE;
  return graph.nodes().flatMap((node): readonly MemoryRead[] => {
    if (!isReader(node, graph)) return NONE;
    const [views, bases] = [new Set<string>(), new Set<string>()];
    for (const name of operandsOf(node, graph, operators))
      lookThrough(graph.node(name), { graph, operators, views, bases });
    return [{ reader: node.name, views, bases }];
  });
}

/** Returns the names of all values whose memory is read. */
export const readMemory = (reads: readonly MemoryRead[]): ReadonlySet<string> =>
  new Set(reads.flatMap(({ views, bases }) => [...views, ...bases]));

const hasReader = (graph: Graph): boolean =>
  graph.nodes().some(({ target, op }) => op === "call_function" && STRIDED.has(target)) ||
  [...graph.subgraphs.values()].some(hasReader);

function isReader(node: Node, graph: Graph): boolean {
  if (node.op !== "call_function") return false;
  if (!node.target.startsWith("higher_order.")) return STRIDED.has(node.target);
  let isFound = false;
  forEachInput(node, (name) => {
    const { op, target } = graph.node(name);
    const body = op === "get_attr" ? graph.subgraphs.get(target) : undefined;
    isFound ||= body !== undefined && hasReader(body);
  });
  return isFound;
}

/** Returns the operands whose memory a reader may read. */
function operandsOf(node: Node, graph: Graph, operators: OperatorTable): readonly string[] {
  if (STRIDED.has(node.target)) {
    const self = argumentAt(node, operators.require(node.target).schema, 0);
    return isRef(self) ? [self.name] : [];
  }
  const names: string[] = [];
  forEachInput(node, (name) => {
    if (graph.node(name).meta.val instanceof FakeTensor) names.push(name);
  });
  return names;
}

interface Look {
  readonly graph: Graph;
  readonly operators: OperatorTable;
  readonly views: Set<string>;
  readonly bases: Set<string>;
}

/** Follows views to what they show. */
function lookThrough(from: Node, { graph, operators, views, bases }: Look): void {
  let node = from;
  const passed: string[] = [];
  for (;;) {
    const schema = node.op === "call_function" ? operators.schemaOf(node.target) : undefined;
    const isView = SCATTERS.has(node.target) || schema?.isView === true;
    const source = isView ? argumentAt(node, schema!, 0) : node.args[0];
    if (!isRef(source) || !(isView || node.target === "operator.getitem")) break;
    passed.push(node.name);
    node = graph.node(source.name);
  }
  // Of a call with several results that is not a view, the picked result has the memory.
  const isList = Array.isArray(node.meta.val) && passed.length > 0;
  bases.add(isList ? passed.pop()! : node.name);
  for (const name of passed) views.add(name);
}
