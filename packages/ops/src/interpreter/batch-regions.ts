/** @file What leaves the regions of `vmap` that an interpreter runs. */
import { invalidArgument } from "../rows/errors.js";
import { type Frame, type GraphPlan, resolve, type Step } from "./graph-plan.js";
import { isLaneResult, lanesEnd } from "./lanes.js";
import type { TensorAccess } from "./tensor-access.js";

/** Index of the call that closes the region opened at `start`. */
export function regionEnd({ steps }: GraphPlan, start: number): number {
  const end = lanesEnd(steps.length, start, (at) => steps[at]!.node.target);
  if (end < 0) throw invalidArgument("a vmap region is not closed");
  return end;
}

/** What leaves a region, collected lane by lane and stacked at its end. */
export class LeavingValues<T> {
  readonly #leaving: readonly { readonly step: Step; readonly rows: T[] }[];

  /** `level` counts the open regions, this one included. */
  constructor(steps: readonly Step[], level: number) {
    this.#leaving = steps.filter(({ node }) => isLaneResult(node, level)).map((step) => ({ step, rows: [] }));
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
