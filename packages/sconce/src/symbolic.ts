/** @file Symbolic sizes: expressions, ranges, guards. */
export * from "@sconce/symbolic";
export { printGuardExpr } from "@sconce/symbolic/print-guard";
