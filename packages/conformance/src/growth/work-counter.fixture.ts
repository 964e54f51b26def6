/**
 * @file Counts the work that a function does: how often each block of the project's code runs, by
 * V8's precise coverage. The code that is counted holds no counters.
 */
import { Session } from "node:inspector";
import { setFlagsFromString } from "node:v8";

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly startOffset: number; readonly count: number }[];
    }[];
  }[];
}

/** Work by blocks of code: `codegen/dist/lower/core/lazy.js withInputs 5760`. */
export type Work = ReadonlyMap<string, number>;

/** Returns the blocks that were run in all. */
export const totalOf = (work: Work): number => [...work.values()].reduce((sum, count) => sum + count, 0);

const errors = Error as { prepareStackTrace: unknown };

/** Counts from when it is made until it is stopped. */
export class WorkCounter {
  readonly #session = new Session();
  readonly #prepareStackTrace = errors.prepareStackTrace;

  constructor() {
    // Programs hold a stack for each call, and vitest maps each frame of it, which takes longer
    // than the work that is counted.
    errors.prepareStackTrace = undefined;
    // With the code of a function that was not called for long, V8 would drop its counts.
    setFlagsFromString("--no-flush-bytecode");
    this.#session.connect();
    this.#post("Profiler.enable");
    this.#post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  }

  /** Returns the work of a function. */
  async count(run: () => unknown): Promise<Work> {
    this.lap();
    await run();
    return this.lap();
  }

  stop(): void {
    this.#post("Profiler.stopPreciseCoverage");
    this.#session.disconnect();
    errors.prepareStackTrace = this.#prepareStackTrace;
  }

  /**
   * Returns the work since the last lap. To ask for counts takes long: the stages of a run share
   * laps.
   */
  lap(): Work {
    const { result } = this.#post("Profiler.takePreciseCoverage") as Coverage;
    const work = new Map<string, number>();
    for (const { url, functions } of result) {
      const file = /\/packages\/(.*)$/.exec(url)?.[1];
      if (file === undefined || file.includes("/growth/")) continue;
      for (const { functionName, ranges } of functions)
        for (const { startOffset, count } of ranges) {
          const key = `${file} ${functionName} ${startOffset}`;
          if (count > 0) work.set(key, (work.get(key) ?? 0) + count);
        }
    }
    return work;
  }

  /** Returns the answer of the session, which comes at once: the session is of this thread. */
  #post(method: string, params?: object): unknown {
    let answer: unknown;
    this.#session.post(method, params, (error: Error | null, result?: object) => {
      if (error) throw error;
      answer = result;
    });
    return answer;
  }
}

/** Blocks whose work grew most beyond a factor, for messages. */
export function steepest(small: Work, large: Work, factor: number): string[] {
  const grown = [...large].map(([block, count]) => ({ block, count, more: count / (small.get(block) ?? 1) }));
  return grown
    .filter(({ more }) => more > 1.3 * factor)
    .sort((a, b) => b.count - a.count)
    .slice(0, 6)
    .map(({ block, count, more }) => `${block}: ${count}, ${more.toFixed(1)} times as many`);
}
