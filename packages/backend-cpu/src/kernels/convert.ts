/** @file Copies, conversions and the way from a tensor to a Python number. */
import { complex, float, int } from "@sconce/ir";
import { dtypeInfo, getElement, type Tensor } from "@sconce/tensor";
import { copyInto } from "../copy.js";
import { invalidArgument } from "../errors.js";
import { defineKernels, emptyOutput, kernel, type RuntimeValue } from "../kernel.js";

/** The layout (memory format) is in the meta rule's strides. */
const copyOut = kernel<{ self: Tensor }>(({ self }, context) => {
  const out = emptyOutput(context);
  copyInto(out, self);
  return out;
});

const copy = kernel<{ src: Tensor }>(({ src }, context) => {
  const out = emptyOutput(context);
  copyInto(out, src);
  return out;
});

const localScalar = kernel<{ self: Tensor }>(({ self }): RuntimeValue => {
  if (self.numel !== 1) {
    throw invalidArgument(`a Tensor with ${self.numel} elements cannot be converted to Scalar`);
  }
  const value = getElement(self.asStrided([], []), []);
  if (typeof value === "object") return complex(value.re, value.im);
  if (typeof value === "bigint") return int(value);
  return typeof value === "number" && dtypeInfo(self.dtype).kind === "float" ? float(value) : value;
});

export const convertKernels = defineKernels({
  "aten.clone.default": copyOut,
  "aten._to_copy.default": copyOut,
  "aten.copy.default": copy,
  "aten.lift_fresh_copy.default": copyOut,
  "aten._local_scalar_dense.default": localScalar,
});
