export { type CpuBackendOptions, cpuBackend, createEvaluator, type Evaluator, evaluate } from "./backend.js";
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
  type RuntimeValue,
} from "./kernel.js";
