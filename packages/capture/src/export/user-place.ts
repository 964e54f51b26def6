/** @file The user's lines that errors and guards of an export name. */
import { isSconceError } from "@sconce/errors";
import { formatStack } from "../source/format-stack.js";
import type { RawStack } from "../source/raw-stack.js";

/** The user's line of a stack: `model.ts:12`. */
export function placeOf(location: unknown): string | undefined {
  const text = formatStack(location as RawStack);
  const frames = [...(text ?? "").matchAll(/File "([^"]*)", line (\d+)/g)];
  const last = frames.at(-1);
  return last === undefined ? undefined : `${last[1]}:${last[2]}`;
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
    const place = placeOf({ error, outer: undefined } satisfies RawStack);
    if (place === undefined) throw error;
    const located = error.at(place);
    // The frames of the model, not those of this function.
    Object.defineProperty(located, "stack", { value: error.stack, configurable: true, writable: true });
    throw located;
  } finally {
    if (limit !== undefined) limits.stackTraceLimit = limit;
  }
}
