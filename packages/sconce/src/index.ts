/** @file What programs import: models and their export, the session, and what works with one. */
export * from "@sconce/capture";
// The types of symbolic expressions are those of `sconce/symbolic`.
export { SymInt } from "@sconce/capture";
export * from "@sconce/session";
// Tuples of models are `pythonTuple`; this one makes arguments of nodes.
export { tuple } from "@sconce/session";
// Models are exported first.
export { type ExtractModelOptions, extractIR } from "./extract-ir.js";
