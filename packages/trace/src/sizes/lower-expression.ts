/** @file Symbolic expressions as nodes of Python operators. */
import { type Argument, isSymScalar, type SymScalar } from "@sconce/ir";
import { evaluateScalarFunction } from "@sconce/ops";
import { not, type SymExpr } from "@sconce/symbolic";
import { functionName } from "../names/naming.js";
import { type AddScalarNode, TraceNode } from "../nodes/trace-node.js";
import { comparedInPython, PYTHON_TARGETS, REFLECTED, scalarOf } from "./size-expressions.js";

/** Returns whether a node represents the symbol of a condition: its value is 1 or 0. */
const isChoice = <M>(node: TraceNode<M> | Argument | undefined): node is TraceNode<M> =>
  node instanceof TraceNode && isSymScalar(node.val) && (node.val.expr as { op?: string }).op === "Piecewise";

const valueOfPart = <M>(node: TraceNode<M> | Argument, expr: SymExpr): SymScalar =>
  node instanceof TraceNode && isSymScalar(node.val) ? node.val : scalarOf(expr);

/**
 * Adds the nodes that compute an expression from the nodes of its parts; undefined for a symbol,
 * and for a function that Python does not have.
 */
export function lowerExpression<M>(
  expr: SymExpr,
  nodeOf: (part: SymExpr) => TraceNode<M> | Argument,
  add: AddScalarNode<M>,
): TraceNode<M> | undefined {
  if (expr.op === "Piecewise") {
    const [first, second] = expr.args;
    const parts = [first!.args[1]!, first!.args[0]!, second!.args[0]!].map(nodeOf);
    return add("torch.sym_ite", parts, scalarOf(expr), "sym_ite");
  }
  if (expr.op === "Unequality") {
    const equality = lowerExpression(not(expr) as SymExpr, nodeOf, add)!;
    const value = evaluateScalarFunction("torch.sym_not", [equality.val as SymScalar]);
    return add("torch.sym_not", [equality], value, "sym_not");
  }
  const target = PYTHON_TARGETS[expr.op];
  if (target === undefined || expr.args.length === 0) return undefined;
  const parts = expr.args.map(nodeOf);
  const reflected = parts[0] instanceof TraceNode ? undefined : REFLECTED[target];
  if (reflected !== undefined && parts[1] instanceof TraceNode) {
    const value = evaluateScalarFunction(reflected, [scalarOf(expr.args[1]!), scalarOf(expr.args[0]!)]);
    return add(reflected, [parts[1], parts[0]!], value, functionName(reflected));
  }
  // The parts of a condition may be written in another way than in it: `u0 >= 0` for `0 <= u0`.
  const isConnective = expr.op === "And" || expr.op === "Or";
  if (parts.length <= 2 && !isConnective) {
    const [first, second] = parts;
    const value = isChoice(first)
      ? evaluateScalarFunction(target, [first.val as SymScalar, second as Argument])
      : comparedInPython(expr);
    return add(target, parts, value, functionName(target));
  }
  const partAt = (i: number): SymScalar =>
    isConnective ? valueOfPart(parts[i]!, expr.args[i]!) : scalarOf(expr.args[i]!);
  let value = partAt(0);
  let node = parts[0]!;
  for (let i = 1; i < parts.length; i++) {
    const isLast = i === parts.length - 1;
    value = evaluateScalarFunction(target, [value, partAt(i)]);
    node = add(
      target,
      [node, parts[i]!],
      isLast && !isConnective ? scalarOf(expr) : value,
      functionName(target),
    );
  }
  return node as TraceNode<M>;
}
