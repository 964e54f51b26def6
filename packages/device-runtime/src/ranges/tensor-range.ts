/** @file The range of the elements of a tensor. */
import { isComplexDType, isFloatDType, type Tensor } from "@sconce/tensor";
import { ANY, between, type Range, rangeOfDType } from "./interval.js";

/** Returns the least and the greatest of an integer tensor's elements; floats are not looked at. */
export function rangeOfTensor(tensor: Tensor): Range {
  if (isFloatDType(tensor.dtype) || isComplexDType(tensor.dtype)) return ANY;
  if (tensor.dtype === "bool" || tensor.numel === 0) return rangeOfDType("bool");
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const value of tensor.toFloat64Array()) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return between(low, high);
}
