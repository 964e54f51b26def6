/** @file Calls that no module can hold. */
import type { CompiledPlan } from "@sconce/device-runtime";
import type { Unbuilt } from "../code/errors.js";

/** Returns all calls of a plan that no module can hold, each once. */
export function unbuiltCalls({ program, steps, proved }: CompiledPlan): readonly Unbuilt[] {
  const targetOf = (name: string): string => program.graph.find(name)?.target ?? name;
  const found = new Map<string, Unbuilt>();
  const add = (node: string, reason: string): void => {
    if (!found.has(node)) found.set(node, { node, target: targetOf(node), reason });
  };
  for (const { region } of steps) for (const [node, reason] of region?.refused ?? []) add(node, reason);
  for (const { name } of proved.open)
    add(name, "whether it takes the sizes of its operands is known in a run only");
  return [...found.values()];
}
