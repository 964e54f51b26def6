// Sessions

export { cpuBackend, evaluate } from "@sconce/backend-cpu";
export { isSconceError, SconceError } from "@sconce/errors";
// Files, tensors, backends
export type { ByteSource, ReadPt2Options } from "@sconce/formats";
export { readPt2 } from "@sconce/formats";
// Programs and graphs
export type { Argument, Backend, Executable, Node, NodeMeta, RunOptions, Value } from "@sconce/ir";
export {
  codeText,
  ExportedProgram,
  edit,
  FakeTensor,
  float,
  Graph,
  GraphBuilder,
  graphText,
  parseGraph,
  parseIr,
  printIr,
  readableText,
  ref,
  signatureText,
  tensorsOf,
  tuple,
  verify,
} from "@sconce/ir";
// Operators and passes
export type { Emit, OpDefinition } from "@sconce/ops";
export { defaultOperators, defineOp, OperatorTable } from "@sconce/ops";
export type { Decomposition, Pass, PassContext, PassEvent, PassObserver, Plugin } from "@sconce/passes";
export {
  builtinPasses,
  CustomDecompTable,
  commonSubexpressionElimination,
  DecompositionTable,
  deadCodeElimination,
  decompose,
  defaultDecompositions,
  definePass,
  extractSubmodule,
  foldConstants,
  functionality,
  functionalized,
  inlineSubmodule,
  isFunctional,
  PassManager,
  parsePipeline,
  partition,
  printPipeline,
  propagateShapes,
  regionProgram,
  runDecompositions,
  splitBy,
} from "@sconce/passes";
export type { DType } from "@sconce/tensor";
export { compareTensors, readSafetensors, Tensor, writeSafetensors } from "@sconce/tensor";
export { createContainer } from "./container.js";
export type { ModuleOptions, SconceOptions } from "./create-sconce.js";
export { createSconce, Sconce } from "./create-sconce.js";
export type { ProgramModule } from "./module.js";
export type { EvaluatorService, PassManagers } from "./tokens.js";
export { BACKEND, DECOMPOSITIONS, EVALUATOR, OPERATORS, PASS, PASS_MANAGER } from "./tokens.js";
