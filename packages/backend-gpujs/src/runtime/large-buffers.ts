/** @file Calls whose values are larger than the largest buffer of a device. */
import { type LoopBuffer, type LoopProgram, readsOf, sizeOf } from "@sconce/codegen";
import { FakeTensor, forEachInput, type Graph, type MetaValue, type Node, type NodeRef } from "@sconce/ir";
import { type Bindings, evaluateInt } from "@sconce/symbolic";
import type { Reasons } from "./plan.js";

/** Device memory takes as much for an element of any dtype. */
const ELEMENT_BYTES = 4;

/**
 * Returns the calls that the host has to run so that no value on the device is too large: none if
 * every buffer fits, since most large values in between are never in memory.
 */
export function tooLargeFor(
  loops: LoopProgram,
  graph: Graph,
  sizes: Bindings,
  maxBytes = Number.POSITIVE_INFINITY,
): Reasons {
  const refused = new Map<string, string>();
  const used = new Set(loops.nests.flatMap((nest) => [...readsOf(nest.value), nest.output]));
  const large = [...used].map((id) => loops.buffers[id]!).filter((one) => bytesOf(one, sizes) > maxBytes);
  if (large.length === 0) return refused;
  const calls = graph.nodes().filter(({ op, target }) => op === "call_function" && target !== PICK);
  const refuse = (name: string, bytes: number): void => {
    if (!refused.has(name))
      refused.set(name, `it takes a buffer of ${bytes} bytes, the device's largest has ${maxBytes}`);
  };
  for (const node of calls) {
    const bytes = largestValue(node, graph, sizes);
    if (bytes > maxBytes) refuse(node.name, bytes);
  }
  // Values between the steps that calls decompose into are in no metadata.
  for (const buffer of large)
    if (buffer.kind === "value") refuse(callOf(buffer.node, graph).name, bytesOf(buffer, sizes));
  return refused;
}

const PICK = "operator.getitem";
const bytesOf = ({ shape }: LoopBuffer, sizes: Bindings): number =>
  shape.reduce((bytes, extent) => bytes * sizeOf(extent, sizes), ELEMENT_BYTES);

/** Bytes of the largest tensor that a call reads or gives. */
function largestValue(node: Node, graph: Graph, sizes: Bindings): number {
  const values: (MetaValue | undefined)[] = [node.meta.val];
  forEachInput(node, (name) => values.push(graph.node(name).meta.val));
  const tensors = (values.flat() as unknown[]).filter((value) => value instanceof FakeTensor);
  const bytes = tensors.map(({ shape }) =>
    shape.reduce<number>((product, size) => product * evaluateInt(size, sizes), ELEMENT_BYTES),
  );
  return Math.max(0, ...bytes);
}

function callOf(name: string, graph: Graph): Node {
  const node = graph.node(name);
  return node.target === PICK ? callOf((node.args[0] as NodeRef).name, graph) : node;
}
