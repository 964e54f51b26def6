/** @file The error that built modules throw. */

/** What a module refuses, and why; nothing was computed. */
export class ModelError extends Error {
  override readonly name = "ModelError";
  /** A stable name of the kind of error. */
  readonly code: string;

  constructor(code: string, message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.code = code;
  }
}
