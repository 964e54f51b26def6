/**
 * @file `npm run fuzz -- --run-time`: random programs with run-time sizes, until the time is over.
 */
import { backendsOf, MODE_NAMES } from "./modes.js";
import { failureText, RunTimeFuzzer, type RunTotals } from "./runner.js";

/** Runs of each program on each backend. */
const RUNS_A_PROGRAM = 40;

/** What to run, and for how long. */
export interface RunTimeOptions {
  readonly seed: number;
  readonly seconds: number;
  /** The number of the only program to run. */
  readonly input?: number | undefined;
  /** Modes by their names; all when left out. */
  readonly modes?: readonly string[] | undefined;
}

/** Runs programs and shows the totals and the failures; returns whether there are none. */
export async function fuzzRunTime({ seed, seconds, input, modes }: RunTimeOptions): Promise<boolean> {
  const write = (line: string): void => void process.stdout.write(`${line}\n`);
  const fuzzer = await RunTimeFuzzer.on(await backendsOf(modes ?? MODE_NAMES, write));
  const totals: RunTotals = await fuzzer.run({
    seed,
    first: input ?? 0,
    programs: input === undefined ? Infinity : 1,
    runs: Infinity,
    runsAProgram: RUNS_A_PROGRAM,
    until: performance.now() + 1000 * seconds,
  });
  fuzzer.dispose();
  const { programs, runs, results, refusedMore, failures } = totals;
  write(
    `${programs} programs, ${runs} runs: ${results} gave results, ${refusedMore} were refused by a backend alone`,
  );
  for (const failure of failures) write(failureText(failure));
  return failures.length === 0;
}
