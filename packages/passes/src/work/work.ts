/**
 * @file Long work in pieces: a generator that yields now and then. Run to its end at once it
 * blocks; run with pauses it lets the event loop in, reports progress, and stops when a signal is
 * raised.
 */
import { aborted } from "@sconce/errors";

/** Work that yields where it may pause, and returns its result. */
export type Work<T> = Generator<void, T, void>;

/** Runs work to its end without a pause. */
export function finish<T>(work: Work<T>): T {
  let piece = work.next();
  while (!piece.done) piece = work.next();
  return piece.value;
}

/** Time in milliseconds after which work lets other tasks of the event loop in. */
const PAUSE_MS = 20;

/**
 * Runs work with pauses.
 * @param what the work, for errors: `transformation`
 * @throws SconceError `ABORTED`
 */
export async function finishWithPauses<T>(
  work: Work<T>,
  what: string,
  signal: AbortSignal | undefined,
): Promise<T> {
  const stopIfAborted = (): void => {
    if (signal?.aborted) throw aborted(signal.reason, what);
  };
  try {
    stopIfAborted();
    let last = performance.now();
    for (;;) {
      const piece = work.next();
      // The work itself may raise the signal, in its `onProgress`.
      stopIfAborted();
      if (piece.done) return piece.value;
      if (performance.now() - last < PAUSE_MS) continue;
      await new Promise<void>((resume) => setTimeout(resume, 0));
      stopIfAborted();
      last = performance.now();
    }
  } finally {
    work.return(undefined as T);
  }
}
