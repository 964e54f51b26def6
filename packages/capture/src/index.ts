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
export {
  type CheckRequest,
  findingPlace,
  findingPosition,
  type SourceFinding,
  type SourceProblem,
  type SourceReport,
  type StrictConstruct,
  type StrictProblem,
} from "@sconce/source-check";
export {
  type AssociativeScanOptions,
  associativeScan,
  type Bounds,
  callOperator,
  check,
  checkIsSize,
  cond,
  constrainAsSize,
  constrainAsValue,
  distributions,
  enableGrad,
  guard,
  guardInt,
  type Index,
  IntVar,
  type IntVarOptions,
  inferenceMode,
  isSym,
  manualSeed,
  map,
  nn,
  noGrad,
  type ScanOptions,
  ShapeVar,
  type Size,
  type Slice,
  type SpecJson,
  SymBool,
  SymFloat,
  SymInt,
  scan,
  setGradEnabled,
  slice,
  sym,
  TracedTensor,
  torch,
  whileLoop,
} from "@sconce/torch";
export { checkSource } from "./check/source-check.js";
export { draftExport } from "./draft/draft-export.js";
export { DraftReport } from "./draft/draft-report.js";
export type {
  DataDependentFailure,
  DraftFailure,
  GuardFailure,
  MismatchedFakeKernel,
  MissingFakeKernel,
  SymbolOrigin,
  UserFrame,
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
export * as pytree from "./pytree/namespace.js";
export {
  DictSpec,
  dynamicSpec,
  type IntermediateSpec,
  type LeafIntSpec,
  ObjectSpec,
  ParamsSpec,
  type ParamsSpecInit,
  SeqSpec,
  ShapesSpec,
  type ShapesSpecOptions,
  STATIC,
  TensorSpec,
} from "./spec/index.js";
export { loadProgramState } from "./typescript/load-state.js";
export type { FlatArgsAdapter, FlatArgsMetadata } from "./unflatten/flat-args-adapter.js";
export { InterpreterModule, InterpreterModuleDispatcher } from "./unflatten/interpreter-module.js";
export { type UnflattenOptions, unflatten } from "./unflatten/unflatten.js";
export { UnflattenedModule } from "./unflatten/unflattened-module.js";
export { GraphModule, type GraphModuleOptions } from "./unlift/graph-module.js";
