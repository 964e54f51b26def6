/** @file Kernels of the CPU interpreter, and what they are written with. */
export {
  allocate,
  createPhiloxSource,
  createRandomSource,
  defineKernels as table,
  emptyOutput,
  emptyOutputs,
  finishOutput,
  kernel as define,
  openOutput,
  readNumbers,
} from "../index.js";
