/** @file What programs import: models and their export, the session, and what works with one. */
export * from "@sconce/capture/public";
export * from "@sconce/session/public";
// Models are exported first.
export type { ExtractModelOptions } from "./extract-ir.js";
export * as jsonIR from "./json-ir.js";
export * as texts from "./texts.js";
