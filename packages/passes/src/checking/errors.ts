/** @file Errors of checking. */
import { SconceError } from "@sconce/errors";
import type { Value } from "@sconce/ir";
import { Tensor } from "@sconce/tensor";
import type { GoneAssertion } from "../changes/assertions.js";
import { pathText } from "../changes/nested.js";
import type { RegionFailure } from "./change-check.js";
import type { ResultDifference } from "./compare.js";
import type { FailingEntry } from "./failing-entry.js";
import type { NodeDifference } from "./first-node.js";

/** Where a pass changed numbers, and on what. */
export interface ChangedRun {
  readonly inputs: readonly Value[];
  readonly index: number;
  readonly output?: string | undefined;
  /** The changed region that differs, where the whole program does not show it. */
  readonly region?: RegionFailure | undefined;
  /** The entry of a decomposition table that made the value. */
  readonly entry?: FailingEntry | undefined;
  /** Whether the program takes inputs that it refused. */
  readonly accepts?: boolean | undefined;
  readonly cause?: unknown;
}

/** A pass changed what the program computes. */
export class PassChangedNumbers extends SconceError {
  /** Which result differs. */
  readonly difference: ResultDifference;
  /** The first node that differs, where one represents a node before. */
  readonly node: NodeDifference | undefined;
  /** The inputs on which it shows. */
  readonly inputs: readonly Value[];

  /**
   * The changed region that differs when it is run by itself; `inputs` are then those of a run of
   * the whole program.
   */
  readonly region: RegionFailure | undefined;

  /** The entry of a decomposition table that made the value, where it is not Sconce's own. */
  readonly entry: FailingEntry | undefined;

  readonly #place: string;
  readonly #run: ChangedRun;

  constructor(
    place: string,
    difference: ResultDifference,
    node: NodeDifference | undefined,
    run: ChangedRun,
  ) {
    super({
      code: "PASS_CHANGED_NUMBERS",
      message:
        run.region === undefined
          ? runText(place, difference, node, run)
          : regionText(place, run.region, run.entry),
      where:
        node === undefined ? run.output : node.line === undefined ? node.node : `${node.node}, ${node.line}`,
      fix: fixFor(run),
      cause: run.cause,
    });
    this.region = run.region;
    this.difference = difference;
    this.node = node;
    this.inputs = run.inputs;
    this.entry = run.entry;
    this.#place = place;
    this.#run = run;
  }

  /** Returns the error with the entry that made the value. */
  madeBy(entry: FailingEntry): PassChangedNumbers {
    return new PassChangedNumbers(this.#place, this.difference, this.node, { ...this.#run, entry });
  }
}

const PROGRAM = "the program";

/** Inputs that the program refused before the pass, and takes after it. */
export const inputsWidened = (
  place: string,
  inputs: readonly Value[],
  refusal: SconceError,
): PassChangedNumbers => {
  const problem = `before, ${refusal.code} ${refusal.message}`;
  const run = { inputs, index: 0, accepts: true, cause: refusal };
  return new PassChangedNumbers(place, { what: PROGRAM, problem }, undefined, run);
};

/**
 * Returns the error for a run that an assertion or an input refused before the pass, and that
 * succeeds after it.
 */
export const refusalLost = (place: string, refusal: SconceError, run: ChangedRun): PassChangedNumbers => {
  const problem = `rejected before (${refusal.describe()}), and accepted now`;
  return new PassChangedNumbers(place, { what: PROGRAM, problem }, undefined, { ...run, cause: refusal });
};

/**
 * Returns the error for a run that succeeds before the pass, and fails after it; `nodeOf` finds the
 * node to name.
 */
export const runFails = (
  place: string,
  cause: unknown,
  run: ChangedRun,
  nodeOf: (difference: ResultDifference) => NodeDifference | undefined,
): PassChangedNumbers => {
  const problem = `fails now: ${cause instanceof Error ? cause.message : String(cause)}`;
  const difference = { what: PROGRAM, problem };
  return new PassChangedNumbers(place, difference, nodeOf(difference), { ...run, cause });
};

/** Returns the error for a result that differs after the pass. */
export const resultDiffers = (
  place: string,
  difference: ResultDifference,
  node: NodeDifference | undefined,
  run: ChangedRun,
): PassChangedNumbers => new PassChangedNumbers(place, difference, node, run);

/**
 * Returns the error for a changed region that differs when it is run by itself; `inputs` are those
 * of a run of the whole program.
 */
export const regionDiffers = (
  place: string,
  region: RegionFailure,
  line: string | undefined,
  inputs: readonly Value[],
): PassChangedNumbers => {
  const { claim, target, problem, assertion } = region;
  const what = assertion === undefined ? `%${claim.after}` : `the assertion %${claim.before}`;
  const node = { node: claim.after, before: claim.before, target, problem, line };
  return new PassChangedNumbers(place, { what, problem }, node, { inputs, index: 0, region });
};

/**
 * Returns the error for a pass that removed an assertion. No sample violates it, but others may.
 */
export const assertionDropped = (
  place: string,
  { node: { name, target }, path }: GoneAssertion,
  line: string | undefined,
): SconceError => {
  const graph = path.length === 0 ? "" : ` in ${pathText(path)}`;
  return new SconceError({
    code: "PASS_DROPPED_ASSERTION",
    message: `${place} dropped the assertion %${name} = ${target}${graph}, and nothing checks its condition now`,
    where: line === undefined ? name : `${name}, ${line}`,
    fix: `keep the assertion; a pass that removes it on purpose declares \`removesAssertions: ["${target}"]\``,
  });
};

/** Returns what to declare when the change is intended, beside narrowing it down. */
function fixFor({ region, accepts = false }: ChangedRun): string {
  const narrow = "`sconce bisect` narrows it down to a rewrite and a small program";
  if (accepts) return `${narrow}; a pass that takes more inputs on purpose declares \`widensInputs: true\``;
  if (region?.assertion !== undefined)
    return `${narrow}; a pass that removes it on purpose declares \`removesAssertions: ["${region.target}"]\``;
  const corner = region?.isDivision === true ? "signed-zero" : (region?.valueClass ?? "ordinary");
  const isCorner = corner !== "ordinary";
  const declared = isCorner ? `changesNumbers: { valueClasses: ["${corner}"] }` : "changesNumbers";
  return `${narrow}; a pass or rule that changes numbers on purpose declares it with \`${declared}\``;
}

function runText(
  place: string,
  difference: ResultDifference,
  node: NodeDifference | undefined,
  run: ChangedRun,
): string {
  const given = run.inputs.map(summary).join(", ");
  if (run.accepts === true)
    return `${place} takes inputs that the program rejected, (${given}): ${difference.problem}`;
  const output = run.output === undefined ? "" : ` (%${run.output})`;
  const was = node === undefined || node.before === node.node ? "" : `, %${node.before} before`;
  const first =
    node === undefined
      ? ""
      : `; the first node that differs is %${node.node} = ${node.target}${was}: ${node.problem}`;
  return `${place} changed numbers${entryText(run.entry)}, run ${run.index + 1} on (${given}): ${difference.what}${output}: ${difference.problem}${first}`;
}

/**
 * `pass "p" (step 1) changed numbers: %relu = aten.relu.default, %clamp before, differs for
 * negative values: ...`.
 */
function regionText(place: string, failure: RegionFailure, entry: FailingEntry | undefined): string {
  const { claim, target, path, rules, valueClass, problem, inputs, assertion, isDivision = false } = failure;
  const given = inputs.map(summary).join(", ");
  if (assertion !== undefined)
    return `${place} dropped the assertion %${assertion.name} = ${target}: before, it rejects ${valueClass} values of (${given}) with "${problem}"`;
  if (isDivision)
    return `${place} accepts a division by zero: before, %${claim.before} = ${target} rejects ${valueClass} values of (${given}) with "${problem}"`;
  const was = claim.before === claim.after ? "" : `, %${claim.before} before,`;
  const graph = path.length === 0 ? "" : ` in ${pathText(path)}`;
  const by = rules.length === 0 ? "" : ` (rule ${rules.map((rule) => `"${rule}"`).join(", ")})`;
  const call = target === "" ? `%${claim.after}` : `%${claim.after} = ${target}`;
  return `${place} changed numbers${graph}${by}${entryText(entry)}: ${call}${was} differs for ${valueClass} values: ${problem}; the changed calls were run by themselves on (${given})`;
}

/** ` by the decomposition of aten.addcmul.default of plugin "p" for %b`. */
function entryText(entry: FailingEntry | undefined): string {
  if (entry === undefined) return "";
  const owner = entry.plugin === undefined ? "" : ` of plugin "${entry.plugin}"`;
  return ` by the decomposition of ${entry.target}${owner} for %${entry.node}`;
}

const summary = (value: Value): string =>
  value instanceof Tensor ? `${value.dtype}[${value.shape.join(", ")}]` : String(value);

/** Returns the error for a check that compared nothing: it must not report that nothing differs. */
export const nothingCompared = (place: string, why: string): SconceError =>
  new SconceError({
    code: "NOTHING_COMPARED",
    message: `${place} cannot be checked: ${why}`,
    fix: "give inputs that the program takes, or do without the check",
  });

export const noRunner = (): SconceError =>
  new SconceError({
    code: "NO_RUNNER",
    message: "this pass manager has no interpreter to check passes with",
    fix: "use createSconce(), or give the pass manager's context a `run`, such as createRunner()",
  });

/** `place` names the pass, its plugin and the step. */
export const valuesWritten = (place: string, names: readonly string[]): SconceError =>
  new SconceError({
    code: "VALUES_WRITTEN",
    message: `${place} wrote to the values of ${names.map((name) => `"${name}"`).join(", ")}, which other versions of the program share; they are as they were again`,
    where: names[0],
    fix: "compute into a new tensor, and give the result a new stateDict or constants with it",
  });
