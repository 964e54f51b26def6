/** @file Whether one pass fails on a program, and how: what bisection asks again and again. */

import { isSconceError, type SconceError, type Work } from "@sconce/errors";
import type { ExportedProgram, Node, Value } from "@sconce/ir";
import { verify } from "@sconce/ir/verify";
import type { CheckOptions } from "../checking/options.js";
import { PassManager } from "../manager/pass-manager.js";
import type { PassContext, PipelineItem } from "../pass/pass.js";
import { RewriteDiverges } from "../rewrite/divergence-errors.js";
import type { Rule } from "../rewrite/rule.js";
import type { Reproducer } from "./subprogram.js";

/**
 * In what way a pass fails: other numbers, an assertion that is gone, something thrown, a program
 * that the verifier refuses, a tensor written to, or rewrites or repetitions that never converge.
 */
export type FailureKind = "numbers" | "assertion" | "error" | "invalid" | "written" | "diverges";

const KINDS: ReadonlyMap<string, FailureKind> = new Map([
  ["PASS_CHANGED_NUMBERS", "numbers"],
  ["PASS_DROPPED_ASSERTION", "assertion"],
  ["PASS_FAILED", "error"],
  ["INVALID_PROGRAM", "invalid"],
  ["PASS_ENSURES", "invalid"],
  ["VALUES_WRITTEN", "written"],
  ["NO_FIXPOINT", "diverges"],
]);

export interface Failure {
  readonly kind: FailureKind;
  readonly error: SconceError;
}

/**
 * Returns the failure that an error of the pass manager reports; undefined for others, such as a
 * pass that cannot run here.
 */
export function failureOf(error: unknown): Failure | undefined {
  if (!isSconceError(error)) return undefined;
  const kind = error.cause instanceof RewriteDiverges ? "diverges" : KINDS.get(error.code);
  return kind === undefined ? undefined : { kind, error };
}

/** Failures are the same one when they are of one kind, and what was thrown has one code. */
const signatureOf = ({ kind, error }: Failure): string => {
  const cause = error.cause;
  return `${kind} ${isSconceError(cause) ? cause.code : cause instanceof Error ? cause.name : typeof cause}`;
};

/** A rewrite that a rule was about to make. */
export interface Attempted {
  readonly rule: Pick<Rule, "name">;
  readonly root: Node;
  /** The nested graph of the node; empty for the program's own graph. */
  readonly graph: string;
}

/** What a limited run of the pass did. */
export interface Tried {
  readonly failure: Failure | undefined;
  readonly rewrites: number;
  readonly first: Attempted | undefined;
  /**
   * The last rewrite that was made, and the last that was begun: what threw was begun and not made.
   */
  readonly made: Attempted | undefined;
  readonly begun: Attempted | undefined;
}

/**
 * One pass of a pipeline, or a repetition, to be run on other programs than the one it failed on.
 */
export class Trial {
  readonly #context: PassContext;
  readonly #item: PipelineItem;
  readonly #options: CheckOptions;
  readonly #signature: string;
  #tries = 0;

  constructor(context: PassContext, item: PipelineItem, options: CheckOptions, failure: Failure) {
    this.#context = context;
    this.#item = item;
    this.#options = options;
    this.#signature = signatureOf(failure);
  }

  /** How often the pass was run. */
  get tries(): number {
    return this.#tries;
  }

  /**
   * Returns whether the pass fails as it did, on a valid program; at most so many rewrites are
   * made.
   */
  *run(
    program: ExportedProgram,
    inputs: readonly Value[],
    { limit = Number.POSITIVE_INFINITY, item = this.#item }: { limit?: number; item?: PipelineItem } = {},
  ): Work<Tried> {
    yield;
    this.#tries++;
    let rewrites = 0;
    let [first, made, begun]: (Attempted | undefined)[] = [];
    const watched: PassContext["rewrites"] = {
      ownerOf: this.#context.ownerOf,
      allows: (rule, root, graph) => {
        if (rewrites >= limit) return false;
        begun = { rule, root, graph };
        return true;
      },
      fired: () => {
        rewrites++;
        made = begun;
        first ??= begun;
      },
    };
    const context = { ...this.#context, rewrites: watched };
    const failure = yield* this.#attempt({ program, inputs }, item, context);
    return { failure, rewrites, first, made, begun };
  }

  *#attempt(
    { program, inputs }: Reproducer,
    item: PipelineItem,
    context: PassContext,
  ): Work<Failure | undefined> {
    if (verify(program, { operators: context.operators }).length > 0) return undefined;
    const check = /^(numbers|assertion)/.test(this.#signature) && { ...this.#options, inputs: [inputs] };
    try {
      yield* new PassManager(context, { verify: true, record: false, check }).steps(program, [item]);
      return undefined;
    } catch (error) {
      const failure = failureOf(error);
      return failure !== undefined && signatureOf(failure) === this.#signature ? failure : undefined;
    }
  }
}
