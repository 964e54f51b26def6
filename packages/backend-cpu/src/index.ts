export {
  type CpuBackendOptions,
  cpuBackend,
  createEvaluator,
  createRunner,
  type Evaluator,
  evaluate,
} from "./interpreter/backend.js";
export { CpuInterpreter } from "./interpreter/interpreter.js";
export {
  firstNonfinite,
  type NamedSummary,
  type NonfiniteNode,
  type NonfiniteOptions,
  type NonfiniteReport,
  type NonfiniteSource,
} from "./interpreter/nonfinite.js";
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
export { type CoreKernels, type CoreTarget, CPU_KERNELS } from "./kernels/all.js";
export { createPhiloxSource } from "./kernels/philox-source.js";
export { createRandomSource } from "./kernels/random-source.js";
