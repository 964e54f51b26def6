/** @file Errors with their causes and stacks, as workers send them. */
import { isSconceError, type SconceError, thrownText } from "@sconce/errors";

/** An error, or what was thrown in place of one. */
export interface SentError {
  readonly name: string;
  readonly message: string;
  readonly stack?: string | undefined;
  /** Of a `SconceError`. */
  readonly code?: string | undefined;
  readonly where?: string | undefined;
  readonly fix?: string | undefined;
  readonly edits?: SconceError["edits"] | undefined;
  readonly cause?: SentError | undefined;
}

/** Causes are sent up to here. */
const MOST_CAUSES = 32;

export function sentError(error: unknown, depth = 0): SentError {
  const message = thrownText(error);
  if (!(error instanceof Error)) return { name: "thrown", message };
  const { name, stack, cause } = error;
  return {
    name: String(name),
    message,
    stack: String(stack),
    ...(isSconceError(error) && { code: error.code, where: error.where, fix: error.fix, edits: error.edits }),
    ...(cause !== undefined && depth < MOST_CAUSES && { cause: sentError(cause, depth + 1) }),
  };
}
