// Sessions

// Kernels
export type {
  Kernel,
  KernelContext,
  KernelTable,
  NamedSummary,
  NonfiniteNode,
  NonfiniteOptions,
  NonfiniteReport,
  NonfiniteSource,
  NumberArray,
  RandomSource,
  TensorSummary,
} from "@sconce/backend-cpu";
export {
  allocate,
  CpuInterpreter,
  cpuBackend,
  createEvaluator,
  createPhiloxSource,
  createRandomSource,
  defineKernels,
  emptyOutput,
  emptyOutputs,
  evaluate,
  finishOutput,
  firstNonfinite,
  kernel,
  openOutput,
  readNumbers,
} from "@sconce/backend-cpu";
export {
  Budget,
  isSconceError,
  type Limits,
  type LongWorkOptions,
  type Progress,
  SconceError,
  type WorkOptions,
  type WorkPhase,
} from "@sconce/errors";
// Files, tensors, backends
export type {
  ByteSource,
  LoadPt2Options,
  PT2ArchiveContents,
  RandomAccess,
  ReadLimits,
  ReadPt2Options,
} from "@sconce/formats";
export { loadPt2, pt2ProgramNames, readPt2 } from "@sconce/formats";
export { type OpenUrlOptions, openUrl } from "@sconce/formats/http";
export type {
  JsonIR,
  JsonIRAttribute,
  JsonIRGraph,
  JsonIRInput,
  JsonIRNode,
  JsonIRTensor,
  ReadJsonIROptions,
} from "@sconce/formats/json-ir";
export { jsonIRText, readJsonIR } from "@sconce/formats/json-ir";
export {
  type SecurityFinding,
  type SecurityOptions,
  type SecurityReport,
  securityReport,
} from "@sconce/formats/security";
export { type DiagramOptions, dotText, mermaidText } from "@sconce/formats/views";
// Programs and graphs
export type {
  Argument,
  Backend,
  CompileOptions,
  DialectRules,
  Executable,
  GraphVersion,
  HashOptions,
  IntLike,
  MemoryUse,
  MissingValue,
  Node,
  NodeMeta,
  Placement,
  ProgramHash,
  ProgramVersion,
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
  graphVersions,
  isFloat,
  isInt,
  isRef,
  missingValues,
  moduleCallRepr,
  programVersions,
  rangeConstraintsText,
  readableText,
  recordPass,
  redo,
  ref,
  signatureRepr,
  signatureText,
  TRAINING,
  tuple,
  typeText,
  undo,
} from "@sconce/ir";
export { diffPrograms } from "@sconce/ir/diff";
export { historyFromJson, historyToJson, provenance, replay } from "@sconce/ir/history";
export { type LoadValuesOptions, loadValues } from "@sconce/ir/load-values";
export type { ParseGraphOptions, ParseIrOptions } from "@sconce/ir/text";
export { printIr, tensorsOf } from "@sconce/ir/text";
export { verify, verifyGraph } from "@sconce/ir/verify";
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
  joinTables,
  metaOf,
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
  CycleStep,
  Decomposition,
  Decompositions,
  DeviceLocation,
  Fusion,
  Match,
  OptionSession,
  OptionSpec,
  Pass,
  PassContext,
  PassEvent,
  PassObserver,
  Plugin,
  RewriteDiverges,
  Rule,
  SampleOptions,
  StripOptions,
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
  coverageText,
  DecompositionTable,
  deadCodeElimination,
  decompose,
  defaultDecompositions,
  definePass,
  defineRule,
  exampleInputs,
  explainRule,
  extractSubmodule,
  foldConstants,
  functionality,
  functionalized,
  inlineSubmodule,
  isFunctional,
  moveToDevicePass,
  operatorNames,
  operatorOrNodeNames,
  PassChangedNumbers,
  PassManager,
  parsePipeline,
  partition,
  printPipeline,
  propagateShapes,
  randomInputs,
  regionProgram,
  replacePattern,
  rewrite,
  rewriteProgram,
  ruleNames,
  rulePass,
  runDecompositions,
  sampleInputs,
  splitBy,
  strip,
  VALUE_CLASSES,
  wholeNumber,
} from "@sconce/passes";
export { STATIC_ENV } from "@sconce/symbolic";
export type {
  DType,
  Element,
  NestedValues,
  NumericArray,
  PrintOptions,
  TensorOptions,
  TensorStatistics,
} from "@sconce/tensor";
export {
  bfloat16ToNumber,
  broadcastStrides,
  castTensor,
  float16ToNumber,
  numberToBfloat16,
  numberToFloat16,
  numel,
  printTensor,
  readSafetensors,
  Tensor,
  tensorStatistics,
  writeSafetensors,
} from "@sconce/tensor";
export { compareTensors, type UlpBucket, type UlpMeasure, ulpDistance } from "@sconce/tensor/compare";
export type { BackendMemory } from "./backends/live-executables.js";
export type { ModuleInput, ProgramModule } from "./calls/module.js";
export type {
  BackendComparison,
  CompareBackendsOptions,
  NodeComparison,
} from "./compare/compare-backends.js";
export { createSconce, Sconce, type SconceOptions } from "./create-sconce.js";
export type { ExplainedAttempt, KnownRule } from "./explain.js";
export type { PackageOptions, PackagePrograms } from "./files/package-programs.js";
export { type SaveOptions, save } from "./files/save.js";
export { type ExecuteIROptions, executeIR } from "./json-ir/execute.js";
export { type ExtractIROptions, extractIR } from "./json-ir/extract.js";
export { programFromIR } from "./json-ir/program.js";
export {
  type OutputReport,
  type VerificationReport,
  type VerifyIRRequest,
  verifyIRWithStateDict,
} from "./json-ir/verify.js";
export type {
  EvaluatorService,
  Logger,
  Override,
  PassManagers,
  ServiceOverrides,
  Services,
  Verifier,
} from "./services/services.js";
export type { BisectAsyncOptions, ModuleOptions, TransformAsyncOptions } from "./session-options.js";
export { GraphBuilder, parseGraph, parseIr } from "./texts.js";
export type { WorkerLike, WorkerPort } from "./worker/port.js";
export { serveSession } from "./worker/serve.js";
export type { ServedSession } from "./worker/served-session.js";
export type { TransformInWorkerOptions } from "./worker/transform-in-worker.js";
export type { WorkerBackend } from "./worker/worker-backend.js";
