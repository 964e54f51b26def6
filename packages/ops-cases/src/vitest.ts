/**
 * @file `@sconce/ops-cases/vitest`: suites of recorded calls. Test names hold the overload, so that
 * `-t silu` selects an operator.
 */
import { checkOptions, type OptionNames } from "@sconce/errors";
import type { Backend } from "@sconce/ir";
import type { OperatorTable } from "@sconce/ops";
import { describe, expect, test } from "vitest";
import { BackendChecker } from "./backends/backend-checker.js";
import { OpChecker, type OpCheckerOptions } from "./checks/checker.js";
import { casesByTarget, caseTitle, type OpCase } from "./recorded/case.js";
import { caseFamilies, readFamily } from "./recorded/files-node.js";

/** What the tests of operators run. */
export interface OperatorSpecOptions extends OpCheckerOptions {
  /**
   * Runs one of this many calls of each overload; 1 when left out. All calls of one that draws
   * random numbers run: each draws what the ones before have left.
   */
  readonly every?: number | undefined;
}

/**
 * Makes one test of each overload, in a suite for each family: the kernel, the shape rule and the
 * decomposition give what PyTorch gave for each of its recorded calls.
 *
 * @returns the checker, which counts the checks that were made
 */
export function operatorSpec({ every = 1, ...options }: OperatorSpecOptions): OpChecker {
  const checker = new OpChecker(options);
  const isRun = runnerOf(options.operators, every, 0);
  for (const family of caseFamilies())
    describe(family, () => {
      // A test of each of 18,536 calls takes seconds.
      for (const [target, all] of casesByTarget(readFamily(family))) {
        const cases = all.filter((_, at) => isRun(target, at));
        test(titleOf(target, cases), () => {
          expect(cases.flatMap((one) => titled(one, checker.problem(one)))).toEqual([]);
        });
      }
    });
  return checker;
}

/** Which calls of an overload run; see {@link OperatorSpecOptions.every}. */
const runnerOf =
  (operators: OperatorTable, every: number, first: number) =>
  (target: string, at: number): boolean =>
    at % every === first || operators.tagsOf(target).includes("nondeterministic_seeded");

const titleOf = (target: string, cases: readonly OpCase[]): string => `${target}, ${cases.length} calls`;

/** Returns a problem with the call that it is of, if there is one. */
const titled = (one: OpCase, problem: string | undefined): readonly string[] =>
  problem === undefined ? [] : [`${caseTitle(one)}: ${problem}`];

/** What the tests of a backend run. */
export interface BackendCasesOptions {
  /** The operators that the calls name. */
  readonly operators: OperatorTable;
  /**
   * Runs the calls at the edges of operators too: ends of domains, mixed dtypes, refusals. Default
   * false.
   */
  readonly edges?: boolean | undefined;
  /** The calls to run; all when left out. */
  readonly filter?: ((one: OpCase) => boolean) | undefined;
  /**
   * Runs one of this many calls of each overload, so that all kinds come up; 1 when left out. All
   * calls of one that draws random numbers run: each draws what the ones before have left.
   */
  readonly every?: number | undefined;
  /**
   * The place of the first of them: suites with the others of `every` share all calls; default 0.
   */
  readonly first?: number | undefined;
}

const CASES: OptionNames<BackendCasesOptions> = {
  operators: true,
  edges: true,
  filter: true,
  every: true,
  first: true,
};

/**
 * Makes one test of each overload: the backend runs its recorded calls, as programs of one node,
 * and gives what PyTorch gave.
 *
 * @param open gives a fresh backend for each overload
 * @returns the checker, which counts where the calls ran
 */
export function backendCasesSpec(open: () => Backend, options: BackendCasesOptions): BackendChecker {
  checkOptions("backendCasesSpec", options, CASES);
  const { operators, edges = false, filter = () => true, every = 1, first = 0 } = options;
  const checker = new BackendChecker(open, operators);
  const isRun = runnerOf(operators, every, first);
  const isChosen = (one: OpCase): boolean => (edges || one.source !== "edges") && filter(one);
  for (const family of caseFamilies()) {
    const overloads = casesByTarget(readFamily(family).filter(isChosen));
    if (overloads.size > 0) describe(family, () => testOverloads(overloads, checker, isRun));
  }
  return checker;
}

function testOverloads(
  overloads: ReadonlyMap<string, readonly OpCase[]>,
  checker: BackendChecker,
  isRun: (target: string, at: number) => boolean,
): void {
  for (const [target, cases] of overloads) {
    const chosen = cases.filter((_, at) => isRun(target, at));
    if (chosen.length === 0) continue;
    test(titleOf(target, chosen), async () => {
      const problems: string[] = [];
      for (const one of chosen) problems.push(...titled(one, await checker.problem(one)));
      expect(problems).toEqual([]);
    });
  }
}
