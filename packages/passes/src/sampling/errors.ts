import { didYouMean, SconceError } from "@sconce/errors";

/** Inputs that cannot be sampled, with the reason. */
export const noSample = (message: string, fix: string): SconceError =>
  new SconceError({ code: "NO_SAMPLE_INPUTS", message: `inputs cannot be sampled: ${message}`, fix });

/** Returns the error for a size of a symbol that no input has. */
export const unknownSize = (name: string, known: readonly string[]): SconceError =>
  noSample(
    `the inputs have no symbol "${name}"`,
    didYouMean(
      name,
      known,
      known.length === 0 ? "all sizes are fixed" : `the symbols are: ${known.join(", ")}`,
    ),
  );
