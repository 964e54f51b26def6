/** @file Which pass breaks a program, by which of its rewrites, and on how small a program it shows. */
import type { ExportedProgram, Value } from "@sconce/ir";
import { type Pass, type PassCall, type PassContext, type PipelineItem, pipelineItem } from "../pass.js";
import { PassManager } from "../pass-manager.js";
import { printPipeline } from "../pipeline.js";
import { sampleInputs } from "../sampling/sample-inputs.js";
import type { CheckOptions, CheckReport } from "./checker.js";
import { noRunner, PassChangedNumbers } from "./errors.js";
import { shrink } from "./shrink.js";
import type { Reproducer } from "./subprogram.js";
import { type Failure, type FailureKind, failureOf, Trial } from "./trial.js";

export interface BisectOptions extends CheckOptions {
  /** Most programs tried when shrinking; 500 when left out. */
  readonly maxTries?: number | undefined;
  /** Told what is being looked for. */
  readonly onProgress?: ((text: string) => void) | undefined;
}

/** The first rewrite after which a pass fails. */
export interface CulpritRewrite {
  readonly rule: string;
  /** The node in whose place the rule put another. */
  readonly node: string;
  /** Counts the rewrites of the pass from 1. */
  readonly number: number;
  readonly total: number;
}

/** The first step of a pipeline that breaks the program. */
export interface Culprit extends Failure {
  readonly pass: string;
  /** The pass with its options, as a pipeline has it. */
  readonly call: string;
  readonly step: number;
  /** Where the pass applies rules and one of the rewrites is to blame. */
  readonly rewrite: CulpritRewrite | undefined;
  /** A small program on which the pass fails in the same way. */
  readonly reproducer: Reproducer;
  /** How often the pass was run to find it. */
  readonly tries: number;
}

export interface Bisection {
  readonly culprit: Culprit | undefined;
  /** What was compared after each of the steps that are right. */
  readonly reports: readonly CheckReport[];
}

export type { FailureKind };

/**
 * Finds the first pass that changes numbers, throws, or leaves an invalid program; of a pass that applies rules, the first
 * rewrite, by bisection; and a small program that shows it, by delta debugging.
 *
 * @throws SconceError what else keeps the pipeline from running: `PASS_REQUIRES`, `NO_FIXPOINT`, `NOTHING_COMPARED`,
 * `NO_SAMPLE_INPUTS`, `INVALID_PROGRAM` for the program that goes in
 */
export function bisect(
  program: ExportedProgram,
  passes: readonly (Pass | PipelineItem)[],
  session: PassContext,
  options: BisectOptions = {},
): Bisection {
  if (session.run === undefined) throw noRunner();
  // Passes are run again and again: what they note is not news.
  const context = { ...session, run: session.run, warn: undefined };
  const { failing, reports } = firstFailure(program, passes.map(pipelineItem), context, options);
  if (failing === undefined) return { culprit: undefined, reports };
  return { culprit: narrowed(failing, context, options), reports };
}

/** A pass as it was called, and how it failed. */
interface Failing {
  readonly call: PassCall;
  readonly step: number;
  readonly before: ExportedProgram;
  readonly failure: Failure;
}

function firstFailure(
  program: ExportedProgram,
  items: readonly PipelineItem[],
  context: PassContext,
  options: BisectOptions,
): { failing: Failing | undefined; reports: CheckReport[] } {
  const reports: CheckReport[] = [];
  let latest: Pick<Failing, "call" | "before"> | undefined;
  const owners = new Map<object, Pass>();
  const watched = watch(items, owners, (call, before) => {
    options.onProgress?.(`step ${reports.length + 1}: ${printPipeline([call])}`);
    latest = { call, before };
  });
  const ownerOf = context.ownerOf && ((part: object) => context.ownerOf!(owners.get(part) ?? part));
  const observers = [({ check }: { check?: CheckReport | undefined }) => void reports.push(check!)];
  try {
    new PassManager({ ...context, ownerOf }, { verify: true, check: options, record: false, observers }).run(
      program,
      watched,
    );
    return { failing: undefined, reports };
  } catch (error) {
    const failure = failureOf(error);
    if (failure === undefined || latest === undefined) throw error;
    return { failing: { ...latest, failure, step: reports.length }, reports };
  }
}

/** The same passes, telling which one is about to run on what; `originals` gives the pass that each stands for. */
const watch = (
  items: readonly PipelineItem[],
  originals: Map<object, Pass>,
  tell: (call: PassCall, program: ExportedProgram) => void,
): PipelineItem[] =>
  items.map((item) => {
    if ("repeat" in item) return { ...item, repeat: watch(item.repeat, originals, tell) };
    const { pass, options } = item;
    const run: Pass["run"] = (program, ...rest) => {
      tell(item, program);
      return pass.run(program, ...rest);
    };
    const watched = { ...pass, run };
    originals.set(watched, pass);
    return { pass: watched, options };
  });

function narrowed(failing: Failing, context: PassContext, options: BisectOptions): Culprit {
  const { call, step, before, failure } = failing;
  const { maxTries = 500, onProgress, ...check } = options;
  const trial = new Trial(context, call, check, failure);
  const whole = { program: before, inputs: inputsOf(failing, options) };
  onProgress?.(`looking for the rewrite of ${call.pass.name}`);
  const rewrite = firstRewrite(trial, whole);
  const reproducer = shrink(whole, {
    run: context.run,
    fails: ({ program, inputs }) => trial.run(program, inputs).failure !== undefined,
    near: rewrite?.node ?? nodeOf(failure),
    maxTries,
    onProgress: (calls) => onProgress?.(`a program of ${calls} calls fails`),
  });
  const name = { pass: call.pass.name, call: printPipeline([call]), step };
  return { ...name, ...failure, rewrite, reproducer, tries: trial.tries };
}

/** The inputs on which the numbers differ; where others tell the failure, any. */
function inputsOf({ failure, before }: Failing, options: BisectOptions): readonly Value[] {
  if (failure.error instanceof PassChangedNumbers) return failure.error.inputs;
  return options.inputs?.[0] ?? sampleInputs(before, { ...options, count: 1 })[0] ?? [];
}

const nodeOf = ({ error }: Failure): string | undefined =>
  error instanceof PassChangedNumbers ? error.node?.before : error.where;

/** The smallest number of rewrites with which the pass fails; undefined where it fails without any. */
function firstRewrite(trial: Trial, { program, inputs }: Reproducer): CulpritRewrite | undefined {
  const all = trial.run(program, inputs);
  // The rewrite that throws is begun, and not counted.
  const total = all.rewrites + (all.failure?.kind === "error" && all.begun !== all.made ? 1 : 0);
  if (all.failure === undefined || total === 0) return undefined;
  if (trial.run(program, inputs, 0).failure !== undefined) return undefined;
  let [right, wrong] = [0, total];
  while (wrong - right > 1) {
    const middle = (right + wrong) >> 1;
    if (trial.run(program, inputs, middle).failure === undefined) right = middle;
    else wrong = middle;
  }
  const { made, begun, failure } = trial.run(program, inputs, wrong);
  const culprit = failure?.kind === "error" ? begun : made;
  return culprit && { rule: culprit.rule.name, node: culprit.root.name, number: wrong, total };
}
