/** @file Products whose sizes are known when the kernel runs. */
import type { LoopNest, LoopProgram } from "@sconce/codegen";
import { elementsOf } from "@sconce/codegen";
import type { KernelCode } from "../kernel-code.js";
import { openBlocks } from "./blocks.js";
import { isFixed, sizesIn } from "./counts.js";
import { isReadable, PACKED_DEPTH, productOf } from "./matrix.js";
import type { MatrixOptions } from "./options.js";
import { oneStepOf } from "./prepared.js";
import { type MatrixPlan, matrixPlan, type Operand } from "./product-plan.js";

/** Returns the code of a product for all sizes; undefined if there is none. */
export function openProduct(
  nest: LoopNest,
  program: LoopProgram,
  options: MatrixOptions,
): KernelCode | undefined {
  const plan = matrixPlan(nest);
  if (plan === undefined || ![plan.a, plan.b].every((one) => isOpenOperand(plan, one))) return undefined;
  if (plan.m === 1 && plan.k < PACKED_DEPTH && !options.isConstant(plan.b.buffer)) return undefined;
  if (!isReadable(plan, options) || (plan.b.expanded !== undefined && !isFixedOperand(plan, plan.b)))
    return undefined;
  // Panels are made before sizes are known.
  const [a, b] = [plan.a, plan.b].map(
    (one) => options.isConstant(one.buffer) && isFixedOperand(plan, one),
  ) as [boolean, boolean];
  return productOf(plan, openBlocks(plan, options.relaxed), { program, sizes: undefined, options }, { a, b });
}

/**
 * Returns whether the inner places of a factor lie one step after another, if it is not known how
 * many there are.
 */
function isOpenOperand(plan: MatrixPlan, { inner }: Operand): boolean {
  return isFixed(elementsOf(plan.inner)) || oneStepOf(plan.inner, inner) !== undefined;
}
/** Returns whether no place of a factor depends on a size. */
function isFixedOperand({ rows, columns, inner, a }: MatrixPlan, one: Operand): boolean {
  const axes = [...(one === a ? rows : columns), ...inner, ...one.outerAxes];
  const indices = [one.outer, one.lanes, one.inner, ...axes.map(({ extent }) => extent)];
  return indices.every((index) => sizesIn(index).length === 0);
}
