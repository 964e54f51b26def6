// Values that nodes hold
export {
  type Argument, complex, type ComplexLiteral, device, type DeviceLiteral, dict, type DictLiteral, dtypeLiteral,
  type DTypeLiteral, float, type FloatLiteral, forEachRef, int, isFloat, isInt, isList, isRef, isTuple, itemsOf, kindOf,
  layout, type LayoutLiteral, type LayoutName, mapRefs, type MemoryFormat, memoryFormat, type MemoryFormatLiteral,
  type NodeRef, operator, type OperatorLiteral, ref, type ScalarLiteral, toNumber, tuple, type TupleLiteral,
} from "./argument.js";
export {
  type ConstantValue, CPU, type CustomObject, FakeTensor, type FakeTensorInit, type MetaValue, type ModuleStackEntry,
  type NodeMeta, type NodeOrigin, type SymBool, symBool, type SymExpr, type SymFloat, symFloat, type SymInt, symInt,
  type SymScalar,
} from "./meta.js";

// Graphs
export { GraphBuilder } from "./builder.js";
export {
  applyGraphPatches, diffGraphs, edit, editWithPatches, type GraphEdit, type GraphEditor, type NodePatch, rebuild,
} from "./edit.js";
export { Graph } from "./graph.js";
export { Namespace, RESERVED_NAMES } from "./namespace.js";
export { forEachInput, inputsOf, NO_KWARGS, NO_META, type Node, type NodeOp } from "./node.js";
export type { GraphPatches } from "./node-store.js";
export { Topology, topologyOf } from "./topology.js";

// Programs
export {
  type Dialect, type ExampleInputs, ExportedProgram, type ExportedProgramInit, type HistoryEntry, type ModuleCallEntry,
  type ModuleCallSignature, type RangeConstraint,
} from "./program.js";
export {
  dictKeys, dictSpec, LEAF, leafCount, listSpec, MAX_TREE_DEPTH, parseTreeSpec, pythonJson, type TreeSpec, treeSpecEquals,
  treeSpecJson, treeSpecText, tupleSpec,
} from "./pytree.js";
export {
  flattenTree, type PytreeRegistry, type PytreeType, recordType, specOf, unflattenTree,
} from "./pytree-values.js";
export {
  type ArgumentSpec, type BackwardSignature, backwardSignature, type GraphSignature, type InputKind, type InputSpec,
  inputTargets, type OutputKind, type OutputSpec, outputTargets, renameOutputs, type SignatureValue, userInputs,
  userOutputs,
} from "./signature.js";

// Rules
export { ATEN, type DialectRules, DIALECTS, TRAINING } from "./verifier/dialect.js";
export type { Problem } from "./verifier/problem.js";
export { verifyTransition } from "./verifier/transition.js";
export { assertValid, verify, verifyGraph, type VerifyOptions } from "./verifier/verify.js";

// PyTorch's texts
export { annotation, type AnnotationOptions } from "./print-torch/annotation.js";
export { codeText } from "./print-torch/code.js";
export { graphText, nodeText } from "./print-torch/graph-text.js";
export { programText, rangeConstraintsText, signatureText } from "./print-torch/program-text.js";
export { complexRepr, floatRepr, stringRepr } from "./print-torch/python-repr.js";
export { type ReadableOptions, readableText } from "./print-torch/readable.js";

// Sconce's IR text
export { MAX_ZEROS, parseGraph, parseIr, type ParseIrOptions } from "./ir-text/parse-program.js";
export { printIr, type PrintIrOptions, tensorsOf } from "./ir-text/print-program.js";

// Contracts with operator tables and backends
export type {
  Backend, CompileOptions, Executable, NodeProfile, Reason, RunOptions, Value,
} from "./backend.js";
export type {
  AliasInfo, OperatorLookup, OpSchema, SchemaArgument, SchemaBase, SchemaReturn, SchemaType,
} from "./operator.js";
