/** @file `#checker` in Node, where files are at hand. */
import { Checker } from "./checker.js";
import { type LazyModule, loadedNow } from "./lazy-module.js";

/** The checker. */
export const CHECKER: LazyModule<typeof Checker> = loadedNow(Checker);
