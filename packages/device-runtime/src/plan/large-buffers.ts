/** @file Calls whose values are larger than the largest buffer of a device. */
import { bytesOf, type LoopProgram, readsOf } from "@sconce/codegen";
import { FakeTensor, forEachInput, type Graph, type MetaValue, type Node, type NodeRef } from "@sconce/ir";
import { type Bindings, evaluateInt } from "@sconce/symbolic";
import { dtypeInfo } from "@sconce/tensor";
import type { Device } from "../device/device.js";
import type { Reasons } from "./program-plan.js";

/**
 * Returns the calls that the host has to run so that every buffer fits. Large values that are in no
 * memory, since what reads them is fused with them, do not count.
 */
export function tooLargeFor(
  { nests, buffers }: LoopProgram,
  graph: Graph,
  sizes: Bindings,
  { maxBytes = Number.POSITIVE_INFINITY, elementBytes }: Pick<Device, "maxBytes" | "elementBytes">,
): Reasons {
  if (buffers.every((buffer) => bytesOf(buffer, sizes, elementBytes) <= maxBytes)) return new Map();
  const refused = new Map<string, string>();
  for (const nest of nests) {
    const used = [...readsOf(nest.value), nest.output].map((id) => buffers[id]!);
    const most = Math.max(...used.map((buffer) => bytesOf(buffer, sizes, elementBytes)));
    if (most <= maxBytes) continue;
    const causes = nest.nodes.filter(
      (name) => largestValue(graph.node(name), graph, sizes, elementBytes) > maxBytes,
    );
    const reason = `it takes a buffer of ${most} bytes, the device's largest has ${maxBytes}`;
    // Values between the steps that calls decompose into are in no metadata.
    for (const name of causes.length > 0 ? causes : nest.nodes) refused.set(callOf(name, graph), reason);
  }
  return refused;
}

/** Bytes of the largest tensor that a call reads or gives. */
function largestValue(node: Node, graph: Graph, sizes: Bindings, elementBytes: number | undefined): number {
  const values: (MetaValue | undefined)[] = [node.meta.val];
  forEachInput(node, (name) => values.push(graph.node(name).meta.val));
  const tensors = (values.flat() as unknown[]).filter((value) => value instanceof FakeTensor);
  const bytes = tensors.map(({ shape, dtype }) => {
    const each = elementBytes ?? dtypeInfo(dtype).itemSize;
    return shape.reduce<number>((product, size) => product * evaluateInt(size, sizes), each);
  });
  return Math.max(0, ...bytes);
}

/** Returns the call that gives a value. */
export function callOf(name: string, graph: Graph): string {
  const { target, args } = graph.node(name);
  return target === "operator.getitem" ? callOf((args[0] as NodeRef).name, graph) : name;
}
