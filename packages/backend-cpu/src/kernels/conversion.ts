/** @file Copies, conversions and the way from a tensor to a Python number. */
import { complex, float, int } from "@sconce/ir";
import { type DType, dtypeInfo, getElement, requiredBytes, type Tensor } from "@sconce/tensor";
import { copyInto } from "../kernel/copy.js";
import { invalidArgument } from "../kernel/errors.js";
import { defineKernels, emptyOutput, kernel } from "../kernel/kernel.js";
import { copyWithStorage } from "./index-elements.js";
import { elementwise } from "./pointwise-loop.js";
import { copyLoop } from "./pointwise-loops.js";

const READABLE = new Set<DType>([
  "float64",
  "float32",
  "float16",
  "bfloat16",
  "int64",
  "int32",
  "int16",
  "int8",
  "uint8",
  "bool",
]);
/** Dtypes into which a lane of float64 numbers converts as PyTorch does, whatever they were. */
const WRITABLE = new Set<DType>(["float64", "float32", "float16", "bfloat16", "int64", "bool"]);

/** Returns whether its elements are those of a typed array of floats, which rounds what is set. */
const isFloatArray = (tensor: Tensor): tensor is Tensor & { readonly data: Float32Array | Float64Array } =>
  tensor.dtype === "float32" || tensor.dtype === "float64";

/** Copies by lanes where dtypes differ and numbers suffice, else by the general conversion. */
function convertInto(out: Tensor, source: Tensor): Tensor {
  // A smaller source is repeated, so it takes the way of other conversions.
  const isWhole = source.numel === out.numel && source.isContiguous && out.isContiguous;
  if (isWhole && isFloatArray(source) && isFloatArray(out)) {
    const start = source.storageOffset;
    out.data.set(source.data.subarray(start, start + source.numel), out.storageOffset);
    return out;
  }
  const lanes = source.dtype !== out.dtype && READABLE.has(source.dtype) && WRITABLE.has(out.dtype);
  if (lanes) return elementwise({ real: copyLoop }, out, [source], "float64");
  copyInto(out, source);
  return out;
}

/** The layout (memory format) is in the meta rule's strides. */
const copyOut = kernel(
  [
    "aten::clone(Tensor self, *, MemoryFormat? memory_format=None) -> Tensor",
    "aten::_to_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool non_blocking=False, MemoryFormat? memory_format=None) -> Tensor",
    "dim_order_ops::_clone_dim_order(Tensor self, *, bool non_blocking=False, int[]? dim_order=None) -> Tensor",
    "dim_order_ops::_to_dim_order_copy(Tensor self, *, ScalarType? dtype=None, Layout? layout=None, Device? device=None, bool? pin_memory=None, bool non_blocking=False, int[]? dim_order=None) -> Tensor",
    "aten::lift_fresh_copy(Tensor self) -> Tensor",
  ],
  ({ self }, context) => convertInto(emptyOutput(context), self),
);
const copy = kernel(
  "aten::copy(Tensor self, Tensor src, bool non_blocking=False) -> Tensor",
  ({ self, src }, context) =>
    convertInto(hasGaps(self) ? copyWithStorage(context, self) : emptyOutput(context), src),
);

/** Returns whether memory lies between elements, which a copy keeps. */
const hasGaps = ({ shape, strides, numel }: Tensor): boolean => requiredBytes(shape, strides, 0, 1) > numel;

const localScalar = kernel("aten::_local_scalar_dense(Tensor self) -> Scalar", ({ self }) => {
  if (self.numel !== 1) {
    throw invalidArgument(`a Tensor with ${self.numel} elements cannot be converted to Scalar`);
  }
  const value = getElement(self.asStrided([], []), []);
  if (typeof value === "object") return complex(value.re, value.im);
  if (typeof value === "bigint") return int(value);
  return typeof value === "number" && dtypeInfo(self.dtype).kind === "float" ? float(value) : value;
});

export const conversionKernels = defineKernels([copyOut, copy, localScalar]);
