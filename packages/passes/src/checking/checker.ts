/** @file Differential checking: programs before and after a pass, run on the same inputs. */
import { isSconceError, thrownText } from "@sconce/errors";
import type { ExportedProgram, ProgramRunner, Value } from "@sconce/ir";
import { type InputCheck, inputCheck } from "@sconce/ops";
import type { ToleranceOptions } from "@sconce/tensor";
import type { PassOptions } from "../options/spec.js";
import type { Pass } from "../pass.js";
import { type SampleOptions, sampleInputs } from "../sampling/sample-inputs.js";
import { type Closeness, type Give, giver } from "./closeness.js";
import { type Compared, nothing, outcomesDifference, type Pair } from "./compare.js";
import { nothingCompared, PassChangedNumbers } from "./errors.js";
import { firstNode, outputNode } from "./first-node.js";
import { type Outcome, outcomeOf } from "./outcome.js";

/** How passes are checked. Tolerances are by dtype those of `torch.testing.assert_close`, unless given. */
export interface CheckOptions extends SampleOptions, ToleranceOptions {
  /** Sets of flat user inputs to run on; sampled when left out. */
  readonly inputs?: readonly (readonly Value[])[] | undefined;
  /**
   * The bound for passes that change numbers on purpose (`changesNumbers`). Without one, those that tell the float dtype
   * they compute in are allowed its rounding, and the others are not compared.
   */
  readonly changed?: ToleranceOptions | undefined;
}

/** What was compared after a pass. */
export interface CheckReport extends Readonly<Compared> {
  readonly pass: string;
  readonly step: number;
  /** Why nothing was compared; undefined when something was. */
  readonly skipped?: string | undefined;
  /** Sets of inputs that were left out, because a program does not take them. */
  readonly refused: number;
  /** The bound for this pass, where it changes numbers on purpose. */
  readonly tolerance?: Closeness | undefined;
}

/** A step of a pass manager. */
interface CheckedStep {
  readonly pass: Pass;
  readonly options: PassOptions;
  readonly step: number;
  readonly before: ExportedProgram;
  readonly after: ExportedProgram;
}

/** One set of inputs, and what a program makes of it: an outcome, or the error with which it refuses. */
interface Sample {
  readonly inputs: readonly Value[];
  readonly result: Outcome | { readonly error: unknown };
}

/** Checks the passes of one run of a pass manager. What a program computes is kept for the next pass. */
export class Checker {
  readonly #run: ProgramRunner;
  readonly #options: CheckOptions;
  #latest: { readonly program: ExportedProgram; readonly samples: readonly Sample[] } | undefined;

  constructor(run: ProgramRunner, options: CheckOptions) {
    this.#run = run;
    this.#options = options;
  }

  /** @throws SconceError `PASS_CHANGED_NUMBERS`, `NOTHING_COMPARED`, `NO_SAMPLE_INPUTS` */
  check({ pass, options, step, before, after }: CheckedStep): CheckReport {
    const told = { pass: pass.name, step };
    const tolerance = this.#toleranceOf(pass, options);
    const skipped = reasonToSkip(tolerance, before, after);
    if (tolerance === undefined || skipped !== undefined)
      return { ...told, ...nothing(), refused: 0, skipped };
    const place = `pass "${pass.name}" (step ${step + 1})`;
    const compared = nothing();
    const give = giver(after, tolerance);
    const samples = this.#samples(before, after, give);
    const next = samples.flatMap((sample, index) => {
      const got = this.#compare({ before, after, tolerance }, sample, index, place, compared);
      return got === undefined ? [] : [{ inputs: give(sample.inputs), result: got }];
    });
    const refused = samples.length - compared.runs;
    if (compared.elements === 0) throw nothingCompared(place, emptyReason(samples, compared));
    this.#latest = { program: after, samples: next };
    return {
      ...told,
      ...compared,
      refused,
      ...(Boolean(pass.changesNumbers) && { tolerance }),
    };
  }

  /** How close a pass must come; undefined where nothing says so. A tolerance that was given goes before a rounding. */
  #toleranceOf({ changesNumbers = false }: Pass, options: PassOptions): Closeness | undefined {
    const { changed, rtol, atol } = this.#options;
    if (changesNumbers === false) return { rtol, atol };
    if (changesNumbers === true) return changed;
    const declared = typeof changesNumbers === "function" ? changesNumbers(options) : changesNumbers;
    if (typeof declared === "string") return { ...(changed ?? { rtol, atol }), precision: declared };
    return changed ?? { rtol: declared?.rtol ?? rtol, atol: declared?.atol ?? atol };
  }

  /** What the program before makes of inputs that the one after takes too: a pass may specialise it to some sizes. */
  #samples(before: ExportedProgram, after: ExportedProgram, give: Give): readonly Sample[] {
    const takes = acceptedBy(inputCheck(after));
    const known = this.#latest?.program === before ? this.#latest.samples : undefined;
    const samples =
      known ?? this.#runAll(before, this.#options.inputs ?? sampleInputs(before, this.#options));
    const kept = samples.map((sample) =>
      "error" in sample.result ? sample : { ...sample, ...takes(give(sample.inputs), sample.result) },
    );
    if (this.#options.inputs !== undefined || kept.some(({ result }) => !("error" in result))) return kept;
    const others = this.#runAll(before, sampleInputs(after, this.#options));
    return others.some(({ result }) => !("error" in result)) ? others : kept;
  }

  #runAll(program: ExportedProgram, sets: readonly (readonly Value[])[]): Sample[] {
    return sets.map((inputs) => {
      try {
        return { inputs, result: outcomeOf(this.#run, program, inputs) };
      } catch (error) {
        return { inputs, result: { error } };
      }
    });
  }

  #compare(
    pair: Pair,
    sample: Sample,
    index: number,
    place: string,
    compared: Compared,
  ): Outcome | undefined {
    const { inputs, result: want } = sample;
    const given = { before: inputs, after: giver(pair.after, pair.tolerance)(inputs) };
    if ("error" in want) return undefined;
    const run = { inputs, index };
    let got: Outcome;
    try {
      got = outcomeOf(this.#run, pair.after, given.after);
    } catch (cause) {
      const problem = cause instanceof Error ? cause.message : String(cause);
      const difference = {
        what: "the program",
        problem: `fails now: ${problem}`,
      };
      throw new PassChangedNumbers(place, difference, firstNode(this.#run, pair, inputs, difference), {
        ...run,
        cause,
      });
    }
    const difference = outcomesDifference(pair, given, want, got, compared);
    if (difference === undefined) return got;
    const output = outputNode(pair.after, difference.output);
    throw new PassChangedNumbers(place, difference, firstNode(this.#run, pair, inputs, difference), {
      ...run,
      output,
    });
  }
}

function reasonToSkip(
  tolerance: Closeness | undefined,
  before: ExportedProgram,
  after: ExportedProgram,
): string | undefined {
  if (before === after) return "the program did not change";
  return tolerance === undefined ? "the pass changes numbers on purpose" : undefined;
}

const acceptedBy =
  (check: InputCheck) =>
  (inputs: readonly Value[], result: Outcome): { readonly result: Sample["result"] } => {
    try {
      check(inputs);
      return { result };
    } catch (error) {
      if (isSconceError(error)) return { result: { error } };
      throw error;
    }
  };

function emptyReason(samples: readonly Sample[], compared: Compared): string {
  if (samples.length === 0) return "there are no inputs to run on";
  const [error] = samples.flatMap(({ result }) => ("error" in result ? [result.error] : []));
  if (compared.runs === 0) return `no inputs run on both programs: ${thrownText(error)}`;
  return "the program gives no numbers: no output, input or state with an element";
}
