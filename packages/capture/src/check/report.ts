/** @file What the source check finds. */
import { placeInFunction } from "../source/function-place.js";
import type { AnyFunction } from "../source/parse-function.js";

/** One place of the checked source. */
export interface SourceFinding {
  /** How the value is used: `if`, `!`, `&&`, `===`, `switch`, `includes`, `template`. */
  readonly construct: string;
  /** The function or method that has the place; `<anonymous>` where it has no name. */
  readonly function: string;
  /** The line in the function, counted from 1: its first line is 1. */
  readonly line: number;
  /** The code of the place. */
  readonly code: string;
  /** What is wrong, or why it cannot be checked. */
  readonly message: string;
}

/** A use of a tensor or a dynamic size that JavaScript decides without the trace. */
export interface SourceProblem extends SourceFinding {
  /** What to write instead. */
  readonly fix: string;
}

/** The result of a check. */
export interface SourceReport {
  /** Uses that are wrong. */
  readonly errors: readonly SourceProblem[];
  /** Uses that the check could not follow. */
  readonly unchecked: readonly SourceFinding[];
}

const origins = new WeakMap<SourceFinding, AnyFunction>();

/**
 * The place of a finding in the user's source, `/models/net.ts:12`, where the engine reports it.
 */
export function findingPlace(finding: SourceFinding): string | undefined {
  const fn = origins.get(finding);
  return fn && placeInFunction(fn, finding.line, finding.code);
}

/** Collects findings, each place once. */
export class Findings {
  readonly #errors = new Map<string, SourceProblem>();
  readonly #unchecked = new Map<string, SourceFinding>();

  error(key: string, problem: SourceProblem, fn?: AnyFunction): void {
    if (this.#errors.has(key)) return;
    this.#errors.set(key, problem);
    if (fn !== undefined) origins.set(problem, fn);
  }

  unchecked(key: string, finding: SourceFinding, fn?: AnyFunction): void {
    if (this.#unchecked.has(key)) return;
    this.#unchecked.set(key, finding);
    if (fn !== undefined) origins.set(finding, fn);
  }

  report(): SourceReport {
    const unchecked = [...this.#unchecked].filter(([key]) => !this.#errors.has(key));
    return { errors: [...this.#errors.values()], unchecked: unchecked.map(([, finding]) => finding) };
  }
}
