/**
 * @file Which pass breaks a program, by which of its rewrites, and on how small a program it shows.
 */

import { countText, finish, isSconceError, ProgressReport, type Work } from "@sconce/errors";
import { type ExportedProgram, requireProgram, sourceLine, type Value } from "@sconce/ir";
import { nestedGraphs, nestedProgram, pathText } from "../changes/nested.js";
import type { CheckReport } from "../checking/checker.js";
import { noRunner, PassChangedNumbers } from "../checking/errors.js";
import type { CheckOptions } from "../checking/options.js";
import { DRAWN_LIMIT, outcomeOf } from "../checking/outcome.js";
import { NoFixpoint } from "../manager/fixpoint-errors.js";
import { PassManager, type PassObserver } from "../manager/pass-manager.js";
import { printPipeline } from "../manager/pipeline.js";
import {
  type Pass,
  type PassCall,
  type PassContext,
  type PipelineItem,
  pipelineItems,
} from "../pass/pass.js";
import type { RefusedRewrite } from "../rewrite/context.js";
import { RewriteDiverges } from "../rewrite/divergence-errors.js";
import { sampleInputs, samplingOf } from "../sampling/sample-inputs.js";
import { type BisectOptions, checkBisectOptions } from "./options.js";
import { shrink } from "./shrink.js";
import { shrinkNested } from "./shrink-nested.js";
import type { Reproducer } from "./subprogram.js";
import { type Attempted, type Failure, type FailureKind, failureOf, Trial, type Tried } from "./trial.js";

/**
 * The first wrong rewrite: the first after which a pass fails, or the first of a cycle that never
 * converges.
 */
export interface CulpritRewrite {
  /** Name of the rule; of an entry of a decomposition table, the operator that it replaces. */
  readonly rule: string;
  /** The plugin that the rule comes from. */
  readonly plugin?: string | undefined;
  /** The node in whose place the rule put another. */
  readonly node: string;
  /** The nested graph that the node is in: `true_graph_0`; empty for the program's own graph. */
  readonly graph: string;
  /** The user's line that the node comes from, `model.py:12`. */
  readonly line?: string | undefined;
  /** Counts the rewrites of the pass from 1. */
  readonly number: number;
  /** How many rewrites the pass made. */
  readonly total: number;
}

/** The first step of a pipeline that breaks the program. */
export interface Culprit extends Failure {
  /** The name of the pass. */
  readonly pass: string;
  /** The plugin that the pass comes from. */
  readonly plugin?: string | undefined;
  /**
   * The pass with its options, as a pipeline has it; the whole repetition if it never converges.
   */
  readonly call: string;
  /** Its place in the pipeline, counted from 0. */
  readonly step: number;
  /** Where the pass applies rules and one of the rewrites is wrong. */
  readonly rewrite: CulpritRewrite | undefined;
  /** A small program on which the pass fails in the same way. */
  readonly reproducer: Reproducer;
  /**
   * The nested graph that the reproducer is the program of; empty when it is of the program's own
   * graph.
   */
  readonly graph: string;
  /** How often the pass was run to find it. */
  readonly tries: number;
}

/** A rewrite that the driver of rules refused in a step. */
export interface RefusedInStep extends RefusedRewrite {
  /** The name of the pass. */
  readonly pass: string;
  /** Its place in the pipeline, counted from 0. */
  readonly step: number;
}

/** What a bisection found. */
export interface Bisection {
  /** The first step that changes the numbers; undefined when none does. */
  readonly culprit: Culprit | undefined;
  /** What was compared after each of the steps that are right. */
  readonly reports: readonly CheckReport[];
  /** Rewrites that were refused although their rule agreed, in the steps that ran. */
  readonly refused: readonly RefusedInStep[];
}

export type { FailureKind };

/**
 * Finds the first pass that changes numbers, throws, leaves an invalid program, or never converges;
 * of a pass that applies rules, the first wrong rewrite; and a small program that shows it, by
 * delta debugging. A failure inside of a nested graph shows on that graph by itself, where it can.
 *
 * @throws SconceError what else keeps the pipeline from running: `PASS_REQUIRES`,
 * `NOTHING_COMPARED`, `NO_SAMPLE_INPUTS`, `INVALID_PROGRAM` for the program that goes in
 */
export function bisect(
  program: ExportedProgram,
  passes: readonly (Pass | PipelineItem)[],
  session: PassContext,
  options: BisectOptions = {},
): Bisection {
  return finish(bisectSteps(program, passes, session, options));
}

/** As {@link bisect}, in pieces. */
export function* bisectSteps(
  program: ExportedProgram,
  passes: readonly (Pass | PipelineItem)[],
  session: PassContext,
  options: BisectOptions = {},
): Work<Bisection> {
  checkBisectOptions("bisect", options);
  requireProgram(program, "bisect");
  if (session.run === undefined) throw noRunner();
  // Passes are run again and again: what they note is not news.
  const context = { ...session, run: session.run, warn: undefined };
  const items = pipelineItems(passes);
  const search = new Search(options, items.length);
  const found = yield* firstFailure(program, items, context, search);
  const { failing, reports, refused } = found;
  const culprit = failing && (yield* narrowed(failing, context, search));
  search.progress.end();
  return { culprit, reports, refused };
}

/** The options of a search, and how far it has come. */
class Search {
  /** How passes are checked. */
  readonly check: CheckOptions;
  readonly observers: readonly PassObserver[];
  readonly timeRules: boolean;
  readonly maxTries: number;
  readonly progress: ProgressReport;
  /** What `onProgress` threw: no failure of a pass. */
  thrown: { readonly error: unknown } | undefined;
  #tried = 0;

  constructor(options: BisectOptions, items: number) {
    const { maxTries = 500, onProgress, observers = [], timeRules = false, ...check } = options;
    this.check = check;
    this.observers = observers;
    this.timeRules = timeRules;
    this.maxTries = maxTries;
    this.progress = new ProgressReport("bisect", onProgress, maxTries + items);
  }

  say(text: string): void {
    try {
      this.progress.at(this.#tried++, text);
    } catch (error) {
      this.thrown = { error };
      throw error;
    }
  }
}

/** A pass as it was called, or a repetition, and how it failed. */
interface Failing {
  readonly item: PipelineItem;
  readonly step: number;
  readonly before: ExportedProgram;
  readonly failure: Failure;
}

interface FirstFailure extends Pick<Bisection, "reports" | "refused"> {
  readonly failing: Failing | undefined;
}

function* firstFailure(
  program: ExportedProgram,
  items: readonly PipelineItem[],
  context: PassContext,
  search: Search,
): Work<FirstFailure> {
  const reports: CheckReport[] = [];
  const refused = new Map<string, RefusedInStep>();
  let latest: { readonly item: PassCall; readonly before: ExportedProgram } | undefined;
  const originals = new Map<object, object>();
  const watched = watch(items, originals, (item, before) => {
    search.say(`step ${reports.length + 1}: ${printPipeline([item])}`);
    latest = { item, before };
  });
  const ownerOf = context.ownerOf && ((part: object) => context.ownerOf!(originals.get(part) ?? part));
  const refuse = (rewrite: RefusedRewrite): void => {
    const step = reports.length;
    const key = [step, rewrite.graph, rewrite.node, rewrite.rule].join(" ");
    refused.set(key, { ...rewrite, pass: latest!.item.pass.name, step });
  };
  const rewrites = { ownerOf: context.ownerOf, ...context.rewrites, refused: refuse };
  const note: PassObserver = ({ check }) => void reports.push(check!);
  const { check, observers, timeRules } = search;
  const found = (failing?: Failing): FirstFailure => ({ failing, reports, refused: [...refused.values()] });
  try {
    const manager = { verify: true, check, record: false, timeRules, observers: [note, ...observers] };
    yield* new PassManager({ ...context, ownerOf, rewrites }, manager).steps(program, watched);
    return found();
  } catch (error) {
    if (search.thrown !== undefined) throw search.thrown.error;
    const failure = failureOf(error);
    if (failure === undefined || latest === undefined) throw error;
    const step = reports.length;
    if (!(error instanceof NoFixpoint)) return found({ ...latest, failure, step });
    const item = originals.get(error.repeat) as PipelineItem;
    return found({ item, before: error.program, failure, step: step - 1 });
  }
}

/**
 * Returns the same passes, reporting which one is about to run on what; `originals` maps each to
 * its pass.
 */
const watch = (
  items: readonly PipelineItem[],
  originals: Map<object, object>,
  report: (call: PassCall, program: ExportedProgram) => void,
): PipelineItem[] =>
  items.map((item) => {
    if ("repeat" in item) {
      const repeated = { ...item, repeat: watch(item.repeat, originals, report) };
      originals.set(repeated, item);
      return repeated;
    }
    const { pass, options } = item;
    const run: Pass["run"] = (program, ...rest) => {
      report(item, program);
      return pass.run(program, ...rest);
    };
    const steps: Pass["steps"] = (program, ...rest) => {
      report(item, program);
      return pass.steps!(program, ...rest);
    };
    const watched = { ...pass, run, ...(pass.steps && { steps }) };
    originals.set(watched, pass);
    return { pass: watched, options };
  });

function* narrowed(failing: Failing, context: PassContext, search: Search): Work<Culprit> {
  const { step, before, failure } = failing;
  const { check, maxTries } = search;
  const whole = { program: before, inputs: inputsOf(failing, check) };
  const maxIterations = check.maxIterations ?? loopLimitOf(whole, failure, context);
  const trial = new Trial(context, failing.item, { ...check, maxIterations }, failure);
  const item = yield* neededItems(trial, failing.item, whole);
  const pass = culpritPass(item, failure);
  search.say(`looking for the rewrite of ${pass.name}`);
  const plugin = context.ownerOf?.(pass);
  const first = yield* firstRewrite(trial, whole, item, failure, context);
  // A rule that only its pass has comes from where the pass comes from.
  const isOfPass = first !== undefined && context.rules?.has(first.rule) !== true;
  const ofRule = isOfPass ? { ...first, plugin: first.plugin ?? plugin } : first;
  const rewrite = ofRule ?? entryRewrite(failure, plugin);
  const fails = function* ({ program, inputs }: Reproducer): Work<boolean> {
    const { failure: again } = yield* trial.run(program, inputs, { item });
    return again !== undefined;
  };
  const { start, graph } = yield* startOf(whole, failure, rewrite, fails, check);
  const small = yield* shrink(start, {
    run: context.run,
    fails,
    near: start === whole ? (rewrite?.node ?? nodeOf(failure)) : rewrite?.node,
    maxTries,
    smaller: (calls) => search.say(`a program of ${countText(calls, "call")} fails`),
  });
  const reproducer = yield* shrinkNested(small, fails, Math.max(0, maxTries - trial.tries));
  const name = { pass: pass.name, plugin, call: printPipeline([item]), step };
  return { ...name, ...failure, rewrite, reproducer, graph, tries: trial.tries };
}

/** Iterations that a smaller program may take beyond those of the whole one. */
const LOOP_LIMIT = 1_000;

/** Most iterations of loops in a smaller program: without some calls a loop may not end. */
function loopLimitOf({ program, inputs }: Reproducer, { error }: Failure, { run }: PassContext): number {
  if (!(error instanceof PassChangedNumbers) || run === undefined) return LOOP_LIMIT;
  try {
    return (
      LOOP_LIMIT + 2 * outcomeOf(run, program, inputs, undefined, { maxIterations: DRAWN_LIMIT }).iterations
    );
  } catch {
    return LOOP_LIMIT;
  }
}

/**
 * Returns the entry of a decomposition table that made the value that differs; a table that a pass
 * brings is of its plugin.
 */
function entryRewrite({ error }: Failure, plugin: string | undefined): CulpritRewrite | undefined {
  if (!(error instanceof PassChangedNumbers) || error.entry === undefined) return undefined;
  const { target, ...place } = error.entry;
  return { ...place, rule: target, plugin: place.plugin ?? plugin };
}

/**
 * Returns the inputs on which the numbers differ; any inputs if another error shows the failure.
 */
function inputsOf({ failure, before }: Failing, options: CheckOptions): readonly Value[] {
  if (failure.error instanceof PassChangedNumbers) return failure.error.inputs;
  return options.inputs?.[0] ?? sampleInputs(before, { ...samplingOf(options), count: 1 })[0] ?? [];
}

const nodeOf = ({ error }: Failure): string | undefined =>
  error instanceof PassChangedNumbers ? error.node?.before : error.where;

/** Returns a repetition with the passes only that it takes to fail; another item as it is. */
function* neededItems(trial: Trial, item: PipelineItem, { program, inputs }: Reproducer): Work<PipelineItem> {
  if (!("repeat" in item)) return item;
  let needed = item;
  for (const inner of item.repeat) {
    const fewer = { ...needed, repeat: needed.repeat.filter((other) => other !== inner) };
    if (fewer.repeat.length === 0) continue;
    const { failure } = yield* trial.run(program, inputs, { item: fewer });
    if (failure !== undefined) needed = fewer;
  }
  return needed;
}

/** Of a repetition, the first pass that changed the program in the last round, and is needed. */
function culpritPass(item: PipelineItem, { error }: Failure): Pass {
  if (!("repeat" in item)) return item.pass;
  const passes = passesIn(item);
  const changing = error instanceof NoFixpoint ? error.changes.map(({ pass }) => pass) : [];
  return passes.find(({ name }) => changing.includes(name)) ?? passes[0]!;
}

const passesIn = (item: PipelineItem): Pass[] =>
  "repeat" in item ? item.repeat.flatMap(passesIn) : [item.pass];

/** Returns the first wrong rewrite; undefined where the pass fails without any. */
function* firstRewrite(
  trial: Trial,
  whole: Reproducer,
  item: PipelineItem,
  { kind, error }: Failure,
  context: PassContext,
): Work<CulpritRewrite | undefined> {
  const { program, inputs } = whole;
  const all = yield* trial.run(program, inputs, { item });
  if (all.failure === undefined) return undefined;
  const named = ({ rule, root, graph }: Attempted): Omit<CulpritRewrite, "number" | "total"> => ({
    rule: rule.name,
    plugin: context.ownerOf?.(rule),
    node: root.name,
    line: sourceLine(root),
    graph,
  });
  if (kind === "diverges") {
    if (error.cause instanceof RewriteDiverges) {
      const { cycle, graph } = error.cause;
      const { rule, plugin, node, number } = cycle[0]!;
      return { rule, plugin, node, graph, number, total: all.rewrites };
    }
    return all.first && { ...named(all.first), number: 1, total: all.rewrites };
  }
  const found = yield* firstFailing(trial, whole, item, all);
  return found && { ...named(found.rewrite), number: found.number, total: found.total };
}

/** Returns the smallest number of rewrites with which the pass fails, by bisection. */
function* firstFailing(
  trial: Trial,
  { program, inputs }: Reproducer,
  item: PipelineItem,
  all: Tried,
): Work<{ readonly rewrite: Attempted; readonly number: number; readonly total: number } | undefined> {
  // The rewrite that throws is begun, and not counted.
  const total = all.rewrites + (all.failure?.kind === "error" && all.begun !== all.made ? 1 : 0);
  const isWrong = function* (limit: number): Work<boolean> {
    const { failure } = yield* trial.run(program, inputs, { limit, item });
    return failure !== undefined;
  };
  if (total === 0 || (yield* isWrong(0))) return undefined;
  let [right, wrong] = [0, total];
  while (wrong - right > 1) {
    const middle = (right + wrong) >> 1;
    if (yield* isWrong(middle)) wrong = middle;
    else right = middle;
  }
  const { made, begun, failure } = yield* trial.run(program, inputs, { limit: wrong, item });
  const rewrite = failure?.kind === "error" ? begun : made;
  return rewrite && { rewrite, number: wrong, total };
}

/** Where shrinking begins: a part of the program that fails by itself, or all of it. */
interface Start {
  readonly start: Reproducer;
  /** The nested graph that it is; empty for the program's own. */
  readonly graph: string;
}

/**
 * Returns the changed region that was checked by itself, the nested graph with the failure, or the
 * whole program.
 */
function* startOf(
  whole: Reproducer,
  { error }: Failure,
  rewrite: CulpritRewrite | undefined,
  fails: (candidate: Reproducer) => Work<boolean>,
  options: CheckOptions,
): Work<Start> {
  const region = error instanceof PassChangedNumbers ? error.region : undefined;
  if (region !== undefined) {
    const start = { program: region.pair.before, inputs: region.inputs };
    if (yield* fails(start)) return { start, graph: pathText(region.path) };
  }
  const near = rewrite?.graph;
  const nested = nestedGraphs(whole.program.graph).map(({ path }) => path);
  const paths = near ? nested.filter((path) => pathText(path) === near) : nested;
  if (near === "" || paths.length > MOST_NESTED) return { start: whole, graph: "" };
  // Inner graphs first: they are smaller.
  for (const path of paths.reverse()) {
    const start = yield* nestedStart(whole.program, path, fails, options);
    if (start !== undefined) return { start, graph: pathText(path) };
  }
  return { start: whole, graph: "" };
}

/** Most nested graphs that are tried one by one. */
const MOST_NESTED = 32;

function* nestedStart(
  program: ExportedProgram,
  path: readonly string[],
  fails: (candidate: Reproducer) => Work<boolean>,
  options: CheckOptions,
): Work<Reproducer | undefined> {
  try {
    const nested = nestedProgram(program, path);
    for (const inputs of sampleInputs(nested, samplingOf(options))) {
      const candidate = { program: nested, inputs };
      if (yield* fails(candidate)) return candidate;
    }
    return undefined;
  } catch (error) {
    // A graph whose operands have no values that could be drawn is not a program by itself.
    if (isSconceError(error)) return undefined;
    throw error;
  }
}
