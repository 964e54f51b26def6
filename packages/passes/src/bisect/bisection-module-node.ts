/** @file `#bisection` in Node, where files are at hand. */
import { type LazyModule, loadedNow } from "../checking/lazy-module.js";
import { bisectSteps } from "./bisect.js";

/** The search. */
export const BISECTION: LazyModule<typeof bisectSteps> = loadedNow(bisectSteps);
