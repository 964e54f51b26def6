/** @file `#checker` in Node, where files are at hand. */
import { Checker } from "./checker.js";
import type { CheckerModule } from "./checker-module.js";

/** The checker. */
export const CHECKER: CheckerModule = { type: Checker, load: () => Promise.resolve() };
