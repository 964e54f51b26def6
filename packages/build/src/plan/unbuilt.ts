/** @file Calls that have no kernels for all sizes. */
import type { CompiledPlan } from "@sconce/device-runtime";
import type { NodeRef } from "@sconce/ir";
import type { Unbuilt } from "../code/errors.js";

/** Returns all calls of a plan that have no kernels for all sizes, each once. */
export function unbuiltCalls({ program, steps, proved }: CompiledPlan): readonly Unbuilt[] {
  const targetOf = (name: string): string => program.graph.find(name)?.target ?? name;
  const found = new Map<string, Unbuilt>();
  const callOf = (name: string): string => {
    const { target, args } = program.graph.find(name) ?? {};
    return target === "operator.getitem" ? callOf((args![0] as NodeRef).name) : name;
  };
  const add = (name: string, reason: string): void => {
    const node = callOf(name);
    if (!found.has(node)) found.set(node, { node, target: targetOf(node), reason });
  };
  for (const { region } of steps) for (const [node, reason] of region?.refused ?? []) add(node, reason);
  for (const { name } of proved.open)
    add(name, "whether it takes the sizes of its operands is known in a run only");
  return [...found.values()];
}
