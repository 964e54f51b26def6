export { type AssociativeScanOptions, associativeScan } from "./control-flow/associative-scan.js";
export { BodyTracer } from "./control-flow/body-tracer.js";
export { cond } from "./control-flow/cond.js";
export { runOnFakes } from "./control-flow/fake-runs.js";
export {
  bodyOf,
  childName,
  cloneOf,
  firstItem,
  knownOf,
  sameFacts,
  stackedItems,
  type TracedFunction,
  tensorNode,
  traceFunction,
} from "./control-flow/flow-call.js";
export { map } from "./control-flow/map.js";
export { type MergePlace, mergeOutputs } from "./control-flow/merge-outputs.js";
export { OperandNames } from "./control-flow/operand-names.js";
export { type ScanOptions, scan } from "./control-flow/scan.js";
export { whileLoop } from "./control-flow/while-loop.js";
export * as distributions from "./distributions/index.js";
export { convert } from "./functions/arguments.js";
export { type Bounds, check, checkIsSize, constrainAsSize, constrainAsValue } from "./functions/check.js";
export { type Index, type Slice, slice } from "./functions/indexing.js";
export { installMethods } from "./functions/install.js";
export { camelCase, UNTYPED } from "./functions/names.js";
export { customSignature, type Signature } from "./functions/parameters.js";
export { parseCall, splitKeywords } from "./functions/parse-call.js";
export { named } from "./functions/python-function.js";
export { numelOf, sizeOf, storageOffsetOf, stridesOf } from "./functions/sizes.js";
export {
  applyPythonOperator,
  type Condition,
  guard,
  guardInt,
  type SymNumber,
  sym,
} from "./functions/sym.js";
export { torch } from "./functions/torch.js";
export { notModule } from "./nn/errors.js";
export { functional } from "./nn/functional.js";
export { splitCall } from "./nn/hooks.js";
export * as nn from "./nn/index.js";
export { ModuleList } from "./nn/layers/container.js";
export { requireInitialized } from "./nn/layers/lazy.js";
export { Transformer } from "./nn/layers/transformer.js";
export { type LoadOptions, type LoadReport, Module, requireFreeName } from "./nn/module.js";
export { registryOf, shareRegistry } from "./nn/registered-names.js";
export {
  buffersOf,
  childrenOf,
  descendants,
  joinPath,
  type NamedModule,
  noteNumbered,
  parametersOf,
  propertiesOf,
  tensorAttributesOf,
} from "./nn/state.js";
export { isTracedState, Parameter } from "./nn/tensors.js";
export {
  IntVar,
  type IntVarOptions,
  isSpecValue,
  ShapeVar,
  type SpecJson,
} from "./spec/int-var.js";
export { torchSize } from "./torch-size.js";
export { autocast } from "./trace/autocast.js";
export type { AutocastOptions } from "./trace/autocast-mode.js";
export { withRuntimeAsserts } from "./trace/captured-asserts.js";
export {
  addCustomOperator,
  type CustomOperator,
  customOperator,
  customOperatorsChanged,
  modelOperators,
} from "./trace/custom-operators.js";
export {
  callOperator,
  currentTrace,
  type OperatorArgument,
  type OperatorKeywords,
  type OperatorResult,
  type Recorder,
  withTrace,
} from "./trace/dispatch.js";
export type { DraftPlace, DraftRecorder } from "./trace/draft-recorder.js";
export { manualSeed } from "./trace/eager.js";
export { ExampleRun } from "./trace/example-run.js";
export { enableGrad, inferenceMode, noGrad, setGradEnabled } from "./trace/grad-mode.js";
export { memoryOf } from "./trace/memory-of.js";
export { withMetadataAsserts, withOperandAsserts } from "./trace/metadata-asserts.js";
export { fakeOf } from "./trace/real-tensor.js";
export { refusal, withRefusals } from "./trace/refusals.js";
export type { Region } from "./trace/region-calls.js";
export { SET_GRAD, withRegions } from "./trace/regions.js";
export { requireCondition, requireSizeRange } from "./trace/runtime-checks.js";
export { isConstant, scalarValue, wrapScalar } from "./trace/scalar-values.js";
export { SourceFunctions } from "./trace/source-functions.js";
export { isNoted, isStateGetter, stateGetter, withoutNotes } from "./trace/state-reads.js";
export { isSym, type Size, type Sym, SymBool, SymFloat, SymInt } from "./trace/sym-int.js";
export { symbolsIn, visitExpressions } from "./trace/symbols-in.js";
export { tensorsIn } from "./trace/tensors-in.js";
export { type TraceArgument, type TraceBody, type TraceMeta, TraceNode } from "./trace/trace-node.js";
export { TracedTensor } from "./trace/traced-tensor.js";
export { Tracer } from "./trace/tracer.js";
export type { BodyCall, GraphCall, TracerInit } from "./trace/tracer-init.js";
