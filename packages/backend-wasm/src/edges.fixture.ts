/** @file Which recorded calls at the edges of operators the backend repeats. */
import { dtypesOf, fakesOtherDTypes, type OpCase } from "@sconce/ops-cases";

/**
 * Operators that programs decompose, and whose decompositions in PyTorch give other values at the
 * edges than PyTorch's kernels.
 */
const DECOMPOSED =
  /^aten\.(logit|logit_backward|smooth_l1_loss_backward|soft_margin_loss_backward|upsample_bilinear2d|_?scaled_dot_product_(flash_)?attention(_for_cpu)?)\.default$/;
/**
 * Operators whose results depend on the order of operations: sums that cancel, products that
 * overflow.
 */
const ORDERED = /^aten\.(upsample_bicubic2d|prod)\./;

/**
 * Returns whether PyTorch's shape rule predicts another dtype of statistics than its kernel gives.
 */
const hasOtherDTypes = (one: OpCase): boolean =>
  fakesOtherDTypes(one.target, dtypesOf(one)) &&
  (one.tags.includes("mixed-dtype") || one.target.includes("_functional."));

/**
 * Returns whether the backend has to give PyTorch's values of a call. Refusals are the
 * interpreter's to make.
 */
export const repeatsEdge = (one: OpCase): boolean =>
  one.source === "edges" &&
  one.compare !== "error" &&
  !hasOtherDTypes(one) &&
  !DECOMPOSED.test(one.target) &&
  !ORDERED.test(one.target);
