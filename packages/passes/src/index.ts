export { canonicalize } from "./builtin/canonicalize.js";
export { commonSubexpressionElimination } from "./builtin/cse.js";
export { deadCodeElimination } from "./builtin/dce.js";
export { decompose } from "./builtin/decompose.js";
export { foldConstants } from "./builtin/fold-constants.js";
export { rewrite } from "./builtin/rewrite.js";
export { completePipeline } from "./complete.js";
export type { RunDecompositionsOptions } from "./decompose/run-decompositions.js";
export { runDecompositions } from "./decompose/run-decompositions.js";
export type { Decomposition } from "./decompose/table.js";
export {
  CustomDecompTable,
  DecompositionTable,
  defaultDecompositions,
  isAlwaysDecomposed,
} from "./decompose/table.js";
export type {
  Evaluator,
  OptionSpec,
  OptionValue,
  Pass,
  PassCall,
  PassContext,
  PassOptions,
  PipelineItem,
  Repeat,
} from "./pass.js";
export { definePass, passCall, repeat } from "./pass.js";
export type { PassEvent, PassManagerOptions, PassObserver } from "./pass-manager.js";
export { PassManager } from "./pass-manager.js";
export { parsePipeline, printPipeline } from "./pipeline.js";
export type { Plugin } from "./plugin.js";
export { builtinPasses, builtinRules } from "./registry.js";
export type { RewriteEvent } from "./rewrite/driver.js";
export { type Attempt, explainRule } from "./rewrite/explain.js";
export { type Pattern, parsePattern, patternText } from "./rewrite/pattern.js";
export { type Expression, type ReplacePatternOptions, replacePattern } from "./rewrite/replace-pattern.js";
export { type RewriteOptions, rewriteProgram, rulePass } from "./rewrite/rewrite.js";
export {
  type Captures,
  defineRule,
  type Match,
  type Replacement,
  type Rule,
  type RuleDefinition,
} from "./rewrite/rule.js";
