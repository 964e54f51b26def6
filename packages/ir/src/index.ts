// Values that nodes hold

export {
  type Argument,
  type ComplexLiteral,
  complex,
  type DeviceLiteral,
  type DictLiteral,
  type DTypeLiteral,
  device,
  dict,
  dtypeLiteral,
  type FloatLiteral,
  float,
  forEachRef,
  int,
  isFloat,
  isInt,
  isList,
  isRef,
  isTuple,
  itemsOf,
  kindOf,
  LAYOUTS,
  type LayoutLiteral,
  type LayoutName,
  layout,
  MEMORY_FORMATS,
  type MemoryFormat,
  type MemoryFormatLiteral,
  mapRefs,
  memoryFormat,
  type NodeRef,
  type OperatorLiteral,
  operator,
  ref,
  type ScalarLiteral,
  type TupleLiteral,
  toNumber,
  tuple,
  unwrapFloat,
} from "./values/argument.js";
export { symContiguousStrides } from "./values/contiguous-strides.js";
export { deviceText, parseDevice } from "./values/device-text.js";
export { type DimOrder, dimOrderOf } from "./values/dim-order.js";
export { isLiteralList } from "./values/literal-list.js";
export {
  type BoolLike,
  type CallForm,
  type ConstantValue,
  CPU,
  type CustomObject,
  type EmptyListKind,
  FakeTensor,
  type FakeTensorInit,
  type FloatLike,
  type IntLike,
  isSymScalar,
  type MetaValue,
  type ModuleStackEntry,
  type NodeMeta,
  type NodeOrigin,
  type SymExpr,
  type SymScalar,
  symBool,
  symFloat,
  symInt,
  typeText,
} from "./values/meta.js";
export { outputValue } from "./values/output-value.js";
export { areStatic, hasStaticLayout } from "./values/static-sizes.js";

// Graphs: nodes, building, editing, questions

export { GraphBuilder } from "./graph/builder.js";
export {
  applyGraphPatches,
  diffGraphs,
  edit,
  editWithPatches,
  type GraphEdit,
  type RebuildOptions,
  rebuild,
} from "./graph/edit.js";
export type { GraphEditor, NewNode, NodePatch } from "./graph/editor.js";
export { type Graph, isGraph } from "./graph/graph.js";
export { HIGHER_ORDER_TARGETS } from "./graph/higher-order-names.js";
export { editingAs } from "./graph/inherit.js";
export { type TargetOptions, targetProblem } from "./graph/known-targets.js";
export { Namespace, PYTHON_KEYWORDS, RESERVED_NAMES } from "./graph/namespace.js";
export { forEachInput, inputsOf, NO_KWARGS, NO_META, type Node, type NodeOp } from "./graph/node.js";
export type { OperandTable } from "./graph/operands.js";
export { renameNodes } from "./graph/rename-nodes.js";
export {
  callPlace,
  lineOf,
  nodePlace,
  nodeWhere,
  type SourceFrame,
  sourceLine,
  userFrame,
  userLine,
  withLine,
} from "./graph/source-line.js";
export type { GraphPatches } from "./graph/state-patches.js";
export { graphArgument } from "./print-torch/argument-text.js";

// Programs: signature, calling convention, history

export {
  branch,
  type GraphVersion,
  graphVersions,
  type ProgramVersion,
  programVersions,
  recordPass,
  redo,
  undo,
} from "./history/versions.js";
export type { EqualityConstraint, InputDim } from "./program/equality-constraints.js";
export type { HashOptions, ProgramHash } from "./program/hash.js";
export {
  type MissingValue,
  missingText,
  missingValues,
  noValues,
  requireValues,
} from "./program/missing-values.js";
export { mapModuleCalls, updateModuleCalls } from "./program/module-calls.js";
export { ExportedProgram, type ProgramVerifier } from "./program/program.js";
export {
  type Dialect,
  type ExampleInputs,
  type ExportedProgramInit,
  type HistoryEntry,
  type ModuleCallEntry,
  type ModuleCallSignature,
  type ProgramParts,
  type RangeConstraint,
  rangeConstraint,
} from "./program/program-parts.js";
export {
  dictKeys,
  dictSpec,
  keyText,
  LEAF,
  leafCount,
  listSpec,
  MAX_TREE_DEPTH,
  parseTreeSpec,
  pythonJson,
  type TreeSpec,
  treeSpecEquals,
  treeSpecJson,
  treeSpecText,
  tupleSpec,
} from "./program/pytree.js";
export {
  type ConstantOptions,
  type DataclassOptions,
  type PytreeNodeOptions,
  registerConstant,
  registerDataclass,
  registeredFields,
  registerNamedTuple,
  registerPytreeNode,
} from "./program/pytree-classes.js";
export {
  flattenValue,
  flattenWithPaths,
  type PathLeaf,
  type TreeLevel,
  treeLevel,
} from "./program/pytree-flatten.js";
export {
  attributeKey,
  type KeyPath,
  keyPathText,
  mappingKey,
  type PathKey,
  sequenceKey,
} from "./program/pytree-keys.js";
export { isPythonTuple, pythonTuple } from "./program/pytree-tuple.js";
export {
  dataclassFields,
  flattenTree,
  type PytreeRegistry,
  type PytreeType,
  recordType,
  specOf,
  unflattenTree,
} from "./program/pytree-values.js";
export { requireProgram } from "./program/require-program.js";
export { type ResultKind, resultKinds } from "./program/result-kinds.js";
export {
  type ArgumentSpec,
  type BackwardSignature,
  backwardSignature,
  type GraphSignature,
  type InputKind,
  type InputSpec,
  inputTargets,
  type OutputKind,
  type OutputSpec,
  outputTargets,
  renameOutputs,
  type SignatureValue,
  userInputs,
  userOutputs,
} from "./program/signature.js";

export type { StateValues } from "./program/with-state.js";

// Rules that programs keep

export { ATEN, type DialectRules, TRAINING } from "./graph/dialect.js";
export { type Problem, problemText } from "./graph/problem.js";
export { sealMap, sealProgram } from "./program/seal.js";

// PyTorch's texts

export { type AnnotationOptions, annotation } from "./print-torch/annotation.js";
export { codeText } from "./print-torch/code.js";
export { graphText, nodeText } from "./print-torch/graph-text.js";
export { type ReadableOptions, readableModule, readableText } from "./print-torch/readable.js";
export { programText, rangeConstraintsText, rangeText, signatureText } from "./program/program-text.js";
export { inputSpecRepr, moduleCallRepr, outputSpecRepr, signatureRepr } from "./program/signature-repr.js";
export { complexRepr, floatRepr, jsonRepr, stringRepr } from "./values/python-repr.js";

// Sconce's IR text

// Contracts with operator tables and backends
export { isOpaque, type OpaqueCall, opaqueCalls } from "./graph/opaque.js";
export type {
  AliasInfo,
  OperatorLookup,
  OpSchema,
  SchemaArgument,
  SchemaBase,
  SchemaReturn,
  SchemaType,
} from "./graph/operator.js";
export type {
  Backend,
  CompileOptions,
  Copies,
  Executable,
  ExecutionPlan,
  KernelReport,
  MemoryUse,
  NodePlacement,
  NodeProfile,
  Placement,
  PlannedValue,
  ProgramRun,
  ProgramRunner,
  Reason,
  RunLimits,
  RunOptions,
  Value,
} from "./program/backend.js";
export { COMPILE_OPTIONS, RUN_OPTIONS } from "./program/backend.js";
export { deadAfter, deathSteps, type UsesOf } from "./support/liveness.js";
export { mayOverlap } from "./support/overlap.js";
