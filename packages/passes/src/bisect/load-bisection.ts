/** @file What finds a wrong pass: at hand in Node, loaded by pages that need it. */
import { BISECTION } from "#bisection";
import { requireLoaded } from "../checking/lazy-module.js";
import type { bisectSteps } from "./bisect.js";

/** Loads what a bisection needs; Node has it at once. */
export const loadBisection = (): Promise<void> => BISECTION.load();

/** @throws SconceError `CHECKER_NOT_LOADED` in a page that has not loaded it */
export const requireBisection = (): typeof bisectSteps => requireLoaded(BISECTION);
