/** @file The user's lines that errors and guards of an export name. */

import { isSconceError } from "@sconce/errors";
import type { ModuleStackEntry } from "@sconce/ir";
import { formatStack, type RawStack } from "@sconce/source-check";

/** Returns the user's line of a stack: `model.ts:12`. */
export function placeOf(location: unknown): string | undefined {
  const text = formatStack(location as RawStack);
  const frames = [...(text ?? "").matchAll(/File "([^"]*)", line (\d+)/g)];
  const last = frames.at(-1);
  return last === undefined ? undefined : `${last[1]}:${last[2]}`;
}

/** The call of a module in which an error was thrown. */
interface Caller {
  /** The stack of the call. */
  readonly stack: RawStack;
  /** The innermost module. */
  readonly layer: ModuleStackEntry | undefined;
}

const callers = new WeakMap<Error, Caller>();

/** Notes the innermost call of a module that an error leaves. */
export function noteCaller(error: unknown, caller: Caller): void {
  if (isSconceError(error) && !callers.has(error)) callers.set(error, caller);
}

/**
 * Returns the user's line that an error comes from. Where that is the call of a layer of Sconce's
 * own, the layer is named too: `model.ts:12, in fc (Linear)`.
 */
function placeOfError(error: Error): string | undefined {
  const own = placeOf({ error, outer: undefined } satisfies RawStack);
  const caller = callers.get(error);
  if (own !== undefined || caller === undefined) return own;
  const place = placeOf(caller.stack);
  const [, path = "", type = ""] = caller.layer ?? [];
  if (place === undefined || path === "") return place;
  return `${place}, in ${path.replace(/^\./, "")} (${type.split(".").at(-1)})`;
}

/** Frames of errors: those of Sconce lie between the user's line and the place that throws. */
const FRAMES = 40;

/** Runs the user's model. Errors of Sconce get the user's line as their place. */
export function withUserLines<T>(run: () => T): T {
  const limits = Error as { stackTraceLimit?: number };
  const limit = limits.stackTraceLimit;
  if (limit !== undefined && limit < FRAMES) limits.stackTraceLimit = FRAMES;
  try {
    return run();
  } catch (error) {
    if (!isSconceError(error)) throw error;
    const place = placeOfError(error);
    if (place === undefined) throw error;
    const located = error.at(place);
    // The frames of the model, not those of this function.
    Object.defineProperty(located, "stack", { value: error.stack, configurable: true, writable: true });
    throw located;
  } finally {
    if (limit !== undefined) limits.stackTraceLimit = limit;
  }
}
