export {
  attributeKey,
  type ConstantOptions,
  complex,
  type DataclassOptions,
  float,
  mappingKey,
  type PathKey,
  type PytreeNodeOptions,
  pythonTuple,
  pythonTuple as tuple,
  registerConstant,
  registerDataclass,
  registerNamedTuple,
  registerPytreeNode,
  sequenceKey,
} from "@sconce/ir";
export { type CheckRequest, checkSource } from "./check/check-source.js";
export {
  findingPlace,
  findingPosition,
  type SourceFinding,
  type SourceProblem,
  type SourceReport,
  type StrictProblem,
} from "./check/report.js";
export type { StrictConstruct } from "./check/strict-constructs.js";
export { type AssociativeScanOptions, associativeScan } from "./control-flow/associative-scan.js";
export { cond } from "./control-flow/cond.js";
export { map } from "./control-flow/map.js";
export { type ScanOptions, scan } from "./control-flow/scan.js";
export { whileLoop } from "./control-flow/while-loop.js";
export { draftExport } from "./draft/draft-export.js";
export { DraftReport } from "./draft/draft-report.js";
export {
  type DataDependentFailure,
  type DraftFailure,
  FAILURE_TYPES,
  type GuardFailure,
  type MismatchedFakeKernel,
  type MissingFakeKernel,
  type SymbolOrigin,
  type UserFrame,
} from "./draft/failures.js";
export type { OperatorProfile, TensorProfile } from "./draft/operator-profiles.js";
export {
  AdditionalInputs,
  type ConstraintReport,
  type Counterexample,
  constraintReport,
  Dim,
  type DimBounds,
  type DimConstructor,
  type DimHint,
  type DimHintFactory,
  type DimHintKind,
  type DynamicShapes,
  dims,
  dynamicDim,
  type ExampleCall,
  type NamedDim,
  type ReportedViolation,
  type Requirement,
  refineDynamicShapesFromSuggestedFixes,
  ShapesCollection,
  type SuggestedFix,
  type TensorShape,
  type Violation,
} from "./dynamic/index.js";
export {
  type Exportable,
  type ExportOptions,
  exportForTraining,
  exportProgram,
} from "./export/export-program.js";
export { asRecorded, type Recorded } from "./export/recorded.js";
export * as library from "./library/index.js";
export * as nn from "./nn/index.js";
export { type Bounds, check, checkIsSize, constrainAsSize, constrainAsValue } from "./torch/check.js";
export { type Index, type Slice, slice } from "./torch/indexing.js";
export { guard, guardInt, sym } from "./torch/sym.js";
export { torch } from "./torch/torch.js";
export { callOperator } from "./trace/dispatch.js";
export { manualSeed } from "./trace/eager.js";
export { enableGrad, inferenceMode, noGrad, setGradEnabled } from "./trace/grad-mode.js";
export { isSym, type Size, SymBool, SymFloat, SymInt } from "./trace/sym-int.js";
export { TracedTensor } from "./trace/traced-tensor.js";
export { loadProgramState } from "./typescript/load-state.js";
export type { FlatArgsAdapter, FlatArgsMetadata } from "./unflatten/flat-args-adapter.js";
export { InterpreterModule, InterpreterModuleDispatcher } from "./unflatten/interpreter-module.js";
export { type UnflattenOptions, unflatten } from "./unflatten/unflatten.js";
export { UnflattenedModule } from "./unflatten/unflattened-module.js";
export { GraphModule, type GraphModuleOptions } from "./unlift/graph-module.js";
