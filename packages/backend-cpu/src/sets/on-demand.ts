/** @file Kernels in parts, each loaded when a program needs it. */
import { type LatePart, latePart, partNotLoaded } from "@sconce/errors";
import type { Graph } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import type { AnyKernel, KernelTable } from "../kernel/kernel.js";
import type { Calls, KernelSet } from "./kernel-set.js";

/** Kernels that are loaded together. */
export interface Part {
  /** What they compute. */
  readonly targets: readonly string[];
  /** Imports their module. */
  readonly load: () => Promise<KernelTable>;
}

/** Returns a set of kernels that are there and kernels that are loaded in parts. */
export function kernelsOnDemand(basic: KernelTable, parts: readonly Part[]): KernelSet {
  const partOf = new Map(parts.flatMap((part) => part.targets.map((target) => [target, part] as const)));
  const modules = new Map<Part, LatePart<KernelTable>>(
    parts.map((part) => [part, latePart(`the module with the kernel of ${part.targets[0]}`, part.load)]),
  );
  const table: Record<string, AnyKernel> = { ...basic };
  for (const [target, part] of partOf) {
    table[target] = (args, context) => {
      const kernel = modules.get(part)!.value?.[target];
      if (kernel === undefined) throw partNotLoaded(`the kernel of ${target}`, target);
      return kernel(args, context);
    };
  }
  /** Returns what calls of a target may run. */
  const partsOf = (target: string, operators: OperatorTable): readonly Part[] => {
    const definition = operators.get(target);
    // Passes replace a call that decomposes by calls that the graph does not have yet.
    if (Object.hasOwn(table, target) && definition?.decompose === undefined) {
      const part = partOf.get(target);
      return part === undefined ? [] : [part];
    }
    if (definition?.functional !== undefined) return partsOf(definition.functional, operators);
    // What a decomposition calls depends on its arguments.
    return definition?.decompose === undefined ? [] : parts;
  };
  const missing = (calls: Calls, operators: OperatorTable): readonly Part[] => {
    const needed = calls === "any" ? parts : targetsOf(calls).flatMap((target) => partsOf(target, operators));
    return [...new Set(needed)].filter((part) => modules.get(part)!.value === undefined);
  };
  return {
    table,
    has: (calls, operators) => missing(calls, operators).length === 0,
    load: async (calls, operators) => {
      await Promise.all(missing(calls, operators).map((part) => modules.get(part)!.load()));
    },
  };
}

/** Returns what a graph and the graphs inside of it call, each once. */
function targetsOf(graph: Graph): readonly string[] {
  const targets = new Set<string>();
  const visit = (current: Graph): void => {
    for (const { op, target } of current.nodes()) if (op === "call_function") targets.add(target);
    for (const nested of current.subgraphs.values()) visit(nested);
  };
  visit(graph);
  return [...targets];
}
