/**
 * @file What expressions are, without the algebra: programs whose sizes are all static load no
 * more. Bundlers that keep a module of re-exports whole need an entry point of its own.
 */
export { isCondition, isUnbacked, SymExpr } from "./expr.js";
