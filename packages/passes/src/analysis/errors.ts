import { SconceError } from "@sconce/errors";

/**
 * Returns the error for a program that writes to its values where a pass needs one that does not.
 */
export const notFunctional = (message: string, where: string, fix: string): SconceError =>
  new SconceError({ code: "NOT_FUNCTIONAL", message, where, fix });
