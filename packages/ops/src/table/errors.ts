import { didYouMean, SconceError } from "@sconce/errors";
import type { RefusedClass } from "./refused-overloads.js";

/** Rows were added to a table that takes none any more; the reason says why. */
export const registryFrozen = (reason: { readonly message: string; readonly fix: string }): SconceError =>
  new SconceError({ code: "REGISTRY_FROZEN", ...reason });

/** Two rows of one target. */
export const duplicateOperator = (target: string): SconceError =>
  new SconceError({
    code: "DUPLICATE_OPERATOR",
    message: `operator ${target} is defined twice`,
    fix: "rename one of the definitions, or remove it",
  });

/** Returns the error for an operator of PyTorch that has no row. */
export const unimplementedOperator = (target: string, schema: string): SconceError =>
  new SconceError({
    code: "UNIMPLEMENTED_OPERATOR",
    message: `${target} is an operator of PyTorch that Sconce does not implement yet`,
    fix:
      "decompose the program in PyTorch before saving it, or give a plugin with the operator: " +
      `\`ops: [defineOp({ schema: "${schema}", decompose })]\`. An entry in a decomposition table alone does not ` +
      "define it",
  });

/**
 * Returns the error for an operator of PyTorch of a class that programs cannot hold, or that Sconce
 * does not compute.
 */
export const unsupportedOperator = (
  target: string,
  schema: string,
  { name, reason, fix }: RefusedClass,
): SconceError =>
  new SconceError({
    code: "UNSUPPORTED_OPERATOR",
    message: `${target} is refused (${name}): it ${reason}`,
    fix: `${fix}, or give a plugin with the operator: \`ops: [defineOp({ schema: "${schema}", decompose })]\``,
  });

/** Returns the error for a target that no row has. */
export const unknownOperator = (target: string, fix: string): SconceError =>
  new SconceError({ code: "UNKNOWN_OPERATOR", message: `unknown operator "${target}"`, fix });

/** Returns what to do about a target that no row has: one that is written like it, or a plugin. */
export function unknownOperatorFix(target: string, known: Iterable<string>): string {
  const plugin = "register it with a plugin that lists it under `ops`";
  const fix = didYouMean(target, known, `otherwise ${plugin}`);
  // The example is another operator, which is confusing beside the one that is meant.
  return fix.startsWith("otherwise") ? `write the overload out ("aten.relu.default"), or ${plugin}` : fix;
}

/** Calls of operators that nothing defines; `listed` names some of them with their nodes. */
export const opaqueOperators = (count: number, listed: string, where: string, fix: string): SconceError =>
  new SconceError({
    code: "OPAQUE_OPERATORS",
    message: `the program calls ${count === 1 ? "an operator" : `${count} operators`} that nothing here defines: ${listed}`,
    where,
    fix,
  });
