/** @file What PyTorch knows of a tensor without calling an operator: nothing is recorded. */
import { describeValue } from "@sconce/errors";
import { dtypeInfo, isComplexDType, isFloatDType, Tensor } from "@sconce/tensor";
import { callOperator } from "../trace/dispatch.js";
import { invalidArgument } from "./errors.js";
import { camelCase } from "./names.js";
import { numelOf, storageOffsetOf } from "./sizes.js";

const isComplex = ({ dtype }: Tensor): boolean => isComplexDType(dtype);

/** Asks a tensor. @throws SconceError `TORCH_ARGUMENT` for what is not one */
export function factOf(name: string, input: unknown): unknown {
  if (input instanceof Tensor) return FACTS[name]!(input);
  throw invalidArgument(`torch.${camelCase(name)}`, `input is ${describeValue(input)}`, "give a tensor");
}

/** The functions by PyTorch's name; most are methods, too. */
export const FACTS: Readonly<Record<string, (input: Tensor) => unknown>> = {
  conj: (input) => (isComplex(input) ? callOperator("aten._conj.default", [input]) : input),
  dim: ({ ndim }) => ndim,
  get_device: () => -1,
  is_complex: isComplex,
  is_conj: () => false,
  is_floating_point: ({ dtype }) => isFloatDType(dtype),
  is_inference: () => false,
  is_neg: () => false,
  is_signed: ({ dtype }) => dtypeInfo(dtype).signed,
  numel: numelOf,
  storage_offset: storageOffsetOf,
};
