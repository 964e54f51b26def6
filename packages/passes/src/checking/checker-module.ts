/** @file `#checker` wherever it is not Node. */
import { type LatePart, latePart } from "@sconce/errors";
import type { Checker } from "./checker.js";

/** The checker, once it is loaded. */
export const CHECKER: LatePart<typeof Checker> = latePart(
  "the module that checks passes",
  async () => (await import("./checker.js")).Checker,
);
