import { type ExportedProgram, opaqueCalls } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { signOfEffects } from "./effects.js";

/**
 * Returns what lowering assumes of the opaque operators of a program, for a warning; undefined when
 * it assumes nothing. In the training dialect operators may write to their arguments, and only a
 * schema says which.
 */
export function opaqueAssumption(program: ExportedProgram, operators: OperatorTable): string | undefined {
  if (program.dialect !== "TRAINING") return undefined;
  const targets = new Set<string>();
  // Lowering refuses calls that show signs of writing.
  for (const { node } of opaqueCalls(program.graph, operators))
    if (!node.target.startsWith("higher_order.") && signOfEffects(node) === undefined)
      targets.add(node.target);
  if (targets.size === 0) return undefined;
  const [pronoun, verb] = targets.size === 1 ? ["it", "is"] : ["they", "are"];
  return (
    `nothing here defines ${[...targets].join(", ")}: ${pronoun} ${verb} kept with the recorded results, and assumed ` +
    "not to write to the arguments"
  );
}
