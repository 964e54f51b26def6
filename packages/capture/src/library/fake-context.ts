/** @file What the fake of an operator may ask for: sizes that only the data decide. */

import { describeValue } from "@sconce/errors";
import type { ShapeEnv } from "@sconce/symbolic";
import { isSym, requireSizeRange, SymInt } from "@sconce/torch";
import { badDynamicSize, noFakeContext } from "./errors.js";

/** Bounds of a size that only the data decide, both included. */
export interface DynamicSizeBounds {
  /** @defaultValue 0 */
  readonly min?: number | undefined;
  /** @defaultValue none */
  readonly max?: number | null | undefined;
}

/** The context of the fake that runs (`torch.library.get_ctx()`). */
export interface FakeContext {
  /**
   * Makes a size that only the data decide (`ctx.new_dynamic_size`). The program asserts the bounds
   * when it runs.
   *
   * @throws SconceError `NEW_DYNAMIC_SIZE`
   */
  newDynamicSize(bounds?: DynamicSizeBounds): SymInt;
}

let current: FakeContext | undefined;

/**
 * Returns the context of the fake that runs (`torch.library.get_ctx`).
 *
 * @throws SconceError `NO_FAKE_CONTEXT` outside of a fake
 */
export function getCtx(): FakeContext {
  if (current === undefined) throw noFakeContext();
  return current;
}

/** Runs a fake with a context that makes symbols of `env`, and reports each. */
export function withFakeContext<T>(env: ShapeEnv, made: (size: SymInt) => void, run: () => T): T {
  const outer = current;
  current = {
    newDynamicSize(bounds = {}) {
      const size = newSize(env, bounds);
      made(size);
      return size;
    },
  };
  try {
    return run();
  } finally {
    current = outer;
  }
}

function newSize(env: ShapeEnv, { min = 0, max }: DynamicSizeBounds): SymInt {
  const most = max ?? undefined;
  if (isSym(min) || isSym(most))
    throw badDynamicSize(
      `ctx.new_dynamic_size(min=${text(min)}, max=${text(most)}): expected min and max to be statically known ints but got SymInt. This is not supported.`,
    );
  if (!Number.isSafeInteger(min) || (most !== undefined && !Number.isSafeInteger(most)))
    throw badDynamicSize(
      `ctx.new_dynamic_size(min=${text(min)}, max=${text(most)}): expected min and max to be integers`,
    );
  if (min < 0)
    throw badDynamicSize(
      `ctx.new_dynamic_size(min=${min}, ...): expected min to be greater than or equal to 0: this API can only create non-negative sizes.`,
    );
  if (most !== undefined && most < min)
    throw badDynamicSize(
      `Maximum value to constrain_as_size can't be less than the specified min value, received min=${min} and max=${most}`,
    );
  const size = env.freshUnbackedInt();
  requireSizeRange(env, size, { min, max: most });
  return new SymInt(size);
}

const text = (value: unknown): string => {
  if (value === undefined) return "None";
  return isSym(value) ? value.toString() : describeValue(value);
};
