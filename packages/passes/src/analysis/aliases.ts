/** @file Which inputs of a graph a value may share memory with, by the alias annotations of schemas. */
import { type Argument, forEachInput, forEachRef, type Graph, type Node } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { argumentOf } from "./call-arguments.js";

/** Names of placeholders. */
export type Roots = ReadonlySet<string>;

const NONE: Roots = new Set();

/** Control flow: PyTorch refuses bodies whose results alias their operands (`_maybe_fake_prop_ignore_unbacked`). */
const FRESH_RESULTS =
  /^higher_order\.(cond|map|map_impl|while_loop|scan|associative_scan|auto_functionalized|auto_functionalized_v2)$/;

/**
 * For each node the placeholders that its value may be a view of. What cannot be followed (an operator without a
 * schema, the body of a wrapper) counts as a view of all its inputs.
 */
export function aliasRoots(graph: Graph, operators: OperatorTable): ReadonlyMap<string, Roots> {
  const roots = new Map<string, Roots>();
  for (const node of graph.nodes()) {
    if (node.op === "placeholder") roots.set(node.name, new Set([node.name]));
    else if (node.op === "call_function") roots.set(node.name, rootsOfCall(node, operators, roots));
  }
  return roots;
}

function rootsOfCall(node: Node, operators: OperatorTable, roots: ReadonlyMap<string, Roots>): Roots {
  let found: Roots = NONE;
  forEachAliasedInput(node, operators, (name) => {
    const more = roots.get(name) ?? NONE;
    if (found.size === 0) found = more;
    else if (more.size > 0 && more !== found) found = new Set([...found, ...more]);
  });
  return found;
}

/** Calls `visit` for each input whose memory the result of a call may share. */
export function forEachAliasedInput(
  node: Node,
  operators: OperatorTable,
  visit: (name: string) => void,
): void {
  const { target } = node;
  if (target === "operator.getitem") {
    forEachRef(node.args[0]!, visit);
    return;
  }
  if (/^(math|operator|builtins)\.|^torch\._?sym_/.test(target) || FRESH_RESULTS.test(target)) return;
  const row = operators.get(target);
  const schema = row?.schema ?? operators.schemaOf(target);
  if (schema === undefined || row?.tags.includes("maybe_aliasing_or_mutating")) {
    forEachInput(node, visit);
    return;
  }
  for (const parameter of schema.args) {
    if (parameter.alias === undefined) continue;
    const value: Argument | undefined = argumentOf(node, schema, parameter.name);
    if (value !== undefined) forEachRef(value, visit);
  }
}
