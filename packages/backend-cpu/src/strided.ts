/** @file Iteration over strided tensors, as the kernels import it. */
export {
  broadcastStrides,
  broadcastView,
  eachRun,
  eachRunInOrder,
  memoryOrder,
  positionsOf,
  type RunBody,
  type StridedView,
} from "@sconce/tensor";
