/**
 * @file Runs random programs with run-time sizes on backends, beside the interpreter. A backend
 * gives what the interpreter gives, or a typed error; other programs of the session keep their
 * bits.
 */
import { isSconceError } from "@sconce/errors";
import type { Executable, ExportedProgram, Value } from "@sconce/ir";
import { printIr } from "@sconce/ir/text";
import type { SessionBackend } from "@sconce/passes";
import { createSconce, type Sconce } from "@sconce/session";
import { Tensor } from "@sconce/tensor";
import { Random, seedOf } from "../support/random.js";
import { inputsOf } from "./inputs.js";
import { withLie } from "./lies.js";
import { type SizeProgram, sizeProgram } from "./program.js";
import { SecretHolder, showsSecret } from "./secrets.js";

/** Most bytes of the values of a run: runs of huge sizes are refused, and none takes long. */
const MOST_BYTES = 1 << 18;
/** Programs until one that holds a secret is freed in front of the next. */
const PROGRAMS_A_SECRET = 4;

/** A run that broke the rule. */
export interface RunFailure {
  readonly seed: number;
  readonly program: number;
  readonly backend: string;
  readonly problem: string;
  readonly inputs: string;
  readonly text: string;
  /** Whether the program has other metadata at one call. */
  readonly isLie: boolean;
}

/** What became of the runs. */
export interface RunTotals {
  programs: number;
  /** Runs on backends, the interpreter's not counted. */
  runs: number;
  /** Runs that gave results. */
  results: number;
  /** Runs that a backend refused, and the interpreter did not. */
  refusedMore: number;
  readonly failures: RunFailure[];
}

/** A range of random programs. */
export interface RunRange {
  readonly seed: number;
  /** The number of the first program. */
  readonly first: number;
  /** Ends after this many runs on backends. */
  readonly runs: number;
  /** Ends after this many programs, those that shape rules refuse counted. */
  readonly programs?: number;
  readonly runsAProgram: number;
  /**
   * Whether three quarters of the runs get sizes and places that need not fit. @defaultValue true
   */
  readonly mutates?: boolean;
  /** Which programs record other metadata at one call: a third of them by default. */
  readonly lies?: "none" | "some" | "all";
  /** Most failures, one a program and backend. */
  readonly failures?: number;
  /** Ends early, by the clock of `performance.now`. */
  readonly until?: number;
}

/** What a run gave: results, or the error. */
type Outcome =
  | { readonly text: string; readonly showsSecret: boolean }
  | { readonly refused: string }
  | { readonly broken: string };

/** A run of the interpreter. */
interface ReferenceRun {
  readonly inputs: () => Value[];
  outcome: Outcome;
}
/** Errors that follow from the elements and the memory of tensors. */
const DATA_ERRORS: ReadonlySet<string> = new Set(["INDEX_OUT_OF_RANGE", "OUT_OF_STORAGE"]);

/** A session whose backends run programs beside one that must keep its bits. */
export class RunTimeFuzzer {
  readonly #session: Sconce;
  readonly #backends: readonly string[];
  readonly #holders = new Map<string, SecretHolder>();

  private constructor(backends: readonly SessionBackend[]) {
    this.#session = createSconce({ backends, maxBytes: MOST_BYTES });
    this.#backends = backends.map(({ name }) => name);
  }

  static async on(backends: readonly SessionBackend[]): Promise<RunTimeFuzzer> {
    const fuzzer = new RunTimeFuzzer(backends);
    for (const name of fuzzer.#backends)
      fuzzer.#holders.set(name, await SecretHolder.on(fuzzer.#session, name));
    return fuzzer;
  }

  async run(range: RunRange): Promise<RunTotals> {
    const totals: RunTotals = { programs: 0, runs: 0, results: 0, refusedMore: 0, failures: [] };
    const { first, runs, programs = Infinity, failures = 1, until = Infinity } = range;
    for (let at = 0; at < programs; at++) {
      if (totals.runs >= runs || totals.failures.length >= failures || performance.now() > until) break;
      await this.#program(first + at, range, totals);
    }
    return totals;
  }

  dispose(): void {
    for (const holder of this.#holders.values()) holder.dispose();
  }

  async #program(
    number: number,
    { seed, runsAProgram, lies = "some", mutates = true }: RunRange,
    totals: RunTotals,
  ): Promise<void> {
    const random = new Random(seedOf(seed, number));
    const source = sizeProgram(random);
    const program = this.#typed(source);
    if (program === undefined) return;
    totals.programs++;
    const isLie = random.once(3) ? lies !== "none" : lies === "all";
    const lying = isLie ? (withLie(program, random) ?? program) : program;
    const expected = await this.#session.compile(program, "cpu");
    const runs: ReferenceRun[] = [];
    for (let run = 0; run < runsAProgram; run++) {
      const runSeed = seedOf(seed + 1, number * 1000 + run);
      const inputs = (): Value[] => inputsOf(source.given, new Random(runSeed), !mutates);
      runs.push({ inputs, outcome: await outcomeOf(() => expected.run(inputs())) });
    }
    expected.dispose();
    await this.#withoutDeadCalls(program, runs);
    for (const backend of this.#backends) {
      const fail = (problem: string, inputs: readonly Value[]): void => {
        const isLie = lying !== program;
        const text = isLie ? printIr(lying) : source.text;
        totals.failures.push({ seed, program: number, backend, problem, inputs: shown(inputs), text, isLie });
      };
      try {
        await this.#onBackend(backend, { program: lying, runs, number, totals, fail });
      } catch (error) {
        // Such as that of a program that cannot be compiled, because memory is not what it was.
        fail(`the session fails: ${stackOf(error)}`, []);
      }
    }
  }

  /**
   * Returns the program with the metadata that its calls give; undefined where rules refuse a call.
   */
  #typed({ text }: SizeProgram): ExportedProgram | undefined {
    try {
      const program = this.#session.transform(this.#session.parseIr(text), "propagate-shapes,dce", {
        record: false,
      });
      return this.#session.verify(program).length === 0 ? program : undefined;
    } catch (error) {
      if (isSconceError(error)) return undefined;
      throw error;
    }
  }

  /**
   * Lowering drops calls that nothing reads, and with them what they refuse: the lowered program is
   * the reference of those runs.
   */
  async #withoutDeadCalls(program: ExportedProgram, runs: ReferenceRun[]): Promise<void> {
    // A number of a tensor that only a dropped argument reads is never computed.
    const readsNumbers = program.graph.nodes().some(({ target }) => target === "aten.item.default");
    const isRefused = ({ outcome }: ReferenceRun): boolean =>
      "refused" in outcome && (readsNumbers || DATA_ERRORS.has(outcome.refused));
    if (!runs.some(isRefused)) return;
    const lowered = await this.#session.compile(this.#session.runDecompositions(program), "cpu");
    for (const one of runs.filter(isRefused)) one.outcome = await outcomeOf(() => lowered.run(one.inputs()));
    lowered.dispose();
  }

  async #onBackend(backend: string, { program, runs, number, totals, fail }: BackendRuns): Promise<void> {
    const secret =
      number % PROGRAMS_A_SECRET === 0 ? await SecretHolder.on(this.#session, backend) : undefined;
    await secret?.problem();
    let executable: Executable;
    try {
      executable = await this.#session.compile(program, backend);
    } catch (error) {
      totals.runs += runs.length;
      const outcome = failed(error);
      if ("broken" in outcome) fail(outcome.broken, []);
      return;
    } finally {
      secret?.dispose();
    }
    for (const { inputs, outcome } of runs) {
      totals.runs++;
      const given = inputs();
      const found = await outcomeOf(() => executable.run(given));
      if ("text" in found) totals.results++;
      if ("refused" in found && "text" in outcome) totals.refusedMore++;
      const problem = problemOf(found, outcome);
      if (problem === undefined) continue;
      fail(problem, given);
      break;
    }
    executable.dispose();
    const changed = await this.#holders.get(backend)!.problem();
    if (changed !== undefined) fail(`another program of the session ${changed}`, []);
    for (const { outcome } of runs.slice(-1))
      if ("broken" in outcome) fail(`the interpreter: ${outcome.broken}`, []);
  }
}

interface BackendRuns {
  readonly program: ExportedProgram;
  readonly runs: readonly { readonly inputs: () => Value[]; readonly outcome: Outcome }[];
  readonly number: number;
  readonly totals: RunTotals;
  readonly fail: (problem: string, inputs: readonly Value[]) => void;
}

/** Elements of a result that are compared. */
const MOST_SHOWN = 2 ** 24;

async function outcomeOf(run: () => Promise<readonly Value[]>): Promise<Outcome> {
  try {
    const values = await run();
    const tensors = values.filter((value) => value instanceof Tensor);
    // Such as an expanded view, whose elements no array holds.
    if (tensors.some(({ numel }) => numel > MOST_SHOWN)) return { refused: "OUT_OF_MEMORY" };
    const outcome = { text: shown(values), showsSecret: tensors.some(showsSecret) };
    for (const tensor of tensors) tensor.dispose();
    return outcome;
  } catch (error) {
    return failed(error);
  }
}

function failed(error: unknown): Outcome {
  if (isSconceError(error) && error.code !== "INTERNAL" && error.code !== "PLUGIN_FAILED")
    return { refused: error.code };
  return { broken: stackOf(error) };
}

const stackOf = (error: unknown): string =>
  error instanceof Error ? (error.stack ?? error.message) : String(error);

/** Returns what is wrong with a run beside the interpreter's. */
function problemOf(found: Outcome, expected: Outcome): string | undefined {
  if ("broken" in found) return found.broken;
  if ("refused" in found) return undefined;
  if (found.showsSecret) return "a result shows the weights of another program";
  if ("text" in expected)
    return found.text === expected.text
      ? undefined
      : `it gives ${found.text}, the interpreter gives ${expected.text}`;
  const why = "refused" in expected ? expected.refused : expected.broken;
  // Kernels make no tensor of a value that the interpreter has no memory for.
  if (why === "OUT_OF_MEMORY") return undefined;
  return `it gives ${found.text}, the interpreter gives ${why}`;
}

/** Values as text; zeros have no sign. */
const shown = (values: readonly Value[]): string => values.map(valueText).join("; ");

function valueText(value: Value): string {
  // An integer beyond 2^53 is a number or a bigint.
  if (!(value instanceof Tensor)) return String(Number.isInteger(value) ? BigInt(value as number) : value);
  const elements = JSON.stringify(value.toArray(), (_, item: unknown) => {
    if (typeof item === "bigint" || (typeof item === "number" && !Number.isFinite(item))) return String(item);
    return item === 0 ? 0 : item;
  });
  return `${value.dtype}[${value.shape.join(", ")}] ${elements}`;
}

/** Returns a failure in lines, with the command that repeats it. */
export const failureText = ({ seed, program, backend, problem, inputs, text }: RunFailure): string =>
  `${backend}: ${problem.slice(0, 1500)}\nInputs: ${inputs.slice(0, 800)}\n${text}\n` +
  `Repeat: npm run fuzz -- --run-time --seed ${seed} --input ${program}\n`;
