/**
 * Tracing: what capture and lowering record a graph with. Names, numbers for sizes and run-time
 * assertions are those of PyTorch's tracer.
 *
 * @packageDocumentation
 */

export { CollisionNames, callName, functionName, liftedName } from "./names/naming.js";
export {
  canonicalArgument,
  type GivenCall,
  type NormalizedCall,
  normalizeCall,
  placedCall,
} from "./names/normalize.js";
export { annotatedReference, underDisabled } from "./names/reference-annotations.js";
export { INPUT_SIZE_META, reifiedFunction, reifiedMeta } from "./names/reified-metadata.js";
export { mapArguments, mapInputs, operandRenamer, refRenamer } from "./node-arguments.js";
export { argumentOf, type NodeSource } from "./nodes/argument-of.js";
export { withoutCommonItems } from "./nodes/common-items.js";
export { withoutDeadSizes, withoutUnused } from "./nodes/dead-nodes.js";
export { finalArgument } from "./nodes/graph-node.js";
export {
  type AddScalarNode,
  isTraceTuple,
  readsSize,
  type TraceArgument,
  type TraceBody,
  TraceNode,
  type TraceTuple,
  type UnbackedBinding,
  visitNodes,
  visitOperands,
} from "./nodes/trace-node.js";
export { bindingPaths } from "./nodes/unbacked-bindings.js";
export { GraphRecorder, type NewNode } from "./record/graph-recorder.js";
export { type LoweredNode, LoweringTracer } from "./record/lowering-tracer.js";
export type { RecordedCall } from "./record/recorded-call.js";
export { TensorWrapper } from "./record/tensor-wrapper.js";
export { assertedConditions } from "./sizes/asserted-conditions.js";
export { compositeResult } from "./sizes/composite-result.js";
export { readTensor } from "./sizes/data-reads.js";
export { answering, areDecidedSo, DecisionEnv, RefusalEnv, type SizeDecision } from "./sizes/decision-env.js";
export type { DroppedArithmetic } from "./sizes/dropped-arithmetic.js";
export { exactRange } from "./sizes/exact-range.js";
export { divisorOf } from "./sizes/new-symbols.js";
export type { ReferenceArithmetic, ReferenceTensor } from "./sizes/reference-arithmetic.js";
export { joinedSizes, withResolvedSizes } from "./sizes/resolved-sizes.js";
export {
  type BodyCall,
  type BodySymbols,
  RetraceEnv,
  shapeEnvOf,
  symbolNames,
} from "./sizes/retrace-env.js";
export { type AssertedTrace, withRuntimeAsserts } from "./sizes/runtime-asserts.js";
export { isRead, PYTHON_TARGETS, REFLECTED, scalarOf } from "./sizes/size-expressions.js";
export { SizeGuards } from "./sizes/size-guards.js";
export { ownSymbols, type SymbolSource, symbolSources } from "./sizes/symbol-sources.js";
