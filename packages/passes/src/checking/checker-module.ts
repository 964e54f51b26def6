/** @file `#checker` wherever it is not Node. */
import type { Checker } from "./checker.js";
import { type LazyModule, loadedLater } from "./lazy-module.js";

/** The checker, once it is loaded. */
export const CHECKER: LazyModule<typeof Checker> = loadedLater(
  async () => (await import("./checker.js")).Checker,
);
