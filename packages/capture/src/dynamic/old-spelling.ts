/** @file The spelling of older releases. */
import { oldSpelling } from "./errors.js";

/**
 * The spelling before `Dim`: always refused, with the new one.
 *
 * @throws SconceError `OLD_DYNAMIC_SHAPES`
 */
export function dynamicDim(..._: readonly unknown[]): never {
  throw oldSpelling("dynamic_dim");
}

/**
 * Refuses the option of older releases.
 *
 * @param options options of an export
 * @throws SconceError `OLD_DYNAMIC_SHAPES` if they have `constraints` or `dynamic_shapes`
 */
export function refuseOldOptions(options: object | undefined): void {
  if (options === undefined) return;
  for (const name of ["constraints", "dynamic_shapes"] as const)
    if (Object.hasOwn(options, name)) throw oldSpelling(name);
}
