import { SconceError } from "@sconce/errors";

/** Returns the error for a case that cannot be read. */
export const badCase = (message: string, cause?: unknown): SconceError =>
  new SconceError({
    code: "CASE_FILE",
    message,
    fix: "make the file again with packages/testing/oracle/ops/pack_cases.mjs",
    cause,
  });
