/** @file What finds a wrong pass: at hand in Node, loaded by pages that need it. */
import { BISECTION } from "#bisection";
import { checkerNotLoaded } from "../checking/errors.js";
import type { bisectSteps } from "./bisect.js";

/** Loads what a bisection needs; Node has it at once. */
export const loadBisection = (): Promise<void> => BISECTION.load();

/** @throws SconceError `CHECKER_NOT_LOADED` in a page that has not loaded it */
export function requireBisection(): typeof bisectSteps {
  if (BISECTION.steps === undefined) throw checkerNotLoaded();
  return BISECTION.steps;
}
