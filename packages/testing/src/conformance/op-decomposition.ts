/** @file Checks decompositions: run in place of the kernel, they give the same numbers. */
import { CPU_KERNELS, createEvaluator } from "@sconce/backend-cpu";
import type { OperatorTable } from "@sconce/ops";
import type { OpCase, OpCaseFile } from "./op-cases.js";
import { knownDifference } from "./op-differences.js";
import { checkOpCase, type OperatorCall } from "./ops.js";

/**
 * Runs the decomposition of a file's operator where the interpreter has a kernel for it; undefined when only one of the
 * two is there. Writing overloads are those of their functional one.
 */
export function decomposedCall(file: OpCaseFile, operators: OperatorTable): OperatorCall | undefined {
  const row = operators.get(file.target);
  const functional = row?.functional === undefined ? row : operators.get(row.functional);
  if (functional?.decompose === undefined) return undefined;
  const aside = [file.target, functional.target].filter((target) => Object.hasOwn(CPU_KERNELS, target));
  if (aside.length === 0) return undefined;
  return createEvaluator({ operators, withoutKernels: aside }) as OperatorCall;
}

/** What is wrong with the decomposition's numbers on one case, or undefined. */
export function checkDecomposition(file: OpCaseFile, one: OpCase, call: OperatorCall): string | undefined {
  if (one.compare === "error") return undefined;
  const problem = checkOpCase(file, one, call);
  const known = problem === undefined ? undefined : knownDifference(file.target);
  if (known === undefined) return problem;
  const { unlike = [], compare } = known;
  const outputs = (one.outputs ?? []).map((output, i) =>
    unlike.includes(i) ? ({ unspecified: true } as const) : output,
  );
  return checkOpCase(file, { ...one, outputs }, call, compare === undefined ? {} : { compare });
}
