/** @file `#bisection` wherever it is not Node. */
import { type LatePart, latePart } from "@sconce/errors";
import type { bisectSteps } from "./bisect.js";

/** The search, once it is loaded. */
export const BISECTION: LatePart<typeof bisectSteps> = latePart(
  "the module that bisects passes",
  async () => (await import("./bisect.js")).bisectSteps,
);
