export {
  type AnyKernel, allocate, defineKernels, emptyOutput, emptyOutputs, emptyStrided, type Kernel, type KernelContext,
  type KernelTable, kernel, type RandomSource, type RuntimeValue,
} from "./kernel.js";
export { cpuBackend, type CpuBackendOptions, createEvaluator, type Evaluator, evaluate } from "./backend.js";
