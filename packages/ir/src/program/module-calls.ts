/**
 * @file The calling conventions of preserved modules, which refer to nodes of the program's graph
 * by name.
 */
import type { Graph } from "../graph/graph.js";
import type { ModuleCallEntry } from "./program-parts.js";
import type { ArgumentSpec } from "./signature.js";

/** Returns the entries with their inputs and outputs mapped; the same list when none changes. */
export function mapModuleCalls(
  entries: readonly ModuleCallEntry[],
  change: (arg: ArgumentSpec) => ArgumentSpec,
): readonly ModuleCallEntry[] {
  let changed = false;
  const mapped = (args: readonly ArgumentSpec[]): readonly ArgumentSpec[] => {
    const next = args.map(change);
    if (next.every((arg, i) => arg === args[i])) return args;
    changed = true;
    return next;
  };
  const next = entries.map((entry): ModuleCallEntry => {
    const { signature } = entry;
    if (signature === null) return entry;
    const [inputs, outputs] = [mapped(signature.inputs), mapped(signature.outputs)];
    if (inputs === signature.inputs && outputs === signature.outputs) return entry;
    return { ...entry, signature: { ...signature, inputs, outputs } };
  });
  return changed ? next : entries;
}

/**
 * Returns the entries for a graph that lacks some of the nodes that they name. The value of those
 * becomes None, which is what `torch.export.unflatten` gives for a name that it does not find.
 * (`run_decompositions` leaves such names, and then fails in the verifier.) Returns the same list
 * when the graph has all names.
 */
export const updateModuleCalls = (
  entries: readonly ModuleCallEntry[],
  graph: Graph,
): readonly ModuleCallEntry[] =>
  mapModuleCalls(entries, (arg) => (arg.name === "" || graph.has(arg.name) ? arg : GONE));

const GONE: ArgumentSpec = Object.freeze({ kind: "constant", name: "", value: null });
