/** @file Whether what a call names exists and may be called in the dialect. */

import type { DialectRules } from "../graph/dialect.js";
import { HIGHER_ORDER_TARGETS } from "../graph/higher-order-names.js";
import type { Node } from "../graph/node.js";
import { isOpaque } from "../graph/opaque.js";
import type { OperatorLookup, OpSchema } from "../graph/operator.js";
import { errorText, type Report } from "../graph/problem.js";
import { targetKind } from "../graph/target.js";
import type { NearNames } from "./near-names.js";

/** The target of a call against the dialect and the operator table. */
export function checkTarget(
  node: Node,
  rules: DialectRules,
  operators: OperatorLookup | undefined,
  near: NearNames,
  report: Report,
): void {
  const { target, name } = node;
  const kind = targetKind(target);
  if (kind === "operator") {
    checkOperator(node, rules, operators, near, report);
    return;
  }
  if (kind === "higher_order") {
    checkHigherOrder(node, rules, operators, near, report);
    return;
  }
  const allowed = kind === "torch" ? rules.torchFunctions : rules.pythonFunctions;
  if (allowed.has(target)) return;
  report(
    "OPERATOR_NOT_ALLOWED",
    `Operator '${target}' is not an allowed operator type: ` +
      "(<class 'torch._ops.OpOverload'>, <class 'torch._ops.HigherOrderOperator'>)",
    name,
    near.fix(target, () => allowed, `call an operator that the dialect ${rules.name} allows`),
  );
}

function checkHigherOrder(
  node: Node,
  rules: DialectRules,
  operators: OperatorLookup | undefined,
  near: NearNames,
  report: Report,
): void {
  const { target, name } = node;
  const isKnown =
    HIGHER_ORDER_TARGETS.has(target) ||
    rules.higherOrder?.has(target) === true ||
    operators?.schemaOf(target) !== undefined;
  if (!isKnown) {
    report(
      "UNKNOWN_HIGHER_ORDER",
      `higher-order operator '${target}' is not known`,
      name,
      near.fix(
        target,
        () => HIGHER_ORDER_TARGETS,
        "call a higher-order operator of PyTorch's, or list it under `higherOrder` of the dialect",
      ),
    );
  }
  refuseBy(rules, node, undefined, undefined, report);
}

function checkOperator(
  node: Node,
  rules: DialectRules,
  operators: OperatorLookup | undefined,
  near: NearNames,
  report: Report,
): void {
  const { target, name } = node;
  const schema = operators?.schemaOf(target);
  if (target.split(".").length < 3) {
    report(
      "OPERATOR_NOT_ALLOWED",
      `Operator '${target}' is not an allowed operator type: it names no overload`,
      name,
      near.fix(target, () => operators?.targets?.() ?? [], `name an overload, such as ${target}.default`),
    );
    return;
  }
  if (operators !== undefined && schema === undefined && !isOpaque(target, operators)) {
    report(
      "UNKNOWN_OPERATOR",
      `operator '${target}' is not known`,
      name,
      near.fix(target, () => operators.targets?.() ?? [], "call an operator that PyTorch has"),
    );
  }
  const mutable = schema === undefined ? looksMutable(target) : schema.isMutable;
  if (rules.functional && mutable) report("NOT_FUNCTIONAL", `operator '${target}' is not functional`, name);
  refuseBy(rules, node, schema, operators?.tagsOf(target), report);
}

/**
 * In-place operators end in one underscore, by PyTorch's convention: the only sign of it without a
 * schema.
 */
const looksMutable = (target: string): boolean => /^aten\.[^.]*[^_]_\./.test(target);

function refuseBy(
  rules: DialectRules,
  { name, target }: Node,
  schema: OpSchema | undefined,
  tags: readonly string[] | undefined,
  report: Report,
): void {
  let reason: string | undefined;
  try {
    reason = rules.refuse?.(target, schema, tags);
  } catch (error) {
    // A plugin's rule that throws refuses.
    reason = `the rule of the dialect '${rules.name}' threw at '${target}': ${errorText(error)}`;
  }
  if (reason !== undefined) report("OPERATOR_REFUSED", reason, name);
}
