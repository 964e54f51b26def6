/** @file `#bisection` in Node, where files are at hand. */
import { type LatePart, presentPart } from "@sconce/errors";
import { bisectSteps } from "./bisect.js";

/** The search. */
export const BISECTION: LatePart<typeof bisectSteps> = presentPart(bisectSteps);
