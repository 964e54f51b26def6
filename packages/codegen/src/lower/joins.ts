/**
 * @file Values that several pointwise calls read, all of which join in one call:
 * `x * sigmoid(x)`.
 */
import { FakeTensor, forEachInput, type Node } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { type IntLike, sameSizes } from "@sconce/symbolic";

/** Calls between a value and the join of its readers; more would not fit into a nest. */
const MOST_CALLS = 24;
/** Another name for a value; computes nothing. */
const ALIAS = "aten.alias.default";

/**
 * Returns, for each value with several readers, the call where everything computed from it joins,
 * if there is one and all calls between are pointwise in the value's shape. One nest can compute
 * all of them, and the value once.
 */
export function joinsOf(nodes: readonly Node[], operators: OperatorTable): ReadonlyMap<string, string> {
  const readers = readersOf(nodes);
  const shapes = nodes.map(shapeOf);
  const isPointwise = ({ op, target }: Node): boolean =>
    op === "call_function" &&
    (target === ALIAS || operators.get(target)?.tags.includes("pointwise") === true);
  const joins = new Map<string, string>();
  nodes.forEach((node, at) => {
    const shape = shapes[at];
    if (shape === undefined || (readers.get(node.name)?.size ?? 0) < 2) return;
    const belongs = (other: number): boolean => isLike(shapes[other], shape) && isPointwise(nodes[other]!);
    const join = joinOf(nodes, node, readers, belongs);
    if (join !== undefined) joins.set(node.name, join);
  });
  return joins;
}

/** By the positions of nodes. */
type Readers = ReadonlyMap<string, ReadonlySet<number>>;

function joinOf(
  nodes: readonly Node[],
  value: Node,
  readers: Readers,
  belongs: (at: number) => boolean,
): string | undefined {
  /** Readers of the calls inside that are not visited yet. */
  const awaited = new Set(readers.get(value.name));
  for (let inside = 1; awaited.size > 0 && awaited.size + inside <= MOST_CALLS + 1; inside++) {
    const at = Math.min(...awaited);
    const node = nodes[at]!;
    awaited.delete(at);
    if (!belongs(at)) return undefined;
    if (awaited.size === 0 && node.target !== ALIAS) return node.name;
    for (const reader of readers.get(node.name) ?? []) awaited.add(reader);
  }
  return undefined;
}

function readersOf(nodes: readonly Node[]): Readers {
  const readers = new Map<string, Set<number>>();
  nodes.forEach((node, at) => {
    forEachInput(node, (name) => {
      const known = readers.get(name);
      if (known === undefined) readers.set(name, new Set([at]));
      else known.add(at);
    });
  });
  return readers;
}

const isLike = (one: readonly IntLike[] | undefined, other: readonly IntLike[]): boolean =>
  one !== undefined && (one === other || sameSizes(one, other));

const shapeOf = ({ meta: { val } }: Node): readonly IntLike[] | undefined =>
  val instanceof FakeTensor ? val.shape : undefined;
