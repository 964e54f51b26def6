/** @file Distributions and their parameters as PyTorch's errors name them. */
import { floatRepr } from "@sconce/ir";
import { isFloatDType, printTensor, type Tensor } from "@sconce/tensor";
import { torchSize } from "../torch-size.js";

/** Returns a tensor as Python formats it: one without dimensions is a number. */
export function valueText(value: Tensor): string {
  if (value.ndim > 0) return printTensor(value);
  const number = value.item();
  return isFloatDType(value.dtype) ? floatRepr(Number(number)) : String(number);
}

/** Returns a distribution with its parameters: those of several elements show their sizes. */
export function distributionText(name: string, parameters: Readonly<Record<string, Tensor>>): string {
  const texts = Object.entries(parameters).map(([key, value]) => {
    const isOne = value.shape.every((size) => size === 1);
    return `${key}: ${isOne ? valueText(value) : torchSize(value.shape)}`;
  });
  return `${name}(${texts.join(", ")})`;
}
