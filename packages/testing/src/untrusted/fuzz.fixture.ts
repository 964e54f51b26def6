/** @file One driver for the fuzz tests of all readers. */
import { Budget, isSconceError, type WorkKind } from "@sconce/errors";
import { Random } from "./random.fixture.js";

/** A reader, and where its inputs come from. */
export interface FuzzTarget<Input extends string | Uint8Array = string | Uint8Array> {
  readonly name: string;
  /** A sound input, or one that nearly is. */
  generate(random: Random): Input;
  mutate(input: Input, random: Random): Input;
  /** Reads the input. What it gives goes to {@link use}. */
  read(input: Input): unknown;
  /** Uses what was read: what lies behind the reader may refuse it, with a typed error, too. */
  use?(result: never): unknown;
}

/** What became of the inputs of a reader. */
export interface FuzzResult {
  readonly inputs: number;
  /** Inputs that the reader took. */
  readonly passed: number;
  /** The most work that one input took, of all kinds together without bytes, and that input. */
  readonly mostWork: number;
  readonly costliest: string;
}

/**
 * Reads random inputs, a third of them as generated.
 * @throws Error for an error without a type, with the seed and the input
 */
export async function fuzz(target: FuzzTarget, inputs: number, seed: number): Promise<FuzzResult> {
  const random = new Random(seed);
  let [passed, mostWork, costliest] = [0, 0, ""];
  for (let i = 0; i < inputs; i++) {
    let input = target.generate(random);
    if (!random.once(3)) input = target.mutate(input, random);
    const which = `input ${i} of seed ${seed}`;
    const spent = await workOf(async () => {
      if (await survives(target, input, which)) passed++;
    });
    if (spent > mostWork) [mostWork, costliest] = [spent, `${which}: ${shown(input)}`];
  }
  return { inputs, passed, mostWork, costliest };
}

/** What all budgets count while something is done: the same on every machine. */
async function workOf(run: () => Promise<void>): Promise<number> {
  const { spend } = Budget.prototype;
  let total = 0;
  Budget.prototype.spend = function (this: Budget, kind: WorkKind, amount = 1, where?: () => string) {
    if (kind !== "bytes") total += amount;
    spend.call(this, kind, amount, where);
  };
  try {
    await run();
  } finally {
    Budget.prototype.spend = spend;
  }
  return total;
}

/**
 * Whether the reader takes an input; what it refuses has to have a place and a fix, what lies
 * behind a fix.
 */
async function survives(target: FuzzTarget, input: string | Uint8Array, which: string): Promise<boolean> {
  let isRead = false;
  try {
    const result = await target.read(input);
    isRead = true;
    await target.use?.(result as never);
  } catch (error) {
    // A file of another format has no place but itself, nor has what a value is used for later.
    const isPlaced = isSconceError(error) && (isRead || error.code === "OTHER_FORMAT" || error.where);
    if (isPlaced && error.code !== "INTERNAL" && error.fix) return isRead;
    const why = `${target.name}: ${which} gives ${String(error)}\n${shown(input)}`;
    throw new Error(why, { cause: error });
  }
  return isRead;
}

const shown = (input: string | Uint8Array): string =>
  typeof input === "string"
    ? JSON.stringify(input.slice(0, 2000))
    : Buffer.from(input.subarray(0, 3000)).toString("base64");
