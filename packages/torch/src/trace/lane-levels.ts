/** @file How many batches of `vmap` are open in a trace. */

const levels = new WeakMap<object, number>();

/** Returns how many batches are open; 0 where nothing is traced. */
export const laneLevel = (trace: object | undefined): number =>
  trace === undefined ? 0 : (levels.get(trace) ?? 0);

/** Runs something with so many batches open. */
export function atLaneLevel<T>(trace: object, level: number, run: () => T): T {
  const outer = laneLevel(trace);
  levels.set(trace, level);
  try {
    return run();
  } finally {
    levels.set(trace, outer);
  }
}
