export { didYouMean } from "@sconce/errors";
export { BISECTION } from "#bisection";
export { CHECKER } from "#checker";
export { type CallSources, callSources } from "./analysis/call-sources.js";
export type { Functionality, Impurity } from "./analysis/functional.js";
export { functionality, isFunctional } from "./analysis/functional.js";
export { type MemoryRead, memoryReads } from "./analysis/memory-reads.js";
export {
  type Bisection,
  bisect,
  type Culprit,
  type CulpritRewrite,
  type FailureKind,
  type RefusedInStep,
} from "./bisect/bisect.js";
export { type CheckedPasses, checkPasses } from "./bisect/check-passes.js";
export { BISECT_OPTIONS, type BisectOptions, checkBisectOptions } from "./bisect/options.js";
export type { Reproducer } from "./bisect/subprogram.js";
export { canonicalize } from "./builtin/canonicalize.js";
export { checkFunctional } from "./builtin/check-functional.js";
export { dtypeConversion } from "./builtin/convert-dtype.js";
export { commonSubexpressionElimination } from "./builtin/cse.js";
export { deadCodeElimination } from "./builtin/dce.js";
export { decompose } from "./builtin/decompose.js";
export { foldBatchNorm } from "./builtin/fold-batch-norm.js";
export { foldConstants } from "./builtin/fold-constants.js";
export { functionalize, functionalized } from "./builtin/functionalize.js";
export { fuse } from "./builtin/fuse-regions.js";
export { type DeviceLocation, moveToDevice, moveToDevicePass } from "./builtin/move-to-device.js";
export { partitionByBackend } from "./builtin/partition.js";
export { shapePropagation } from "./builtin/propagate-shapes.js";
export { removeTypePromotion } from "./builtin/remove-type-promotion.js";
export { rewrite } from "./builtin/rewrite.js";
export { rulePass } from "./builtin/rule-pass.js";
export { sinkTransposes } from "./builtin/sink-transposes.js";
export { type StripOptions, strip } from "./builtin/strip.js";
export { stripMetadata } from "./builtin/strip-metadata.js";
export { extract, inline, split } from "./builtin/submodules.js";
export { builtinPasses, builtinRules } from "./builtin-passes.js";
export {
  type GraphPath,
  graphAt,
  type NestedGraph,
  nestedGraphs,
  nestedProgram,
  withNestedGraph,
} from "./changes/nested.js";
export type { RegionFailure } from "./checking/change-check.js";
export type { CheckReport } from "./checking/checker.js";
export { type Closeness, giver, tensorsDifference } from "./checking/closeness.js";
export type { Coverage, GraphCoverage, Unchecked } from "./checking/coverage.js";
export { PassChangedNumbers } from "./checking/errors.js";
export type { CheckOptions } from "./checking/options.js";
export { coverageText, regionsText } from "./checking/verdict.js";
export { COPY as PASSES_COPY } from "./copy/this-copy.js";
export type { RunDecompositionsOptions } from "./decompose/run-decompositions.js";
export { decompositionSteps, runDecompositions } from "./decompose/run-decompositions.js";
export { returning } from "./graphs/returning.js";
export { completePipeline } from "./manager/complete.js";
export { NoFixpoint, type RoundChange } from "./manager/fixpoint-errors.js";
export type { PassEvent, PassManagerOptions, PassObserver } from "./manager/pass-manager.js";
export { MANAGER_OPTIONS, PassManager } from "./manager/pass-manager.js";
export { parsePipeline, printPipeline } from "./manager/pipeline.js";
export { opaqueAssumption } from "./opaque/assumption.js";
export {
  backendNames,
  callTargets,
  operatorNames,
  operatorOrNodeNames,
  ruleNames,
  wholeNumber,
} from "./options/choices.js";
export type {
  Choices,
  OptionSession,
  OptionSpec,
  OptionSpecs,
  OptionsOf,
  OptionValue,
  PassOptions,
} from "./options/spec.js";
export type {
  Clock,
  Evaluator,
  Pass,
  PassCall,
  PassContext,
  PipelineItem,
  Repeat,
} from "./pass/pass.js";
export { definePass, passCall, pipelineItems, repeat } from "./pass/pass.js";
export type { Plugin, PluginKernel, SessionBackend } from "./plugin.js";
export { type ConversionOptions, convertDtype } from "./precision/convert-dtype.js";
export { type Keep, keepOf } from "./precision/keep.js";
export { type AskedBackend, askBackend } from "./regions/ask-backend.js";
export { callProgram } from "./regions/call-program.js";
export type { Extraction, NodeSelector } from "./regions/extract.js";
export { extractSubmodule, inModule } from "./regions/extract.js";
export type { FuseOptions, Fusion } from "./regions/fuse.js";
export { fuseRegions } from "./regions/fuse.js";
export { inlineSubmodule } from "./regions/inline.js";
export { CALL_REGION, type Region } from "./regions/outline.js";
export type { NotTaken, Partition, PartitionOptions } from "./regions/partition.js";
export { partition, partitionSteps } from "./regions/partition.js";
export { regionProgram } from "./regions/region-program.js";
export type { Part, Split } from "./regions/split.js";
export { splitBy } from "./regions/split.js";
export {
  type UnsupportedNode,
  unsupportedNodes,
  unsupportedNodesError,
  unsupportedNodesSteps,
} from "./regions/unsupported-nodes.js";
export { checkRuleTargets } from "./rewrite/check-pattern.js";
export type { RefusalKind, RefusedRewrite, RewriteEvent } from "./rewrite/context.js";
export { type CycleStep, RewriteDiverges } from "./rewrite/divergence-errors.js";
export { type Attempt, explainRule } from "./rewrite/explain.js";
export { type Pattern, parsePattern, patternText } from "./rewrite/pattern.js";
export { type Expression, type ReplacePatternOptions, replacePattern } from "./rewrite/replace-pattern.js";
export { type RewriteOptions, rewriteProgram } from "./rewrite/rewrite.js";
export {
  type Captures,
  defineRule,
  type Match,
  type Replacement,
  type Rule,
  type RuleDefinition,
} from "./rewrite/rule.js";
export { type NumberChange, VALUE_CLASSES, type ValueClass } from "./sampling/number-change.js";
export { type Draw, drawFrom } from "./sampling/random.js";
export {
  exampleInputs,
  type RandomInputsOptions,
  randomInputs,
  type SampleOptions,
  sampleInputs,
  sampleSizes,
  sizeCheck,
} from "./sampling/sample-inputs.js";
export { copyOf as copyTensor } from "./sampling/values.js";
export type { NewSizes } from "./shapes/bindings.js";
export { bodyProblem } from "./shapes/bodies.js";
export {
  callProblems,
  checkRecorded,
  type RecordedValues,
  verifyCalls,
  verifyCallsSteps,
} from "./shapes/call-problems.js";
export { propagateShapes } from "./shapes/propagate.js";
export { refusedDTypeSteps } from "./shapes/refused-dtypes.js";
export { withRuleLayouts } from "./shapes/rule-layouts.js";
export { type Proofs, SizeChecks, type SizeProblem } from "./shapes/size-checks.js";
export type { Decomposition } from "./tables/decomposition.js";
export { ownedEntry } from "./tables/entry-owners.js";
export { keyProblem as decompositionKeyProblem } from "./tables/entry-problems.js";
export type { Decompositions } from "./tables/table.js";
export {
  CustomDecompTable,
  DecompositionTable,
  defaultDecompositions,
  isAlwaysDecomposed,
} from "./tables/table.js";
