import { SconceError } from "@sconce/errors";

/** The command was called in a way that it does not take. */
export const badUsage = (code: string, message: string, fix: string): SconceError =>
  new SconceError({ code, message, fix });
