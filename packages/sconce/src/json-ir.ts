/** @file Programs as JSON IR: a static graph beside its weights. Models are exported first. */
export * from "@sconce/session/json-ir";
export { extractIR as extract } from "./extract-ir.js";
