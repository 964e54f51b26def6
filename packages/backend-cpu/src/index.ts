export {
  type CpuBackendOptions,
  cpuBackend,
  createEvaluator,
  createRunner,
  type Evaluator,
  evaluate,
} from "./backend.js";
export { finishOutput, type NumberArray, openOutput, readNumbers } from "./dense.js";
export { CpuInterpreter } from "./interpreter.js";
export {
  type AnyKernel,
  allocate,
  defineKernels,
  emptyOutput,
  emptyOutputs,
  emptyStrided,
  type Kernel,
  type KernelContext,
  type KernelTable,
  kernel,
  type RandomSource,
} from "./kernel.js";
export { createPhiloxSource } from "./kernels/philox.js";
export { createRandomSource } from "./kernels/random-source.js";
export { CPU_KERNELS } from "./kernels.js";
export {
  firstNonfinite,
  type NamedSummary,
  type NonfiniteNode,
  type NonfiniteOptions,
  type NonfiniteReport,
  type NonfiniteSource,
} from "./nonfinite.js";
export type { NonfiniteKind, TensorSummary } from "./tensor-summary.js";
