/** @file `#bisection` wherever it is not Node. */
import { type LazyModule, loadedLater } from "../checking/lazy-module.js";
import type { bisectSteps } from "./bisect.js";

/** The search, once it is loaded. */
export const BISECTION: LazyModule<typeof bisectSteps> = loadedLater(
  async () => (await import("./bisect.js")).bisectSteps,
);
