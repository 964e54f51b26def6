/**
 * @file Assertions on numbers that always hold, or that follow from the assertions of another
 * graph.
 */
import { FakeTensor, type Graph, isRef, isSymScalar, type MetaValue, type Node } from "@sconce/ir";
import {
  type BoolLike,
  type FloatLike,
  freeSymbols,
  type IntLike,
  ShapeEnv,
  SymExpr,
} from "@sconce/symbolic";
import { callKey } from "./argument-key.js";
import { isAssertion } from "./program-sides.js";

/** Returns what a call asserts of numbers; undefined for one that asserts something of tensors. */
function conditionOf({ target, args, kwargs }: Node, graph: Graph): BoolLike | undefined {
  if (target !== "aten._assert_scalar.default") return undefined;
  const condition = args[0] ?? kwargs["self"];
  if (typeof condition === "boolean") return condition;
  const val = condition !== undefined && isRef(condition) ? graph.find(condition.name)?.meta.val : undefined;
  if (typeof val !== "object" || val === null || !isSymScalar(val) || val.kind !== "SymBool")
    return undefined;
  return val.expr as BoolLike;
}

/** Returns what a graph asserts of numbers that only a run shows. */
export const assertedIn = (graph: Graph): readonly SymExpr[] =>
  graph.nodes().flatMap((node) => {
    const condition = isAssertion(node) ? conditionOf(node, graph) : undefined;
    return condition instanceof SymExpr ? [condition] : [];
  });

/**
 * Returns whether an assertion of a graph can never fail where conditions hold, those of another
 * graph. Ranges of data-dependent numbers do not count: these are what the assertions check.
 */
export function isImplied(assertion: Node, graph: Graph, conditions: readonly SymExpr[]): boolean {
  const condition = conditionOf(assertion, graph);
  if (condition === undefined || typeof condition === "boolean") return condition === true;
  const symbols = freeSymbols(condition);
  const env = new ShapeEnv();
  for (const known of conditions)
    if ([...freeSymbols(known).keys()].some((name) => symbols.has(name)))
      if (env.staticallyKnown(known) === undefined) env.addAxiom(known);
  return env.knownTrue(condition);
}

/**
 * Returns what the assertions of a graph ask of the metadata of tensors, by the names of their
 * nodes. Equal texts ask the same of tensors with the same metadata: which values these have does
 * not matter.
 */
export function metadataKeys(graph: Graph): ReadonlyMap<string, string> {
  const keys = new Map<string, string>();
  for (const node of graph.nodes())
    if (node.target === "aten._assert_tensor_metadata.default")
      keys.set(
        node.name,
        callKey(node, (name) => metadataKey(graph.node(name).meta.val) ?? name),
      );
  return keys;
}

function metadataKey(val: MetaValue | undefined): string | undefined {
  if (val instanceof FakeTensor) {
    const sizes = [val.shape, val.strides].map((list) => list.map(sizeKey).join());
    const { type, index } = val.device;
    return [val.dtype, type, index ?? "", val.layout, ...sizes].join(";");
  }
  const isScalar = typeof val === "object" && val !== null && isSymScalar(val);
  return isScalar ? sizeKey(val.expr) : undefined;
}

const sizeKey = (size: IntLike | FloatLike | BoolLike): string =>
  size instanceof SymExpr ? size.key : String(size);
