/** @file One driver for the random inputs of all parsers. */
import { Budget, isSconceError, type WorkKind } from "@sconce/errors";
import { minimize } from "./minimize.js";
import { Random, seedOf } from "./random.js";

/** What parsers read. */
export type FuzzInput = string | Uint8Array;

/** A parser, and where its inputs come from. */
export interface FuzzTarget<Input extends FuzzInput = FuzzInput> {
  readonly name: string;
  /** The public functions that it runs. */
  readonly readers: readonly string[];
  /** Whether no input is rejected. */
  readonly takesAll?: boolean;
  /** Returns a sound input, or one that nearly is. */
  generate(random: Random): Input;
  mutate(input: Input, random: Random): Input;
  /** Reads the input. The result goes to {@link use}. */
  read(input: Input): unknown;
  /** Uses what was read: what lies behind the reader may reject it, with a typed error, too. */
  use?(result: never, random: Random): unknown;
}

/** A range of the inputs of a seed. Each input is made of the seed and its number alone. */
export interface FuzzRange {
  readonly seed: number;
  readonly inputs: number;
  /** The number of the first input. @defaultValue 0 */
  readonly first?: number;
  /** Ends the run early, by the clock of `performance.now`. */
  readonly until?: number;
}

/** What became of the inputs of a parser. */
export interface FuzzResult {
  readonly inputs: number;
  /** Inputs that the reader accepted. */
  readonly passed: number;
  /** The most work that one input took, of all kinds together without bytes, and that input. */
  readonly mostWork: number;
  readonly costliest: string;
  readonly failures: readonly FuzzFailure[];
}

/** An input that ended in another way than a value or a typed error. */
export interface FuzzFailure {
  readonly parser: string;
  readonly seed: number;
  readonly number: number;
  readonly problem: string;
  /** The smallest input found that fails in the same way. */
  readonly input: FuzzInput;
}

/** Values and terms that one input may take: less than 50 ms of CPU. */
export const MOST_WORK = 100_000;

/** Returns the input of this number: a third of them as generated. */
export function inputOf(target: FuzzTarget, seed: number, number: number): [FuzzInput, Random] {
  const random = new Random(seedOf(seed, number));
  const input = target.generate(random);
  return [random.once(3) ? input : target.mutate(input, random), random];
}

/** Reads a range of random inputs; stops at the first failure. */
export async function fuzz(target: FuzzTarget, range: FuzzRange): Promise<FuzzResult> {
  const meter = new WorkMeter();
  try {
    return await fuzzWith(target, range, meter);
  } finally {
    meter.stop();
  }
}

async function fuzzWith(
  target: FuzzTarget,
  { seed, inputs, first = 0, until = Infinity }: FuzzRange,
  meter: WorkMeter,
): Promise<FuzzResult> {
  let [passed, mostWork, costliest, done] = [0, 0, "", 0];
  const failures: FuzzFailure[] = [];
  while (done < inputs && failures.length === 0 && performance.now() < until) {
    const number = first + done++;
    const [input, random] = inputOf(target, seed, number);
    const state = random.state;
    const { isRead, work, problem } = await outcomeOf(target, input, { state, meter });
    if (isRead) passed++;
    if (work > mostWork)
      [mostWork, costliest] = [work, `input ${number} of seed ${seed}: ${shownInput(input)}`];
    if (problem !== undefined) {
      const fails = async (smaller: FuzzInput): Promise<boolean> =>
        kindOf((await outcomeOf(target, smaller, { state, meter })).problem) === kindOf(problem);
      failures.push({ parser: target.name, seed, number, problem, input: await minimize(input, fails) });
    }
  }
  return { inputs: done, passed, mostWork, costliest, failures };
}

/** Counts what all budgets spend, the same on every machine, until it is stopped. */
class WorkMeter {
  readonly #spend = Budget.prototype.spend;
  /** Values and terms since this was set to zero; bytes are not counted. */
  work = 0;

  constructor() {
    const meter = this;
    const spend = this.#spend;
    Budget.prototype.spend = function (this: Budget, kind: WorkKind, amount = 1, where?: () => string) {
      if (kind !== "bytes") meter.work += amount;
      spend.call(this, kind, amount, where);
    };
  }

  stop(): void {
    Budget.prototype.spend = this.#spend;
  }
}

/** How an input ended. */
interface Outcome {
  readonly isRead: boolean;
  readonly work: number;
  /** What is wrong with the end; undefined for a value or a typed error. */
  readonly problem: string | undefined;
}

/**
 * Returns what is the same of a failure while its input is reduced: the text without numbers and
 * quotes.
 */
const kindOf = (problem: string | undefined): string | undefined =>
  problem
    ?.split("\n", 1)
    .join("")
    .replace(/"[^"]*"|'[^']*'|\d+/g, "")
    .slice(0, 120);

async function outcomeOf(
  target: FuzzTarget,
  input: FuzzInput,
  { state, meter }: { readonly state: number; readonly meter: WorkMeter },
): Promise<Outcome> {
  meter.work = 0;
  let isRead = false;
  let problem: string | undefined;
  try {
    const result = await target.read(input);
    isRead = true;
    await target.use?.(result as never, new Random(state));
  } catch (error) {
    problem = problemOf(error, isRead);
  }
  const { work } = meter;
  if (problem === undefined && work > MOST_WORK) problem = `too much work: ${work}`;
  return { isRead, work, problem };
}

/** Returns what is missing of an error: its type, its place, its fix. */
function problemOf(error: unknown, isRead: boolean): string | undefined {
  if (!isSconceError(error)) return error instanceof Error ? (error.stack ?? error.message) : String(error);
  if (error.code === "INTERNAL") return `INTERNAL: ${error.describe()}`;
  // A file of another format has no place but itself, nor has what a value is used for later.
  if (!isRead && error.code !== "OTHER_FORMAT" && !error.where) return `no place: ${error.describe()}`;
  return error.fix ? undefined : `no fix: ${error.describe()}`;
}

/** Returns an input as text: JSON, or base64 of bytes. */
export const shownInput = (input: FuzzInput): string =>
  typeof input === "string" ? JSON.stringify(input.slice(0, 2000)) : base64(input.subarray(0, 3000));

const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString("base64");
