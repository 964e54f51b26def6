export {
  CpuInterpreter,
  cpuBackend,
  createEvaluator,
  createRunner,
  evaluate,
  firstNonfinite,
} from "./interpreter/backend.js";
export type { CpuBackendOptions, CpuParts, Evaluator } from "./interpreter/cpu-parts.js";
export type {
  NamedSummary,
  NonfiniteNode,
  NonfiniteOptions,
  NonfiniteReport,
  NonfiniteSource,
} from "./interpreter/nonfinite.js";
export { CPU_REFUSALS, type Refusal } from "./interpreter/refusals.js";
export {
  hasSessionKernel,
  loadSessionKernels,
  requireSessionKernels,
  sessionCpu,
  sessionNonfinite,
} from "./interpreter/session.js";
export type { NonfiniteKind, TensorSummary } from "./interpreter/tensor-summary.js";
export { finishOutput, type NumberArray, openOutput, readNumbers } from "./kernel/dense.js";
export {
  type AnyKernel,
  allocate,
  defineKernels,
  emptyOutput,
  emptyOutputs,
  emptyStrided,
  type Kernel,
  type KernelContext,
  type KernelDefinition,
  type KernelsOf,
  type KernelTable,
  kernel,
  type RandomSource,
} from "./kernel/kernel.js";
export { declareInt4Layout } from "./kernels/packed-layouts.js";
export { createPhiloxSource } from "./kernels/philox-source.js";
export { createRandomSource, type SeededSource } from "./kernels/random-source.js";
export { type CoreKernels, type CoreTarget, CPU_KERNELS } from "./sets/all.js";
export { type KernelFile, kernelFile } from "./sets/families.js";
