/** @file Cleans up when the process ends before its work is done. */

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/**
 * Runs an action when a signal or an exit ends the process; it must be synchronous. A signal ends
 * the process afterwards as it would have, unless other code listens for it. Returns what stops
 * the watching.
 */
export function onEnd(action: () => void): () => void {
  const onSignal = (signal: NodeJS.Signals): void => {
    stop();
    action();
    if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
  };
  const stop = (): void => {
    process.off("exit", action);
    for (const signal of SIGNALS) process.off(signal, onSignal);
  };
  process.on("exit", action);
  for (const signal of SIGNALS) process.on(signal, onSignal);
  return stop;
}
