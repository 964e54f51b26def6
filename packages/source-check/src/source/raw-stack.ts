/**
 * Frames that are kept: about 0.5 µs each. Three to six functions lie between the user's line and
 * the capture. Frames outside of the module that runs come from `outer`.
 */
const FRAMES = 12;

/** A stack as the engine gives it: formatting waits until something reads it. */
export interface RawStack {
  /** Holds the frames; undefined once they are formatted. */
  error: Error | undefined;
  /** The stack of the call of the module that runs: the frames outside of it. */
  readonly outer: RawStack | undefined;
  /** The formatted text. */
  text?: string | undefined;
}

/** Engines other than V8 have no limit, and ignore it. */
const limits = Error as { stackTraceLimit?: number };

/** Captures the stack of the running call, in 5 to 10 µs. */
export function captureStack(outer?: RawStack): RawStack {
  const limit = limits.stackTraceLimit;
  if (limit === undefined) return { error: new Error(), outer };
  limits.stackTraceLimit = FRAMES;
  const error = new Error();
  limits.stackTraceLimit = limit;
  return { error, outer };
}
