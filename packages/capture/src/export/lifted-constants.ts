/**
 * @file Constants that no module has: which of them the program keeps, and their names
 * (`torch/_export/passes/lift_constants_pass.py`).
 */
import type { TraceArgument, TraceNode } from "@sconce/torch";
import { visitNodes, visitOperands } from "@sconce/trace";

const LIFTS = new Set(["aten.lift_fresh.default", "aten.lift_fresh_copy.default"]);
const DETACHES = new Set(["aten.detach_.default", "aten.detach.default"]);

/**
 * Returns the nodes that only copy a constant for nothing, with those of the constants. A constant
 * of which a number was read at once leaves them.
 */
export function unusedConstants(
  nodes: readonly TraceNode[],
  results: readonly TraceArgument[],
  constants: Iterable<TraceNode>,
): ReadonlySet<TraceNode> {
  const users = new Map<TraceNode, Set<TraceNode | null>>();
  const note = (user: TraceNode | null) => (node: TraceNode) => {
    const known = users.get(node);
    if (known === undefined) users.set(node, new Set([user]));
    else known.add(user);
  };
  for (const node of nodes) visitOperands(node, note(node));
  for (const result of results) visitNodes(result, note(null));
  const unused = new Set<TraceNode>();
  for (const constant of constants) for (const node of unusedCopies(constant, users)) unused.add(node);
  return unused;
}

/** Returns a constant with its copies; none where something else uses it. */
function unusedCopies(
  constant: TraceNode,
  users: ReadonlyMap<TraceNode, ReadonlySet<TraceNode | null>>,
): readonly TraceNode[] {
  const onlyUser = (node: TraceNode): TraceNode | null | undefined => {
    const [first, ...others] = users.get(node) ?? [];
    return others.length > 0 ? null : first;
  };
  const lift = onlyUser(constant);
  if (lift === undefined || lift === null || !LIFTS.has(lift.target)) return [];
  const detach = onlyUser(lift);
  if (detach === undefined) return [lift, constant];
  if (detach === null || !DETACHES.has(detach.target) || users.has(detach)) return [];
  return [detach, lift, constant];
}

/**
 * Names constants by the module that uses them first, and a number: `encoder.lifted_tensor_0`.
 *
 * @param taken names of other state
 */
export function liftedNames(taken: ReadonlySet<string>): (node: TraceNode) => string {
  let count = 0;
  return ({ meta: { moduleStack = [] } }) => {
    const path = moduleStack.at(-1)?.[1] ?? "";
    const prefix = path === "" ? "" : `${path}.`;
    while (taken.has(`${prefix}lifted_tensor_${count}`)) count += 1;
    return `${prefix}lifted_tensor_${count++}`;
  };
}
