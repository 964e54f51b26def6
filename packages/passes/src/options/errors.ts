import { type ErrorEdit, SconceError } from "@sconce/errors";

/** Returns the error for a wrong option of a pass, with its place in the pipeline. */
export const optionError = (
  {
    code,
    message,
    fix,
    cause,
    edits,
  }: {
    readonly code: string;
    readonly message: string;
    readonly fix: string;
    readonly edits?: readonly ErrorEdit[];
    readonly cause?: unknown;
  },
  where?: string,
): SconceError => new SconceError({ code, message, fix, where, cause, edits });
