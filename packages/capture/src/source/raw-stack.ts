/** A stack as the engine gives it, formatted when somebody reads it. */
export type RawStack = Error;

/** The stack of the running call. */
export function captureStack(): RawStack {
  return new Error();
}
