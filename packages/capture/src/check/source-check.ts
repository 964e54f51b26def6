/** @file The check of sources, with Sconce's own classes and functions. */
import * as sources from "@sconce/source-check";
import { knowOwnValues } from "./own-values.js";

/**
 * Checks the source of a function for tensors and dynamic sizes that JavaScript would take for
 * true, or compare by identity. It follows the modules and methods that it can reach through `this`
 * and the arguments. What it cannot follow is listed as unchecked.
 */
export function checkSource(fn: sources.AnyFunction, request: sources.CheckRequest): sources.SourceReport {
  knowOwnValues();
  return sources.checkSource(fn, request);
}

/**
 * Checks a function that control flow is given. `refused` has the changes of values from outside of
 * it, and `unchecked` the places that may make some.
 */
export function checkBody(call: sources.CheckedBody): sources.SourceReport {
  knowOwnValues();
  return sources.checkBody(call);
}
