/** @file Functions that run while something is in force. */
import { asynchronous, notAFunction } from "./errors.js";

/**
 * Runs a function that must be done when it returns: what is in force ends then.
 *
 * @param name what is given the function, as the message names it
 * @throws SconceError `TORCH_ARGUMENT` for a function that returns a promise, and for no function
 */
export function runAtOnce<T>(name: string, run: () => T): T {
  if (typeof run !== "function") throw notAFunction(name);
  const result = run();
  if (!isPromise(result)) return result;
  // Nothing waits for it any longer, and what it throws would count as unhandled.
  result.then(undefined, () => undefined);
  throw asynchronous(name);
}

const isPromise = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" && value !== null && typeof (value as { then?: unknown }).then === "function";
