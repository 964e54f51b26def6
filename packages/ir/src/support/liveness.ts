/** @file When the values of steps in a row are used for the last time. */
import { finish, type Work } from "@sconce/errors";

/**
 * Calls `use` with the values that a step reads or writes, in any order and as often as it likes.
 */
export type UsesOf<T> = (step: number, use: (value: T) => void) => void;

const NONE: readonly never[] = [];
/** How many steps make one piece. */
const STEPS_A_PIECE = 256;

/**
 * Returns for each step the values that no later step uses, in the order of their first use by the
 * step. A value that is written and never read ends with the step that writes it.
 *
 * @param steps how many there are
 * @param kept values that are needed when all steps are done; they never end
 */
export const deadAfter = <T>(
  steps: number,
  usesOf: UsesOf<T>,
  kept?: Iterable<T>,
): readonly (readonly T[])[] => finish(deathSteps(steps, usesOf, kept));

/** As {@link deadAfter}, in pieces. */
export function* deathSteps<T>(
  steps: number,
  usesOf: UsesOf<T>,
  kept: Iterable<T> = NONE,
): Work<readonly (readonly T[])[]> {
  const used = new Set(kept);
  const dead = new Array<readonly T[]>(steps);
  let last: T[] | undefined;
  const use = (value: T): void => {
    if (used.has(value)) return;
    used.add(value);
    if (last === undefined) last = [value];
    else last.push(value);
  };
  for (let step = steps - 1; step >= 0; step--) {
    if (step % STEPS_A_PIECE === 0) yield;
    last = undefined;
    usesOf(step, use);
    dead[step] = last ?? NONE;
  }
  return dead;
}
