export {
  attributeKey,
  type ConstantOptions,
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
  type SourceFinding,
  type SourceProblem,
  type SourceReport,
} from "./check/report.js";
export { type AssociativeScanOptions, associativeScan } from "./control-flow/associative-scan.js";
export { cond } from "./control-flow/cond.js";
export { map } from "./control-flow/map.js";
export { type ScanOptions, scan } from "./control-flow/scan.js";
export { whileLoop } from "./control-flow/while-loop.js";
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
export * as nn from "./nn/index.js";
export { type Bounds, check, checkIsSize, constrainAsSize, constrainAsValue } from "./torch/check.js";
export { type Index, type Slice, slice } from "./torch/indexing.js";
export { guard, guardInt, sym } from "./torch/sym.js";
export { torch } from "./torch/torch.js";
export { callOperator } from "./trace/dispatch.js";
export { manualSeed } from "./trace/eager.js";
export { enableGrad, noGrad, setGradEnabled } from "./trace/grad-mode.js";
export { isSym, type Size, SymBool, SymFloat, SymInt } from "./trace/sym-int.js";
export { TracedTensor } from "./trace/traced-tensor.js";
export { GraphModule, type GraphModuleOptions } from "./unlift/graph-module.js";
