/**
 * @file Long work in pieces: a generator that yields now and then. Run to its end at once it
 * blocks; run with pauses it lets the event loop in, reports progress, and stops when a signal is
 * raised.
 */
import { throwIfAborted } from "./progress.js";

/** Work that yields where it may pause, and returns its result. */
export type Work<T> = Generator<void, T, void>;

/** Runs work to its end without a pause. */
export function finish<T>(work: Work<T>): T {
  let piece = work.next();
  while (!piece.done) piece = work.next();
  return piece.value;
}

/** How many items of a long list make one piece. */
const ITEMS_A_PIECE = 256;

/** Calls `visit` with each item of a long list, in pieces of some hundred items. */
export function* eachInPieces<T>(items: readonly T[], visit: (item: T, index: number) => void): Work<void> {
  for (let i = 0; i < items.length; i++) {
    if (i % ITEMS_A_PIECE === 0) yield;
    visit(items[i]!, i);
  }
}

/** Runs each piece of the work within `enter`, which sets what must not outlast a pause. */
export function* inScope<T>(work: Work<T>, enter: <R>(piece: () => R) => R): Work<T> {
  for (;;) {
    const piece = enter(() => work.next());
    if (piece.done) return piece.value;
    yield;
  }
}

/** Time in milliseconds after which work lets other tasks of the event loop in. */
export const PAUSE_MS = 20;

/** Resolves when other tasks of the event loop have run. */
export const pause = (): Promise<void> => new Promise((resume) => setTimeout(resume, 0));

/**
 * Runs work with pauses.
 * @param what the work, for errors: `transformation`
 * @param around is given each pause: a clock may stop meanwhile
 * @throws SconceError `ABORTED`
 */
export async function finishWithPauses<T>(
  work: Work<T>,
  what: string,
  signal: AbortSignal | undefined,
  around: (pause: Promise<void>) => Promise<void> = (pausing) => pausing,
): Promise<T> {
  try {
    throwIfAborted(signal, what);
    let last = performance.now();
    for (;;) {
      const piece = work.next();
      // The work itself may raise the signal, in its `onProgress`.
      throwIfAborted(signal, what);
      if (piece.done) return piece.value;
      if (performance.now() - last < PAUSE_MS) continue;
      await around(pause());
      throwIfAborted(signal, what);
      last = performance.now();
    }
  } finally {
    work.return(undefined as T);
  }
}
