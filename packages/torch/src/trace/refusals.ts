/**
 * @file Values that a trace refuses to give. A model that catches the error goes on with another
 * value, which the program would have for good.
 */
import type { SconceError } from "@sconce/errors";

let current: SconceError[] | undefined;

/** Takes note of a refusal, and returns it to be thrown. */
export function refusal(error: SconceError): SconceError {
  current?.push(error);
  return error;
}

/** Runs a model; returns its result, and the refusals that it caught. */
export function withRefusals<T>(run: () => T): {
  readonly result: T;
  readonly caught: readonly SconceError[];
} {
  const outer = current;
  const caught: SconceError[] = [];
  current = caught;
  try {
    return { result: run(), caught };
  } finally {
    current = outer;
  }
}
