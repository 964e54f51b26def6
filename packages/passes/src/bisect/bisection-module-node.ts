/** @file `#bisection` in Node, where files are at hand. */
import { bisectSteps } from "./bisect.js";
import type { BisectionModule } from "./bisection-module.js";

/** The search. */
export const BISECTION: BisectionModule = { steps: bisectSteps, load: () => Promise.resolve() };
