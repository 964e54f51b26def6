/** @file Values that several pointwise calls read, all of which meet again in one call: `x * sigmoid(x)`. */
import { FakeTensor, forEachInput, type Node } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";

/** Calls between a value and where its readers meet; more would not fit into a nest anyway. */
const MOST_CALLS = 24;
/** Another name for a value: nothing is computed. */
const ALIAS = "aten.alias.default";

/**
 * For each value that is read several times the call where all that is made of it comes together, if there is one and
 * everything on the way is computed cell by cell in the value's own shape. One nest can compute all of that, and the
 * value once in it.
 */
export function joinsOf(nodes: readonly Node[], operators: OperatorTable): ReadonlyMap<string, string> {
  const users = usersOf(nodes);
  const isPointwise = ({ op, target }: Node): boolean =>
    op === "call_function" &&
    (target === ALIAS || operators.get(target)?.tags.includes("pointwise") === true);
  const joins = new Map<string, string>();
  nodes.forEach((node, at) => {
    const shape = shapeOf(node);
    if (shape === undefined || (users.get(node.name)?.size ?? 0) < 2) return;
    const join = joinOf(nodes, at, users, (one) => shapeOf(one) === shape && isPointwise(one));
    if (join !== undefined) joins.set(node.name, join);
  });
  return joins;
}

function joinOf(
  nodes: readonly Node[],
  start: number,
  users: ReadonlyMap<string, ReadonlySet<string>>,
  belongs: (node: Node) => boolean,
): string | undefined {
  const inside = new Set([nodes[start]!.name]);
  /** Readers of what is inside that were not met yet. */
  const awaited = new Set(users.get(nodes[start]!.name));
  for (const node of nodes.slice(start + 1)) {
    if (!awaited.delete(node.name)) continue;
    if (!belongs(node) || inside.size > MOST_CALLS) return undefined;
    if (awaited.size === 0 && node.target !== ALIAS) return node.name;
    inside.add(node.name);
    for (const user of users.get(node.name) ?? []) awaited.add(user);
  }
  return undefined;
}

function usersOf(nodes: readonly Node[]): Map<string, Set<string>> {
  const users = new Map<string, Set<string>>();
  for (const node of nodes)
    forEachInput(node, (name) => {
      const known = users.get(name);
      if (known === undefined) users.set(name, new Set([node.name]));
      else known.add(node.name);
    });
  return users;
}

const shapeOf = ({ meta: { val } }: Node): string | undefined =>
  val instanceof FakeTensor ? val.shape.join() : undefined;
