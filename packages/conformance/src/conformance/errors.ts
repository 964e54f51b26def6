import { SconceError } from "@sconce/errors";

/** Returns the error when the command was called in a way that it does not take. */
export const badUsage = (code: string, message: string, fix: string): SconceError =>
  new SconceError({ code, message, fix });
