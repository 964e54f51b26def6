/** @file What compares the numbers of programs: at hand in Node, loaded by pages that need it. */
import { CHECKER } from "#checker";
import type { Checker } from "./checker.js";
import { requireLoaded } from "./lazy-module.js";

/** Loads what checks need; Node has it at once. */
export const loadChecker = (): Promise<void> => CHECKER.load();

/** @throws SconceError `CHECKER_NOT_LOADED` in a page that has not loaded it */
export const requireChecker = (): typeof Checker => requireLoaded(CHECKER);
