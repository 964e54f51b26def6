/** @file Long lists of cases: `npm test` takes a part of them, the longer suites take all. */

/** The longer suites set it. */
// biome-ignore lint/suspicious/noUndeclaredEnvVars: the run sets it, for its own processes.
const isLonger = process.env["SCONCE_RUN_FOLDER"] !== undefined;

/**
 * Returns each `every`th case, from the first on. In the longer suites it returns all: they run
 * each test file that imports this one.
 */
export function sampled<T>(cases: readonly T[], every: number): readonly T[] {
  return isLonger ? cases : cases.filter((_, at) => at % every === 0);
}

/** Returns how many of so many random cases run: all in the longer suites. */
export function sampledCount(all: number, every: number): number {
  return isLonger ? all : Math.ceil(all / every);
}

/** Returns of how many cases one runs: each one in the longer suites. */
export const sampledEvery = (every: number): number => (isLonger ? 1 : every);
