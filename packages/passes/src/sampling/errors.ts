import { SconceError } from "@sconce/errors";

/** Inputs that cannot be sampled, with the reason. */
export const noSample = (message: string, fix: string): SconceError =>
  new SconceError({ code: "NO_SAMPLE_INPUTS", message: `inputs cannot be sampled: ${message}`, fix });
