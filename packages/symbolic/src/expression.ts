/**
 * @file What expressions are, without the algebra: programs whose sizes are all static load no
 * more. Bundlers that keep a module of re-exports whole need a separate entry point.
 */
export { isCondition, isUnbacked, SymExpr } from "./expr/expr.js";
