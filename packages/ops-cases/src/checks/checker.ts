/** @file Checks the three definitions of an operator: kernel, shape rule and decomposition. */
import type { OperatorTable } from "@sconce/ops";
import type { OpCase } from "../recorded/case.js";
import { checkDecomposition, decomposedCall, type Kernels } from "./decomposition.js";
import { checkOpCase } from "./outcome.js";
import { checkPrediction } from "./prediction.js";

/**
 * Operators whose fresh outputs keep the layout of dense inputs, so that recorded strides have to
 * match.
 */
const LAYOUT_MATTERS = /^aten\.(clone|_to_copy|empty_like|full_like|zeros_like|ones_like|contiguous)\./;

/** The checks there are, in the order in which they are made. */
export const OP_CHECKS = ["run", "fake", "decomposition"] as const;
/** The name of a check of a recorded call; see {@link OP_CHECKS}. */
export type OpCheck = (typeof OP_CHECKS)[number];

type Check = readonly [name: OpCheck, problemOf: (one: OpCase) => string | undefined];

/** The operators and kernels that are checked. */
export interface OpCheckerOptions {
  /** The operators, with their shape rules and decompositions. */
  readonly operators: OperatorTable;
  /** The kernels that run the calls. */
  readonly kernels: Kernels;
  /** All when left out. */
  readonly checks?: readonly OpCheck[] | undefined;
}

/** Puts recorded calls through the checks of operators. */
export class OpChecker {
  /** How often each check was made. */
  readonly counts: Record<OpCheck, number> = { run: 0, fake: 0, decomposition: 0 };
  readonly #operators: OperatorTable;
  readonly #kernels: Kernels;
  readonly #chosen: ReadonlySet<OpCheck>;
  readonly #checks = new Map<string, readonly Check[]>();

  constructor({ operators, kernels, checks = OP_CHECKS }: OpCheckerOptions) {
    this.#operators = operators;
    this.#kernels = kernels;
    this.#chosen = new Set(checks);
  }

  /**
   * Returns the first problem of a case, with the check that found it; undefined when there is
   * none. Nothing is thrown.
   */
  problem(one: OpCase): string | undefined {
    for (const [name, problemOf] of this.#checksOf(one.target)) {
      // A call that must be refused does not have a result to predict or to decompose.
      if (name !== "run" && one.compare === "error") continue;
      // PyTorch's decompositions give other values than its kernels at many edges.
      if (name === "decomposition" && one.source === "edges") continue;
      this.counts[name]++;
      const problem = problemOf(one);
      if (problem !== undefined) return `${name}: ${problem}`;
    }
    return undefined;
  }

  #checksOf(target: string): readonly Check[] {
    const known = this.#checks.get(target);
    if (known !== undefined) return known;
    const checks = this.#newChecks(target).filter(([name]) => this.#chosen.has(name));
    this.#checks.set(target, checks);
    return checks;
  }

  #newChecks(target: string): readonly Check[] {
    const operators = this.#operators;
    const row = operators.get(target);
    const strict = LAYOUT_MATTERS.test(target) || row?.tags.includes("pointwise") === true;
    // One generator of random numbers for an overload: its results do not depend on what ran
    // before.
    const call = this.#kernels.evaluator([]);
    const decomposed = decomposedCall(target, operators, this.#kernels);
    const checks: Check[] = [["run", (one) => checkOpCase(one, call, { checkStrides: () => strict })]];
    if (row !== undefined) checks.push(["fake", (one) => checkPrediction(one, operators, call)]);
    if (decomposed !== undefined)
      checks.push(["decomposition", (one) => checkDecomposition(one, decomposed)]);
    return checks;
  }
}
