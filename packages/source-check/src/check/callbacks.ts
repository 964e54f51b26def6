/** @file Functions that the checked code passes on. */

import type { AnyNode } from "acorn";
import { isPlainObject } from "../plain-object.js";
import { type AnyFunction, isClass, isNative } from "../source/parse-function.js";
import { hostFunction } from "./host-functions.js";
import { type Interpreter, runAnyTimes, type Scope } from "./interpreter.js";
import { isNothing, join, type Kind, known, made, NOTHING, UNDEFINED, unknown } from "./kinds.js";
import { operatorReturns, ownFunctionName } from "./own-functions.js";
import { isModule } from "./own-values.js";
import { isProxy } from "./proxies.js";

/**
 * Returns the functions that an argument passes on: itself, or what an object of options holds.
 * Those of Sconce decide nothing, and those of the language are called by the code that knows them.
 */
function callbacksOf(
  { values, objects }: Kind,
  isCallback = isUserFunction,
  seen = new Set<unknown>(),
): Kind[] {
  const found: Kind[] = [];
  for (const value of values) {
    if (isCallback(value)) found.push(known(value));
    else if (isPlainObject(value) && !isProxy(value)) {
      const own = Object.values(Object.getOwnPropertyDescriptors(value));
      found.push(
        ...own
          .map((one) => one.value as unknown)
          .filter(isCallback)
          .map(known),
      );
    }
  }
  for (const object of objects) {
    if (seen.has(object)) continue;
    seen.add(object);
    if (object.type === "function" || object.type === "bound") found.push(made(object));
    else if (object.type === "record")
      for (const item of object.props.values())
        if (item.objects.some(({ type }) => type === "function") || item.values.some(isCallback))
          found.push(...callbacksOf(item, isCallback, seen));
  }
  return found;
}

/** Returns whether a value is a function with a source that is neither of Sconce nor a class. */
export function isUserFunction(value: unknown): value is AnyFunction {
  if (typeof value !== "function" || isModule(value)) return false;
  if (ownFunctionName(value) !== undefined || operatorReturns(value) !== undefined) return false;
  return !isClass(value as AnyFunction) && !isNative(value as AnyFunction);
}

/** Returns whether strict mode checks a function where it is passed on: also one of the host. */
const isFollowedFunction = (value: unknown): value is AnyFunction =>
  isUserFunction(value) || hostFunction(value) !== undefined;

/** Runs functions that are passed on, with these arguments; what they give. */
export function runCallbacks(
  args: readonly Kind[],
  given: readonly Kind[] | undefined,
  on: Interpreter,
  node: AnyNode,
  scope: Scope,
): Kind {
  const operand =
    given ?? Array.from({ length: 4 }, () => unknown("an argument of a function that is passed on"));
  let result = NOTHING;
  const isCallback = on.strict === undefined ? isUserFunction : isFollowedFunction;
  for (const callback of args.flatMap((arg) => callbacksOf(arg, isCallback)))
    result = join(
      result,
      runAnyTimes(on, () => on.call(callback, UNDEFINED, operand, node, scope)),
    );
  return isNothing(result) ? unknown("a function that is passed on is not followed") : result;
}
