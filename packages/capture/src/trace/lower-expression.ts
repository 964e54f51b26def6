/** @file Symbolic expressions as nodes of Python operators. */
import type { Argument, SymScalar } from "@sconce/ir";
import { evaluateScalarFunction } from "@sconce/ops";
import { functionName, PYTHON_TARGETS, scalarOf } from "@sconce/passes";
import { not, type SymExpr } from "@sconce/symbolic";
import { type AddScalarNode, TraceNode } from "./trace-node.js";

/** What Python makes of a comparison whose left side is a number: `0 < n` asks `n > 0`. */
const REFLECTED: Readonly<Record<string, string>> = {
  "operator.lt": "operator.gt",
  "operator.le": "operator.ge",
  "operator.gt": "operator.lt",
  "operator.ge": "operator.le",
  "operator.eq": "operator.eq",
  "operator.ne": "operator.ne",
};

/**
 * Adds the nodes that compute an expression from the nodes of its parts; undefined for a symbol,
 * and for a function that Python does not have.
 */
export function lowerExpression(
  expr: SymExpr,
  nodeOf: (part: SymExpr) => TraceNode | Argument,
  add: AddScalarNode,
): TraceNode | undefined {
  if (expr.op === "Piecewise") {
    const [first, second] = expr.args;
    const parts = [first!.args[1]!, first!.args[0]!, second!.args[0]!].map(nodeOf);
    return add("torch.sym_ite", parts, scalarOf(expr), "sym_ite");
  }
  if (expr.op === "Unequality") {
    const equality = lowerExpression(not(expr) as SymExpr, nodeOf, add)!;
    return add("torch.sym_not", [equality], scalarOf(expr), "sym_not");
  }
  const target = PYTHON_TARGETS[expr.op];
  if (target === undefined || expr.args.length === 0) return undefined;
  const parts = expr.args.map(nodeOf);
  const reflected = parts[0] instanceof TraceNode ? undefined : REFLECTED[target];
  if (reflected !== undefined && parts[1] instanceof TraceNode) {
    const value = evaluateScalarFunction(reflected, [scalarOf(expr.args[1]!), scalarOf(expr.args[0]!)]);
    return add(reflected, [parts[1], parts[0]!], value, functionName(reflected));
  }
  if (parts.length <= 2) return add(target, parts, scalarOf(expr), functionName(target));
  let value: SymScalar = scalarOf(expr.args[0]!);
  let node = parts[0]!;
  for (let i = 1; i < parts.length; i++) {
    value = evaluateScalarFunction(target, [value, scalarOf(expr.args[i]!)]);
    node = add(
      target,
      [node, parts[i]!],
      i === parts.length - 1 ? scalarOf(expr) : value,
      functionName(target),
    );
  }
  return node as TraceNode;
}
