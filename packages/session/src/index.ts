// Sessions

export type {
  NamedSummary,
  NonfiniteNode,
  NonfiniteOptions,
  NonfiniteReport,
  NonfiniteSource,
  TensorSummary,
} from "@sconce/backend-cpu";
export {
  CpuInterpreter,
  cpuBackend,
  createPhiloxSource,
  createRandomSource,
  evaluate,
  firstNonfinite,
} from "@sconce/backend-cpu";
export { isSconceError, SconceError } from "@sconce/errors";
// Files, tensors, backends
export type { ByteSource, ReadPt2Options } from "@sconce/formats";
export { readPt2 } from "@sconce/formats";
// Programs and graphs
export type {
  Argument,
  Backend,
  CompileOptions,
  DialectRules,
  Executable,
  MissingValue,
  Node,
  NodeMeta,
  ParseIrOptions,
  Reason,
  RunOptions,
  StateValues,
  TargetOptions,
  Value,
} from "@sconce/ir";
export {
  ATEN,
  branch,
  codeText,
  ExportedProgram,
  edit,
  FakeTensor,
  float,
  type Graph,
  graphText,
  missingValues,
  printIr,
  readableText,
  redo,
  ref,
  signatureText,
  TRAINING,
  tensorsOf,
  tuple,
  undo,
  verify,
} from "@sconce/ir";
export { diffPrograms } from "@sconce/ir/diff";
export { historyFromJson, historyToJson, provenance, replay } from "@sconce/ir/history";
// Operators and passes
export type {
  CallArgument,
  CallKwargs,
  Emit,
  InterpreterOptions,
  Mutation,
  NestedGraph,
  NodeArgument,
  NodeArguments,
  NodeResult,
  OpDefinition,
  RuntimeValue,
  Steps,
  TensorAccess,
  UserValue,
} from "@sconce/ops";
export {
  defaultOperators,
  defineOp,
  HOST_TENSORS,
  Interpreter,
  isInterpretedCall,
  OperatorTable,
  Running,
} from "@sconce/ops";
export type {
  Attempt,
  Bisection,
  BisectOptions,
  Captures,
  CheckOptions,
  CheckReport,
  Choices,
  Clock,
  Decomposition,
  Decompositions,
  Match,
  OptionSession,
  OptionSpec,
  Pass,
  PassContext,
  PassEvent,
  PassObserver,
  Plugin,
  Rule,
} from "@sconce/passes";
export {
  backendNames,
  bisect,
  builtinPasses,
  builtinRules,
  CustomDecompTable,
  callTargets,
  canonicalize,
  checkPasses,
  commonSubexpressionElimination,
  DecompositionTable,
  deadCodeElimination,
  decompose,
  defaultDecompositions,
  definePass,
  defineRule,
  explainRule,
  extractSubmodule,
  foldConstants,
  functionality,
  functionalized,
  inlineSubmodule,
  isFunctional,
  operatorNames,
  operatorOrNodeNames,
  PassManager,
  parsePipeline,
  partition,
  printPipeline,
  propagateShapes,
  regionProgram,
  replacePattern,
  rewrite,
  rewriteProgram,
  ruleNames,
  rulePass,
  runDecompositions,
  splitBy,
  wholeNumber,
} from "@sconce/passes";
export type { DType } from "@sconce/tensor";
export { compareTensors, readSafetensors, Tensor, writeSafetensors } from "@sconce/tensor";
export { backendNamesText, builtinBackends, loadBackend } from "./backends/load-backend.js";
export type { ModuleOptions, SconceOptions } from "./create-sconce.js";
export { createSconce, Sconce } from "./create-sconce.js";
export type { ProgramModule } from "./module.js";
export type {
  EvaluatorService,
  Logger,
  Override,
  PassManagers,
  ServiceOverrides,
  Services,
  Verifier,
} from "./services.js";
export { GraphBuilder, parseGraph, parseIr } from "./texts.js";
