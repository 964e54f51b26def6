/** @file Steps that decompositions of structural operators share. */
import type { FakeTensor, IntLike } from "@sconce/ir";
import type { DType } from "@sconce/tensor";
import type { Emit } from "../rows/emit.js";
import { isContiguousFake } from "./fake.js";

/** `x.contiguous()`: the tensor itself when its memory is row-major. */
export const toContiguous = (emit: Emit, tensor: FakeTensor): FakeTensor =>
  isContiguousFake(tensor, emit.env) ? tensor : emit("aten.contiguous.default", [tensor]);

/** `torch.where(mask, t, 0)`, and `mask & t` for conditions. */
export const maskTensor = (emit: Emit, mask: FakeTensor, tensor: FakeTensor): FakeTensor =>
  tensor.dtype === "bool"
    ? emit("aten.logical_and.default", [mask, tensor])
    : emit("aten.where.ScalarOther", [mask, tensor, 0]);

/** `torch.arange(end, device=...)`, with a dtype when one is given. */
export const emitRange = (emit: Emit, end: IntLike, like: FakeTensor, dtype?: DType): FakeTensor =>
  emit("aten.arange.default", [end], { dtype, device: like.device, pin_memory: false });

/** `grad.new_zeros(sizes)`. */
export const emitNewZeros = (emit: Emit, like: FakeTensor, sizes: readonly IntLike[]): FakeTensor =>
  emit("aten.new_zeros.default", [like, sizes], { pin_memory: false });
