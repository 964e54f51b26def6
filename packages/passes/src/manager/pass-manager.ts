import {
  checkOptions,
  finish,
  finishWithPauses,
  inScope,
  isSconceError,
  type LongWorkOptions,
  type OptionNames,
  type Progress,
  ProgressReport,
  requireSameCopy,
  thrownText,
  userCallback,
  type Work,
} from "@sconce/errors";
import {
  ExportedProgram,
  editingAs,
  type Problem,
  recordPass,
  requireProgram,
  requireValues,
  sealProgram,
} from "@sconce/ir";
import { verifyTransition } from "@sconce/ir/verify";
import { CHECKER } from "#checker";
import { builtinPasses } from "../builtin-passes.js";
import type { Checker, CheckReport } from "../checking/checker.js";
import { noRunner, valuesWritten } from "../checking/errors.js";
import type { CheckOptions } from "../checking/options.js";
import { TensorGuard } from "../checking/tensor-guard.js";
import { COPY } from "../copy/this-copy.js";
import { optionProblem } from "../options/bind.js";
import { optionError } from "../options/errors.js";
import type { OptionSession } from "../options/spec.js";
import {
  type Pass,
  type PassCall,
  type PassContext,
  type PipelineItem,
  pipelineItems,
  type Repeat,
} from "../pass/pass.js";
import type { RefusedRewrite } from "../rewrite/context.js";
import type { MadeRewrite } from "../rewrite/rewrite-record.js";
import type { Rule } from "../rewrite/rule.js";
import { verifyCallsSteps } from "../shapes/call-problems.js";
import { ensures, invalidProgram, noProgram, observerThrew, passThrew, requires } from "./errors.js";
import { Rounds } from "./fixpoint.js";
import { printPipeline } from "./pipeline.js";

/** One call of {@link PassManager.run}. */
interface Run {
  step: number;
  readonly checker: Checker | undefined;
  /** What changed the program in this round of the innermost repetition. */
  readonly changes: Parameters<Rounds["add"]>[1][number][];
  /** What each call of a pass noted each time that it ran. */
  readonly notes: Map<PassCall, { readonly place: string; readonly texts: ReadonlySet<string> }>;
}

/** What happened in one step of a run. */
export interface PassEvent {
  /** The pass that ran. */
  readonly pass: Pass;
  /** Counts from 0; passes that are repeated count each time. */
  readonly step: number;
  /** The program as the pass got it. */
  readonly before: ExportedProgram;
  /** The program as the pass left it; the same object when it changed nothing. */
  readonly after: ExportedProgram;
  /** Time that the pass took. */
  readonly milliseconds: number;
  /** How often each rewrite rule fired. */
  readonly fired: ReadonlyMap<string, number>;
  /**
   * Time that each rewrite rule took, in milliseconds, attempts without a rewrite included; empty
   * without `timeRules`.
   */
  readonly ruleMilliseconds: ReadonlyMap<string, number>;
  /**
   * Rewrites that the driver of rules refused although the rule agreed, each place once, with the
   * reason.
   */
  readonly refused: readonly RefusedRewrite[];
  /**
   * What the pass did not do though its options ask for it: names that match nothing in this
   * program.
   */
  readonly notes: readonly string[];
  /** What was compared, where passes are checked. */
  readonly check?: CheckReport | undefined;
}

/** Sees every step: printing, timing, checking and viewers are observers. */
export type PassObserver = (event: PassEvent) => void;

/** What a pass manager checks, and who observes it. */
export interface PassManagerOptions {
  /**
   * Verify the program after each pass that changed it, that no pass loses metadata, renames inputs
   * or writes to values of tensors, and the program that goes in: after all passes (true), after
   * none (false), or, by default, after those that are not Sconce's own.
   */
  readonly verify?: boolean | "plugins";
  /**
   * Keep each pass's change in `program.history`; on unless false. It costs memory for what changed
   * and time for what the versions do not share.
   */
  readonly record?: boolean;
  /** Measure the time of each rewrite rule, for `PassEvent.ruleMilliseconds`. */
  readonly timeRules?: boolean;
  /** Called after each pass, in this order. */
  readonly observers?: readonly PassObserver[];
  /**
   * Called before each pass, with its name as errors have it:
   * `pass "fold" of plugin "mine" (step 2)`.
   */
  readonly onStart?: ((place: string) => void) | undefined;
  /**
   * Run the programs before and after each pass on the same inputs, and compare what they compute.
   */
  readonly check?: boolean | CheckOptions;
}

/** The names of the options. */
export const MANAGER_OPTIONS: OptionNames<PassManagerOptions> = {
  verify: true,
  record: true,
  timeRules: true,
  observers: true,
  onStart: true,
  check: true,
};

/** One pass about to run. */
interface Attempt extends PassCall {
  readonly program: ExportedProgram;
  readonly place: string;
  readonly counts: Map<string, number>;
  readonly times: Map<string, number>;
  readonly refused: Map<string, RefusedRewrite>;
  readonly guard: TensorGuard | undefined;
  readonly notes: string[];
  readonly made: MadeRewrite[];
}

/** The program before a pass, and the metadata that it may take away. */
interface Transition {
  readonly before: ExportedProgram;
  readonly drops: Pass["drops"];
}

/**
 * Runs passes in order. The program that goes in is never changed; an error names the pass and the
 * step, and carries what was thrown as its cause.
 */
export class PassManager {
  readonly #context: PassContext;
  readonly #options: PassManagerOptions;

  constructor(context: PassContext, options: PassManagerOptions = {}) {
    checkOptions("the pass manager", options, MANAGER_OPTIONS);
    this.#context = context;
    this.#options = options;
  }

  /**
   * @throws SconceError `PASS_OPTION` before anything runs; `PASS_FAILED`, `PASS_REQUIRES`,
   * `PASS_ENSURES`, `INVALID_PROGRAM`, `VALUES_WRITTEN`, `NO_FIXPOINT`, `OBSERVER_FAILED`; checked
   * also `PASS_CHANGED_NUMBERS`, `NOTHING_COMPARED`, `NO_SAMPLE_INPUTS`, `NO_RUNNER`, `NO_VALUES`
   */
  run(program: ExportedProgram, passes: readonly (Pass | PipelineItem)[]): ExportedProgram {
    return finish(this.steps(program, passes));
  }

  /**
   * As {@link run}, with pauses in which the event loop goes on: between passes, and within those
   * that have `steps`.
   *
   * @throws SconceError as {@link run}; `ABORTED` with the reason of the signal
   */
  async runAsync(
    program: ExportedProgram,
    passes: readonly (Pass | PipelineItem)[],
    { signal, onProgress }: LongWorkOptions = {},
  ): Promise<ExportedProgram> {
    const report = userCallback("transformAsync", onProgress);
    return finishWithPauses(this.steps(program, passes, report), "transformation", signal);
  }

  /** As {@link run}, in pieces. */
  *steps(
    program: ExportedProgram,
    passes: readonly (Pass | PipelineItem)[],
    report?: (progress: Progress) => void,
  ): Work<ExportedProgram> {
    requireProgram(program, "the pass manager");
    const items = pipelineItems(passes);
    this.#checkOptions(items);
    if (this.#options.verify === true) yield* this.#verify(program, "before the first pass");
    const run: Run = { step: 0, changes: [], notes: new Map(), checker: this.#checker(program) };
    try {
      return yield* this.#items(program, items, run, report);
    } finally {
      for (const { place, texts } of run.notes.values())
        for (const text of texts) this.#context.warn?.(`${place}: ${text}`);
    }
  }

  /** Runs before the first step, so that a wrong option of the last pass is reported at once. */
  #checkOptions(items: readonly PipelineItem[]): void {
    const { operators, rules = new Map(), backends, ownerOf } = this.#context;
    const session: OptionSession = {
      operators,
      rules,
      backends: backends?.() ?? new Map(),
      ownerOf: (part) => ownerOf?.(part),
    };
    const check = (item: PipelineItem): void => {
      if ("repeat" in item) {
        item.repeat.forEach(check);
        return;
      }
      requireSameCopy(item.pass, COPY);
      const problem = optionProblem(item.pass, item.options, session);
      if (problem !== undefined) throw optionError(problem);
    };
    items.forEach(check);
  }

  get #isChecked(): boolean {
    return (this.#options.check ?? false) !== false;
  }

  #checker(program: ExportedProgram): Checker | undefined {
    const { check = false } = this.#options;
    if (check === false) return undefined;
    const { run, operators } = this.#context;
    if (run === undefined) throw noRunner();
    requireValues(program, "checking passes");
    const CheckerType = CHECKER.require();
    return new CheckerType({ run, operators }, check === true ? {} : check);
  }

  *#items(
    program: ExportedProgram,
    items: readonly PipelineItem[],
    run: Run,
    report?: (progress: Progress) => void,
  ): Work<ExportedProgram> {
    let current = program;
    const progress = new ProgressReport("transform", report, items.length);
    for (const [done, item] of items.entries()) {
      if (report !== undefined) progress.at(done, printPipeline([item]));
      yield;
      current = yield* "repeat" in item ? this.#repeat(current, item, run) : this.#step(current, item, run);
    }
    progress.end();
    return current;
  }

  *#repeat(program: ExportedProgram, item: Repeat, run: Run): Work<ExportedProgram> {
    const rounds = new Rounds(item, program);
    let current = program;
    for (;;) {
      run.changes.length = 0;
      const next = yield* this.#items(current, item.repeat, run);
      if (next === current) return current;
      current = next;
      rounds.add(current, run.changes);
    }
  }

  *#step(before: ExportedProgram, call: PassCall, run: Run): Work<ExportedProgram> {
    const { pass, options } = call;
    const step = run.step++;
    const label = this.#labelOf(pass);
    const place = `pass ${label} (step ${step + 1})`;
    userCallback("the pass manager", this.#options.onStart, "onStart")?.(place);
    if (pass.requires !== undefined && before.dialect !== pass.requires) throw requires(pass, before, place);
    const fired = new Map<string, number>();
    const times = new Map<string, number>();
    const refused = new Map<string, RefusedRewrite>();
    const notes: string[] = [];
    const made: MadeRewrite[] = [];
    const { clock = performance } = this.#context;
    if (this.#isForeign(pass) || this.#context.ownerOf !== undefined) sealProgram(before);
    const guard = this.#guardOf(before, pass);
    const start = clock.now();
    const seen = { counts: fired, times, refused, notes, made };
    const result = yield* this.#run({ ...call, program: before, place, guard, ...seen });
    const milliseconds = clock.now() - start;
    const written = guard?.restore() ?? [];
    if (written.length > 0) throw valuesWritten(place, written);
    if (pass.ensures !== undefined && result.dialect !== pass.ensures) throw ensures(pass, result, place);
    yield;
    if (result !== before) {
      run.changes.push({
        pass: pass.name,
        plugin: this.#context.ownerOf?.(pass),
        fired,
        before,
        after: result,
      });
      if (this.#checks(pass, fired))
        yield* this.#verify(result, `after ${place}`, { before, drops: pass.drops });
    }
    const after =
      this.#options.record === false || pass.drops !== undefined
        ? result
        : recordPass(pass.name, before, result, textOf(call));
    yield;
    const check = run.checker?.check({ pass, options, step, before, after, place, made });
    const known = run.notes.get(call);
    const texts = new Set(known === undefined ? notes : notes.filter((note) => known.texts.has(note)));
    run.notes.set(call, { place, texts });
    const event = {
      pass,
      step,
      before,
      after,
      milliseconds,
      fired,
      ruleMilliseconds: times,
      refused: [...refused.values()],
      notes,
      check,
    };
    this.#observe(event, place);
    yield;
    return after;
  }

  #observe(event: PassEvent, place: string): void {
    const { warn } = this.#context;
    for (const [i, observe] of (this.#options.observers ?? []).entries()) {
      try {
        const result: unknown = observe(event);
        // Nothing waits for it: what it throws later must not end the process.
        if (result instanceof Promise)
          result.catch((error: unknown) => warn?.(observerThrew(place, i, error).message));
      } catch (error) {
        throw observerThrew(place, i, error);
      }
    }
  }

  #checks(pass: Pass, fired: ReadonlyMap<string, number>): boolean {
    const { verify: which = "plugins" } = this.#options;
    if (which !== "plugins") return which;
    return this.#isForeign(pass) || [...fired.keys()].some((name) => this.#isForeignRule(name));
  }

  #isForeign(pass: Pass): boolean {
    return !builtinPasses.includes(pass);
  }

  #isForeignRule(name: string): boolean {
    const rule = this.#context.rules?.get(name);
    return rule !== undefined && this.#context.ownerOf?.(rule) !== undefined;
  }

  /** `"name"`, with the plugin that the pass is of. */
  #labelOf(pass: Pass): string {
    const owner = this.#context.ownerOf?.(pass);
    return owner === undefined ? `"${pass.name}"` : `"${pass.name}" of plugin "${owner}"`;
  }

  /**
   * Values of tensors are kept where results are verified or compared: it costs a copy of the
   * weights.
   */
  #guardOf(program: ExportedProgram, pass: Pass): TensorGuard | undefined {
    const { verify: which = "plugins", check = false } = this.#options;
    if (check !== false) return new TensorGuard(program, { examples: true });
    return which === true || (which === "plugins" && this.#isForeign(pass))
      ? new TensorGuard(program)
      : undefined;
  }

  *#run({ program, pass, options, place, guard, ...seen }: Attempt): Work<ExportedProgram> {
    const { counts, times, refused, notes, made } = seen;
    const { rewrites, ownerOf } = this.#context;
    const refuse = (rewrite: RefusedRewrite): void => {
      refused.set(`${rewrite.graph} ${rewrite.node} ${rewrite.rule}`, rewrite);
      rewrites?.refused?.(rewrite);
    };
    const fired = (rule: Pick<Rule, "name">): void => {
      counts.set(rule.name, (counts.get(rule.name) ?? 0) + 1);
      rewrites?.fired?.(rule);
    };
    const record = (rewrite: MadeRewrite): void => {
      if (this.#isChecked) made.push(rewrite);
      rewrites?.made?.(rewrite);
    };
    const timed = (rule: Pick<Rule, "name">, milliseconds: number): void => {
      times.set(rule.name, (times.get(rule.name) ?? 0) + milliseconds);
      rewrites?.timed?.(rule, milliseconds);
    };
    const time = this.#options.timeRules === true && { timed };
    const note = (text: string): void => void notes.push(text);
    let result: unknown;
    try {
      const watched = Object.freeze({ ownerOf, ...rewrites, fired, made: record, refused: refuse, ...time });
      const context = Object.freeze({ ...this.#context, rewrites: watched, note });
      if (pass.steps === undefined)
        result = editingAs(pass.name, () => pass.run(program, context, options) as unknown);
      else
        result = yield* inScope(pass.steps(program, context, options), (piece) =>
          editingAs(pass.name, piece),
        );
    } catch (error) {
      guard?.restore();
      throw passThrew(place, error);
    }
    if (result instanceof ExportedProgram) return result;
    guard?.restore();
    if (result instanceof Promise) result.catch(() => {});
    throw noProgram(place, result);
  }

  *#verify(program: ExportedProgram, when: string, step?: Transition): Work<void> {
    const { operators, verify } = this.#context;
    const before = step?.before;
    const problems: Problem[] = [];
    try {
      const found =
        verify === undefined ? verifyCallsSteps(program, { operators, before }) : verify(program, before);
      problems.push(...("next" in found ? yield* found : found));
      yield;
      const isReadable = !problems.some(({ code }) => code === "MALFORMED");
      if (step !== undefined && isReadable)
        problems.push(...verifyTransition(step.before, program, step.drops));
    } catch (error) {
      // Not even the verifier can read it: a part is of another kind than programs have.
      if (isSconceError(error)) throw error;
      problems.push({ code: "MALFORMED", message: `a part of it cannot be read (${thrownText(error)})` });
    }
    if (problems.length === 0) return;
    throw invalidProgram(when, problems);
  }
}

/** Returns the call as a pipeline has it, if it has options; the name alone does not show them. */
function textOf(call: PassCall): string | undefined {
  const text = printPipeline([call]);
  return text === call.pass.name ? undefined : text;
}
