import type { Graph } from "../graph/graph.js";
import { Namespace, RESERVED_NAMES } from "../graph/namespace.js";
import { INFIX, PREFIX, targetKind } from "../graph/target.js";
import { remember } from "../support/remember.js";
import type { NodeName } from "./argument-text.js";

/** Names of nodes and of global functions within one generated function. */
export interface CodeNames {
  readonly node: NodeName;
  /** The name by which a Python function is called. */
  readonly global: (target: string) => string;
}

const MODULE_GLOBALS = ["inf", "nan", "NoneType", "torch", "device", "fx_pytree", "pytree"];

/**
 * Generated code shares its scope with Python's builtins and a few modules, so names that would
 * hide one are numbered. Most graphs have no such name and keep theirs.
 */
export function codeNames(graph: Graph): CodeNames {
  const plain = { node: (name: string) => name, global: (target: string) => target };
  for (const node of graph.nodes()) {
    if (RESERVED_NAMES.has(node.name) || (node.op === "call_function" && isGlobal(node.target)))
      return scoped();
  }
  return plain;
}

/**
 * Targets that become a global of the generated module: Python functions that print neither as
 * syntax nor by torch.
 */
function isGlobal(target: string): boolean {
  const kind = targetKind(target);
  if (kind === "python") return target !== "operator.getitem" && !INFIX.has(target) && !PREFIX.has(target);
  return kind === "math" || kind === "builtin";
}

function scoped(): CodeNames {
  const names = new Namespace();
  for (const name of MODULE_GLOBALS) names.reserve(name);
  const nodes = new Map<string, string>();
  const globals = new Map<string, string>();
  return {
    node: (name) => remember(nodes, name, () => names.create(name)),
    global: (target) => remember(globals, target, () => globalName(target, names)),
  };
}

function globalName(target: string, names: Namespace): string {
  if (targetKind(target) !== "builtin") return names.create(target.replace(/^operator\./, "_operator."));
  const name = target.slice("builtins.".length);
  if (names.has(name)) return names.create(name);
  names.reserve(name);
  return name;
}
