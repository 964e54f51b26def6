/** @file How commands that run for a long time are asked to stop. */
import { constants } from "node:os";

const NAMES = ["SIGTERM", "SIGINT"] as const;

/** Asks a command to stop. */
export interface StopSignal {
  /** Raised by the first signal. */
  readonly signal: AbortSignal;
  /** Stops listening: signals have their usual effect again. */
  end(): void;
}

/**
 * Listens for SIGTERM and SIGINT. The first of them asks the command to stop. The next one of
 * either kind ends the process at once, with the exit code that shells report for it: 143 or 130.
 *
 * @param hasWork whether there is work to finish; where not, the first signal ends the process, too
 */
export function stopSignal(hasWork: () => boolean = () => true): StopSignal {
  const controller = new AbortController();
  const onSignal = (name: (typeof NAMES)[number]): void => {
    // The default action would do nothing where the process is the first of a container.
    if (controller.signal.aborted || !hasWork()) process.exit(128 + constants.signals[name]);
    controller.abort();
  };
  for (const name of NAMES) process.on(name, onSignal);
  const end = (): void => {
    for (const name of NAMES) process.off(name, onSignal);
  };
  return { signal: controller.signal, end };
}
