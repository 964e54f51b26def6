/**
 * @file Autocast regions whose lowered form has other dtypes. PyTorch decomposes an operator below
 * autocast, which then does not cast what the operator is made of. A run of the program casts that.
 */
import { type Graph, isRef, type Node } from "@sconce/ir";
import { argumentAt, autocastDtype, type OperatorTable } from "@sconce/ops";

const REGION = "higher_order.wrap_with_autocast";
/** Operators that are made of nothing that autocast casts. */
const PLAIN = new RegExp(
  `^aten\\.(${[
    "reshape|reshape_as|flatten|ravel|contiguous|view_as|expand_as|unflatten|narrow|chunk|unsafe_chunk|split|tensor_split",
    "numpy_T|mT|mH|matrix_H|adjoint|T|movedim|moveaxis|swapaxes|swapdims|broadcast_to|atleast_[123]d|squeeze|to|type_as",
    "dropout_?|feature_dropout_?|layer_norm|batch_norm|group_norm|instance_norm|rms_norm|embedding|softmax|log_softmax",
    "relu6_?|selu_?|true_divide_?|subtract_?|multiply_?|divide_?|greater|greater_equal|less|less_equal|not_equal|square_?",
    "negative_?|absolute_?|clip_?|size|item|is_nonzero|detach|float_power|where|one_hot|max_pool1d|max_pool2d",
    "adaptive_avg_pool1d|adaptive_avg_pool2d|upsample_[a-z]+[123]d|_assert_tensor_metadata|sum_to_size|var|std|result_type",
  ].join("|")})\\.`,
);

/** Why lowering the regions of a program changes its dtypes, if it does. */
export function changedInAutocast(graph: Graph, operators: OperatorTable): string | undefined {
  const found = composedCall(graph, operators, false);
  return found && `lowering ${found.target} of an autocast region casts other values than a run does`;
}

/** A call in an enabled region of an operator that autocast may cast parts of. */
function composedCall(graph: Graph, operators: OperatorTable, isCast: boolean): Node | undefined {
  const regions = new Map<string, boolean>();
  for (const { target, args } of graph.nodes()) {
    const [, , enabled, , body] = args;
    if (target === REGION && isRef(body)) regions.set(graph.node(body.name).target, enabled === true);
  }
  if (isCast) {
    const own = graph.nodes().find((node) => isComposed(node, operators));
    if (own !== undefined) return own;
  }
  for (const [name, nested] of graph.subgraphs) {
    const found = composedCall(nested, operators, regions.get(name) ?? isCast);
    if (found !== undefined) return found;
  }
  return undefined;
}

function isComposed(node: Node, operators: OperatorTable): boolean {
  const { op, target } = node;
  if (op !== "call_function" || PLAIN.test(target)) return false;
  const row = operators.get(target);
  if (row?.tags.includes("composite") !== true || row.decompose === undefined) return false;
  // A padding with zeros is one operator; others are cast to float32.
  if (target === "aten.pad.default")
    return !["constant", null].includes(argumentAt(node, row.schema, 2) as string | null);
  return autocastDtype(target, "bfloat16", []) === undefined;
}
