/** @file The leaves of the arguments of a model, with the names of their placeholders. */

import {
  attributeKey,
  flattenWithPaths,
  type KeyPath,
  mappingKey,
  type PathKey,
  type PathLeaf,
  pythonTuple,
  sequenceKey,
  type TreeSpec,
} from "@sconce/ir";
import type { FunctionParameter } from "@sconce/source-check";

/** The arguments of a call, flattened as PyTorch flattens `(args, kwargs)`. */
export interface InputLeaves {
  /** The leaves in order: those of the positional arguments, then those of the keywords. */
  readonly leaves: readonly PathLeaf[];
  /** The specification of `(args, kwargs)`. */
  readonly spec: TreeSpec;
  /** For each leaf the wanted name of its placeholder; {@link placeholderNames} makes it unique. */
  readonly names: readonly string[];
}

/**
 * Flattens arguments. The paths are those of the call, `args[0]['k']`: a first step into the
 * positional arguments (`[0]`) or the keywords (`[1]`), then the argument, then the way into it.
 *
 * @param parameters the parameters of the function, undefined where they are not known
 * @throws SconceError `TREE_DEPTH`, `PYTREE_KEYS`
 */
export function flattenInputs(
  parameters: readonly FunctionParameter[] | undefined,
  args: readonly unknown[],
  kwargs: Readonly<Record<string, unknown>> = {},
): InputLeaves {
  const { leaves, spec } = flattenWithPaths([pythonTuple(...args), kwargs]);
  const names = leaves.map(({ path }) => inputName(namePath(parameters, path)));
  return { leaves, spec: { ...spec, type: "builtins.tuple" }, names };
}

/** Returns the way from the parameters of the function to a leaf (`_bind_signature_to_inputs`). */
function namePath(parameters: readonly FunctionParameter[] | undefined, path: KeyPath): KeyPath {
  const [place, argument, ...inner] = path as [PathKey, PathKey, ...PathKey[]];
  if (place.kind === "sequence" && place.index === 1) return [argument, ...inner];
  const { index } = argument as { readonly index: number };
  const rest = parameters?.findIndex(({ isRest }) => isRest) ?? 0;
  if (parameters === undefined || (rest >= 0 && index >= rest))
    return [mappingKey(parameters?.[rest]?.name ?? "args"), sequenceKey(index - rest), ...inner];
  const name = parameters[index]?.name;
  // A pattern has no name: its parts are named by themselves.
  if (name === undefined && inner.length > 0) return inner;
  return [attributeKey(name ?? `args_${index}`), ...inner];
}

/** Returns the name that a leaf's path asks for. */
function inputName(path: KeyPath): string {
  return path.map((step) => stepName(step).toLowerCase()).join("_");
}

function stepName(step: PathKey): string {
  if (step.kind === "sequence") return String(step.index);
  return (step.kind === "mapping" ? String(step.key) : step.name).replace(/[^a-zA-Z0-9]/g, "_");
}
