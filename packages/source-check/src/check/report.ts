/** @file What the source check finds. */
import { placeInFunction, positionInFunction } from "../source/function-place.js";
import type { AnyFunction } from "../source/parse-function.js";
import type { StrictConstruct } from "./strict-constructs.js";

/** One place of the checked source. */
export interface SourceFinding {
  /** How the value is used: `if`, `!`, `&&`, `===`, `switch`, `includes`, `template`. */
  readonly construct: string;
  /** The function or method that has the place; `<anonymous>` where it has no name. */
  readonly function: string;
  /** The line in the function, counted from 1: its first line is 1. */
  readonly line: number;
  /** The column in the line, counted from 1. */
  readonly column: number;
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

/** A construct that strict mode refuses. */
export interface StrictProblem extends SourceProblem {
  /** The id of the construct: `outer-write`, `random`. */
  readonly construct: StrictConstruct;
}

/** The result of a check. */
export interface SourceReport {
  /** Uses that are wrong. */
  readonly errors: readonly SourceProblem[];
  /** What strict mode refuses; empty where the check is not strict. */
  readonly refused: readonly StrictProblem[];
  /** Uses that the check could not follow. */
  readonly unchecked: readonly SourceFinding[];
  /** Numbers that are written as floats and are integers; undefined for none. */
  readonly warnings?: readonly SourceProblem[];
}

const origins = new WeakMap<SourceFinding, AnyFunction>();

/**
 * Returns the place of a finding in the user's source, `/models/net.ts:12`, where the engine
 * reports it.
 */
export function findingPlace(finding: SourceFinding): string | undefined {
  const fn = origins.get(finding);
  return fn && placeInFunction(fn, finding);
}

/**
 * Returns the place of a finding with its column, `/models/net.ts:12:5`, where the engine reports
 * it.
 */
export function findingPosition(finding: SourceFinding): string | undefined {
  const fn = origins.get(finding);
  return fn && positionInFunction(fn, finding);
}

/** Collects findings, each place once. */
export class Findings {
  readonly #errors = new Map<string, SourceProblem>();
  readonly #refused = new Map<string, StrictProblem>();
  readonly #warnings = new Map<string, SourceProblem>();
  readonly #unchecked = new Map<string, SourceFinding>();

  error(key: string, problem: SourceProblem, fn?: AnyFunction): void {
    if (this.#errors.has(key)) return;
    this.#errors.set(key, problem);
    if (fn !== undefined) origins.set(problem, fn);
  }

  refuse(key: string, problem: StrictProblem, fn?: AnyFunction): void {
    if (this.#refused.has(key)) return;
    this.#refused.set(key, problem);
    if (fn !== undefined) origins.set(problem, fn);
  }

  warn(key: string, problem: SourceProblem, fn?: AnyFunction): void {
    if (this.#warnings.has(key)) return;
    this.#warnings.set(key, problem);
    if (fn !== undefined) origins.set(problem, fn);
  }

  unchecked(key: string, finding: SourceFinding, fn?: AnyFunction): void {
    if (this.#unchecked.has(key)) return;
    this.#unchecked.set(key, finding);
    if (fn !== undefined) origins.set(finding, fn);
  }

  report(): SourceReport {
    // A call of a name reads it, too.
    const unchecked = withoutImplied(this.#unchecked, "read", "call").filter(
      ([key]) => !this.#errors.has(key),
    );
    // An assignment such as `count += 1` reads the variable, too.
    const refused = withoutImplied(this.#refused, "outer-read", "outer-write");
    return {
      errors: [...this.#errors.values()],
      refused: refused.map(([, problem]) => problem),
      unchecked: unchecked.map(([, finding]) => finding),
      ...(this.#warnings.size === 0 ? {} : { warnings: [...this.#warnings.values()] }),
    };
  }
}

/** The entries of one construct are left out where another construct at their place implies it. */
const withoutImplied = <T>(found: ReadonlyMap<string, T>, implied: string, by: string): [string, T][] =>
  [...found].filter(
    ([key]) => !(key.startsWith(`${implied} `) && found.has(`${by}${key.slice(implied.length)}`)),
  );
