/** @file Calls that look for the greatest or least of no elements, which PyTorch refuses. */
import { bindNest, type LoopProgram, outerReductions, volumeOf } from "@sconce/codegen";
import type { Graph, NodeRef } from "@sconce/ir";
import type { Bindings } from "@sconce/symbolic";
import type { Reasons } from "./plan.js";

const NEEDS_ELEMENTS: ReadonlySet<string> = new Set(["max", "min", "argmax", "argmin"]);

/** The calls that the host has to run in these sizes, since it has PyTorch's error for them. */
export function emptyReductions({ nests }: LoopProgram, graph: Graph, sizes: Bindings): Reasons {
  const refused = new Map<string, string>();
  for (const nest of nests) {
    const { value, axes, nodes } = bindNest(nest, sizes);
    const isEmpty = [...outerReductions(value)].some(
      ({ reduce, initial, when, axes: inner }) =>
        NEEDS_ELEMENTS.has(reduce) && initial === undefined && when === undefined && volumeOf(inner) === 0,
    );
    if (isEmpty && volumeOf(axes) > 0)
      for (const name of nodes) refused.set(callOf(name, graph), "it has no elements to choose from");
  }
  return refused;
}

/** The call that gives a value. */
export function callOf(name: string, graph: Graph): string {
  const { target, args } = graph.node(name);
  return target === "operator.getitem" ? callOf((args[0] as NodeRef).name, graph) : name;
}
