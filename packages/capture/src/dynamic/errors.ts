/** @file Errors of dynamic shapes; the messages are PyTorch's. */
import { type ErrorEdit, SconceError } from "@sconce/errors";

/** Changes that a tool can apply, where some are known. */
export interface Edits {
  readonly edits?: readonly ErrorEdit[];
}

const DIM_FIX = 'write `Dim("batch", { min: 1, max: 64 })`, and derive dims as `batch.mul(2).add(1)`';

/** Returns the error for a `Dim`, or an operation on one, that is not possible. */
export const badDim = (message: string, fix = DIM_FIX): SconceError =>
  new SconceError({ code: "BAD_DIM", message, fix });

const MIRROR = "make `dynamicShapes` mirror the inputs: an object by argument name, or a list in input order";

/** Names of parameters that a bundler may have chosen. */
export const renamedParameters = (names: readonly string[]): string =>
  `${MIRROR}; if a bundler renamed the parameters (${names.join(", ")}), give a list, or keep the source map of the bundle beside it`;

/** Returns the error for a specification that does not fit the inputs. */
export const badDynamicShapes = (message: string, fix: string = MIRROR, { edits }: Edits = {}): SconceError =>
  new SconceError({ code: "BAD_DYNAMIC_SHAPES", message, where: "dynamicShapes", fix, edits });

/**
 * Returns the error for example inputs, or requirements that the trace found, that contradict the
 * specification.
 */
export const constraintViolation = (
  message: string,
  fix: string,
  { cause, edits }: Edits & { readonly cause?: unknown } = {},
): SconceError =>
  new SconceError({ code: "CONSTRAINT_VIOLATION", message, where: "dynamicShapes", fix, cause, edits });

/** Returns the error for the spelling of releases before `dynamicShapes`. */
export const oldSpelling = (name: string): SconceError =>
  new SconceError({
    code: "OLD_DYNAMIC_SHAPES",
    message: `\`${name}\` is the spelling of PyTorch before 2.2; \`dynamicShapes\` replaced it`,
    fix: 'write `const batch = Dim("batch", { min: 2, max: 64 }); exportProgram(f, [x], { dynamicShapes: { x: { 0: batch } } })`',
  });
