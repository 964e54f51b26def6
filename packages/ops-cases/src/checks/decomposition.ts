/** @file Checks decompositions: run in place of the kernel, they give the same numbers. */
import type { OperatorTable } from "@sconce/ops";
import type { OpCase } from "../recorded/case.js";
import { knownDifference } from "./differences.js";
import { checkOpCase, type OperatorCall } from "./outcome.js";

/** A set of kernels that runs single operators. */
export interface Kernels {
  /** Returns whether there is a kernel for an operator. */
  has(target: string): boolean;
  /**
   * Returns a fresh evaluator, which runs operators by kernels and by decompositions.
   *
   * @param without targets whose kernels are not used
   */
  evaluator(without: readonly string[]): OperatorCall;
}

/**
 * Returns an evaluator that runs the decomposition of an operator with a kernel; undefined when the
 * operator lacks one of the two. Writing overloads are those of their functional one.
 */
export function decomposedCall(
  target: string,
  operators: OperatorTable,
  kernels: Kernels,
): OperatorCall | undefined {
  const row = operators.get(target);
  const functional = row?.functional === undefined ? row : operators.get(row.functional);
  if (functional?.decompose === undefined) return undefined;
  const without = [target, functional.target].filter((one) => kernels.has(one));
  return without.length === 0 ? undefined : kernels.evaluator(without);
}

/** Returns what is wrong with the decomposition's numbers on one case, or undefined. */
export function checkDecomposition(one: OpCase, call: OperatorCall): string | undefined {
  if (one.compare === "error") return undefined;
  const problem = checkOpCase(one, call);
  const known = problem === undefined ? undefined : knownDifference(one.target);
  if (known === undefined) return problem;
  const { unlike = [], compare } = known;
  const outputs = (one.outputs ?? []).map((output, i) =>
    unlike.includes(i) ? ({ unspecified: true } as const) : output,
  );
  return checkOpCase({ ...one, outputs }, call, compare === undefined ? {} : { compare });
}
