/** @file Errors of tracing. */
import { SconceError } from "@sconce/errors";
import type { FakeTensor } from "@sconce/ir";
import { printExpr, type SymExpr } from "@sconce/symbolic";

/** Returns the error for a decomposition that used a tensor that is not of the graph. */
export const untracedTensor = ({ dtype, shape }: FakeTensor): SconceError =>
  new SconceError({
    code: "UNTRACED_TENSOR",
    message: `a tensor ${dtype}[${shape.map((size) => printExpr(size)).join(", ")}] has no node in the graph being traced`,
    fix: "use only the arguments of the decomposition and the results of its emitter",
  });

/** Returns the error for a symbol that neither an input nor a node gives. */
export const unboundSymbol = (name: string): SconceError =>
  new SconceError({
    code: "UNBOUND_SYMBOL",
    message: `no input size and no node gives the symbol ${name}`,
    fix: "give the program an input whose size is the symbol",
  });

/** Returns the error for an expression that no chain of nodes computes. */
export const symbolicNode = (expr: SymExpr): SconceError =>
  new SconceError({
    code: "SYMBOLIC_NODE",
    message: `no nodes compute the expression ${printExpr(expr)} (${expr.op})`,
    fix: "make the size simpler, or static, in the exported model",
  });

/** Returns the error for a condition that the program asserts, and that no run meets. */
export const failsAlways = (message: string): SconceError =>
  new SconceError({
    code: "CHECK_FAILED",
    message,
    fix: "change the model, or what is specified of its sizes: together they exclude all inputs",
  });
