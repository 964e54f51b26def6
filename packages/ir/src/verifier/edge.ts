/** @file What the edge dialect asks of nodes: dimension orders, and operands of one dtype. */

import type { Graph } from "../graph/graph.js";
import type { Node } from "../graph/node.js";
import type { OperatorLookup, OpSchema } from "../graph/operator.js";
import { type Argument, isRef } from "../values/argument.js";
import { dimOrderFits, dimOrderOf, isDimOrder } from "../values/dim-order.js";
import { FakeTensor, type MetaValue } from "../values/meta.js";

/** Operators with a memory format, by the edge operator that has a dimension order in its place. */
export const DIM_ORDER_OPERATORS: ReadonlyMap<string, string> = new Map([
  ["aten._to_copy.default", "dim_order_ops._to_dim_order_copy.default"],
  ["aten.clone.default", "dim_order_ops._clone_dim_order.default"],
  ["aten.empty.memory_format", "dim_order_ops._empty_dim_order.default"],
]);

/** Returns why the edge dialect refuses a node; undefined when it does not. */
export function edgeNodeProblem(
  node: Node,
  graph: Graph,
  operators: OperatorLookup | undefined,
): string | undefined {
  if (node.op === "get_attr" || node.op === "output") return undefined;
  return (
    dimOrderProblem(node) ?? (node.op === "call_function" ? callProblem(node, graph, operators) : undefined)
  );
}

function dimOrderProblem({ name, meta }: Node): string | undefined {
  const { val, dimOrder } = meta;
  const recorded = (Array.isArray(val) ? val : [val]) as readonly (MetaValue | undefined)[];
  if (!recorded.some((value) => value instanceof FakeTensor)) return undefined;
  if (dimOrder === undefined) return `Node ${name} is a tensor without a dimension order (meta.dimOrder)`;
  const orders = (Array.isArray(val) ? dimOrder : [dimOrder]) as readonly (readonly number[] | null)[];
  for (const [i, value] of recorded.entries()) {
    if (!(value instanceof FakeTensor)) continue;
    const order = orders[i];
    const what = Array.isArray(val) ? `result ${i} of node ${name}` : `node ${name}`;
    if (!isDimOrder(order, value.ndim))
      return `The dimension order of ${what} is [${String(order ?? "")}], not an order of its ${value.ndim} dimensions`;
    if (!dimOrderFits(order, value))
      return `The dimension order of ${what} is [${String(order)}], and its strides are those of [${String(dimOrderOf(value))}]`;
  }
  return undefined;
}

function callProblem(node: Node, graph: Graph, operators: OperatorLookup | undefined): string | undefined {
  const { target } = node;
  const format = node.kwargs["memory_format"] ?? null;
  // Without a format these operators keep the order of their input.
  const replacement = format === null ? undefined : DIM_ORDER_OPERATORS.get(target);
  if (replacement !== undefined)
    return `operator '${target}' has a memory format; the edge dialect has '${replacement}'`;
  const schema = operators?.schemaOf(target);
  if (schema === undefined) return undefined;
  return (
    numberProblem(node, schema) ??
    (operators?.tagsOf(target).includes("pointwise") === true
      ? promotionProblem(node, graph, schema)
      : undefined)
  );
}

/** The edge dialect has no Python numbers where operators take tensors. */
function numberProblem({ name, args, kwargs, target }: Node, schema: OpSchema): string | undefined {
  for (const [i, { name: argument, type }] of schema.args.entries()) {
    const value = args[i] ?? kwargs[argument];
    if (type.base !== "Tensor" || type.list || !isNumber(value)) continue;
    return `Argument '${argument}' of node '${name}' (${target}) is a number, and the edge dialect takes tensors only`;
  }
  return undefined;
}

const isNumber = (value: Argument | undefined): boolean =>
  typeof value === "number" ||
  typeof value === "bigint" ||
  typeof value === "boolean" ||
  (typeof value === "object" &&
    value !== null &&
    "kind" in value &&
    (value.kind === "float" || value.kind === "complex"));

/** Operands whose dtype is not promoted: conditions. */
const CONDITIONS: Readonly<Record<string, readonly string[]>> = {
  "aten.where.self": ["condition"],
  "aten.masked_fill.Scalar": ["mask"],
  "aten.masked_fill.Tensor": ["mask"],
};

/** Places of the tensors that a pointwise operator converts to their common dtype. */
export const promotedPlaces = ({ target, args }: OpSchema): readonly number[] =>
  [...args.keys()].filter((i) => {
    const { name, type } = args[i]!;
    return type.base === "Tensor" && !type.list && CONDITIONS[target]?.includes(name) !== true;
  });

/**
 * The edge dialect has no implicit type promotion: the tensors of a pointwise call have one dtype.
 */
function promotionProblem(
  { name, args, kwargs, target }: Node,
  graph: Graph,
  schema: OpSchema,
): string | undefined {
  let first: { readonly argument: string; readonly dtype: string } | undefined;
  for (const place of promotedPlaces(schema)) {
    const { name: argument } = schema.args[place]!;
    const value = args[place] ?? kwargs[argument];
    const val = isRef(value) ? graph.find(value.name)?.meta.val : undefined;
    if (!(val instanceof FakeTensor)) continue;
    first ??= { argument, dtype: val.dtype };
    if (val.dtype !== first.dtype)
      return `Node ${name} (${target}) has '${first.argument}' of ${first.dtype} and '${argument}' of ${val.dtype}: the edge dialect does not promote`;
  }
  return undefined;
}
