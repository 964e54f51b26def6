/** @file Regions of `vmap` in graphs that were not lowered: their steps run once for each lane. */
import { invalidArgument } from "../rows/errors.js";
import { type Frame, type GraphPlan, resolve, type Step } from "./graph-plan.js";
import type { TensorAccess } from "./tensor-access.js";

const PREDISPATCH = "torch._functorch.predispatch.";
const BEGIN = `${PREDISPATCH}_vmap_increment_nesting`;
const END = `${PREDISPATCH}_vmap_decrement_nesting`;
const ADD = `${PREDISPATCH}_add_batch_dim`;
const REMOVE = `${PREDISPATCH}_remove_batch_dim`;

export const isBatchCall = (target: string): boolean => target.startsWith(PREDISPATCH);
export const opensRegion = (target: string): boolean => target === BEGIN;

/** Index of the call that closes the region opened at `start`. */
export function regionEnd(plan: GraphPlan, start: number): number {
  let depth = 0;
  for (let i = start; i < plan.steps.length; i++) {
    const { target } = plan.steps[i]!.node;
    if (target === BEGIN) depth++;
    if (target === END && --depth === 0) return i;
  }
  throw invalidArgument("a vmap region is not closed");
}

/** What leaves a region, collected lane by lane and stacked at its end. */
export class LeavingValues<T> {
  readonly #leaving: readonly { readonly step: Step; readonly rows: T[] }[];

  /** `level` counts the open regions, this one included. */
  constructor(steps: readonly Step[], level: number) {
    this.#leaving = steps
      .filter(
        ({ node, args }) => node.target === REMOVE && args[1]?.kind === "literal" && args[1].value === level,
      )
      .map((step) => ({ step, rows: [] }));
  }

  collect(frame: Frame<T>): void {
    for (const { step, rows } of this.#leaving) rows.push(frame[step.slot] as T);
  }

  store(frame: Frame<T>, tensors: TensorAccess<T>): void {
    for (const { step, rows } of this.#leaving) {
      const dim = Number(resolve(step.args[3]!, frame));
      frame[step.slot] = rows.length > 0 ? tensors.stack(rows, dim) : tensors.empty(step.node.meta.val, dim);
    }
  }
}

/**
 * The calls inside of a region: a tensor becomes the lane of it that runs, and goes out as it is.
 */
export function batchCall<T>(
  target: string,
  args: readonly unknown[],
  lanes: readonly number[],
  tensors: TensorAccess<T>,
): T | null {
  if (target === ADD) return tensors.select(args[0] as T, Number(args[1]), lanes[Number(args[2]) - 1]!);
  return target === REMOVE ? (args[0] as T) : null;
}
