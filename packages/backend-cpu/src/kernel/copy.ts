/** @file Copies of tensors, as the kernels import them. */
export { copyInto, detached } from "@sconce/tensor";
