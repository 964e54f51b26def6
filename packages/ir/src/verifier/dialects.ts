/** @file The dialects that Sconce knows, by name. */

import { ATEN, type DialectRules, TRAINING } from "../graph/dialect.js";
import type { OpSchema } from "../graph/operator.js";
import { edgeNodeProblem } from "./edge.js";

/** Namespaces of the operators that PyTorch's own set is made of. */
const PYTORCH_OPERATOR = /^(?:aten|prims)\./;

/**
 * Assertions of sizes and values have no results; PyTorch keeps them in core programs though they
 * are not tagged.
 */
const ASSERTION = /^aten\._assert_(?:async|scalar|tensor_metadata)\./;

function outsideCore(
  target: string,
  _schema: OpSchema | undefined,
  tags: readonly string[] | undefined,
): string | undefined {
  if (tags === undefined || !PYTORCH_OPERATOR.test(target) || tags.includes("core")) return undefined;
  if (ASSERTION.test(target)) return undefined;
  return `operator '${target}' is not in the core ATen operator set`;
}

/**
 * Core ATen: functional operators that PyTorch tags `core`, assertions, and operators of libraries.
 * The tags of the operator table identify them, so this check needs an operator table.
 */
export const CORE_ATEN: DialectRules = Object.freeze({ ...ATEN, name: "CORE_ATEN", refuse: outsideCore });

/**
 * The edge dialect, as ExecuTorch lowers to it: core ATen operators without implicit type
 * promotion, tensors in place of Python numbers where operators take tensors, and a dimension order
 * in place of memory formats.
 */
export const EDGE: DialectRules = Object.freeze({
  ...CORE_ATEN,
  name: "EDGE",
  refuseNode: edgeNodeProblem,
});

/** PyTorch's dialects, core ATen and edge, by name. The empty name means ATEN, as in files. */
export const DIALECTS: ReadonlyMap<string, DialectRules> = new Map([
  ["TRAINING", TRAINING],
  ["ATEN", ATEN],
  ["", ATEN],
  ["CORE_ATEN", CORE_ATEN],
  ["EDGE", EDGE],
]);
