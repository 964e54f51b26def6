/** @file `#checker` in Node, where files are at hand. */
import { type LatePart, presentPart } from "@sconce/errors";
import { Checker } from "./checker.js";

/** The checker. */
export const CHECKER: LatePart<typeof Checker> = presentPart(Checker);
