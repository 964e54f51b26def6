/** @file One driver for the fuzz tests of all readers. */
import { isSconceError } from "@sconce/errors";
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
  /** The longest CPU time of one input in milliseconds, and that input. */
  readonly slowest: number;
  readonly slowestInput: string;
}

/**
 * Reads random inputs, a third of them as generated.
 * @throws Error for an error without a type, with the seed and the input
 */
export async function fuzz(target: FuzzTarget, inputs: number, seed: number): Promise<FuzzResult> {
  const random = new Random(seed);
  let [passed, slowest, slowestInput] = [0, 0, ""];
  for (let i = 0; i < inputs; i++) {
    let input = target.generate(random);
    if (!random.once(3)) input = target.mutate(input, random);
    const start = process.cpuUsage();
    if (await survives(target, input, `input ${i} of seed ${seed}`)) passed++;
    const { user, system } = process.cpuUsage(start);
    const time = (user + system) / 1000;
    if (time > slowest) [slowest, slowestInput] = [time, shown(input)];
  }
  return { inputs, passed, slowest, slowestInput };
}

/** Whether the reader takes an input; what it refuses, and what lies behind, has to have a fix. */
async function survives(target: FuzzTarget, input: string | Uint8Array, which: string): Promise<boolean> {
  let isRead = false;
  try {
    const result = await target.read(input);
    isRead = true;
    await target.use?.(result as never);
  } catch (error) {
    if (isSconceError(error) && error.code !== "INTERNAL" && error.fix) return isRead;
    const why = `${target.name}: ${which} gives ${String(error)}\n${shown(input)}`;
    throw new Error(why, { cause: error });
  }
  return isRead;
}

const shown = (input: string | Uint8Array): string =>
  typeof input === "string"
    ? JSON.stringify(input.slice(0, 2000))
    : Buffer.from(input.subarray(0, 3000)).toString("base64");
