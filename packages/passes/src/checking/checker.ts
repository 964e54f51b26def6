/** @file Differential checking: programs before and after a pass, run on the same inputs. */
import { checkOptions, isSconceError, type OptionNames, type SconceError, thrownText } from "@sconce/errors";
import { type ExportedProgram, type Graph, type ProgramRunner, sourceLine, type Value } from "@sconce/ir";
import { type InputCheck, inputCheck, type OperatorTable } from "@sconce/ops";
import type { ToleranceOptions } from "@sconce/tensor/compare";
import { fewerAssertions } from "../changes/assertions.js";
import { type GraphPath, pathText } from "../changes/nested.js";
import type { PassOptions } from "../options/spec.js";
import type { Pass } from "../pass/pass.js";
import type { MadeRewrite } from "../rewrite/rewrite-record.js";
import type { NumberChange } from "../sampling/number-change.js";
import { sampleInputs, samplingOf } from "../sampling/sample-inputs.js";
import { type ChangeResult, checkChange } from "./change-check.js";
import { type Closeness, type Give, giver } from "./closeness.js";
import { type Compared, nothing, outcomesDifference, type Pair, type ResultDifference } from "./compare.js";
import type { Coverage } from "./coverage.js";
import {
  assertionDropped,
  inputsWidened,
  nothingCompared,
  PassChangedNumbers,
  refusalLost,
  regionDiffers,
  resultDiffers,
  runFails,
} from "./errors.js";
import { EntryFinder, type FailingEntry } from "./failing-entry.js";
import { firstNode, type NodeDifference, outputNode } from "./first-node.js";
import { newlyAccepted } from "./input-conditions.js";
import { CHECK_OPTIONS, type CheckOptions } from "./options.js";
import { DRAWN_LIMIT, limitAfter, type Outcome, outcomeOf } from "./outcome.js";
import { RegionSizes } from "./region-sizes.js";

const CHANGED: OptionNames<ToleranceOptions> = { rtol: true, atol: true };

/** Returns the user's line of a node; undefined without one, or without the node. */
function lineAt({ graph }: ExportedProgram, path: GraphPath, node: string): string | undefined {
  const at = path.reduce<Graph | undefined>((outer, target) => outer?.subgraphs.get(target), graph);
  return sourceLine(at?.find(node));
}

/** What was compared after a pass. */
export interface CheckReport extends Readonly<Compared> {
  /** The name of the pass. */
  readonly pass: string;
  /** Its place in the pipeline, counted from 0. */
  readonly step: number;
  /** Why nothing was compared; undefined when something was. */
  readonly skipped?: string | undefined;
  /** Sets of inputs that were left out, because a program does not take them. */
  readonly refused: number;
  /** What was checked of the changed regions by themselves; undefined where nothing was. */
  readonly coverage?: Coverage | undefined;
  /** The bound for this pass, where it changes numbers on purpose. */
  readonly tolerance?: Closeness | undefined;
}

/** Codes of assertions and of input checks. */
const REFUSALS = new Set([
  "ASSERTION_FAILED",
  "GUARD_FAILED",
  "INPUT_MISMATCH",
  "INPUT_DTYPE",
  "INPUT_RANK",
  "INPUT_TYPE",
]);

const isRefusal = (error: unknown): error is SconceError => isSconceError(error) && REFUSALS.has(error.code);

/** How many sets of inputs are drawn when the program refuses the first. */
const ATTEMPTS = 4;

/** A step of a pass manager. */
interface CheckedStep {
  readonly pass: Pass;
  readonly options: PassOptions;
  readonly step: number;
  readonly before: ExportedProgram;
  readonly after: ExportedProgram;
  /** `pass "name" of plugin "p" (step 2)`. */
  readonly place: string;
  /** The rewrites that rules made. */
  readonly made: readonly MadeRewrite[];
}

/**
 * One set of inputs, and what a program makes of it: an outcome, or the error with which it
 * refuses.
 */
interface Sample {
  readonly inputs: readonly Value[];
  readonly result: Outcome | { readonly error: unknown };
}

/**
 * Checks the passes of one run of a pass manager. What a program computes is kept for the next
 * pass.
 */
export class Checker {
  readonly #run: ProgramRunner;
  readonly #region: ProgramRunner;
  readonly #operators: OperatorTable;
  readonly #options: CheckOptions;
  #wholeRuns = 0;
  /** Whether the pass being checked removes assertions on purpose. */
  #removes = false;
  #latest: { readonly program: ExportedProgram; readonly samples: readonly Sample[] } | undefined;

  constructor(
    session: { readonly run: ProgramRunner; readonly operators: OperatorTable },
    options: CheckOptions,
  ) {
    this.#run = (...args) => {
      this.#wholeRuns++;
      return session.run(...args);
    };
    this.#region = session.run;
    this.#operators = session.operators;
    checkOptions("check", options, CHECK_OPTIONS);
    checkOptions("check (changed)", options.changed, CHANGED);
    this.#options = { count: 1, ...options };
  }

  /** @throws SconceError `PASS_CHANGED_NUMBERS`, `NOTHING_COMPARED`, `NO_SAMPLE_INPUTS` */
  check(checked: CheckedStep): CheckReport {
    try {
      return this.#checked(checked);
    } catch (error) {
      throw error instanceof PassChangedNumbers ? this.#withEntry(error, checked) : error;
    }
  }

  /**
   * Returns the error with the entry of a decomposition table that made the value, where one did.
   */
  #withEntry(error: PassChangedNumbers, checked: CheckedStep): PassChangedNumbers {
    const finder = new EntryFinder(checked.after);
    if (!finder.hasEntries) return error;
    const entryAt = ({ region, node }: PassChangedNumbers): FailingEntry | undefined => {
      const graph = pathText(region?.path ?? []);
      return finder.at({ graph, node: node?.node, region: region?.pair.after.graph });
    };
    const found = entryAt(error) ?? this.#inRegions(checked, entryAt) ?? finder.only;
    return found === undefined ? error : error.madeBy(found);
  }

  /**
   * Returns what the first changed region that differs says, where the whole program does not name
   * a node.
   */
  #inRegions<T>(checked: CheckedStep, read: (error: PassChangedNumbers) => T | undefined): T | undefined {
    const tolerance = this.#toleranceOf(checked.pass, checked.options);
    try {
      if (tolerance !== undefined) this.#regions(checked, checked.place, tolerance);
    } catch (error) {
      if (error instanceof PassChangedNumbers) return read(error);
      throw error;
    }
    return undefined;
  }

  #checked(checked: CheckedStep): CheckReport {
    const { pass, options, step, before, after, place } = checked;
    this.#wholeRuns = 0;
    this.#removes = (pass.removesAssertions ?? []).length > 0;
    const subject = { pass: pass.name, step };
    const tolerance = this.#toleranceOf(pass, options);
    const skipped = reasonToSkip(tolerance, before, after);
    const isCompared = tolerance?.precision === undefined && pass.changesNumbers !== true;
    if (!isCompared || skipped !== undefined) this.#countAssertions(checked, place);
    if (tolerance === undefined || skipped !== undefined)
      return { ...subject, ...nothing(), refused: 0, skipped };
    this.#conditions(checked, place, tolerance);
    const compared = nothing();
    const give = giver(after, tolerance);
    const samples = this.#samples(before, after, give);
    const next = samples.flatMap((sample, index) => {
      const got = this.#compare({ before, after, tolerance }, sample, index, place, compared);
      return got === undefined ? [] : [{ inputs: give(sample.inputs), result: got }];
    });
    const refused = samples.length - compared.runs;
    this.#latest = { program: after, samples: next };
    const coverage = this.#regions(checked, place, tolerance);
    if (compared.elements === 0 && (coverage?.checkedRegions ?? 0) === 0)
      throw nothingCompared(place, emptyReason(samples, compared));
    return {
      ...subject,
      ...compared,
      refused,
      ...(coverage !== undefined && { coverage: { ...coverage, wholeRuns: this.#wholeRuns } }),
      ...(Boolean(pass.changesNumbers) && { tolerance }),
    };
  }

  /** Counts assertions where values are not compared by regions. */
  #countAssertions({ pass, before, after }: CheckedStep, place: string): void {
    const gone = fewerAssertions(before.graph, after.graph, pass.removesAssertions ?? []);
    if (gone !== undefined) throw assertionDropped(place, gone, lineAt(before, gone.path, gone.node.name));
  }

  /**
   * Sizes, dtypes and numbers that the program refuses as inputs have to be refused after the pass.
   */
  #conditions({ pass, before, after }: CheckedStep, place: string, { precision }: Closeness): void {
    if (pass.widensInputs === true) return;
    const found = newlyAccepted(before, after, { dtypes: precision === undefined });
    if (found === undefined) return;
    throw inputsWidened(place, found.inputs, found.refusal);
  }

  /**
   * What was refused before the pass has to be refused after it: by an assertion, or as an input.
   */
  #refusedBefore(
    { after }: Pair,
    error: unknown,
    given: readonly Value[],
    place: string,
    run: { readonly inputs: readonly Value[]; readonly index: number },
  ): void {
    if (!isRefusal(error) || this.#removes) return;
    try {
      outcomeOf(this.#run, after, given, undefined, { maxIterations: DRAWN_LIMIT });
    } catch {
      return;
    }
    throw refusalLost(place, error, run);
  }

  /**
   * Checks the changed regions by themselves; undefined where the pass declares no bound that holds
   * for them.
   */
  #regions(step: CheckedStep, place: string, tolerance: Closeness): ChangeResult["coverage"] | undefined {
    const { pass, options, before, after, made } = step;
    if (tolerance.precision !== undefined || pass.changesNumbers === true) return undefined;
    const { rtol, atol, seed = 0 } = this.#options;
    const declared = declaredBy(pass, options);
    const { failure, gone, coverage } = checkChange(before, after, {
      run: this.#region,
      operators: this.#operators,
      tolerance: { rtol, atol },
      declared,
      made,
      removes: pass.removesAssertions ?? [],
      sizes: new RegionSizes(before, seed),
      seed,
    });
    const [dropped] = gone;
    if (failure === undefined && dropped !== undefined)
      throw assertionDropped(place, dropped, lineAt(before, dropped.path, dropped.node.name));
    if (failure === undefined) return coverage;
    const { claim, path } = failure;
    const line = lineAt(after, path, claim.after) ?? lineAt(before, path, claim.before);
    throw regionDiffers(place, failure, line, this.#latest?.samples[0]?.inputs ?? []);
  }

  /**
   * Returns how close a pass must come; undefined where nothing says so. A tolerance that was given
   * goes before a rounding.
   */
  #toleranceOf({ changesNumbers = false }: Pass, options: PassOptions): Closeness | undefined {
    const { changed, rtol, atol } = this.#options;
    if (changesNumbers === false) return { rtol, atol };
    if (changesNumbers === true) return changed;
    const declared = typeof changesNumbers === "function" ? changesNumbers(options) : changesNumbers;
    if (typeof declared === "string") return { ...(changed ?? { rtol, atol }), precision: declared };
    return changed ?? { rtol: declared?.rtol ?? rtol, atol: declared?.atol ?? atol };
  }

  /**
   * Results of the program before, on inputs that the program after takes too: a pass may
   * specialize it to some sizes.
   */
  #samples(before: ExportedProgram, after: ExportedProgram, give: Give): readonly Sample[] {
    const takes = acceptedBy(inputCheck(after));
    const known = this.#latest?.program === before ? this.#latest.samples : undefined;
    const samples = known ?? this.#runSamples(before);
    const kept = samples.map((sample) =>
      "error" in sample.result ? sample : { ...sample, ...takes(give(sample.inputs), sample.result) },
    );
    if (this.#options.inputs !== undefined || kept.some(({ result }) => !("error" in result))) return kept;
    const others = this.#runAll(before, sampleInputs(after, samplingOf(this.#options)));
    return others.some(({ result }) => !("error" in result)) ? others : kept;
  }

  /** Samples are drawn until the program takes one. */
  #runSamples(program: ExportedProgram): Sample[] {
    const { inputs, count = 1 } = this.#options;
    if (inputs !== undefined) return this.#runAll(program, inputs);
    const samples = this.#runAll(program, sampleInputs(program, samplingOf(this.#options)));
    const isTaken = samples.some(({ result }) => !("error" in result));
    if (isTaken || count >= ATTEMPTS) return samples;
    const others = sampleInputs(program, { ...samplingOf(this.#options), count: ATTEMPTS }).slice(count);
    return [...samples, ...this.#runAll(program, others)];
  }

  #runAll(program: ExportedProgram, sets: readonly (readonly Value[])[]): Sample[] {
    const { inputs: given, maxIterations = given === undefined ? DRAWN_LIMIT : undefined } = this.#options;
    const limits = { maxIterations };
    return sets.map((inputs) => {
      try {
        return { inputs, result: outcomeOf(this.#run, program, inputs, undefined, limits) };
      } catch (error) {
        if (given !== undefined && isSconceError(error, "LOOP_LIMIT")) throw error;
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
    const run = { inputs, index };
    const nodeOf = (difference: ResultDifference): NodeDifference | undefined =>
      firstNode(this.#run, pair, inputs, difference);
    if ("error" in want) {
      this.#refusedBefore(pair, want.error, given.after, place, run);
      return undefined;
    }
    let got: Outcome;
    try {
      got = outcomeOf(this.#run, pair.after, given.after, undefined, limitAfter(want.iterations));
    } catch (cause) {
      throw runFails(place, cause, run, nodeOf);
    }
    const difference = outcomesDifference(pair, given, want, got, compared);
    if (difference === undefined) return got;
    const output = outputNode(pair.after, difference.output);
    throw resultDiffers(place, difference, nodeOf(difference), { ...run, output });
  }
}

/**
 * Returns what a pass declares about the numbers that it changes; undefined for a precision, and
 * for a plain yes or no.
 */
function declaredBy({ changesNumbers = false }: Pass, options: PassOptions): NumberChange | undefined {
  const declared = typeof changesNumbers === "function" ? changesNumbers(options) : changesNumbers;
  return typeof declared === "object" ? declared : undefined;
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
