/** @file Types of arguments of PyTorch's functions. */
import type { ComplexLiteral, DeviceLiteral, FloatLiteral } from "@sconce/ir";
import type { Tensor } from "@sconce/tensor";
import type { SymBool, SymFloat, SymInt } from "../trace/sym-int.js";

/**
 * A number: an integral one is a Python int, `float(2)` is the Python float 2.0; symbolic values
 * count.
 */
export type Scalar =
  | number
  | bigint
  | boolean
  | FloatLiteral
  | ComplexLiteral
  | SymInt
  | SymFloat
  | SymBool
  | Tensor;
/** A Python float; an integral number counts as one. */
export type Float = number | FloatLiteral | SymFloat | SymInt | Tensor;
/** `"cpu"`, `"cuda:1"`. */
export type Device = string | DeviceLiteral;
/** A list of tensors. */
export type Tensors = readonly (Tensor | null)[];
